"""`kb link`, `kb check --suggest`, and the links that a build makes beside the curators' marks."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

from tests.command_line import RunCommand

# As macOS writes it.
DECOMPOSED = unicodedata.normalize("NFD", "Łowcą Światów")
TEXT = (
    "Gdy Anakina C pilotuje Darth Sidious, a Star Destroyer stoi obok, Pilot milczy.\n"
    f"{DECOMPOSED} też. Coruscant Speeder też.\n"
)


def test_link_as_json(small_base: Path, kb: RunCommand) -> None:
    words = ("link", "--game", "demo", "--lang", "pl", "--json")
    found = json.loads(kb(*words, cwd=small_base, text=TEXT).stdout)
    assert [(one["surface"], one["card"], one["version"]) for one in found] == [
        ("Anakina C", "Anakin Skywalker", "C"),
        ("Darth Sidious", "Darth Sidious", None),
        ("Star Destroyer", "Star Destroyer", None),
        (DECOMPOSED, "Łowca Światów", None),
        ("Coruscant Speeder", "Coruscant Speeder", None),
    ]
    assert all(TEXT[one["start"] : one["end"]] == one["surface"] for one in found)
    assert found[2]["candidates"] == ["Star Destroyer (First Set)", "Star Destroyer (Second Set)"]
    assert found[0]["candidates"] == ["Anakin Skywalker (C)"]


def test_a_line_may_end_in_a_name(small_base: Path, kb: RunCommand) -> None:
    text = "While Anakin\nSkywalker flies, Darth Sidious waits. Anakin Skywalker\n(C) too."
    arguments = ("link", "--game", "demo", "--lang", "en")
    found = json.loads(kb(*arguments, "--json", cwd=small_base, text=text).stdout)
    assert [(one["surface"], one["version"]) for one in found] == [
        ("Anakin\nSkywalker", None),
        ("Darth Sidious", None),
        ("Anakin Skywalker\n(C)", "C"),
    ]
    shown = kb(*arguments, cwd=small_base, text=text).stdout
    assert "Anakin Skywalker (C)\tAnakin Skywalker (C)\n" in shown
    apart = "Anakin\n\nSkywalker, Anakin\n- Skywalker."
    found = json.loads(kb(*arguments, "--json", cwd=small_base, text=apart).stdout)
    assert [one["surface"] for one in found] == ["Anakin", "Anakin"]


def test_link_for_people(small_base: Path, kb: RunCommand) -> None:
    found = kb("link", "-g", "demo", "-l", "pl", cwd=small_base, text=TEXT).stdout
    assert "Anakina C\tAnakin Skywalker (C)" in found
    kb("link", "-g", "demo", "-l", "pl", cwd=small_base, text="Nic tu nie ma.", code=1)
    # Without options, the game and language whose cards the text names most often.
    assert kb("link", cwd=small_base, text=TEXT).stdout.count("\n") == 5
    english = kb("link", "-g", "demo", cwd=small_base, text="Two Coruscant Speeders attack.").stdout
    assert "Coruscant Speeders\tCoruscant Speeder" in english


def test_unmarked_names_become_links_and_suggestions(fresh: Path, kb: RunCommand) -> None:
    record = fresh / "rulings" / "demo" / "pilots" / "example.md"
    text = record.read_text(encoding="utf-8")
    beside = "Beside Coruscant\nSpeeder, a Star Destroyer and a [[-|Darth Sidious]], while [["
    record.write_text(text.replace("While [[", beside), encoding="utf-8")
    old = record.with_name("old-answer.md")
    about = "date: 2002\nabout:\n  - Coruscant Speeder\n"
    old.write_text(old.read_text("utf-8").replace("date: 2002\n", about), encoding="utf-8")
    kb("build", cwd=fresh)
    page = (fresh / "site/demo/rulings/example/index.html").read_text("utf-8")
    assert ">Coruscant Speeder</a>" in page
    assert ">Darth Sidious</a>" not in page and ">Star Destroyer</a>" not in page
    card = json.loads(kb("card", "Coruscant Speeder", "--json", cwd=fresh).stdout)["results"][0]
    assert [(one["id"], one["status"]) for one in card["mentioned"]] == [("example", "current")]
    old_answer = next(one for one in card["about"] if one["id"] == "old-answer")
    assert old_answer["status"] == "superseded"
    assert old_answer["in_force_until"] == "2003-05"
    shown = kb("card", "Coruscant Speeder", cwd=fresh).stdout
    assert "old-answer · SUPERSEDED · until 2003-05\n" in shown and "  example\n" in shown
    said = kb("check", "--suggest", cwd=fresh).stdout.splitlines()
    line = next(at for at, row in enumerate(text.splitlines(), 1) if row.startswith("While"))
    place = f"rulings/demo/pilots/example.md:{line}"
    assert said[0] == f"{place}: 'Coruscant Speeder' -> [[Coruscant Speeder]]"
    assert "[[Star Destroyer (First Set)|Star Destroyer]]" in said[1] and len(said) == 2
    assert "may be several cards" in kb("check", cwd=fresh).stderr
