"""Rulings as data for programs: JSON and CSV."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kb.core import urls
from kb.core.json import Json, dumps
from kb.language import text_in
from kb.language.registry import reading_order
from kb.records.fields import FIELDS, HEADER_FIELDS
from kb.records.text import NoteAuthor, Text, plain_text
from kb.records.values import VERDICTS
from kb.store.model import StoredRuling, stored_ruling

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Ruling


Texts = Mapping[str, str]
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


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A source document that an answer cites; `title` is by language."""

    id: str
    title: Texts
    author: str = ""
    publisher: str = ""
    published: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A place in a source document."""

    document: str = field(metadata={"description": "Id of the document."})
    provision: str = field(metadata={"description": "The provision within it."})
    title: str
    author: str = ""
    published: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """A note in a text by the editors or the translator: not the authority's words."""

    by: NoteAuthor
    text: str = field(metadata={"description": "Markdown."})


def answer_notes(text: Text) -> list[AnswerNote]:
    """Return the notes of a text, with the words that card marks show."""
    return [AnswerNote(note.by, plain_text(note.text)) for note in text.notes]


def ruling_to_json(ruling: StoredRuling) -> Json:
    """Return all fields of a ruling as JSON data; texts are Markdown with card marks."""
    fields = {
        **vars(ruling),
        "title": {text.lang: text.title for text in ruling.texts},
        "text": {text.lang: text.body for text in ruling.texts},
        "notes": {
            text.lang: [{"by": note.by, "text": note.text} for note in text.notes]
            for text in ruling.texts
            if text.notes
        },
        "url": urls.ruling(ruling.game, ruling.id),
    }
    return {field.name: field.to_json(fields[field.name]) for field in FIELDS}


def cited_sources(
    ruling: Json, documents: Mapping[str, SourceDocument], lang: str
) -> Iterator[CitedSource]:
    """Yield what a ruling cites, with titles in a language; `documents` by id."""
    for citation in ruling["sources"]:
        source, _, provision = citation.partition("#")
        document = documents[source]
        yield CitedSource(
            document=source,
            provision=provision,
            title=text_in(document.title, lang),
            author=document.author or document.publisher,
            published=document.published,
            url=document.url,
        )


def verdict_in_words(
    verdict: str | None, when: Texts, lang: str, translate: Callable[[str], str] = str
) -> str:
    """Return a verdict such as `Yes` or `Depends: only in battle`; empty without one.

    The condition is in a language, else in one that its readers read; `translate` returns the word
    for an English one.
    """
    if not verdict:
        return ""
    word = translate(VERDICTS[verdict]) if verdict in VERDICTS else verdict
    return ": ".join(filter(None, (word, text_in(when, *reading_order(lang)))))


def answer_in_words(
    answer: str,
    verdict: str | None,
    when: Texts,
    lang: str,
    translate: Callable[[str], str] = str,
) -> str:
    """Return an answer after its verdict, such as `No. The winner pays.`"""
    words = verdict_in_words(verdict, when, lang, translate)
    return f"{words}. {answer}" if words else answer


def jsonl_lines(library: Library, about: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the lines of `kb export --format jsonl`: the rulings, by game and id.

    With `about` the first line has these facts under HEADER_KEY.
    """
    if about is not None:
        yield dumps({HEADER_KEY: dict(about)}, None)
    for ruling in library.rulings.values():
        yield dumps(ruling_to_json(stored_ruling(ruling, library)), None)


def csv_lines(library: Library, build: str = "") -> Iterator[str]:
    """Yield the lines of `kb export --format csv`: a header line, then each text of each ruling.

    As OWASP advises, an apostrophe precedes a cell that a spreadsheet takes for a formula: = + - @
    (also full-width) as its first character after spaces, or a tab or line end at its beginning.
    """
    yield _row(CSV_COLUMNS)
    for ruling in library.rulings.values():
        fields = ruling_to_json(stored_ruling(ruling, library))
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
    import csv

    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(
        f"'{cell}" if _is_formula(cell) else cell for cell in cells
    )
    return out.getvalue().removesuffix("\n")


def _is_formula(cell: str) -> bool:
    return bool(cell.strip()) and (cell[0] in _BEFORE_FORMULAS or cell.lstrip()[0] in _FORMULAS)
