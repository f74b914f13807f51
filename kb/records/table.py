"""Tables of tab-separated cells, whose first line names the columns.

A cell in quotes is read as spreadsheets save it: without them, and with its doubled quotes single.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from kb.core.problems import Problem
from kb.core.similar import SimilarIds
from kb.records.edits import Edit, edited, rows

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
# What separates the cells of a spreadsheet that was saved as CSV.
_OTHER_SEPARATORS = {";": "semicolons", ",": "commas"}


def read_table(
    text: str,
    path: str,
    columns: Sequence[str],
    problems: list[Problem],
    required: Collection[str] = (),
    may_lack: str = "",
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of a table's lines by column, with the number of the line.

    `columns`: those that the first line may name; `required`: those that it must name, by default
    all. A line may end before a last column `may_lack`, and have empty cells behind the last one;
    other numbers of cells are problems.
    """
    first, *lines = text.split("\n")
    names = _without_empty_end(cells_of(first))
    unknown = next((name for name in names if name not in columns), "")
    is_known = set(required or columns) <= set(names) <= set(columns)
    if not is_known or len(set(names)) < len(names):
        message = f"the first line names the columns, separated by tabs: {' '.join(columns)}"
        problems.append(Problem(path, 1, message + _hint(first, unknown, columns)))
        return
    counts = {len(names), len(names) - (names[-1] == may_lack)}
    for number, line in enumerate(lines, 2):
        if not line.strip() or line.startswith(("#", '"#')):
            continue
        cells = _without_empty_end(cells_of(line), len(names))
        if any(cell.startswith('"') and cell.count('"') % 2 for cell in line.split("\t")):
            message = "a quote at the beginning of a cell is never closed; a cell is one line"
            problems.append(Problem(path, number, message))
        elif len(cells) in counts:
            yield number, dict(zip(names, cells, strict=False))
        else:
            count = f"{len(cells)} column{'s' if len(cells) > 1 else ''}"
            message = f"{count} instead of {len(names)} (tabs separate them)"
            problems.append(Problem(path, number, message))


def _hint(first: str, unknown: str, columns: Sequence[str]) -> str:
    if not first.strip():
        return "; it is empty"
    for sign, noun in _OTHER_SEPARATORS.items():
        if set(first.replace('"', "").split(sign)) <= {*columns, ""}:
            return f"; {noun} separate them here: save the table as text with tabs"
    hint = f"; {unknown!r} is not a column" if unknown else ""
    similar = SimilarIds(columns).similar(unknown, 1)
    return hint + "".join(f"; did you mean {name}?" for name in similar)


def cells_of(line: str) -> list[str]:
    """Return the cells of a line as they are meant, without quotes around them."""
    cells = map(str.strip, line.split("\t"))
    return [
        cell[1:-1].replace('""', '"').strip() if _QUOTED.fullmatch(cell) else cell for cell in cells
    ]


def _without_empty_end(cells: list[str], count: int = 0) -> list[str]:
    """Return cells without the empty ones at the end that are more than `count`."""
    while len(cells) > count and not cells[-1]:
        cells.pop()
    return cells


def row_of(values: Mapping[str, str], columns: Iterable[str]) -> str:
    """Return a line with values by column, which is read back as they are."""
    cells = (" ".join(values.get(name, "").split()) for name in columns)
    return "\t".join(
        '"{}"'.format(cell.replace('"', '""')) if cell.startswith('"') else cell for cell in cells
    )


def with_rows(text: str, columns: Sequence[str], values: Iterable[Mapping[str, str]]) -> str:
    """Add rows to a table in the order of its columns; an empty text gets a first line."""
    table = text if text.strip() else "\t".join(columns)
    lines = rows(table)
    names = cells_of(lines[0])
    added = [row_of(row, names) for row in values]
    whole = edited(table, [Edit(len(lines), len(lines), added)])
    return whole if whole.endswith(("\r", "\n")) else f"{whole}\n"
