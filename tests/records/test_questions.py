"""The questions of a record: read, kept apart from its texts, carried through everything."""

from __future__ import annotations

import shutil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from kb.records.library import load
from kb.records.model import fingerprint
from kb.records.parse import read_ruling
from kb.records.questions import question_key, read_section

RECORD = """---
kind: ruling
authority: official
status: current
topics:
  - pilots
---

# pl: Tytuł

Odpowiedź.

# en: Title

The answer.
"""
QUESTIONS = """
# asked-as: pl

- zabrał mi statek razem z pilotem, kto teraz ma pilota?
-   a co z żetonami?

# asked-as: en

- who has the pilot now?
"""


def test_questions_are_no_text() -> None:
    without, _ = read_ruling(RECORD.encode(), "one.md", "demo", "pilots")
    ruling, problems = read_ruling((RECORD + QUESTIONS).encode(), "one.md", "demo", "pilots")
    assert not problems and ruling is not None and without is not None
    assert ruling.asked_as == {
        "pl": ("zabrał mi statek razem z pilotem, kto teraz ma pilota?", "a co z żetonami?"),
        "en": ("who has the pilot now?",),
    }
    assert ruling.texts == without.texts and not without.asked_as
    assert fingerprint(ruling.original) == fingerprint(without.original)
    assert ruling.line("asked-as", "pl", 1) == 20
    assert ruling.line("asked-as", "en") == 22
    assert ruling.line("kind") == without.line("kind") == 2


def test_a_question_leads_to_one_ruling_of_a_game(good_root: Path, tmp_path: Path) -> None:
    root = tmp_path / "r"
    shutil.copytree(good_root, root)
    path = root / "demo" / "pilots" / "example.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "\n# asked-as: pl\n\n- Co z pilotem:  w BUDOWIE\n", encoding="utf-8")
    (problem,) = load(root).problems
    other = root / "demo" / "pilots" / "pilot-build-zone.md"
    lines = other.read_text(encoding="utf-8").split("\n")
    assert problem.path == other.as_posix()
    assert lines[problem.line - 1] == "- co z pilotem w budowie?"
    assert f"{path.as_posix()}:{len(text.splitlines()) + 4}" in problem.message


LINES = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"))),
        st.sampled_from(["", "- who?", "-  Who", "- ", "-", "* a", "  - b", "- [[a]]"]),
    ),
    max_size=8,
)


@given(LINES)
def test_every_line_is_a_question_or_reported(lines: list[str]) -> None:
    section, problems = read_section("pl", lines, 10, "x.md")
    used = {question.line for question in section.questions} | {one.line for one in problems}
    assert {number for number, line in enumerate(lines, 11) if line.strip()} <= used
    if not problems:
        assert section.questions
        assert all(2 <= len(question.text) <= 300 for question in section.questions)
        keys = [question_key(question.text) for question in section.questions]
        assert len(set(keys)) == len(keys)
