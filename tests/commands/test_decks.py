"""`kb deck`, and `kb pack --deck`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command_line import RunCommand
from tests.conftest import RULINGS

DECK = "2x Sidiousa (C)\nCharacters (3)\n1 Corusant Speeder\n1 Death Star\n"
UNRULED = "3 Star Destroyer (Second Set)\n"


def test_deck_as_json(small_base: Path, kb: RunCommand) -> None:
    answer = json.loads(kb("deck", "-", "--json", cwd=small_base, text=DECK + UNRULED).stdout)
    speeder = {"line": 3, "card": "Coruscant Speeder", "count": 1, "match": "name"}
    sidious = {"line": 1, "card": "Darth Sidious (C)", "count": 2, "match": "form"}
    destroyer = {**speeder, "line": 5, "card": "Star Destroyer (Second Set)", "count": 3}
    unknown = {"line": 4, "text": "1 Death Star", "suggestions": ["Star Destroyer"]}
    assert answer == {
        "game": "demo",
        "cards": [
            {**speeder, "text": "Corusant Speeder", "rulings": ["errata-speeder"]},
            {**sidious, "text": "Sidiousa (C)", "rulings": ["pilot-build-zone"]},
            {**destroyer, "text": "Star Destroyer (Second Set)", "rulings": []},
        ],
        "rules": [],
        "unknown": [unknown],
        "without_rulings": 1,
    }


def test_deck_for_people(small_base: Path, tmp_path: Path, kb: RunCommand) -> None:
    path = tmp_path / "deck.txt"
    path.write_text(DECK, encoding="utf-16")
    shown = kb("deck", str(path), "-g", "demo", "--interface", "pl", cwd=small_base).stdout
    assert shown.startswith(
        "1× Coruscant Speeder\n  Nazwa karty Coruscant Speeder  errata · official"
    )
    assert "line 4: no card is named '1 Death Star'; did you mean Star Destroyer" in shown
    assert "without rulings" not in shown
    assert (
        "\n  The name of Coruscant Speeder  "
        in kb("deck", str(path), cwd=small_base, LANG="C").stdout
    )


def test_bad_lists_say_why(small_base: Path, kb: RunCommand) -> None:
    assert "no line names a card" in kb("deck", "-", cwd=small_base, text="\n", code=1).stderr
    shown = kb("deck", "-", cwd=small_base, text="3 Deth Star\n3 pawn", code=1).stdout
    assert shown.startswith("line 1: no card is named '3 Deth Star'; did you mean Star Destroyer")
    assert "line 2: no card is named '3 pawn'\n" in shown
    answer = json.loads(kb("deck", "-", "--json", cwd=small_base, text="3 pawn", code=1).stdout)
    assert (answer["cards"], [line["text"] for line in answer["unknown"]]) == ([], ["3 pawn"])
    cut_off = '<?xml version="1.0"?><deck><card name="Homing Missile"/>'
    shown = kb("deck", "-", cwd=small_base, text=cut_off, code=1).stderr
    assert "XML that cannot be read" in shown and "(no element found" in shown


def test_a_pack_for_decks(small_base: Path, tmp_path: Path, kb: RunCommand) -> None:
    for name, text in (("one", DECK), ("two", "Łowca Światów\n")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    output = tmp_path / "pack.html"
    lists = [str(tmp_path / f"{name}.txt") for name in ("one", "two")]
    run = kb("pack", "--output", str(output), "--deck", *lists, cwd=small_base)
    assert "3 rulings" in run.stdout and "one.txt:4: no card is named '1 Death Star'" in run.stderr
    keys = re.findall(r'data-key="demo/([^"]+)"', output.read_text(encoding="utf-8"))
    assert sorted(keys) == ["errata-speeder", "one-pilot", "pilot-build-zone"]


def test_a_pack_is_in_languages_of_its_games(tmp_path: Path, kb: RunCommand) -> None:
    options = ("--rulings", str(RULINGS), "--game", "swtcg", "--lang", "ru", "--output", "p.html")
    assert "no language 'ru'" in kb("pack", *options, cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize(
    ("options", "lang"),
    [
        ((), "en"),
        (("--lang", "pl,en"), "pl"),
        (("--lang", "pl", "--interface", "sk"), "sk"),
    ],
)
def test_a_pack_speaks_the_first_of_its_languages(
    options: tuple[str, ...], lang: str, small_base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    output = tmp_path / "pack.html"
    kb("pack", "--output", str(output), *options, cwd=small_base)
    assert f'<html lang="{lang}"' in output.read_text(encoding="utf-8")[:200]
