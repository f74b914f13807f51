"""Reads the questions and answers of a spreadsheet or a table of Markdown, by its columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.ingest.common import day
from kb.plugins.text import vocabulary as words
from kb.plugins.text.marks import without_mark
from kb.plugins.text.refused import rows_left_out
from kb.plugins.text.rows import EMAIL, Kind, Row
from kb.plugins.text.shapes import CARD, Unit

_QUESTION = re.compile(rf"\W*(?:{words.QUESTION_COLUMN}|[QPВ])\W*", re.IGNORECASE)
_ANSWER = re.compile(rf"\W*(?:{words.ANSWER_COLUMN}|[AOО])\W*", re.IGNORECASE)
_RULING = re.compile(rf"\W*{words.RULING_COLUMN}\W*", re.IGNORECASE)
_EXPLANATION = re.compile(rf"\W*{words.EXPLANATION_COLUMN}\W*", re.IGNORECASE)
_CARD = re.compile(rf"\W*{words.CARD_COLUMN}(?:\s.*)?", re.IGNORECASE)
# Such a word among others, as in `Official answer`.
_QUESTIONS = re.compile(rf"[^.?]{{0,40}}\b{words.QUESTION_COLUMN}\b[^.?]{{0,40}}", re.IGNORECASE)
_ANSWERS = re.compile(rf"[^.?]{{0,40}}\b{words.ANSWER_COLUMN}\b[^.?]{{0,40}}", re.IGNORECASE)
_DAY = re.compile(r"(\d{1,2})([./])\s?(\d{1,2})\2\s?(\d{4})\.?")
# A time of day with its zone, up to the end of the cell.
_TIME = re.compile(
    r",?[T\s]\s?\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?:\s?(?:[ap]\.?m\.?|dop\.?|odp\.?))?"
    r"(?:\s?(?:Z|UTC|GMT|CES?T|MSK))?(?:\s?[+-]\d{1,2}(?::?\d\d)?)?$",
    re.IGNORECASE,
)
# A number or a sign, from which its paragraph hangs by a tab.
_HANGING = re.compile(r"[^\w\s]*|\d+(?:\.\d+)*[.)]")
_UNKNOWN = "a table; name its columns in the first line, one of them {} or {}, one {}"

_OUTSIDE = "outside the table of questions and answers"
# A line of a table of Markdown, the line below its head, and the bar between two cells.
_BARRED = re.compile(r"\s*\|(.*)\|\s*")
_BELOW_HEAD = re.compile(r"[\s|:-]*-[\s|:-]*")
_BAR = re.compile(r"(?<!\\)\|")
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class _Line(NamedTuple):
    """A line of a table: its first and last line in the file, and its cells."""

    first: int
    last: int
    cells: list[str]


def read_table(text: str, suffix: str, lang: str) -> tuple[list[Row], list[Unit]] | None:
    """Return the rows and units of a table, a row in no unit with the reason; None for other text.

    A text is a table by its suffix, by tabs in each line, by names of columns in the first line, or
    if it has a table of Markdown with these columns. By its suffix, the names may have more words,
    a title may stand above them, and cards may stand in the place of questions.
    """
    if barred := _barred_tables(text):
        return barred
    is_table = suffix in (".csv", ".tsv")
    for delimiter in "\t;," if is_table else "\t;":
        lines = [*_lines(text, delimiter)]
        # A title, or the line `sep=;` of Excel, fills one cell.
        while is_table and lines and sum(map(bool, lines[0].cells)) == 1:
            del lines[0]
        names, *lines = lines or [_Line(0, 0, [])]
        if columns := _columns(names, is_table):
            rows, units = _rows_and_units(names, lines, *columns)
            outside = rows_left_out(text, _OUTSIDE)
            return [*(row for row in outside if row.first < names.first), *rows], units
        has_cells = bool(lines) and all(line.cells[1:] for line in (names, *lines))
        signs = ["".join(line.cells[:1]) for line in (names, *lines)]
        has_cells = has_cells and not all(_HANGING.fullmatch(without_mark(sign)) for sign in signs)
        is_table |= delimiter == "\t" and has_cells
    if not is_table:
        return None
    why = _UNKNOWN.format(*words.COLUMNS.get(lang, words.COLUMNS["en"]))
    return rows_left_out(text, why), []


def _columns(names: _Line, is_table: bool = False) -> tuple[int, int] | None:
    """Return the places of the columns of questions, or of cards, and of answers."""

    def place(*patterns: re.Pattern[str]) -> int:
        for pattern in patterns:
            found = [at for at, name in enumerate(names.cells) if pattern.fullmatch(name)]
            if found:
                return found[0] if len(found) == 1 else -1
        return -1

    asked, answered = place(_QUESTION), place(_ANSWER, _RULING, _EXPLANATION)
    if is_table:
        asked = place(_QUESTION, _QUESTIONS, _CARD)
        answered = place(_ANSWER, _ANSWERS, _RULING, _EXPLANATION)
    return (asked, answered) if -1 not in (asked, answered) and asked != answered else None


def _barred_tables(text: str) -> tuple[list[Row], list[Unit]] | None:
    """Return the rows and units of all tables of Markdown that have questions and answers."""
    lines = text.split("\n")
    tables: list[list[_Line]] = [[]]
    for number, line in enumerate(lines, 1):
        if match := _BARRED.fullmatch(line):
            cells = [_LINE_BREAK.sub("\n", cell).strip() for cell in _BAR.split(match[1])]
            tables[-1].append(_Line(number, number, [cell.replace("\\|", "|") for cell in cells]))
        elif tables[-1]:
            tables.append([])
    rows: list[Row] = []
    units: list[Unit] = []
    for names, *below in filter(None, tables):
        columns = _columns(names)
        if columns and below and _BELOW_HEAD.fullmatch(lines[below[0].first - 1]):
            read_rows, read_units = _rows_and_units(names, below[1:], *columns)
            rows, units = [*rows, *read_rows], [*units, *read_units]
    if not units:
        return None
    known = {row.first for row in rows}
    others = [row for row in rows_left_out(text, _OUTSIDE) if row.first not in known]
    return sorted([*rows, *others], key=lambda row: row.first), units


def _lines(text: str, delimiter: str) -> Iterator[_Line]:
    """Yield the lines that are not blank; quotes that enclose no cell are signs of its text."""
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        reader = csv.reader(io.StringIO(text), delimiter=delimiter, quoting=quoting, strict=True)
        lines: list[_Line] = []
        last = 0
        try:
            for cells in reader:
                lines.append(_Line(last + 1, reader.line_num, [cell.strip() for cell in cells]))
                last = reader.line_num
        except csv.Error:
            continue
        yield from (line for line in lines if any(line.cells))
        return


def _rows_and_units(
    names: _Line, lines: Sequence[_Line], asked: int, answered: int
) -> tuple[list[Row], list[Unit]]:
    head = _row(names, names.cells[asked], "question")
    head.why = "the names of the columns"
    rows, units = [head], list[Unit]()
    columns = len(names.cells)
    has_cards = bool(_CARD.fullmatch(head.text))
    counted = [
        all(line.cells[at : at + 1] == [str(number)] for number, line in enumerate(lines, 1))
        for at in range(columns)
    ]
    for line in lines:
        cells = [*line.cells, *[""] * columns]
        question = _row(line, cells[asked], "heading" if has_cards else "question")
        answer = _row(line, cells[answered], "text" if has_cards else "answer")
        first = answer if has_cards else question
        rows.append(first)
        if any(cells[columns:]):
            first.why = f"{len(line.cells)} cells below {columns} columns"
        elif not first.text:
            first.why = f"a line without {'an answer' if has_cards else 'a question'}"
        elif any(without_mark(part) != part for cell in cells for part in cell.split("\n")[1:]):
            first.why = "the mark of another question or answer inside a cell"
        if first.why:
            continue
        unit = Unit([question, answer] if answer.text else [question])
        if has_cards:
            question.label = CARD
            unit = Unit([answer], (question,) if question.text else ())
        units.append(unit)
        others = [
            (name, cell)
            for at, (name, cell) in enumerate(zip(names.cells, line.cells, strict=False))
            if at not in (asked, answered) and cell and not counted[at]
        ]
        # A time stamp is the date only without another.
        days = sorted((cell for _, cell in others if _day(cell)), key=lambda cell: ":" in cell)
        unit.date = _day(days[0]) if days else ""
        for name, cell in others:
            if not unit.date or unit.date != _day(cell):
                row = _row(line, f"{name}: {cell}" if name else cell, "cell")
                if _CARD.fullmatch(name):
                    row.label, row.text = CARD, cell
                unit.rows.append(row)
    return rows, units


def _day(text: str) -> str:
    """Return a date as records write it, without a time of day behind it.

    Empty for 3/4/2004, which has two meanings.
    """
    text = _TIME.sub("", text)
    match = _DAY.fullmatch(text)
    if not match:
        return day(text.replace("/", "-"))
    first, second = int(match[1]), int(match[3])
    if match[2] == "/" and second > 12:
        first, second = second, first
    is_unsure = match[2] == "/" and first <= 12
    return "" if is_unsure else day(f"{match[4]}-{second:02}-{first:02}")


def _row(line: _Line, cell: str, kind: Kind) -> Row:
    text = EMAIL.sub("[…]", without_mark(cell)).replace("\n", "\n\n")
    return Row(first=line.first, last=line.last, raw=text, text=text, kind=kind)
