"""Drafts as records: exact, once, and never over a curator's edits."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kb.core.characters import normalize
from kb.core.problems import KbError
from kb.ingest.common import literal
from kb.ingest.drafts import OFFICIAL, Draft, DraftSource, Imported
from kb.ingest.run import import_rulings
from kb.ingest.write import ImportOutcome, rendered, write
from kb.records.library import load
from kb.records.parse import read_ruling
from kb.records.text import Text, broken_marks
from kb.records.values import Card
from kb.serialize.ruling import jsonl_lines
from tests.conftest import GOOD, RULINGS, contents
from tests.selection import examples, thorough


def draft(
    name: str, body: str = "An answer.", *, title: str = "", about: tuple[str, ...] = ()
) -> Draft:
    texts = (Text("en", title or f"On {name}", body),)
    return Draft(name, "pilots", texts, replace(OFFICIAL, about=about), note="look\nhere")


def run(root: Path, *drafts: Draft, **facts: Any) -> ImportOutcome:
    return write(Imported([*drafts], **facts), root, "test", "form")


def texts(root: Path) -> dict[str, str]:
    """The bodies of the records by id."""
    return {ruling.id: ruling.original.body for ruling in load(root).rulings.values()}


def test_a_second_run_changes_nothing_and_a_change_only_its_own(tmp_path: Path) -> None:
    first = draft("a"), draft("b", about=("X: the #1 'best'",)), draft("c")
    done = run(tmp_path, *first, name="A game")
    assert done.new == ["a", "b", "c"] and not done.changed
    before = contents(tmp_path)
    done = run(tmp_path, *first, name="A game")
    assert done.same == ["a", "b", "c"] and not done.new and contents(tmp_path) == before
    done = run(tmp_path, draft("a"), draft("b", "Another."), draft("d"))
    assert (done.same, done.changed, done.new, done.gone) == (["a"], ["b"], ["d"], ["c"])
    library = load(tmp_path)
    assert not [one for one in library.problems if "cards.tsv" not in one.message]
    assert library.rulings["test/b"].original.body == "Another." and "test/c" in library.rulings


def test_edits_stay(tmp_path: Path) -> None:
    run(tmp_path, draft("a"), draft("b"))
    path = tmp_path / "test" / "pilots" / "a.md"
    text = path.read_text(encoding="utf-8").replace("On a\n\nAn answer.", "On a\n\nMine.")
    path.write_text(text, encoding="utf-8")
    later = draft("a", "Theirs."), draft("b", "New.")
    done = run(tmp_path, *later)
    assert done.edited == ["a"] and done.changed == ["b"]
    assert texts(tmp_path) == {"a": "Mine.", "b": "New."}
    assert "Theirs." in (tmp_path / "test" / ".import" / "a.md").read_text(encoding="utf-8")
    assert run(tmp_path, *later).same == ["a", "b"]


def test_what_a_curator_deleted_or_had_before_is_not_written_again(tmp_path: Path) -> None:
    run(tmp_path, draft("a"), draft("b"))
    (tmp_path / "test" / "pilots" / "a.md").unlink()
    own = tmp_path / "test" / "pilots" / "own.md"
    own.write_text("mine", encoding="utf-8")
    done = run(tmp_path, draft("a", "Changed."), draft("b"), draft("own"))
    assert done.edited == ["a", "own"] and own.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "test" / "pilots" / "a.md").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cards.tsv", "name\tvers\nHalf a li"),
        ("sources.yaml", "- id: faq\n  title: 'never closed\n"),
    ],
)
def test_an_import_adds_nothing_to_a_file_that_cannot_be_read(
    name: str, text: str, tmp_path: Path
) -> None:
    cards, sources = [Card("Card")], [DraftSource("faq", "FAQ", "en", provisions=("one",))]
    run(tmp_path, draft("a"), name="A game")
    (tmp_path / "test" / name).write_text(text, encoding="utf-8")
    with pytest.raises(KbError, match="correct it before"):
        run(tmp_path, draft("a"), cards=cards, sources=sources, name="A game")
    assert (tmp_path / "test" / name).read_text(encoding="utf-8") == text


def test_rulings_that_begin_alike_keep_their_ids(tmp_path: Path) -> None:
    """A new one shifts the numbers of all that follow it."""

    def alike(*bodies: str) -> list[Draft]:
        names = ["card", *(f"card-{number}" for number in range(2, 9))]
        return [draft(name, body, title="Card") for name, body in zip(names, bodies, strict=False)]

    run(tmp_path, *alike("One.", "Two."))
    done = run(tmp_path, *alike("Zero.", "One.", "Two."))
    assert (done.same, done.new, done.changed) == (["card", "card-2"], ["card-3"], [])
    assert texts(tmp_path) == {"card": "One.", "card-2": "Two.", "card-3": "Zero."}
    done = run(tmp_path, *alike("Zero.", "Two."))
    assert (sorted(done.same), done.gone) == (["card-2", "card-3"], ["card"])
    assert run(tmp_path, *alike("Same.", "Same.")).changed == ["card", "card-2"]
    assert sorted(run(tmp_path, *alike("Same.", "Same.")).same) == ["card", "card-2"]


def test_a_ruling_that_the_source_renames_is_a_new_one(tmp_path: Path) -> None:
    """Other rulings of the source refer to it by its new id."""
    run(tmp_path, draft("old-id", title="Same"))
    done = run(tmp_path, draft("new-id", title="Same"))
    assert (done.new, done.gone, done.same) == (["new-id"], ["old-id"], [])


def test_a_record_that_a_curator_moved_stays_where_it_is(tmp_path: Path) -> None:
    run(tmp_path, draft("a"), draft("b"))
    game = tmp_path / "test"
    (game / "errata").mkdir()
    for name in "ab":
        (game / "pilots" / f"{name}.md").rename(game / "errata" / f"{name}.md")
    record = game / "errata" / "a.md"
    record.write_text(record.read_text(encoding="utf-8") + "Mine.\n", encoding="utf-8")
    assert run(tmp_path, draft("a"), draft("b")).same == ["a", "b"]
    done = run(tmp_path, draft("a", "Theirs."), draft("b", "Theirs."))
    assert (done.edited, done.changed, done.new) == (["a"], ["b"], [])
    assert record.read_text(encoding="utf-8").endswith("Mine.\n")
    assert "Theirs." in (game / "errata" / "b.md").read_text(encoding="utf-8")
    assert not list((game / "pilots").iterdir())


def test_lines_that_shift_in_the_source_are_no_change(tmp_path: Path) -> None:
    first, second = draft("a"), draft("a", "Another.")
    for at, made in ((3, first), (7, first), (9, second)):
        done = run(tmp_path, replace(made, file="faq.txt", lines=(at, at + 1)))
    assert done.changed == ["a"]
    record = (tmp_path / "test" / "pilots" / "a.md").read_text(encoding="utf-8")
    assert record.startswith("---\n# faq.txt, lines 9-10\n# look\n")


def test_two_formats_in_one_game_leave_each_other_alone(tmp_path: Path) -> None:
    run(tmp_path, draft("a"), draft("both", "Ours."))
    theirs = draft("both", "Theirs."), draft("c")
    done = write(Imported([*theirs]), tmp_path, "test", "other")
    assert (done.new, done.edited, done.present, done.gone) == (["c"], ["both"], ["both"], [])
    assert texts(tmp_path) == {"a": "An answer.", "both": "Ours.", "c": "An answer."}
    assert run(tmp_path, draft("a"), draft("both", "Ours.")).same == ["a", "both"]
    done = write(Imported([draft("both", "New."), draft("c")]), tmp_path, "test", "other")
    assert (done.same, done.edited, texts(tmp_path)["both"]) == (["c"], ["both"], "Ours.")


def test_questions_of_an_edited_record_are_not_touched(tmp_path: Path) -> None:
    asked = replace(draft("a"), asked_as={"en": ("Why?",)})
    run(tmp_path, asked, draft("b"), name="A game")
    path = tmp_path / "test" / "questions.tsv"
    assert path.read_text(encoding="utf-8") == "ruling\tlang\tquestion\na\ten\tWhy?\n"
    more = replace(asked, asked_as={"en": ("Why?", "Why not?")})
    assert run(tmp_path, more, draft("b")).same == ["a", "b"]
    assert path.read_text(encoding="utf-8").endswith("a\ten\tWhy?\na\ten\tWhy not?\n")
    # A second run does not bring back what a curator has deleted.
    path.write_text("ruling\tlang\tquestion\na\ten\tWhy?\n", encoding="utf-8")
    assert run(tmp_path, more, draft("b")).same == ["a", "b"]
    record = tmp_path / "test" / "pilots" / "a.md"
    record.write_text(record.read_text(encoding="utf-8") + "Mine.\n", encoding="utf-8")
    again = replace(asked, asked_as={"en": ("Why?", "Since when?")})
    assert run(tmp_path, again, draft("b")).edited == ["a"]
    assert path.read_text(encoding="utf-8") == "ruling\tlang\tquestion\na\ten\tWhy?\n"


@pytest.mark.parametrize("text", ["", "[]", "null", '{"pilots/a.md": []}'])
def test_a_state_that_cannot_be_read_is_named(text: str, tmp_path: Path) -> None:
    run(tmp_path, draft("a"))
    (tmp_path / "test" / ".import" / "form.json").write_text(text, encoding="utf-8")
    before = contents(tmp_path)
    with pytest.raises(KbError, match=r"form\.json: cannot be read"):
        run(tmp_path, draft("a", "Changed."))
    assert contents(tmp_path) == before


_SIGNS = st.characters(
    exclude_categories=("Cs", "Cc", "Zl", "Zp", "Cn"), exclude_characters="[]|\ufeff"
)
_TEXT = st.text(_SIGNS, min_size=1, max_size=60).map(normalize).filter(str.strip)


@examples(0.75)
@given(title=_TEXT, body=st.lists(_TEXT, min_size=1, max_size=4), about=st.lists(_TEXT, max_size=3))
def test_whatever_a_draft_says_the_record_says(
    title: str, body: list[str], about: list[str]
) -> None:
    cards = tuple(" ".join(one.split()) for one in about)
    made = draft("x", "\n\n".join(body), title=title, about=cards)
    ruling, problems = read_ruling(rendered(made).encode(), "x.md", "test", "pilots")
    assert ruling is not None, (problems, rendered(made))
    assert ruling.original.title == " ".join(title.split())
    assert ruling.header.about == made.header.about
    assert "".join(ruling.original.body.replace("\\", "").split()) == "".join(
        "".join(body).replace("\\", "").split()
    )


@pytest.mark.parametrize("game", ["demo", *thorough("berserk", "babylon5", "swtcg")])
def test_an_export_comes_back_with_the_same_bytes(game: str, tmp_path: Path) -> None:
    root = GOOD if game == "demo" else RULINGS
    lines = [line for line in jsonl_lines(load(root)) if json.loads(line)["game"] == game]
    path = tmp_path / f"{game}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    into = tmp_path / "again"
    (into / game).mkdir(parents=True)
    for name in ("game.yaml", "sources.yaml", "terms.yaml", "cards.tsv"):
        (into / game / name).write_bytes((root / game / name).read_bytes())
    done = import_rulings("jsonl", [path], game, into)
    assert not done.skipped and not done.problems and len(done.written.new) == len(lines)
    assert list(jsonl_lines(load(into))) == lines


MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@examples(2.5)
@given(st.text(alphabet='ab 1.)([]*_`<>/!?:#-+=~\\&;amp|"x', max_size=25))
def test_literal_prose_is_shown_as_it_was(text: str) -> None:
    words = " ".join(text.split())
    shown = MARKDOWN.render(literal(words)).strip()
    assert not [*broken_marks(literal(words))]
    assert html.unescape(re.sub(r"^<p>|</p>$", "", shown)) == words
    symbols = "[pot] Burn it, [ACTION MODIFIER][SER]."
    assert literal(symbols) == symbols
