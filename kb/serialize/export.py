"""The lines of `kb export`: JSON for a ruling, CSV for a ruling in a language."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from kb.core.json import dumps
from kb.records.fields import HEADER_FIELDS
from kb.records.text import plain_text
from kb.serialize.ruling import ruling_to_json, text_in

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Ruling

# `cards` has the cards of `about` too; fingerprints are for `kb translated`.
_NOT_IN_CSV = ("about", "translated_from")
_FIRST_COLUMNS = (
    *("game", "id", "lang", "kind", "authority", "status", "date", "topics", "cards", "sources"),
    *("verdict", "when", "title", "text", "url", "licence", "build"),
)
# Then the other fields of the header, so that a new field of the table has its column.
CSV_COLUMNS = tuple(
    dict.fromkeys((*_FIRST_COLUMNS, *(f.name for f in HEADER_FIELDS if f.name not in _NOT_IN_CSV)))
)
# The only key of the optional first line of an export in JSON Lines.
HEADER_KEY = "export"
_FORMULAS, _BEFORE_FORMULAS = frozenset("=+-@＝＋－＠"), frozenset("\t\r\n")


def jsonl_lines(library: Library, about: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the lines of `kb export --format jsonl`: the rulings, by game and id.

    With `about` the first line has these facts under HEADER_KEY.
    """
    if about is not None:
        yield dumps({HEADER_KEY: dict(about)}, None)
    for ruling in library.rulings.values():
        yield dumps(ruling_to_json(ruling, library), None)


def csv_lines(library: Library, build: str = "") -> Iterator[str]:
    """Yield the lines of `kb export --format csv`: a header line, then each text of each ruling.

    As OWASP advises, an apostrophe precedes a cell that a spreadsheet takes for a formula: = + - @
    (also full-width) as its first character after spaces, or a tab or line end at its beginning.
    """
    yield _row(CSV_COLUMNS)
    for ruling in library.rulings.values():
        fields = ruling_to_json(ruling, library)
        for text in ruling.texts:
            cells = {
                **fields,
                **vars(ruling.header),
                "lang": text.lang,
                "title": text.title,
                "text": plain_text(text.body),
                "licence": licences(ruling, library),
                "build": build,
            }
            yield _row(_cell(cells[column], text.lang) for column in CSV_COLUMNS)


def _cell(value: object, lang: str) -> str:
    """Return a value of a ruling as text, in a language where it has several."""
    if isinstance(value, dict):
        return text_in(value, lang)
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else str(value or "")


def licences(ruling: Ruling, library: Library) -> str:
    """Return the licences of the documents that a ruling cites."""
    sources = library.games[ruling.game].sources_by_id
    cited = (sources[citation.source] for citation in ruling.header.sources)
    return "; ".join(sorted({source.licence for source in cited if source.licence}))


def _row(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(
        f"'{cell}" if _is_formula(cell) else cell for cell in cells
    )
    return out.getvalue().removesuffix("\n")


def _is_formula(cell: str) -> bool:
    return bool(cell.strip()) and (cell[0] in _BEFORE_FORMULAS or cell.lstrip()[0] in _FORMULAS)
