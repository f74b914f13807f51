"""Divides the rows of a document into units, each of which becomes a draft.

A document has one of three shapes: questions and answers with marks; a summary, with indented
rulings below the names of cards; or provisions, where each paragraph is one unless it belongs to a
list or answers a heading. In the first two, rows that do not fit are left out with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from kb.plugins.text import vocabulary as words
from kb.plugins.text.marks import divided, find_marks
from kb.plugins.text.refused import rows_left_out, why_refused
from kb.plugins.text.rows import (
    MAX_HEADING,
    PLAIN_LEVEL,
    QUESTION_END,
    Rejoin,
    Row,
    find_underlined,
    joined,
    read_lines,
)

_Shape = Literal["questions", "summary", "provisions"]
# The highest number of an entry of a list.
_MAX_COUNT = 999
# The label of a heading that is the name of a card.
CARD = "card"
# Characters of an item of a list without signs.
_MAX_ITEM = 60
# The end of a sentence, after which a paragraph goes on.
_SAYING = re.compile(r"[.!…:][\"'”’»)\]]*\s")
# One of so many rows of a document asks, at least, where questions begin with a sentence.
_PART_ASKING = 4
_UNTOLD = "a question without an answer that can be told; write Q: and A:"

_BEGINNING = re.compile(r"[\"'„“«(\[¿]*[\w\[]")
_TERM = re.compile(
    r"([^\W\d_][^.:;!?–—(]{0,60}?(?:\s\([^()]{1,40}\))?)\s+[-–—]\s+(\S.*)", re.DOTALL
)
_TABLE_ROW = re.compile(r"\|.*\|")
_CONDITION = re.compile(rf"\b{words.CONDITION}\s?:$", re.IGNORECASE)
_SAID = re.compile(rf"\b{words.SAID}\b", re.IGNORECASE)
# What no heading between marked questions has: `Source: page 3`, `(Confirmed)`.
_REMARK = re.compile(r"[\d:()\[\]–—]")


@dataclass
class Unit:
    """The rows of a provision, and its headings, the outermost first.

    `own_heading`: the one directly above it. `date`: the day of the ruling, if a column has it.
    """

    rows: list[Row]
    headings: tuple[Row, ...] = ()
    own_heading: Row | None = None
    date: str = ""

    @property
    def text(self) -> str:
        return "\n".join(row.text for row in self.rows)

    @property
    def is_question(self) -> bool:
        return self.rows[0].kind == "question"

    @property
    def card(self) -> str:
        """The name of the card below which it stands; else nothing."""
        return self.headings[-1].text if self.headings and self.headings[-1].label == CARD else ""

    @property
    def has_answer(self) -> bool:
        """Whether it has the mark of an answer."""
        return any(row.kind == "answer" for row in self.rows)

    @property
    def first_line(self) -> int:
        return (self.own_heading or self.rows[0]).first

    @property
    def asked(self) -> list[Row]:
        """The rows before the mark of an answer; else a paragraph, up to the line that asks."""
        at = next((at for at, row in enumerate(self.rows) if row.kind == "answer"), 0)
        if at or self.rows[0].asks:
            return self.rows[: at or 1]
        for at, (above, row) in enumerate(pairwise(self.rows), 2):
            if not row.is_below(above) and above.text:
                break
            if row.asks:
                return self.rows[:at]
        return self.rows[: 1 if self.rows[0].text else 2]

    @property
    def question(self) -> str:
        return " ".join(row.text for row in self.asked if row.text)

    @property
    def answer(self) -> list[Row]:
        return [row for row in self.rows[len(self.asked) :] if row.text]


def read_units(text: str, is_markdown: bool, rejoin: Rejoin) -> tuple[list[Row], list[Unit]]:
    """Return the rows of a document, and its units; a row in no unit has the reason."""
    lines = read_lines(text, is_markdown)
    find_marks(lines)
    find_underlined(lines, is_markdown)
    if why := why_refused(lines, is_markdown):
        return rows_left_out(text, why), []
    rows = [piece for row in joined(lines, is_markdown, rejoin) for piece in divided(row)]
    present = [row for row in rows if not row.why]
    if any(row.kind == "question" for row in rows):
        if not is_markdown:
            _find_section_headings(present)
        _leave_out_unmarked_questions(present)
        return rows, _grouped(rows, "questions")
    shape: _Shape = "summary" if _find_cards(present) else "provisions"
    if shape == "provisions":
        _find_headings(present, is_markdown)
        _find_lists(present)
    _find_unmarked_questions(present, is_markdown)
    return rows, _grouped(rows, shape)


def _grouped(rows: Sequence[Row], shape: _Shape) -> list[Unit]:
    """Group rows into units below their headings; give each row outside of them the reason."""
    units: list[Unit] = []
    headings: list[Row] = []
    unit: Unit | None = None
    # The one that an end was above.
    ended: Unit | None = None
    own_heading: Row | None = None
    for row in rows:
        if row.kind == "end":
            if unit and unit.is_question and unit.rows[-1].is_introduction:
                unit.rows[0].why = _UNTOLD
            ended, unit = unit or ended, None
        elif row.kind in ("answer", "again"):
            unit = unit or ended
        elif row.kind in ("question", "heading"):
            ended = None
        elif ended and not (unit or ended.has_answer or row.why) and "?" in row.text:
            # The answer may be that of another question, without a mark.
            ended.rows[0].why = _UNTOLD
        if row.kind == "question" and shape == "provisions" and row.level < PLAIN_LEVEL:
            headings = [above for above in headings if above.level < row.level]
        if row.kind == "heading" and not row.why:
            headings = [*(above for above in headings if above.level < row.level), row]
            unit, own_heading = None, row
            continue
        if not row.why:
            row.why = _misfit(row, unit, headings, shape)
            own_heading = None if row.why else own_heading
        if row.why:
            # What follows the mark of an answer that is left out belongs to no other question.
            unit = None if row.kind in ("question", "answer") else unit
            continue
        if unit and _belongs(row, unit, shape):
            unit.rows.append(row)
        elif _TABLE_ROW.match(row.raw):
            row.why = "a table, which nothing introduces; name its columns Question and Answer"
        else:
            unit = Unit([row], tuple(headings), own_heading)
            units.append(unit)
        own_heading = None
    for unit in units:
        while unit.rows[-1].kind == "answer" and not unit.rows[-1].text:
            unit.rows.pop().why = "an answer without a text"
        if unit.is_question and not unit.question:
            unit.rows[0].why = "a question without a text"
        for row in unit.rows[1:]:
            row.why = unit.rows[0].why
        if remarks := ", ".join(row.remark for row in unit.rows if row.remark):
            cell = replace(unit.rows[-1], kind="cell", raw=remarks, text=remarks, column=0)
            unit.rows.append(cell)
    return [unit for unit in units if not unit.rows[0].why]


def _misfit(row: Row, unit: Unit | None, headings: Sequence[Row], shape: _Shape) -> str:
    """Return why a row can be in no unit; else nothing."""
    if row.kind == "answer":
        if not (unit and unit.is_question):
            return "an answer without a question"
        if unit.has_answer:
            # Of another, it may say the contrary.
            unit.rows[0].why = _UNTOLD if row.remark else unit.rows[0].why
            return "a second answer to one question"
        numbers = {unit.rows[0].mark_number, row.mark_number} - {""}
        if len(numbers) > 1:
            return "its number is not that of the question above it"
    if unit and unit.is_question and len(unit.rows) == 1 and _is_beside(row, unit, shape):
        unit.rows[0].why = _UNTOLD
        return _UNTOLD
    if shape == "questions" and row.kind != "question" and not unit:
        return "outside the questions and answers"
    if shape == "summary" and not (row.column and headings and headings[-1].label == CARD):
        return "not below the name of a card"
    return ""


def _belongs(row: Row, unit: Unit, shape: _Shape) -> bool:
    """Whether a row belongs to the unit above it."""
    first, last = unit.rows[0], unit.rows[-1]
    if unit.is_question:
        return row.kind != "question" and not _is_beside(row, unit, shape)
    if shape == "summary":
        return row.kind == "note" or row.column > first.column
    is_item = first.kind == "item" or bool(first.number)
    is_near = row.kind == "item" or row.is_below(last)
    goes_on = row.is_continued and is_near and not first.is_continued
    if row.is_listed or goes_on or (is_item and row.column > first.column + 1):
        return True
    return row.kind == last.kind == "text" and last.is_introduction and not row.number


def _is_beside(row: Row, unit: Unit, shape: _Shape) -> bool:
    """Whether a row stands in one list with an unmarked question, or below the same card."""
    first = unit.rows[0]
    if shape == "questions" or row.kind in ("question", "answer") or row.is_listed:
        return False
    is_next = first.number and row.number not in ("", "1")
    is_next = is_next and row.number.count(".") == first.number.count(".")
    is_next = is_next and not any(above.number for above in unit.rows[1:])
    is_item = row.kind == "item" and row.raw[:2] == first.raw[:2]
    return row.column <= first.column and bool(is_item or is_next or shape == "summary")


def _find_section_headings(rows: Sequence[Row]) -> None:
    """Find the headings between marked questions: the first line, and short ones that stand apart.

    A question follows them, and they do not go on with a numbered list. Where no blank line stands
    above the questions, one below the heading is enough. A document has none between its questions
    if its first question has no title and heading, or numbered heading, above it.
    """
    asked = next((at for at, row in enumerate(rows) if row.kind == "question"), 0)
    first = rows[asked - 1]
    has_sections = _is_section(first) and (asked > 1 or bool(rows[0].number))
    is_tight = any(row.kind == "question" and row.is_below(above) for above, row in pairwise(rows))
    for at in reversed(range(len(rows) - 1 if has_sections else asked)):
        row, below = rows[at], rows[at + 1]
        above = rows[at - 1] if at else Row(first=0, last=-2, raw="", text="")
        is_apart = not row.is_below(above) or (is_tight and not below.is_below(row))
        is_top = at == 0 or (at < asked and below.kind == "heading")
        is_answer = above.kind == "question" or bool(row.number and above.number)
        is_headlike = _is_section(row) if at > asked else _is_headlike(row)
        is_above = is_headlike and (is_top or below.kind == "question")
        if row.kind == "text" and is_apart and is_above and not is_answer:
            is_later = at > asked and first.kind == "heading"
            level = first.level if is_later else PLAIN_LEVEL + row.number.count(".")
            row.kind, row.level = "heading", level


def _leave_out_unmarked_questions(rows: Sequence[Row]) -> None:
    """Leave out what asks without a mark, so that it ends no marked question or answer above it.

    These are a bold paragraph, what a second answer follows, an entry whose number is not the next
    one of a list in the same answer or begins no list, and an item with the sign of the marked
    questions or below a question that has no marked answer.
    """
    marked = [row for row in rows if row.kind in ("question", "answer")]
    answered = [row.first for row, below in pairwise(marked) if below.kind == "answer"]
    question, last, is_answer = None, 0, False
    for above, row, below in zip([rows[0], *rows], rows, [*rows[1:], rows[-1]], strict=False):
        if row.kind in ("question", "answer", "heading"):
            question = row if row.kind == "question" else question
            is_answer = row.kind == "answer"
            # A mark may have its question in a list below.
            last = 0 if row.text else _MAX_COUNT
        first_sentence = re.split(r"(?<=[.!?])\s", row.text, maxsplit=1)[0]
        asks = row.asks or QUESTION_END.search(first_sentence)
        if row.kind in ("text", "item") and asks and question:
            is_open = not (is_answer or question.first in answered or question.is_introduction)
            # A list that no colon introduces has a second entry, and no text between the two, or
            # its first also answers.
            is_list = below.count == 2 and (row.asks or row.is_below(above))
            is_list = is_list or (is_answer and not row.asks)
            is_asked = not is_answer and question.first in answered
            is_next = row.count <= last + 1 and (row.count > 1 or is_list or is_asked)
            is_next = is_next or above.is_introduction
            place = (question.column, question.raw[:2])
            has_sign = row.kind == "item" and (row.column, row.raw[:2]) == place
            is_stray = not is_next if row.count else (is_open and bool(question.text)) or has_sign
            has_own_answer = is_answer and below.kind == "answer"
            if row.is_bold or has_own_answer or (row.is_entry and is_stray):
                row.kind, row.why = "question", _UNTOLD
        last = row.count or last


def _find_cards(rows: Sequence[Row]) -> bool:
    """Find the names of cards in a summary: lines with a colon, directly above indented ones.

    Return whether there are some. The sign `+` stands in the margin of the indented lines.
    """
    cards = [
        row
        for row, below in pairwise(rows)
        if row.kind == "text" and row.is_introduction and len(row.text) <= _MAX_ITEM
        if not row.column and below.is_below(row) and (below.column or below.raw[0] == "+")
    ]
    if len(cards) < 2:
        return False
    for row in rows:
        row.column += row.kind == "item" and row.raw[0] == "+"
    for card in cards:
        card.kind, card.level, card.label = "heading", PLAIN_LEVEL, CARD
        card.text = card.text.rstrip(": ")
    return True


def _find_headings(rows: Sequence[Row], is_markdown: bool) -> None:
    """Find the headings and definitions among plain text; in Markdown, only bold headings.

    A first line without a full stop defines nothing, unless a definition follows.
    """
    below: Row | None = None
    # 2. is the number of a part behind 1.3, and 3. behind this part.
    parts: set[Row] = set()
    part = 0
    for above, row in pairwise(rows):
        is_next = part and row.number == str(part + 1)
        if "." in row.number:
            part = int(row.number.partition(".")[0])
        elif is_next and ("." in above.number or not row.is_below(above)):
            part += 1
            parts.add(row)
    for row in reversed(rows):
        if row.kind == "text":
            term = _TERM.fullmatch(row.text) if len(row.text) < 600 and not row.number else None
            is_alone = below is None or below.kind != "definition"
            is_title = row is rows[0] and is_alone and not row.is_ended
            if term and len(term[1].split()) <= 7 and term[2][0].islower() and not is_title:
                row.kind, row.label = "definition", term[1]
            elif (row.is_bold or not is_markdown) and _is_heading(row, below, row in parts):
                row.kind, row.level = "heading", PLAIN_LEVEL + row.number.count(".")
        below = row


def _is_heading(row: Row, below: Row | None, is_part: bool) -> bool:
    """Whether a paragraph heads the one below; an introduction heads full sentences only."""
    if row.is_introduction:
        is_said = _SAID.search(row.text) or _CONDITION.search(row.text) or row.is_continued
        has_list = below is not None and (_is_piece(below) or below.number == "1")
        if is_said or has_list or len(row.text) > _MAX_ITEM:
            return False
        is_name = below is not None and (below.kind == "item" or len(row.text.split()) <= 2)
        return is_name or "." in row.number
    if below is None or not _is_headlike(row):
        return False
    # Lines without full stops are a list: the last one is not a heading, so none of them is.
    is_listed = below.kind == "text" and not below.number and _is_headlike(below)
    return not is_listed and (not row.number or _is_numbered_heading(row, below, is_part))


def _is_headlike(row: Row) -> bool:
    """Whether a text is short, and neither says nor asks anything."""
    if row.text[:1].islower() or row.text[:1] == "(" or not _BEGINNING.match(row.text):
        return False
    is_open = not row.is_ended and not row.asks and row.text[-1] != ","
    return is_open and len(row.text) <= MAX_HEADING and not _SAID.search(row.text)


def _is_section(row: Row) -> bool:
    """Whether a text may head marked questions."""
    return _is_headlike(row) and not _REMARK.search(row.text)


def _is_piece(row: Row) -> bool:
    """Whether it is only a part of a sentence."""
    is_short = len(row.text) <= _MAX_ITEM and not row.is_ended
    return row.is_continued or (is_short and row.kind != "definition")


def _is_numbered_heading(row: Row, below: Row, is_part: bool) -> bool:
    is_apart = not below.is_below(row) or "." in row.number
    return ((is_apart or is_part) and not below.number) or below.number.startswith(f"{row.number}.")


def _find_lists(rows: Sequence[Row]) -> None:
    """Find what belongs to an introduction, a paragraph that ends with a colon.

    Short lines, steps that count from 1, all lines directly below an item of a list, and items that
    are conditions.
    """
    introduction: Row | None = None
    steps = 0
    for at, (above, row) in enumerate(pairwise(rows), 2):
        if above.is_introduction and above.kind != "heading":
            introduction, steps = above, 0
        if row.asks and not (above.is_listed or any(below.asks for below in rows[at : at + 1])):
            introduction = None
        if introduction is None:
            continue
        is_item = row.kind == "item"
        is_plain = row.kind in ("heading", "text") and row.is_below(above)
        is_step = row.is_below(above) and row.number == str(steps + 1)
        if introduction.kind == "item":
            row.is_listed = is_plain
        elif is_step or (is_item and _CONDITION.search(introduction.text)):
            row.is_listed, steps = True, steps + is_step
        else:
            is_part = row.asks or _is_piece(row)
            row.is_listed = row.is_continued or (is_part and (is_item or is_plain))
        if row.is_listed:
            row.kind = "text" if row.number else "item"
        else:
            introduction = None


def _find_unmarked_questions(rows: Sequence[Row], is_markdown: bool) -> None:
    """Make each row that asks a question; all up to the next heading of its level is the answer.

    Not so a heading of other headings, a line of a plain text if most headings do not ask, an item
    of a list in the answer to a question, an example, and, where few rows ask, a paragraph that
    says something before it asks.
    """
    asking = sum(row.asks for row in rows)
    others = sum(row.kind == "heading" and not row.asks for row in rows)
    are_questions = is_markdown or (asking > 1 and 2 * asking >= others)
    are_many = _PART_ASKING * asking >= len(rows)
    question: Row | None = None
    for at, row in enumerate(rows):
        below = rows[at + 1] if at + 1 < len(rows) else row
        asks = row.asks and not (row.kind == "answer" or row.label == CARD or row.is_listed)
        says = row.kind != "heading" and not are_many and _SAYING.search(row.text)
        asks = asks and not (says or row.kind in ("example", "note"))
        is_part = row.kind == "heading" and row.level < below.level < PLAIN_LEVEL
        is_point = question and row.kind == "item" and row.raw[:2] != question.raw[:2]
        is_sure = row.kind != "text" or row.column or are_questions or below.kind == "answer"
        if asks and not is_sure and (not row.number or below.number.startswith(f"{row.number}.")):
            row.kind, row.level = "heading", PLAIN_LEVEL + row.number.count(".")
            question = None
        elif asks and not is_part and not is_point:
            row.kind, row.level, question = "question", row.level or PLAIN_LEVEL, row
        elif row.kind != "heading":
            continue
        elif question and row.level == PLAIN_LEVEL and rows[at - 1] is question:
            row.kind = "answer"
        elif question and row.level > question.level:
            row.kind = "text"
        else:
            question = None
