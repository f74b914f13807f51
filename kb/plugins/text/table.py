"""Reads the questions and answers of a spreadsheet, by its columns."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kb.ingest.common import day
from kb.plugins.text import vocabulary as words
from kb.plugins.text.marks import without_mark
from kb.plugins.text.rows import Kind, Row
from kb.plugins.text.shapes import Unit

_QUESTION = re.compile(rf"\W*(?:{words.QUESTION_COLUMN}|[QPВ])\W*", re.IGNORECASE)
_ANSWER = re.compile(rf"\W*(?:{words.ANSWER_COLUMN}|[AOО])\W*", re.IGNORECASE)
_UNKNOWN = "a table; name its columns in the first line, one of them Question, one Answer"


class _Line(NamedTuple):
    """A line of a table: its first and last line in the file, and its cells."""

    first: int
    last: int
    cells: list[str]


def read_table(text: str, suffix: str) -> tuple[list[Row], list[Unit]] | None:
    """Return the rows and units of a table, a row in no unit with the reason; None for other text.

    A text is a table by its suffix, by tabs in each line, or by names of columns in the first line.
    """
    is_table = suffix in (".csv", ".tsv")
    for delimiter in "\t;," if is_table else "\t;":
        names, *lines = [*_lines(text, delimiter)] or [_Line(0, 0, [])]
        asked = [at for at, name in enumerate(names.cells) if _QUESTION.fullmatch(name)]
        answered = [at for at, name in enumerate(names.cells) if _ANSWER.fullmatch(name)]
        if len(asked) == len(answered) == 1:
            return _rows_and_units(names, lines, asked[0], answered[0])
        has_cells = bool(lines) and all(line.cells[1:] for line in (names, *lines))
        is_table |= delimiter == "\t" and has_cells
    if not is_table:
        return None
    return [
        Row(first=number, last=number, raw=line, text=line, why=_UNKNOWN)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ], []


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
    for number, line in enumerate(lines, 1):
        cells = [*line.cells, *[""] * columns]
        question = _row(line, cells[asked], "question")
        answer = _row(line, cells[answered], "answer")
        rows.append(question)
        if any(cells[columns:]):
            question.why = f"{len(line.cells)} cells below {columns} columns"
        elif not question.text:
            question.why = "a line without a question"
        elif any(without_mark(part) != part for cell in cells for part in cell.split("\n")[1:]):
            question.why = "the mark of another question or answer inside a cell"
        if question.why:
            continue
        unit = Unit([question, answer] if answer.text else [question])
        units.append(unit)
        for at, (name, cell) in enumerate(zip(names.cells, line.cells, strict=False)):
            if at in (asked, answered) or cell in ("", str(number)):
                continue
            unit.date = unit.date or day(cell)
            if unit.date != day(cell) or not unit.date:
                unit.rows.append(_row(line, f"{name}: {cell}" if name else cell, "text"))
    return rows, units


def _row(line: _Line, cell: str, kind: Kind) -> Row:
    text = without_mark(cell).replace("\n", "\n\n")
    return Row(first=line.first, last=line.last, raw=text, text=text, kind=kind)
