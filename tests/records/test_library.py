"""Reading a whole folder, and what ties rulings together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.records.library import Library, load
from kb.records.model import GameHeader
from kb.records.scaffold import new_ruling
from kb.records.text import Text, broken_marks, find_marks, mark_at, plain_text, write_mark
from kb.records.values import Card

R2D2 = Card("R2-D2 & C-3PO", "A", ("JG 62", "Other"), label="R2-D2 & C-3PO (A)")
NO_HTTPS = "does not begin with https:// and a site"


@pytest.mark.parametrize(
    ("key", "pattern", "expected"),
    [
        ("card-url", "https://a.org/{name}?v={version}", "https://a.org/R2-D2%20%26%20C-3PO?v=A"),
        ("card-url", "https://a.org/{slug}/{set}", "https://a.org/r2-d2-c-3po/JG%2062"),
        ("card-url", "https://a.org/#{label}", "https://a.org/#R2-D2%20%26%20C-3PO%20%28A%29"),
        ("card-url", "", ""),
        ("card-url", "https://a.org/cards", "nothing in braces"),
        ("card-url", "https://a.org/{id}", "{id} is unknown"),
        ("card-url", "https://{name}.org/", "needs a site before its first brace"),
        ("picture", "https://a.org/{set}/{slug}.jpg", "https://a.org/JG%2062/r2-d2-c-3po.jpg"),
        ("picture", "", ""),
        ("picture", "http://a.org/{slug}.jpg", NO_HTTPS),
        ("picture", "https://*.org/{slug}.jpg", NO_HTTPS),
    ],
)
def test_addresses_of_a_card_elsewhere(
    good: Library, key: str, pattern: str, expected: str
) -> None:
    fields = good.games["demo"].header.model_dump(by_alias=True) | {key: pattern}
    try:
        header = GameHeader.model_validate(fields)
    except ValueError as error:
        assert expected in str(error)
    else:
        found = header.card_address(R2D2) if key == "card-url" else header.picture_address(R2D2)
        assert found == expected


def test_marks() -> None:
    text = "O [[Darth Sidious (C)|Sidiousie]], [[-|pilocie]] i [[Homing Missile]]."
    marks = find_marks(text)
    assert [(mark.label, mark.surface, mark.is_card) for mark in marks] == [
        ("Darth Sidious (C)", "Sidiousie", True),
        ("-", "pilocie", False),
        ("Homing Missile", "Homing Missile", True),
    ]
    assert [text[mark.start : mark.end] for mark in marks] == [
        write_mark(mark.label, mark.surface) for mark in marks
    ]
    assert mark_at(text, 2) == marks[0] and mark_at(text, 3) is None
    assert plain_text(text) == "O Sidiousie, pilocie i Homing Missile."
    assert list(broken_marks("a [[b c]] [[d")) == [10]
    for words in ("", " ", " nie je.", "je "):
        assert next(broken_marks(f"a [[b|c]] [[d|{words}]]"), None) == 10


def test_notes_are_not_the_words_of_a_text() -> None:
    body = (
        "Answer.\n\n> [!editors]\n> First.\n>\n> Second.\n\nMore.\n\n> A quotation.\n\n"
        "> [!translator]\n> Last."
    )
    text = Text("en", "Title", body, line=10, body_line=12)
    assert text.notes == (("editors", "First.\n\nSecond.", 14), ("translator", "Last.", 23))
    assert text.answer == "Answer."
    assert text.without_notes == "Answer.\n\nMore.\n\n> A quotation."


def test_no_records(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(KbError):
            load(folder)


def test_a_file_that_cannot_be_read(records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = records / "demo" / "pilots" / "example.md"
    real = open

    def refuse(path: object, *args: object, **more: object) -> object:
        if str(path) == str(victim):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **more)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", refuse)
    library = load(records)
    assert [problem.message for problem in library.problems] == [
        "cannot be read: Permission denied"
    ]
    assert "demo/one-pilot" in library.rulings


def test_new_record(records: Path) -> None:
    facts = {"kind": "note", "authority": "community"}
    path = new_ruling(records, "demo", "pilots", "next", **facts, sources=["demo-faq#example"])
    problems = load(records).problems
    assert {problem.path for problem in problems} == {path.as_posix()}
    assert all("TODO" in problem.message for problem in problems) and len(problems) == 4
    written = re.sub("TODO.*", "Text", path.read_text(encoding="utf-8"))
    path.write_text(written, encoding="utf-8")
    assert not load(records).problems
    for taken in ("next", "single-pilot"):
        with pytest.raises(KbError):
            new_ruling(records, "demo", "pilots", taken, **facts, sources=[])
    with pytest.raises(KbError, match="--source: 'demo-faq' does not say where"):
        new_ruling(records, "demo", "pilots", "n", **facts, sources=["demo-faq"])


def test_a_ruling_that_is_renamed_by_hand_is_missed_once_in_each_file(records: Path) -> None:
    demo = records / "demo"
    rows = "".join(f"one-pilot\ten\tquestion {number}?\n" for number in range(9))
    (demo / "questions.tsv").write_text(f"ruling\tlang\tquestion\n{rows}", encoding="utf-8")
    renamed = (demo / "pilots" / "one-pilot.md").rename(demo / "pilots" / "only.md")
    text = renamed.read_text(encoding="utf-8")
    for former, hint in (
        ("", "; if its file was renamed, write"),
        ("\n  - one-pilot", "; its id is"),
    ):
        renamed.write_text(
            text.replace("- single-pilot", f"- single-pilot{former}"), encoding="utf-8"
        )
        told = [str(problem) for problem in load(records).problems]
        assert f"questions.tsv:2: no ruling one-pilot in demo (9 places){hint}" in told[-1]
        assert len({line.partition(": ")[0] for line in told}) == len(told) < 5


def test_a_huge_file_is_not_read_whole(records: Path) -> None:
    """10 GB that take no room on the disk."""
    for path in ("demo/pilots/huge.md", "demo/cards.tsv"):
        with (records / path).open("wb") as file:
            file.truncate(10_000_000_000)
    messages = [problem.message for problem in load(records).problems]
    assert sum("larger than 16 MB" in message for message in messages) == 2
