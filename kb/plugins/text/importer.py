"""Reads plain documents: questions and answers, summaries of rulings, provisions, spreadsheets.

Each ruling becomes a draft, with an id from its own words, so that its place in the file does not
matter. Every line is in a draft or in `skipped`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from kb.core.problems import KbError, Problem, posix_path
from kb.ingest.base import Importer
from kb.ingest.common import Ids, literal, slug, text_of
from kb.ingest.common import title as title_of
from kb.ingest.drafts import Draft, DraftSource, Imported
from kb.language import LANGUAGES, fold, language_of
from kb.language.registry import guess_language
from kb.plugins.text import vocabulary as words
from kb.plugins.text.facts import GENERAL, Cards, Topics
from kb.plugins.text.rows import EMAIL, PLAIN_LEVEL, QUESTION_END, Rejoin, Row
from kb.plugins.text.shapes import CARD, Unit, read_units
from kb.plugins.text.table import read_table
from kb.records.fields import Authority, Header, Kind
from kb.records.model import Game
from kb.records.text import Text, shown_blocks
from kb.records.values import Citation

# Bytes of a document; no rulebook has as many.
_MAX_FILE = 16_000_000
_SOURCE_LENGTH, _ID_LENGTH, _TITLE_LENGTH = 32, 62, 150
_MARKDOWN = (".md", ".markdown")
_SUFFIXES = (".txt", ".text", ".tsv", ".csv", *_MARKDOWN)
_KINDS: dict[str, Kind] = {"example": "example", "note": "note", "definition": "definition"}
_ERRATA = re.compile(rf"\b{words.ERRATA}", re.IGNORECASE)
_TRANSLATOR = re.compile(words.TRANSLATOR, re.IGNORECASE)
_LIST = re.compile(r"[-*+] +|\d{1,9}[.)] +")


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read text files and folders of them as drafts of their rulings, with a source for each file.

    With a game, drafts have its topics and name its cards. The authority is the community, or the
    translator for notes that say so. Raises KbError for a file that is not UTF-8 text, and for a
    folder without text files.
    """
    imported = Imported()
    topics, cards, source_ids = Topics(game), Cards(game), Ids()
    languages: Counter[str] = Counter()
    for path in _files(paths, imported):
        text = text_of(path, _MAX_FILE)
        text = "".join(char if char.isprintable() or char in "\n\t" else " " for char in text)
        if not text.strip():
            imported.skip(posix_path(path), 1, "the file is empty")
            continue
        document = _Document(path, text, source_ids, game.languages if game else ())
        drafts = list(document.drafts(topics, cards))
        languages[document.lang] += len(drafts)
        imported.drafts += drafts
        for unit, draft in zip(document.units, drafts, strict=True):
            if game is None or draft.topic not in game.topics:
                title = "General" if draft.topic == GENERAL else document.section(unit)
                imported.topics.setdefault(draft.topic, title)
        if drafts:
            imported.sources.append(
                DraftSource(
                    document.source,
                    document.title.text if document.title else document.source,
                    document.lang,
                    "community",
                    provisions=tuple(
                        dict.fromkeys(draft.header.sources[0].provision for draft in drafts)
                    ),
                    file=path,
                )
            )
        imported.skipped += document.skipped(text)
    if languages:
        imported.language = max(languages, key=lambda lang: languages[lang])
    imported.name = imported.sources[0].title if imported.sources else ""
    return imported


def _files(paths: Sequence[Path], imported: Imported) -> Iterator[Path]:
    """Yield the named files, and the text files in named folders, by path; report other files."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files = [
            file
            for file in sorted(path.rglob("*"))
            if file.is_file()
            if not any(part.startswith(".") for part in file.relative_to(path).parts)
        ]
        texts = [file for file in files if file.suffix.lower() in _SUFFIXES]
        if not texts:
            raise KbError(f"{posix_path(path)}: no text file there ({', '.join(_SUFFIXES)})")
        for file in files:
            if file not in texts:
                imported.skip(posix_path(file), 1, f"not one of {', '.join(_SUFFIXES)}")
        yield from texts


def _rejoin(text: str, lang: str) -> Rejoin:
    """Return a function that joins divided words where the language or the document has them."""

    @cache
    def known() -> frozenset[str]:
        return frozenset(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text.lower()))

    def rejoin(head: str, tail: str) -> str:
        word, compound = f"{head}{tail}", f"{head}-{tail}"
        is_word = word.lower() in known() or language_of(lang).lemmas(word.lower())
        return word if is_word and compound.lower() not in known() else compound

    return rejoin


class _Document:
    """One file, divided into units."""

    def __init__(
        self, path: Path, text: str, source_ids: Ids, languages: Sequence[str] = ()
    ) -> None:
        stem, suffix = path.name.removesuffix(path.suffix), path.suffix.lower()
        name, _, lang = stem.rpartition(".")
        is_named = lang in LANGUAGES or lang in languages
        unknown = [other for other in languages if other not in LANGUAGES]
        stem, lang = (name, lang) if is_named else (stem, unknown[0] if unknown else "en")
        self.path, self._languages = posix_path(path), languages
        self.source = source_ids.make(slug(stem, _SOURCE_LENGTH))
        # If kb does not know a language of the game, only the game's languages are possible.
        known = (lang, *languages) if unknown else LANGUAGES
        self.lang = guess_language(text, lang, known)
        self.is_markdown = suffix in _MARKDOWN
        self.rows, units = read_table(text, suffix, self.lang) or read_units(
            text, self.is_markdown, _rejoin(text, self.lang)
        )
        self.title = _title(self.rows)
        headings = [row for row in self.rows if row.kind == "heading" and row.label != CARD]
        # The only heading, in the first line, may be a topic, but it names no card of a ruling.
        is_alone = len(headings) == 1 and headings[0] is self.rows[0]
        self._name = headings[0] if is_alone else self.title
        self.units: list[Unit] = []
        self.problems: list[Problem] = []
        # The headings that certainly are titles of drafts.
        self.titles: set[int] = set()
        first_lines: dict[str, int] = {}
        for unit in units:
            line = unit.rows[0].first
            first = first_lines.setdefault(fold(f"{unit.card}\n{unit.text}"), line)
            if first != line:
                for row in unit.rows:
                    row.why = f"repeats line {first}"
                continue
            self.units.append(unit)
            asked = first_lines.setdefault(f"?{fold(unit.question)}", line)
            if unit.is_question and asked != line:
                message = f"asks the same as line {asked}; compare the two drafts"
                self.problems.append(Problem(self.path, line, message))

    def drafts(self, topics: Topics, cards: Cards) -> Iterator[Draft]:
        """Yield the drafts of the units, in their order.

        A question is in the document's language or in one of its game's; without these, in any.
        """
        ids = Ids()
        known = (self.lang, *self._languages) if self._languages else LANGUAGES
        units_below = Counter(unit.headings for unit in self.units)
        for unit in self.units:
            first, section = unit.rows[0], self.section(unit)
            about = self._about(unit, cards)
            name, title, body = self._name_title_body(unit, units_below[unit.headings] == 1)
            name = slug(name, _ID_LENGTH)
            # Neither the name of a card nor a question is a topic.
            is_card = section == unit.card or cards.called(section)
            is_topic = section and not is_card and not QUESTION_END.search(section)
            own_topic = slug(section, 60) if is_topic else GENERAL
            is_answered = not unit.is_question or any(row.kind != "cell" for row in unit.answer)
            yield Draft(
                id=ids.make(f"{self.source}-{name}"),
                topic=topics.choose(section, unit.text, own_topic),
                texts=(
                    Text(
                        guess_language(unit.text, self.lang, known)
                        if unit.is_question
                        else self.lang,
                        title,
                        body,
                    ),
                ),
                header=Header(
                    kind=_kind(first, section) if is_answered else "question",
                    authority=_authority(first),
                    status="current" if is_answered else "unanswered",
                    topics=(),
                    about=about,
                    sources=(Citation(self.source, _provision(unit, name)),),
                    date=unit.date or None,
                ),
                lines=(unit.first_line, unit.rows[-1].last),
                file=self.path.rpartition("/")[2],
                document=self.source,
            )

    def _about(self, unit: Unit, cards: Cards) -> tuple[str, ...]:
        """Return the cards of a unit: of its headings, its column of cards and its text.

        Reports the names of several cards. The column leaves the text if each name is one card's.
        """
        labels: list[str] = []
        text = unit.text
        for row in [*unit.headings, *unit.rows]:
            if row is self._name or (row.kind != "heading" and row.label != CARD):
                continue
            is_list = row.kind == "cell" and not cards.called(row.text)
            names = re.split(r"[,;/\n]", row.text) if is_list else [row.text]
            called = {name.strip(): cards.called(name.strip()) for name in names}
            labels += [found[0] for found in called.values() if len(found) == 1]
            for name, found in called.items():
                if len(found) > 1:
                    message = f"{name} may be {' or '.join(found)}; write the card behind about:"
                    self.problems.append(Problem(self.path, row.first, message))
            if row.kind == "cell" and all(len(found) == 1 for found in called.values()):
                unit.rows.remove(row)
        found = cards.named_in("\n".join([*labels, text]), self.lang)
        return tuple(dict.fromkeys([*labels, *found]))

    def section(self, unit: Unit) -> str:
        """Return the outermost heading of a unit below the document's title."""
        return next((row.text for row in unit.headings if row is not self.title), "")

    def _name_title_body(self, unit: Unit, is_alone: bool) -> tuple[str, str, str]:
        """Return the words for a ruling's id, its title and its text."""
        first = unit.rows[0]
        if unit.is_question:
            question = self._plain(unit.question)
            title = question if len(question) <= _TITLE_LENGTH else _first_words(question)
            is_in_body = title != question or not unit.answer
            rows = [*unit.answer, *(unit.asked if is_in_body else [])]
            return question, title, _markdown(rows, self.is_markdown)
        rows = [replace(first, kind="text", number="", raw=first.text), *unit.rows[1:]]
        body = _markdown(rows, self.is_markdown)
        question, answer = _question_and_answer(first)
        if answer:
            rows[0] = replace(rows[0], raw=answer)
            question = self._plain(question)
            return question, question, _markdown(rows, self.is_markdown)
        is_term = first.kind == "definition"
        name = first.label if is_term else first.text[len(first.label) :].strip() or first.text
        name = self._plain(name)
        if unit.card:
            self.titles.add(id(unit.headings[-1]))
            return f"{unit.card} {name}", title_of(unit.card, name), body
        if unit.own_heading and is_alone and not is_term:
            if unit.own_heading.level < PLAIN_LEVEL:
                self.titles.add(id(unit.own_heading))
            return name, self._plain(unit.own_heading.text), body
        heading = unit.headings[-1] if unit.headings else None
        if heading and (heading.is_introduction or heading.asks) and not is_term:
            return name, title_of(heading.text.rstrip(": "), name), body
        return name, _first_words(name), body

    def _plain(self, text: str) -> str:
        """Return words of a title, without the signs of Markdown."""
        flat = " ".join(text.split())
        if self.is_markdown:
            flat = " ".join(shown_blocks(flat))
        return flat.replace("[[", "[ [").replace("]]", "] ]")

    def skipped(self, text: str) -> list[Problem]:
        """Return the lines in no draft, without their e-mail address, or with a question again."""
        drafted = {id(row) for unit in self.units for row in unit.rows}
        headings = {id(row) for unit in self.units for row in unit.headings}
        lines = {
            line for unit in self.units for line in range(unit.first_line, unit.rows[-1].last + 1)
        }
        problems = {
            Problem(self.path, line, f"in no draft: {row.why or 'a heading without a text'}")
            for row in self.rows
            if id(row) not in drafted | headings and (row.why or row.kind == "heading")
            for line in range(row.first, row.last + 1)
        }
        problems |= {
            Problem(self.path, line, "taken as a heading, not as a ruling")
            for row in self.rows
            if id(row) in headings and id(row) not in self.titles
            for line in range(row.first, row.last + 1)
        }
        problems |= {
            Problem(self.path, number, "an e-mail address was cut out of the text")
            for number, line in enumerate(text.split("\n"), 1)
            if number in lines and EMAIL.search(line)
        }
        return sorted(problems | {*self.problems}, key=lambda problem: problem.line)


def _title(rows: Sequence[Row]) -> Row | None:
    """Return the first heading, if it alone has level 1 or a heading follows it."""
    present = [row for row in rows if not row.why]
    at = next((at for at, row in enumerate(present) if row.kind == "heading"), len(present))
    levels = [row.level for row in present[at:] if row.kind == "heading"]
    is_title = levels[:1] == [1] and levels.count(1) == 1
    is_title = is_title or [row.kind for row in present[at + 1 : at + 2]] == ["heading"]
    return present[at] if at < len(present) and is_title else None


def _kind(first: Row, section: str) -> Kind:
    return _KINDS.get(first.kind, "errata" if _ERRATA.search(section) else "ruling")


def _authority(first: Row) -> Authority:
    is_labelled = first.kind in ("note", "example") and _TRANSLATOR.search(first.text[:60])
    return "translator" if is_labelled else "community"


def _provision(unit: Unit, ruling_id: str) -> str:
    """Return the name of a provision: a number such as 1.2, a term, a heading, or its words."""
    first = unit.rows[0]
    if "." in first.number:
        return first.number
    is_named = first.kind in ("definition", "question") or any(_question_and_answer(first))
    if is_named or not unit.headings:
        return ruling_id
    return slug(unit.headings[-1].text, _ID_LENGTH)


def _question_and_answer(row: Row) -> tuple[str, str]:
    """Return the question that an item or a numbered paragraph begins with, and what follows it."""
    question, *answer = re.split(r"(?<=[.!?])\s+", row.text, maxsplit=1)
    is_asked = (row.kind == "item" or row.number) and QUESTION_END.search(question)
    is_title = is_asked and len(question) <= _TITLE_LENGTH
    return (question, "".join(answer)) if is_title else ("", "")


def _first_words(text: str) -> str:
    """Return the first sentence of a text, cut to about 70 characters."""
    sentence = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    if len(sentence) > 70:
        return (sentence[:70].rpartition(" ")[0] or sentence[:70]).rstrip(" ,;:-–—") + "…"
    return sentence.rstrip(" .:;,") or text[:70]


def _markdown(rows: Sequence[Row], is_markdown: bool) -> str:
    """Return rows as Markdown that shows the signs of a plain text; lists stay nested."""
    body = ""
    # Of the lists around a row: the column in the source, and where their texts begin.
    lists: list[tuple[int, int]] = []
    was_item = False
    for row, sign in zip(rows, _list_signs(rows, is_markdown), strict=True):
        while lists and lists[-1][0] >= row.column:
            lists.pop()
        indent = lists[-1][1] if lists else 0
        words = row.text if sign or row.kind in ("question", "answer") else row.raw.rstrip()
        words = words.replace("[[", "[ [").replace("]]", "] ]") if is_markdown else literal(words)
        margin = "\n" + " " * (indent + len(sign))
        body += ("\n" if was_item and sign else "\n\n") + " " * indent + sign
        body += words.replace("\n", margin)
        if sign:
            lists.append((row.column, indent + len(sign)))
        was_item = bool(sign)
    return body.strip("\n")


def _list_signs(rows: Sequence[Row], is_markdown: bool) -> Iterator[str]:
    """Yield the sign of each row that is a list item in Markdown, else an empty string.

    In a plain text, items have bullets, or numbers that count from 1.
    """
    numbers: dict[int, int] = {}
    for row in rows:
        own = row.raw.rstrip().removesuffix(row.text.rstrip())
        if is_markdown:
            yield own if _LIST.fullmatch(own) else ""
        elif row.kind == "item":
            yield "- "
        elif row.number == str(numbers.get(row.column, 0) + 1):
            numbers[row.column] = int(row.number)
            yield f"{row.number}. "
        else:
            yield ""


IMPORTER = Importer(
    "plain documents and spreadsheets: questions and answers, numbered provisions, headings",
    read,
    states_authority=False,
)
