"""Reading a whole folder, and what ties rulings together."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.records.library import Library, load
from kb.records.model import Card, GameHeader
from kb.records.scaffold import new_ruling
from kb.records.text import broken_marks, find_marks, mark_at, plain_text, write_mark


def test_the_small_game(good: Library) -> None:
    assert not good.problems
    assert list(good.rulings) == [
        "demo/errata-speeder",
        "demo/example",
        "demo/old-answer",
        "demo/one-pilot",
        "demo/pilot-build-zone",
    ]
    ruling = good.rulings["demo/one-pilot"]
    assert ruling.original.lang == "pl"
    assert ruling.original.answer.startswith("Na jednostce")
    lines = Path(ruling.path).read_text(encoding="utf-8").splitlines()
    assert lines[ruling.line("sources", 0) - 1] == "  - demo-faq#one-pilot"


def test_ties_go_both_ways(good: Library) -> None:
    ties = good.relations(good.rulings["demo/one-pilot"])
    assert ties["supersedes"] == ("old-answer",)
    assert ties["examples"] == ("example",)
    assert good.relations(good.rulings["demo/old-answer"])["superseded_by"] == ("one-pilot",)
    assert good.relations(good.rulings["demo/pilot-build-zone"])["related"] == ("one-pilot",)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("https://a.org/{name}?v={version}", "https://a.org/R2-D2%20%26%20C-3PO?v=A"),
        (
            "https://a.org/{slug}/{set}#{label}",
            "https://a.org/r2-d2-c-3po/First#R2-D2%20%26%20C-3PO%20%28A%29",
        ),
        ("", ""),
        ("https://a.org/cards", "nothing in braces"),
        ("https://a.org/{id}", "{id} is unknown"),
        ("https://{name}.org/", "needs a site before its first brace"),
        ("javascript:{name}", "is not an address"),
    ],
)
def test_the_address_of_a_card_elsewhere(good: Library, pattern: str, expected: str) -> None:
    card = Card(
        name="R2-D2 & C-3PO", version="A", sets=("First", "Other"), label="R2-D2 & C-3PO (A)"
    )
    header = good.games["demo"].header.model_dump(by_alias=True) | {"card-url": pattern}
    try:
        found = GameHeader.model_validate(header).card_address(card)
    except ValueError as error:
        assert expected in str(error)
    else:
        assert found == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("https://a.org/{set}/{slug}.jpg", "https://a.org/JG%2062/r2-d2.jpg"),
        ("", ""),
        ("http://a.org/{slug}.jpg", "does not begin with https:// and a site"),
        ("https://a.org; script-src */{slug}", "does not begin with https:// and a site"),
        ("https://*.org/{slug}.jpg", "does not begin with https:// and a site"),
        ("https://a.org/{number}.jpg", "{number} is unknown"),
    ],
)
def test_the_picture_of_a_card_elsewhere(good: Library, pattern: str, expected: str) -> None:
    card = Card(name="R2-D2", sets=("JG 62",), label="R2-D2")
    header = good.games["demo"].header.model_dump(by_alias=True) | {"picture": pattern}
    try:
        found = GameHeader.model_validate(header).picture_address(card)
    except ValueError as error:
        assert expected in str(error)
    else:
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
    path = new_ruling(
        records,
        "demo",
        "pilots",
        "next",
        kind="note",
        authority="community",
        sources=["demo-faq#example"],
    )
    problems = load(records).problems
    assert {problem.path for problem in problems} == {path.as_posix()}
    assert all("TODO" in problem.message for problem in problems) and len(problems) == 4
    path.write_text(path.read_text(encoding="utf-8").replace("TODO", "Text"), encoding="utf-8")
    assert not load(records).problems
    for words in (
        ("demo", "pilots", "next"),
        ("nogame", "pilots", "x"),
        ("demo", "nothing", "x"),
        ("demo", "pilots", "Not An Id"),
        ("demo", "pilots", "single-pilot"),
    ):
        with pytest.raises(KbError):
            new_ruling(records, *words, kind="note", authority="community", sources=[])
    with pytest.raises(KbError, match="--source: 'demo-faq' does not say where"):
        new_ruling(
            records, "demo", "pilots", "n", kind="note", authority="community", sources=["demo-faq"]
        )


def test_a_huge_file_is_not_read_whole(records: Path) -> None:
    """10 GB that take no room on the disk."""
    for path in ("demo/pilots/huge.md", "demo/cards.tsv"):
        with (records / path).open("wb") as file:
            file.truncate(10_000_000_000)
    messages = [problem.message for problem in load(records).problems]
    assert sum("larger than 16 MB" in message for message in messages) == 2
