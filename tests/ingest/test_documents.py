"""Documents of one import: each file is one, and later ones only add."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.ingest.run import import_rulings
from kb.ingest.write import ImportOutcome
from kb.records.library import load

FROG = "Q: May a frog attack twice?\nA: No.\n"
RAIN = "Q: Does rain stop a frog?\nA: Yes.\n"


def imported(folder: Path, *files: str) -> ImportOutcome:
    return import_rulings(
        "text", [folder / file for file in files], "demo", folder / "drafts"
    ).written


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / f"{name.replace('_', '/')}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_a_second_document_adds_and_what_is_gone_is_judged_within_each(tmp_path: Path) -> None:
    write(tmp_path, rules=FROG + RAIN, combat=FROG.replace("frog", "toad"))
    assert len(imported(tmp_path, "rules.txt").new) == 2
    second = imported(tmp_path, "combat.txt")
    assert second.new == ["combat-may-a-toad-attack-twice"] and not second.gone
    write(tmp_path, rules=RAIN)
    again = imported(tmp_path, "rules.txt")
    assert again.same == ["rules-does-rain-stop-a-frog"]
    assert again.gone == ["rules-may-a-frog-attack-twice"]
    assert imported(tmp_path, "combat.txt", "rules.txt").gone == again.gone
    assert not [one for one in load(tmp_path / "drafts").problems if ".md" in one.path]


def test_an_id_that_begins_like_another_document_stays_with_its_own(tmp_path: Path) -> None:
    write(tmp_path, rules="Q: Combat first?\nA: No.\n")
    first = imported(tmp_path, "rules.txt")
    (tmp_path / "rules-combat.txt").write_text("Q: First?\nA: Yes.\n", encoding="utf-8")
    second = imported(tmp_path, "rules-combat.txt")
    assert (first.new, second.new) == (["rules-combat-first"], ["rules-combat-first-2"])
    assert not second.gone
    assert imported(tmp_path, "rules.txt").same == first.new
    assert imported(tmp_path, "rules-combat.txt").same == second.new


def test_a_document_may_move_and_never_takes_the_place_of_another(tmp_path: Path) -> None:
    write(tmp_path, a_faq=FROG + RAIN, b_faq=FROG.replace("No", "Yes"))
    both = imported(tmp_path, "a/faq.txt", "b/faq.txt")
    assert "faq-2-may-a-frog-attack-twice" in both.new and len(both.new) == 3
    with pytest.raises(KbError, match=r"b/faq.txt: the source faq was read from .*/a/faq.txt; "):
        imported(tmp_path, "b/faq.txt")
    (tmp_path / "a" / "faq.txt").rename(tmp_path / "faq.txt")
    write(tmp_path, faq=FROG)
    moved = imported(tmp_path, "faq.txt")
    assert moved.same == ["faq-may-a-frog-attack-twice"]
    assert moved.gone == ["faq-does-rain-stop-a-frog"]
