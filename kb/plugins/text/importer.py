"""Reads plain documents: headings, numbered provisions, questions and answers.

Each provision becomes a draft, with an id from its own words, so that its place in the file does
not matter. `rows` recognises paragraphs by shape: marks and numbers at the start of a line,
the length of a line, a colon or a question mark at its end, and words such as `Example` in the
languages of the program. Every line is in a draft or in `skipped`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.core.problems import KbError, Problem, posix_path
from kb.ingest.base import Importer
from kb.ingest.common import Ids, slug, text_of
from kb.ingest.drafts import Draft, DraftSource, Imported
from kb.language import LANGUAGES, fold
from kb.language.guess import guess_language
from kb.plugins.text.facts import Cards, Topics
from kb.plugins.text.rows import EMAIL, ERRATA_HEADING, TRANSLATOR, Row, Shape, read_rows
from kb.records.fields import Authority, Header, Kind
from kb.records.model import Game
from kb.records.text import Text
from kb.records.values import Citation

# Bytes of a document; no rulebook has as many.
_MAX_FILE = 16_000_000
_SOURCE_LENGTH, _ID_LENGTH, _TITLE_LENGTH = 32, 62, 150
_KINDS: dict[Shape, Kind] = {"example": "example", "note": "note", "definition": "definition"}


@dataclass
class _Unit:
    """The paragraphs of one provision, and its headings, the outermost first."""

    rows: list[Row]
    headings: tuple[Row, ...]
    own_heading: Row | None = None

    @property
    def text(self) -> str:
        return "\n".join(row.text for row in self.rows)

    @property
    def is_question(self) -> bool:
        return self.rows[0].shape == "question"

    @property
    def first_line(self) -> int:
        return (self.own_heading or self.rows[0]).first


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read plain text files as drafts of their provisions, with a source for each file.

    With a game, drafts have its topics and name its cards. The authority is the community, or the
    translator for notes that say so. Raises KbError for a file that is not UTF-8 text.
    """
    imported = Imported()
    topics, cards, source_ids = Topics(game), Cards(game), Ids()
    languages: Counter[str] = Counter()
    for path in paths:
        text = _read_text(path)
        if not text.strip():
            imported.skip(posix_path(path), 1, "the file is empty")
            continue
        stem = path.name.removesuffix(path.suffix)
        name, _, lang = stem.rpartition(".")
        stem, lang = (name, lang) if lang in LANGUAGES else (stem, "en")
        source = source_ids.make(slug(stem, _SOURCE_LENGTH))
        lang = guess_language(text, lang)
        document = _Document(source, posix_path(path), lang, read_rows(text))
        drafts = list(document.drafts(topics, cards))
        languages[lang] += len(drafts)
        imported.drafts += drafts
        for unit, draft in zip(document.units, drafts, strict=True):
            if game is None or draft.topic not in game.topics:
                imported.topics.setdefault(draft.topic, _section(unit, document.title) or "General")
        if drafts:
            cited = dict.fromkeys(draft.header.sources[0].provision for draft in drafts)
            title = document.title.text if document.title else source
            imported.sources.append(
                DraftSource(source, title, lang, "community", provisions=tuple(cited))
            )
        imported.skipped += document.skipped(text)
    if languages:
        imported.language = max(languages, key=lambda lang: languages[lang])
    imported.name = imported.sources[0].title if imported.sources else ""
    return imported


def _read_text(path: Path) -> str:
    name = posix_path(path)
    text = text_of(path, _MAX_FILE)
    if "\x00" in text:
        raise KbError(f"{name} is binary data, not plain text; save it as UTF-8 text")
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


class _Document:
    """One file, divided into units."""

    def __init__(self, source: str, path: str, lang: str, rows: Sequence[Row]) -> None:
        self.source, self.path, self.lang, self.rows = source, path, lang, rows
        self.title = _title(rows)
        self.units: list[_Unit] = []
        self.problems: list[Problem] = []
        first_lines: dict[str, int] = {}
        for unit in _units(rows):
            line = unit.rows[0].first
            first = first_lines.setdefault(fold(unit.text), line)
            if first != line:
                for row in unit.rows:
                    row.why = f"repeats line {first}"
                continue
            self.units.append(unit)
            asked = first_lines.setdefault(f"?{fold(unit.rows[0].text)}", line)
            if unit.is_question and asked != line:
                message = f"asks the same as line {asked}; compare the two drafts"
                self.problems.append(Problem(path, line, message))

    def drafts(self, topics: Topics, cards: Cards) -> Iterator[Draft]:
        """Yield the drafts of the units, in their order."""
        ids = Ids()
        units_below = Counter(unit.headings for unit in self.units)
        for unit in self.units:
            first, section = unit.rows[0], _section(unit, self.title)
            ruling_id = slug(first.name or first.text, _ID_LENGTH)
            title, body = _title_and_body(unit, units_below[unit.headings] == 1)
            lang = guess_language(unit.text, self.lang) if unit.is_question else self.lang
            is_answered = not unit.is_question or len(unit.rows) > 1
            yield Draft(
                id=ids.make(f"{self.source}-{ruling_id}"),
                topic=topics.choose(section, unit.text),
                texts=(Text(lang, title, body),),
                header=Header(
                    kind=_kind(first, section) if is_answered else "question",
                    authority=_authority(first),
                    status="current" if is_answered else "unanswered",
                    topics=(),
                    about=cards.named_in(f"{section}\n{unit.text}"),
                    sources=(Citation(self.source, _provision(unit, ruling_id)),),
                ),
                lines=(unit.first_line, unit.rows[-1].last),
                file=self.path.rpartition("/")[2],
            )

    def skipped(self, text: str) -> list[Problem]:
        """Return the lines in no draft, without their e-mail address, or with a question again."""
        drafted = {
            line for unit in self.units for line in range(unit.first_line, unit.rows[-1].last + 1)
        }
        problems = [
            Problem(self.path, line, f"in no draft: {row.why or 'a heading without a text'}")
            for row in self.rows
            for line in range(row.first, row.last + 1)
            if line not in drafted
        ]
        problems += [
            Problem(self.path, number, "an e-mail address was cut out of the text")
            for number, line in enumerate(text.split("\n"), 1)
            if number in drafted and EMAIL.search(line)
        ]
        return sorted([*problems, *self.problems], key=lambda problem: problem.line)


def _units(rows: Sequence[Row]) -> Iterator[_Unit]:
    """Yield the provisions of paragraphs."""
    unit: _Unit | None = None
    headings: list[Row] = []
    own_heading: Row | None = None
    for row in rows:
        if row.shape == "left":
            continue
        if row.shape == "heading":
            headings = [*(above for above in headings if above.level < row.level), row]
            own_heading = row
        elif unit and not own_heading and _continues(row, unit):
            unit.rows.append(row)
            continue
        if unit:
            yield unit
            unit = None
        if row.shape != "heading":
            unit = _Unit([row], tuple(headings), own_heading)
            own_heading = None
    if unit:
        yield unit


def _continues(row: Row, unit: _Unit) -> bool:
    """Whether a paragraph belongs to the provision above it."""
    first, last = unit.rows[0], unit.rows[-1]
    if first.shape == "question":
        return row.shape != "question"
    if row.shape == "item":
        return row.number == "list"
    return row.shape == last.shape == "text" and last.is_introduction and not row.number


def _title(rows: Sequence[Row]) -> Row | None:
    """Return the first heading, if it alone has level 1 or a heading follows it."""
    headings = [row for row in rows if row.shape == "heading"]
    if not headings:
        return None
    first = headings[0]
    is_only = first.level == 1 and not any(row.level == 1 for row in headings[1:])
    below = next((row for row in rows if row.first > first.last and row.shape != "left"), None)
    return first if is_only or (below and below.shape == "heading") else None


def _section(unit: _Unit, title: Row | None) -> str:
    """Return the outermost heading of a provision below the document's title."""
    return next((heading.text for heading in unit.headings if heading is not title), "")


def _kind(first: Row, section: str) -> Kind:
    return _KINDS.get(first.shape, "errata" if ERRATA_HEADING.search(section) else "ruling")


def _authority(first: Row) -> Authority:
    is_labelled = first.shape in ("note", "example") and TRANSLATOR.search(first.text[:60])
    return "translator" if is_labelled else "community"


def _provision(unit: _Unit, ruling_id: str) -> str:
    """Return the name of a provision: a number such as 1.2, a term, a heading, or its words."""
    first = unit.rows[0]
    if "." in first.number:
        return first.number
    if first.shape in ("definition", "question") or not unit.headings:
        return ruling_id
    return slug(unit.headings[-1].text, _ID_LENGTH)


def _title_and_body(unit: _Unit, is_alone: bool) -> tuple[str, str]:
    """Return a question and its answer, a heading and its only text, or first words and text."""
    first = unit.rows[0]
    if unit.is_question:
        title = first.text if len(first.text) <= _TITLE_LENGTH else _first_words(first.text)
        is_in_body = title != first.text or len(unit.rows) == 1
        return title, _markdown([*unit.rows[1:], *([first] if is_in_body else [])])
    if unit.own_heading and is_alone and first.shape != "definition":
        return unit.own_heading.text, _markdown(unit.rows)
    return _first_words(first.name or first.text), _markdown(unit.rows)


def _first_words(text: str) -> str:
    """Return the first sentence of a text, cut to about 70 characters."""
    sentence = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    if len(sentence) > 70:
        return (sentence[:70].rpartition(" ")[0] or sentence[:70]).rstrip(" ,;:-–—") + "…"
    return sentence.rstrip(" .:;,") or text[:70]


def _markdown(rows: Sequence[Row]) -> str:
    text = ""
    for above, row in zip([None, *rows], rows, strict=False):
        words = row.text.replace("[[", "[ [").replace("]]", "] ]")
        words = f"\\{words}" if words[:1] in "#>" else words
        is_item = row.shape == "item" and above is not None
        gap = "\n" if is_item and above and above.shape == "item" else "\n\n"
        text += (gap if text else "") + (f"- {words}" if is_item else words)
    return text


IMPORTER = Importer(
    "plain documents: headings, numbered provisions, questions and answers",
    read,
    states_authority=False,
)
