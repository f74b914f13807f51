"""Finds the paragraphs of a plain document and the shape of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from kb.ingest.common import LONGEST_RULING
from kb.plugins.text.vocabulary import VOCABULARIES

Shape = Literal[
    "text", "heading", "question", "answer", "item", "example", "note", "definition", "left"
]

# The level of a heading without a mark, below the six of Markdown.
PLAIN_LEVEL = 7
# Characters of a heading, of a heading that asks, and of an item of a list without marks.
_MAX_HEADING = 100
_MAX_QUESTION = 300
_MAX_ITEM = 60


@dataclass(eq=False)
class Row:
    """A paragraph: its first and last line, its text without the mark, its shape.

    `name`: a definition's term, or the words of an example or a note behind the label. `level`: of
    a heading. `number`: the paragraph's number in the document, or `list` for an item of a list
    without marks. `why`: the reason why it is left out. `depth`: the indentation of the first line.
    `width`: the length of the last line.
    """

    first: int
    last: int
    text: str
    shape: Shape = "text"
    level: int = 0
    number: str = ""
    name: str = ""
    why: str = ""
    depth: int = 0
    width: int = 0

    @property
    def is_ended(self) -> bool:
        """Whether it ends with a full stop, a colon or the like."""
        return bool(_END.search(self.text))

    @property
    def is_introduction(self) -> bool:
        return self.text.endswith(":")


def _any_of(*fields: str) -> str:
    """Return a pattern for the words that all languages have in some fields."""
    alternatives = (getattr(words, field) for field in fields for words in VOCABULARIES.values())
    return f"(?:{'|'.join(filter(None, alternatives))})"


def _speaker(field: str) -> re.Pattern[str]:
    """Return the pattern of `Question 1:` or `Q.`, with a full stop, colon or bracket."""
    word, letter = _any_of(field), _any_of(f"{field}_letter")
    return re.compile(
        rf"(?:{word}\b\.?\s?\d{{0,4}}\s?[.:)]*|{letter}\s?\d{{0,4}}\s?[.:)])(?<=[.:)])\s*(?=\S)",
        re.IGNORECASE,
    )


EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
ERRATA_HEADING = re.compile(rf"\b{_any_of('errata_heading')}", re.IGNORECASE)
TRANSLATOR = re.compile(_any_of("translator"), re.IGNORECASE)
_END = re.compile(r"[.!?:;…][\s\"'”’»)\]]*$")
_QUESTION_END = re.compile(r"\?[\"'”’»)]*$")
_BOLD = re.compile(r"(\*\*|__)(.+)\1")
_UNDERLINE = re.compile(r"={3,}|-{3,}|~{3,}")
_NUMBER = re.compile(
    r"(?:§\s*)?(\d{1,4}(?:\.\d{1,4}){1,6}[a-z]?|\d{1,4}(?=[.)]\s))[.):]*\s+(?=\S)"
    r"|§\s*(\d{1,4})[.:]?\s+(?=\S)"
)
_TERM = re.compile(r"([^\W\d_][^.:;!?–—(]{0,60}?(?:\s\([^()]{1,40}\))?)\s+[-–—]\s+(\S.*)")
# A mark is cut off; the label of an example or a note stays.
_MARKS: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    ("heading", re.compile(r"#{1,6}\s+(?=\S)")),
    ("question", _speaker("question")),
    ("answer", _speaker("answer")),
    ("item", re.compile(r"[-–—•◦▪●·*+»]\s+(?=\S)")),
    ("text", _NUMBER),
)
_EMPTY_ANSWER = re.compile(f"(?:{_speaker('answer').pattern})…", re.IGNORECASE)
_LABELS: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    (
        "note",
        re.compile(
            rf"{_any_of('note')}\s*(?:{_any_of('by_translator')}\s*)?[:.–—-]\s", re.IGNORECASE
        ),
    ),
    (
        "example",
        re.compile(
            rf"{_any_of('example')}\b[^.:]{{0,40}}[.:]|{_any_of('for_example')}\b[,:]?",
            re.IGNORECASE,
        ),
    ),
)
_PAGE = (
    ("only marks", re.compile(r"[\W_]+")),
    ("an address", re.compile(r"(?:https?://|www\.)\S+")),
    (
        "a page number",
        re.compile(
            rf"(?:{_any_of('page')}\s*)?\d{{1,5}}(?:\s*(?:/|{_any_of('of')})\s*\d{{1,5}})?",
            re.IGNORECASE,
        ),
    ),
    (
        "a copyright notice",
        re.compile(rf".{{0,200}}(?:©|{_any_of('copyright')}).{{0,200}}", re.IGNORECASE),
    ),
)


def read_rows(text: str) -> list[Row]:
    """Return the paragraphs of a document."""
    rows = [_row(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    _find_underlined_headings(rows)
    rows = _joined(rows)
    _find_headings(rows)
    _find_lists(rows)
    _find_questions(rows)
    return rows


def _row(number: int, line: str) -> Row:
    text = line.strip()
    row = Row(number, number, text, width=len(line.rstrip()), depth=len(line) - len(line.lstrip()))
    row.why = _page_furniture(text)
    if row.why:
        row.shape = "left"
        return row
    bold = _BOLD.fullmatch(text)
    row.text = EMAIL.sub("[…]", bold[2] if bold else text)
    if _EMPTY_ANSWER.fullmatch(f"{row.text} …"):
        row.shape, row.why = "left", "an answer without a text"
        return row
    for shape, pattern in _MARKS:
        mark = pattern.match(row.text)
        if mark:
            row.shape = shape
            row.level = mark[0].count("#") if shape == "heading" else 0
            row.number = (mark[1] or mark[2]) if pattern is _NUMBER else ""
            row.text = row.text[mark.end() :]
            if shape == "heading":
                row.text = row.text.rstrip("# ") or row.text
            return row
    for shape, pattern in _LABELS:
        label = pattern.match(row.text)
        if label:
            row.shape, row.name = shape, row.text[label.end() :].strip()
            return row
    return row


def _page_furniture(text: str) -> str:
    """Return why a line is no part of the document, such as `a page number`; else nothing."""
    if len(text) > LONGEST_RULING:
        return f"longer than {LONGEST_RULING:,} characters"
    if EMAIL.search(text) and len(EMAIL.sub("", text).split()) < 4:
        return "contact details"
    return next((why for why, pattern in _PAGE if pattern.fullmatch(text)), "")


def _find_underlined_headings(rows: Sequence[Row]) -> None:
    for above, row in pairwise(rows):
        underline = _UNDERLINE.fullmatch(row.text)
        is_near = above.last + 1 == row.first and len(above.text) <= _MAX_HEADING
        if underline and is_near and above.shape == "text":
            above.shape, above.level = "heading", 1 if row.text[0] == "=" else 2


def _joined(rows: Sequence[Row]) -> list[Row]:
    """Join the lines of wrapped paragraphs."""
    width = _width(rows)
    joined: list[Row] = []
    pieces: list[list[str]] = []
    for row in rows:
        if joined and _continues(row, joined[-1], width):
            pieces[-1].append(row.text)
            joined[-1].last, joined[-1].width = row.last, row.width
        else:
            joined.append(row)
            pieces.append([row.text])
    for row, texts in zip(joined, pieces, strict=True):
        row.text = " ".join(texts)
    return joined


def _width(rows: Sequence[Row]) -> int:
    """Return the width at which a document wraps its paragraphs; 0 if it does not."""
    widths = [row.width for row in rows if row.shape != "left"]
    longest = max(widths, default=0)
    wrapped = sum(
        row.text[:1].islower() and row.shape == "text" and above.last + 1 == row.first
        for above, row in pairwise(rows)
    )
    full = sum(width > 0.7 * longest for width in widths)
    wraps = full >= 0.4 * len(widths) and wrapped >= 0.15 * len(widths)
    return longest if wraps and 50 <= longest <= 132 else 0


def _continues(row: Row, above: Row, width: int) -> bool:
    """Whether a line belongs to the paragraph above it."""
    if row.shape != "text" or row.number or above.shape in ("heading", "left"):
        return False
    if above.last + 1 != row.first:
        return False
    if (above.shape == "item" or above.number) and row.depth > above.depth + 1:
        return True
    if not width or (above.width < 0.85 * width and _END.search(above.text)):
        return False
    return above.width > 0.6 * width or row.text[:1].islower()


def _find_headings(rows: Sequence[Row]) -> None:
    """Find the headings and definitions among plain text."""
    for at, row in enumerate(rows):
        if row.shape != "text":
            continue
        below = rows[at + 1] if at + 1 < len(rows) else None
        term = _TERM.fullmatch(row.text) if len(row.text) < 600 and not row.number else None
        if term and len(term[1].split()) <= 7 and term[2][0].islower():
            row.shape, row.name = "definition", term[1]
        elif below and _is_headlike(row) and (not row.number or _is_numbered_heading(row, below)):
            row.shape, row.level = "heading", PLAIN_LEVEL


def _is_headlike(row: Row) -> bool:
    is_question = bool(_QUESTION_END.search(row.text))
    if len(row.text) > (_MAX_QUESTION if is_question else _MAX_HEADING) or row.text[:1].islower():
        return False
    if not re.match(r"[\"'„“«(\[]*[\w\[]", row.text):
        return False
    return is_question or not row.is_ended or (row.is_introduction and len(row.text.split()) <= 2)


def _is_numbered_heading(row: Row, below: Row) -> bool:
    is_apart = row.last + 1 < below.first or "." in row.number
    is_question = bool(_QUESTION_END.search(row.text))
    has_text = not below.number and (is_apart or is_question)
    return has_text or below.number.startswith(f"{row.number}.")


def _find_lists(rows: Sequence[Row]) -> None:
    """Find the lists without marks: short lines below a paragraph that ends with a colon."""
    in_list = False
    for above, row in pairwise(rows):
        starts = above.is_introduction and above.shape not in ("heading", "left")
        in_list = (starts or in_list) and len(row.text) <= _MAX_ITEM and not row.is_ended
        is_near = row.first == above.last + 1 and row.shape in ("heading", "text")
        if in_list and (row.shape == "item" or is_near):
            row.shape, row.number = "item", "list"


def _find_questions(rows: Sequence[Row]) -> None:
    """Find the questions among the headings, if every other heading or more is one.

    The mark of an answer without a question before it is the letter of a list.
    """
    headings = [row for row in rows if row.shape == "heading"]
    asking = [row for row in headings if _QUESTION_END.search(row.text)]
    if len(asking) > 1 and 2 * len(asking) >= len(headings) - len(asking):
        for row in asking:
            row.shape = "question"
    has_question = False
    for above, row in pairwise([Row(0, 0, ""), *rows]):
        if above.shape == "question" and row.shape == "heading" and row.level == PLAIN_LEVEL:
            row.shape = "answer"
        has_question = has_question or row.shape == "question"
        if row.shape == "answer" and not has_question:
            row.shape = "text"
