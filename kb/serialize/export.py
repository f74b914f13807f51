"""The lines of `kb export`: one ruling each as JSON, or one ruling and language as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kb.core.json import dumps
from kb.records.marks import plain_text
from kb.serialize.ruling import ruling_to_json

if TYPE_CHECKING:
    from kb.records.library import Library

_FORMULAS, _BEFORE_FORMULAS = frozenset("=+-@＝＋－＠"), frozenset("\t\r\n")

CSV_COLUMNS = (
    "game",
    "id",
    "lang",
    "kind",
    "authority",
    "status",
    "date",
    "topics",
    "cards",
    "sources",
    "title",
    "text",
    "url",
)


def jsonl_lines(library: Library) -> Iterator[str]:
    """The lines of `kb export --format jsonl`: one ruling each, by game and id."""
    for ruling in library.rulings.values():
        yield dumps(ruling_to_json(ruling, library), None)


def csv_lines(library: Library) -> Iterator[str]:
    """The lines of `kb export --format csv`: one ruling and language each, with a header line.

    A cell that a spreadsheet would take for a formula gets an apostrophe before it, as OWASP
    advises: one that begins with = + - @ (wide ones too) or a tab or the end of a line, be there
    spaces before it or not.
    """
    yield _row(CSV_COLUMNS)
    for ruling in library.rulings.values():
        whole = ruling_to_json(ruling, library)
        for text in ruling.texts:
            cells = {
                **whole,
                "lang": text.lang,
                "title": text.title,
                "text": plain_text(text.body),
                "date": whole["date"] or "",
            }
            yield _row(
                "; ".join(cells[column]) if isinstance(cells[column], list) else str(cells[column])
                for column in CSV_COLUMNS
            )


def _row(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(
        f"'{cell}" if _is_formula(cell) else cell for cell in cells
    )
    return out.getvalue().removesuffix("\n")


def _is_formula(cell: str) -> bool:
    return cell[:1] in _BEFORE_FORMULAS or cell.lstrip()[:1] in _FORMULAS if cell.strip() else False
