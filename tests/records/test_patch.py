"""A record as a form and back: only what was changed is rewritten."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.draft import (
    KEYS,
    LISTS,
    PAIRS,
    FormDraft,
    PatchError,
    normalized,
    parse_draft,
    patch_text,
)
from kb.records.edits import replace_text, rows
from kb.records.library import Library
from tests.selection import examples

TEXT = """---
# what kind of record
kind: ruling
authority: official   
status: current
# who it is about
about:
  # the first is the one on the picture
  - Anakin Skywalker
  - Darth Sidious (C)

topics: [pilots]
because: "two  spaces"
---

# pl:   Jeden pilot

Pierwsze zdanie.  
Drugie zdanie.

- lista   
- druga

# en: One pilot

First sentence.
"""  # noqa: W291


def draft(text: str = TEXT) -> FormDraft:
    made, problems = parse_draft(text)
    assert made is not None, problems
    return made


def with_(made: FormDraft, **values: object) -> FormDraft:
    return replace(made, header={**made.header, **values})  # type: ignore[arg-type]


def changed(before: str, after: str) -> list[str]:
    """The lines that differ, as a diff shows them."""
    found = difflib.ndiff(rows(before), rows(after))
    return [line.rstrip("\r\n") for line in found if line[0] in "+-"]


def test_a_draft_that_is_not_changed_changes_nothing(rulings: Library) -> None:
    assert patch_text(TEXT, draft()) == TEXT
    for ruling in rulings.rulings.values():
        text = Path(ruling.path).read_bytes().decode()
        assert patch_text(text, draft(text)) == text


def test_one_value() -> None:
    assert changed(TEXT, patch_text(TEXT, with_(draft(), status="disputed"))) == [
        "- status: current",
        "+ status: disputed",
    ]
    assert changed(TEXT, patch_text(TEXT, with_(draft(), date="2003-05"))) == ["+ date: 2003-05"]
    assert changed(TEXT, patch_text(TEXT, with_(draft(), because=""))) == [
        '- because: "two  spaces"'
    ]


def test_a_new_key_stands_where_its_like_do() -> None:
    made = patch_text(TEXT, with_(draft(), date="2003", sources=("faq#one",), formerly=("old",)))
    keys = re.findall(r"(?m)^[a-z-]+(?=:)", made)
    places = [keys.index(key) for key in ("topics", "sources", "date", "because", "formerly")]
    assert places == sorted(places)


def test_entries_of_a_list_and_comments_between_them_stay() -> None:
    more = with_(draft(), about=("Anakin Skywalker", "Łowca: światów", "Darth Sidious (C)"))
    assert changed(TEXT, patch_text(TEXT, more)) == ["+   - 'Łowca: światów'"]
    fewer = patch_text(TEXT, with_(draft(), about=("Darth Sidious (C)",)))
    assert changed(TEXT, fewer) == ["-   - Anakin Skywalker"] and "# the first is" in fewer
    none = patch_text(TEXT, with_(draft(), about=()))
    assert "about:" not in none and "# the first is" in none
    flow = patch_text(TEXT, with_(draft(), topics=("pilots", "errata")))
    assert "topics:\n  - pilots\n  - errata\n" in flow


def test_a_text_more_and_one_less() -> None:
    made = draft()
    between = (made.texts[0], ("sk", "Nový", "Text."), made.texts[1])
    more = patch_text(TEXT, replace(made, texts=between))
    assert changed(TEXT, more) == ["+ # sk: Nový", "+ ", "+ Text.", "+ "]
    last = patch_text(TEXT, replace(made, texts=(*made.texts, ("sk", "Nový", "Text.\n\nViac."))))
    assert last.startswith(TEXT) and last.endswith("\n\n# sk: Nový\n\nText.\n\nViac.\n")
    less = patch_text(TEXT, replace(made, texts=made.texts[:1]))
    assert TEXT.startswith(less) and less.endswith("- druga\n")
    other = patch_text(TEXT, replace(made, texts=made.texts[1:]))
    assert "# pl" not in other and other.endswith("---\n\n# en: One pilot\n\nFirst sentence.\n")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
@pytest.mark.parametrize("closed", [True, False])
def test_line_ends_stay(end: str, closed: bool) -> None:
    text = (TEXT if closed else TEXT.rstrip("\n")).replace("\n", end)
    made = draft(text)
    texts = (made.texts[0], ("en", "One", "First.\nSecond."))
    new = with_(replace(made, texts=texts), date="2003", about=("A", "B"))
    after = patch_text(text, new)
    assert after.endswith(end) == closed
    assert set(re.findall("\r\n|\r|\n", after)) == {end}
    assert normalized(draft(after)) == normalized(new)


@pytest.mark.parametrize(
    "body", ["x\n\n# en: Second\n\ny", "# other heading", "```\nnever closed", "# sk: x"]
)
def test_a_text_that_would_become_something_else_is_refused(body: str) -> None:
    made = draft()
    with pytest.raises(PatchError) as refused:
        patch_text(TEXT, replace(made, texts=(("pl", "T", body), made.texts[1])))
    assert refused.value.place == "body.pl" and str(refused.value)


def test_what_a_form_cannot_show() -> None:
    for old, new in (
        (TEXT, ""),
        (TEXT, "text"),
        (TEXT, "---\nkind: ruling\n"),
        ("kind: ruling", "kind: {a: b}"),
        ("# en:", "# pl:"),
        ("status: current", "status: current # lost"),
        ("# en: One pilot", "# not a section"),
        ("kind: ruling", "- a\n- b"),
        ("kind: ruling", "kind: ruling\nkind: note"),
    ):
        wrong = TEXT.replace(old, new)
        made, problems = parse_draft(wrong)
        assert made is None and problems, wrong


def test_plain_text_keeps_the_ends_of_lines_that_stay() -> None:
    text = "a\r\nb\nc\r\n"
    assert replace_text(text, "a\nb\nc\n") == text
    assert replace_text(text, "a\r\nx\r\nc") == "a\r\nx\r\nc"
    assert replace_text("", "a\nb\n") == "a\nb\n"


STRANGE = "\u2028\u2029\ufeff\ufffe\uffff"
LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters=STRANGE)
WORDS = st.text(LETTERS, max_size=30)
MARKUP = st.sampled_from(["", "# pl: x", "---", "- a", "```", "  ", "key: value", "# x"])
BODIES = st.lists(WORDS | MARKUP, max_size=6)
VALUES = {
    key: st.lists(WORDS, max_size=3).map(tuple)
    if key in LISTS
    else st.dictionaries(st.sampled_from(["en", "sk"]), WORDS, max_size=2)
    if key in PAIRS
    else WORDS
    for key in KEYS
}
HEADERS = st.fixed_dictionaries({}, optional=VALUES)
TEXTS = st.lists(
    st.tuples(st.sampled_from(["pl", "en", "sk"]), WORDS, BODIES.map("\n".join)),
    max_size=3,
    unique_by=lambda one: one[0],
)


@examples(0.5)
@given(HEADERS, HEADERS, TEXTS, st.sampled_from(["\n", "\r\n"]))
def test_whatever_is_written_is_read_back_or_refused(
    first: dict[str, Any], second: dict[str, Any], texts: list[Any], end: str
) -> None:
    text = TEXT.replace("\n", end)
    for header in (first, second):
        wanted = FormDraft({**draft(text).header, **header}, tuple(texts) or draft(text).texts)
        try:
            text = patch_text(text, wanted)
        except PatchError as refused:
            assert str(refused)
            continue
        found, meant = normalized(draft(text)), normalized(wanted)
        assert (found.header, sorted(found.texts)) == (meant.header, sorted(meant.texts))
        assert patch_text(text, draft(text)) == text
