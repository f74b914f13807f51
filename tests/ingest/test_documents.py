"""Documents of one import: each file is one, and later ones only add."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.commands.importing import import_rulings
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


@pytest.mark.parametrize("runs", [["a", "b"], ["b", "a"], ["a b"], ["b a", "a"], ["b", "a b"]])
def test_two_files_of_one_name_are_two_documents(runs: list[str], tmp_path: Path) -> None:
    write(tmp_path, a_faq=FROG + RAIN, b_faq=FROG.replace("No", "Yes"))
    outcomes = [imported(tmp_path, *(f"{name}/faq.txt" for name in run.split())) for run in runs]
    assert sum(len(outcome.new) for outcome in outcomes) == 3
    assert not [one for one in outcomes if one.gone or one.changed or one.edited]
    library = load(tmp_path / "drafts")
    assert len(library.games["demo"].sources) == 2
    answers = sorted(ruling.original.body for ruling in library.rulings.values())
    assert answers == ["No.", "Yes.", "Yes."]
    assert not [one for one in library.problems if ".md" in one.path]
    # Each keeps its source, in whatever order they come.
    again = imported(tmp_path, "b/faq.txt", "a/faq.txt")
    assert len(again.same) == 3 and not again.new


def test_a_document_that_was_moved_is_the_same(tmp_path: Path) -> None:
    write(tmp_path, a_faq=FROG + RAIN)
    first = imported(tmp_path, "a/faq.txt")
    (tmp_path / "a" / "faq.txt").rename(tmp_path / "faq.txt")
    write(tmp_path, faq=FROG)
    moved = imported(tmp_path, "faq.txt")
    assert (moved.same, moved.gone) == ([first.new[0]], [first.new[1]])
    # A file without one of its rulings is another document.
    (tmp_path / "faq.txt").unlink()
    write(tmp_path, b_faq="Q: May a toad swim?\nA: Yes.\n")
    other = imported(tmp_path, "b/faq.txt")
    assert other.new == ["faq-2-may-a-toad-swim"] and not other.gone
