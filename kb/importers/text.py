"""Plain documents: headings and paragraphs, numbered provisions, questions and answers.

Each provision becomes a draft of its own. What the rules know are shapes: marks and numbers at the
start of a line, the length of lines, what ends with a colon, and words such as `Example` in four
languages. Nothing is lost silently: a line is in a draft, in the note of the draft whose text it
repeats, or in `skipped`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from kb.core.problems import KbError, Problem, posix_path
from kb.importers.drafts import Draft, DraftSource, DraftText, Imported
from kb.importers.text_fill import Filler, authority_of, kind_of, slug, stems, title_of, unique
from kb.importers.text_repeats import mark_repeats
from kb.importers.text_rows import (
    INTRODUCTION,
    TRANSLATOR,
    Row,
    content_of,
    continues,
    join,
    language,
    rows_of,
    tell_apart,
)
from kb.language import LANGUAGES
from kb.records.model import Game

MAX_BYTES = 16_000_000


@dataclass
class _Unit:
    """The lines of one provision.

    `heading` is the nearest one above, `number` its own or that of the provision before.
    """

    rows: list[Row]
    heading: str = ""
    number: str = ""
    also: list[int] = field(default_factory=list)
    of_example: bool = False
    translators: bool = False

    @property
    def last(self) -> Row:
        return self.rows[-1]

    @property
    def first(self) -> Row:
        return next(row for row in self.rows if row.shape != "heading")

    @property
    def text(self) -> str:
        return " ".join(row.text for row in self.rows if row.shape != "heading")


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read plain text files as drafts of their provisions, with a source for each file.

    With `game`, topics are chosen among its own and its cards are looked for. Raises KbError for
    what is not UTF-8 text.
    """
    imported = Imported()
    filler = Filler(game)
    documents: dict[str, int] = {}
    languages: Counter[str] = Counter()
    for path in paths:
        text = _load(path)
        if not text.strip():
            imported.skipped.append(Problem(posix_path(path), 1, "the file is empty"))
            continue
        stem = path.name.removesuffix(path.suffix)
        stem, _, hint = (
            stem.rpartition(".") if stem.rpartition(".")[2] in LANGUAGES else (stem, "", "")
        )
        document = _Document(
            unique(slug(stem, 32) or "document", documents), posix_path(path), text, hint or "en"
        )
        document.write(imported, filler, game)
        languages[document.lang] += len(document.units)
    if languages:
        imported.language = max(languages, key=lambda lang: languages[lang])
    imported.name = imported.sources[0].title if imported.sources else ""
    return imported


def _load(path: Path) -> str:
    name = posix_path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise KbError(f"{name}: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise KbError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB; no text of rulings is")
    if b"\x00" in data:
        raise KbError(f"{name} is binary data, not plain text; save it as UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problem = Problem(name, line, f"not UTF-8 (byte 0x{data[error.start]:02x})")
        raise KbError(f"{problem}; save the file as UTF-8 text", (problem,)) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


class _Document:
    """One file, cut into units."""

    def __init__(self, ident: str, path: str, text: str, hint: str) -> None:
        self.id, self.path = ident, path
        self.ids: dict[str, int] = {}
        self.lang = language(text, hint)
        self.rows = join(rows_of(text))
        self.skipped = [
            Problem(path, line, "an e-mail address was cut out of the text")
            for line in sorted(_cut(self.rows))
        ]
        mark_repeats(self.rows)
        tell_apart(self.rows, self.lang)
        self.units = _units(self.rows)
        headings = {unit.heading for unit in self.units}
        count = Counter(stem for heading in headings for stem in set(stems(heading)))
        self.common = frozenset(
            stem for stem, times in count.items() if times >= 4 and times > 0.3 * len(headings)
        )
        in_units = {row.line for unit in self.units for row in unit.rows}
        self.others = [
            row for row in self.rows if row.shape != "blank" and row.line not in in_units
        ]

    def write(self, imported: Imported, filler: Filler, game: Game | None) -> None:
        """Adds the document's drafts, its source, its new topics and what is skipped."""
        self._give_repeats()
        taken: dict[str, int] = {}
        names = [
            unique(_name(unit, before), taken)
            for unit, before in zip(self.units, [None, *self.units], strict=False)
        ]
        for unit, name in zip(self.units, names, strict=True):
            draft = self._draft(unit, name, filler)
            imported.drafts.append(draft)
            if game is None or draft.topic not in game.topics:
                imported.topics.setdefault(draft.topic, unit.heading or draft.topic)
        if names:
            imported.sources.append(
                DraftSource(self.id, self._title(), self.lang, provisions=tuple(names))
            )
        imported.skipped += sorted(self.skipped, key=lambda problem: problem.line)

    def _draft(self, unit: _Unit, name: str, filler: Filler) -> Draft:
        title, body = _text(unit)
        first, last = unit.rows[0].line, unit.last.end
        kind = "example" if unit.of_example else kind_of(unit.rows, unit.heading)
        lang = language(unit.text, self.lang) if kind == "question" else self.lang
        answered = kind != "question" or any(row.shape == "answer" for row in unit.rows)
        return Draft(
            id=unique(f"{self.id}-{slug(name, 60)}", self.ids),
            topic=filler.topic(unit.heading, unit.text, kind, self.common),
            texts=(DraftText(lang, title, body),),
            kind=kind,
            authority="translator" if unit.translators else authority_of(unit.rows),
            status="current" if answered else "unanswered",
            about=filler.about(unit.heading + "\n" + "\n".join(row.text for row in unit.rows)),
            sources=(f"{self.id}#{name}",),
            lines=(first, last),
            file=self.path.rpartition("/")[2],
            note=f"also line{'s' * (len(unit.also) > 1)} {_ranges(unit.also)}" if unit.also else "",
        )

    def _give_repeats(self) -> None:
        """Report repeated lines with the unit that they repeat, and every line in no unit."""
        owner = {
            line: unit
            for unit in self.units
            for row in unit.rows
            for line in range(row.line, row.end + 1)
        }
        for row in self.others:
            lines = range(row.line, row.end + 1)
            if row.shape == "repeat" and row.repeats in owner:
                owner[row.repeats].also += lines
            else:
                why = (
                    f"repeats line {row.repeats}" if row.shape == "repeat" else row.why or _why(row)
                )
                self.skipped += [Problem(self.path, line, f"in no draft: {why}") for line in lines]

    def _title(self) -> str:
        """The first heading after the boilerplate, set off from the first provision."""
        title = ""
        for row, after in pairwise(self.rows):
            if row.shape == "left" and row.why not in ("an introduction", "only marks"):
                title = ""
            elif row.shape == "heading" and after.shape not in ("text", "definition"):
                title = title or row.text
            elif row.shape not in ("blank", "left"):
                break
        return title or self.id


def _why(row: Row) -> str:
    return "a heading without text of its own" if row.shape == "heading" else "not understood"


def _cut(rows: Sequence[Row]) -> Iterator[int]:
    """The lines of the paragraphs that an e-mail address was cut out of."""
    return (row.line for row in rows if row.cut)


def _ranges(lines: Sequence[int]) -> str:
    ranges: list[list[int]] = []
    for line in sorted(lines):
        if ranges and line <= ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _units(rows: Sequence[Row]) -> list[_Unit]:
    """Group classified rows to provisions, in their order.

    Rows in none stay out; an introduction is marked as left.
    """
    units: list[_Unit] = []
    current: _Unit | None = None
    heading: Row | None = None
    waiting = introducing = translators = False
    for row in rows:
        if row.shape in ("blank", "left", "repeat"):
            current = None if row.shape == "repeat" else current
        elif row.shape == "heading":
            heading, waiting, current = row, True, None
            introducing, translators = bool(INTRODUCTION.fullmatch(row.text)), False
        elif introducing and row.shape in ("text", "quote"):
            row.shape, row.why = "left", "an introduction"
            translators = bool(TRANSLATOR.search(row.text))
        elif current and not waiting and _belongs(row, current):
            current.rows.append(row)
        else:
            own = (
                heading
                if heading and not introducing and (waiting or row.shape != "quote")
                else None
            )
            scene = bool(
                current and row.shape == "number" and (current.of_example or _sets_scene(current))
            )
            number = row.number if row.number != "list" else ""
            current = _Unit(
                [*([own] if own and waiting else []), row],
                own.text if own else "",
                number,
                of_example=scene,
            )
            current.translators = translators and row.shape == "definition"
            waiting = False
            units.append(current)
    return units


def _sets_scene(unit: _Unit) -> bool:
    """Whether the numbered cases below a provision are its examples."""
    return unit.first.shape == "example" and unit.last.colon


def _belongs(row: Row, unit: _Unit) -> bool:
    """Whether a row goes on with the provision above it."""
    last, first = unit.last, unit.first
    if first.shape == "question":
        return row.shape not in ("question", "note", "definition")
    if row.number == "list" and row.shape == "item":
        return True
    if last.shape == "quote":
        return row.shape in ("quote", "text", "number")
    if row.shape == "example":
        return first.shape == "item"
    if row.shape == "text" and last.shape == "example" and first.shape == "item":
        return continues(row.text)
    return row.shape == "text" and last.shape == "text" and last.colon


def _name(unit: _Unit, before: _Unit | None) -> str:
    """Return what the document calls a provision: its number, its term or its heading.

    Examples and notes say whose they are.
    """
    first = unit.first
    if first.shape in ("example", "note") and not any(row.shape == "heading" for row in unit.rows):
        owner = before.number if before else ""
        unit.number = owner
        return (
            f"{owner}-{first.shape}"
            if "." in owner
            else f"{slug(unit.heading, 45)}-{first.shape}".strip("-")
        )
    if first.shape == "definition":
        return slug(content_of(first), 50) or "definition"
    if first.shape == "question":
        return "-".join(part for part in ("question", unit.number) if part)
    if "." in unit.number:
        return unit.number
    return "-".join(part for part in (slug(unit.heading, 50), unit.number) if part) or "part"


def _text(unit: _Unit) -> tuple[str, str]:
    """Return the title and the body of a draft; a question is the title, its answer the body."""
    body = [row for row in unit.rows if row.shape != "heading"]
    titled = len(body) < len(unit.rows)
    if body[0].shape == "question":
        cut = next((at for at, row in enumerate(body) if row.shape == "answer"), len(body))
        question = " ".join(row.text for row in body[:cut])
        answer = _markdown(body[cut:])
        title = question if len(question) <= 150 else title_of(question)
        return title, "\n\n".join(
            part for part in (answer, question if title != question or not answer else "") if part
        )
    return (
        unit.heading if titled and body[0].shape != "definition" else title_of(content_of(body[0]))
    ), _markdown(body)


def _markdown(rows: Sequence[Row]) -> str:
    return "\n\n".join(_paragraphs(rows))


def _paragraphs(rows: Sequence[Row]) -> Iterator[str]:
    items: list[str] = []
    for row in rows:
        text = row.text.replace("[[", "[ [").replace("]]", "] ]")
        text = f"\\{text}" if text[:1] in "#>" else text
        if row.shape == "item" and len(rows) > 1 and row is not rows[0]:
            items.append(f"- {text}")
            continue
        if items:
            yield "\n".join(items)
            items = []
        yield text
    if items:
        yield "\n".join(items)
