"""The checked objects of records: Game, Source, Card, Term, Ruling.

All are frozen and refuse unknown keys. Single values are checked here, rules between values and
across objects in `kb.records.checks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from kb.core.problems import Problem
from kb.core.urls import slug
from kb.language import text_in
from kb.records.colours import Colour
from kb.records.fields import AUTHORITIES, HEADER_FIELDS, Authority, Header
from kb.records.pictures import Glyph
from kb.records.syntax import Place, YamlDocument
from kb.records.text import Text
from kb.records.types import (
    CardUrl,
    CardVersion,
    Date,
    Lang,
    Line,
    Lines,
    ListOf,
    Name,
    NameLines,
    Names,
    PictureUrl,
    Provision,
    Slug,
    Slugs,
    WebAddress,
)
from kb.records.validity import valid_date
from kb.records.values import LANGUAGE, Card, Difference

if TYPE_CHECKING:
    from kb.records.diagram import Diagram


def card_label(pattern: str, name: str, version: str) -> str:
    """Return a card's name and version in a game's `card-version`; a bare name as it is."""
    return pattern.replace("{name}", name).replace("{version}", version) if version else name


class Record(BaseModel):
    """The base class of checked objects."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)


class Texts(Record):
    """A checked object whose texts by language are next to its other keys in the file."""

    # The field that the texts are gathered in.
    gathered: ClassVar[str] = "title"

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, value: object) -> object:
        if not isinstance(value, dict) or cls.gathered in value:
            return value
        keys = {field.alias or name for name, field in cls.model_fields.items()}
        texts = {
            key: text for key, text in value.items() if LANGUAGE.fullmatch(key) and key not in keys
        }
        others = {key: other for key, other in value.items() if key not in texts}
        return {**others, cls.gathered: texts}


class Topic(Texts):
    """A subject under which rulings are filed; `title` by language."""

    id: Slug
    title: Name


class Entry(Record):
    """An entry of a list in a file."""

    id: Slug
    _written: YamlDocument = PrivateAttr(default_factory=YamlDocument)

    def written_as(self, document: YamlDocument) -> Self:
        """Return the entry as one of a file."""
        self._written = document
        return self

    def line(self, *place: str | int) -> int:
        """Return the line of a value, else of the nearest value that contains it."""
        return self._written.line(*place)

    def problem(self, message: str, *place: str | int) -> Problem:
        """Return a problem in the line of a value."""
        return self._written.problem(f"{self.id}: {message}", *place)


class Term(Texts, Entry):
    """A term of a game: names and meaning by language, the preferred name first.

    `also`: names that are searched and never shown. `wrong_english`: words that English texts must
    not use for the term.
    """

    gathered = "names"
    names: Names
    also: dict[Lang, NameLines] = Field(default_factory=dict)
    meaning: dict[Lang, str] = Field(default_factory=dict)
    wrong_english: Lines = Field((), alias="not")
    topics: Slugs = ()

    def title(self, lang: str) -> str:
        """Return the preferred name in a language, else in any language."""
        names = self.names.get(lang) or next(iter(self.names.values()))
        return names[0]

    def searched(self, lang: str) -> tuple[str, ...]:
        """Return all names in a language that find the term, those of `also` last."""
        return (*self.names.get(lang, ()), *self.also.get(lang, ()))


class Source(Entry):
    """A document that rulings cite, or a rulebook that they override."""

    title: Name
    kind: Literal["document", "rulebook"] = "document"
    language: Lang
    author: str = ""
    translator: str = ""
    publisher: str = ""
    authority: Authority
    published: Date | None = None
    edition: str = ""
    url: WebAddress = ""
    licence: str = ""
    overrides: Slugs = ()
    provisions: ListOf[Provision] = ()
    provision_titles: dict[str, dict[Lang, Line]] = Field(
        default_factory=dict, alias="provision-titles"
    )

    @cached_property
    def listed(self) -> frozenset[str]:
        """The provisions as a set, for look-ups among thousands."""
        return frozenset(self.provisions)


class Edition(Topic):
    """An edition of the game's rulebook; game.yaml lists them by publication."""

    published: Date | None = None


class Window(Record):
    """The dates between which an authority gave rulings, inclusive or empty: `2002/2005-12`."""

    begins: str = ""
    ends: str = ""

    @model_validator(mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        begins, mark, ends = (part.strip() for part in value.partition("/"))
        if not mark:
            raise ValueError(f"{value!r} is not a span; write 2002/2005, 2002/ or /2005")
        return {"begins": begins and valid_date(begins), "ends": ends and valid_date(ends)}


class GameHeader(Record):
    """`game.yaml`.

    `card_language`: of the words on its cards, where they are not in the game's language.
    `card_url`: pattern of a card's address on another site; `picture`: of its picture there.
    `card_labels`: the game's names for the facts of a card, `card_words`: translations of these
    facts. `side_colours` and `type_glyphs`: how cards are drawn, by side and type. `ruled`: by
    authority, when it gave rulings. `examples`: queries for the front page. `checks`: with strict,
    `kb check --strict` is always meant.
    """

    id: Slug
    name: Name
    colour: Colour = ""
    glyph: Glyph = ""
    language: Lang
    languages: ListOf[Lang]
    card_version: CardVersion = Field("{name} ({version})", alias="card-version")
    card_language: Lang | None = Field(None, alias="card-language")
    card_url: CardUrl = Field("", alias="card-url")
    picture: PictureUrl = ""
    card_labels: dict[Literal["type", "side", "subtypes"], dict[Lang, Line]] = Field(
        default_factory=dict, alias="card-labels"
    )
    card_words: dict[Line, dict[Lang, Line]] = Field(default_factory=dict, alias="card-words")
    side_colours: dict[Line, Colour] = Field(default_factory=dict, alias="side-colours")
    type_glyphs: dict[Line, Glyph] = Field(default_factory=dict, alias="type-glyphs")
    authorities: ListOf[Authority] = AUTHORITIES
    ruled: dict[Authority, Window] = Field(default_factory=dict)
    rule_sets: tuple[Topic, ...] = Field((), alias="rule-sets")
    editions: tuple[Edition, ...] = ()
    topics: tuple[Topic, ...] = ()
    examples: dict[Lang, NameLines] = Field(default_factory=dict)
    not_cards: Lines = Field((), alias="not-cards")
    checks: Literal["usual", "strict"] = "usual"

    def card_address(self, card: Card) -> str:
        """Return the address of a card on another site, empty without `card-url`."""
        return self._filled(self.card_url, card)

    def picture_address(self, card: Card) -> str:
        """Return the address of a card's picture on another site, empty without `picture`."""
        return self._filled(self.picture, card)

    @property
    def picture_site(self) -> str:
        """The site of the pictures, such as https://cards.example.org; empty without `picture`."""
        return "/".join(self.picture.split("/")[:3])

    @staticmethod
    def _filled(pattern: str, card: Card) -> str:
        values = {
            "name": card.name,
            "slug": slug(card.name),
            "label": card.label,
            "version": card.version,
            "set": card.sets[0] if card.sets else "",
        }
        return re.sub(r"\{(\w+)\}", lambda part: quote(values[part[1]], safe=""), pattern)


class AskedQuestion(NamedTuple):
    """A question of questions.tsv, with the id of its ruling, and its line."""

    ruling: str
    lang: str
    text: str
    line: int


@dataclass(frozen=True)
class Game:
    """A game with the objects that its rulings may name."""

    header: GameHeader
    sources: tuple[Source, ...] = ()
    terms: tuple[Term, ...] = ()
    diagrams: tuple[Diagram, ...] = ()
    cards: tuple[Card, ...] = ()
    questions: tuple[AskedQuestion, ...] = ()
    picture: bytes = b""
    folder: str = ""

    def file(self, name: str) -> str:
        """Return the path of one of the game's files, for problems."""
        return f"{self.folder}/{name}"

    def problem(self, file: str, message: str, line: int = 1) -> Problem:
        """Return a problem in one of the game's files."""
        return Problem(self.file(file), line, message)

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def language(self) -> str:
        return self.header.language

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the game's texts, its own first."""
        return tuple(dict.fromkeys((self.language, *self.header.languages)))

    def title(self, lang: str) -> str:
        """Return the game's name in a language, else in its own language."""
        return text_in(self.header.name, lang, self.language)

    def without_ruling(self, ruling_id: str) -> Game:
        """Return the game without the questions of a ruling."""
        kept = (question for question in self.questions if question.ruling != ruling_id)
        return replace(self, questions=tuple(kept))

    @cached_property
    def topics(self) -> dict[str, Topic]:
        return {topic.id: topic for topic in self.header.topics}

    @cached_property
    def sources_by_id(self) -> dict[str, Source]:
        return {source.id: source for source in self.sources}

    @cached_property
    def terms_by_id(self) -> dict[str, Term]:
        return {term.id: term for term in self.terms}

    @cached_property
    def _by_label(self) -> dict[str, tuple[Card, ...]]:
        cards: dict[str, tuple[Card, ...]] = {}
        for card in self.cards:
            for label in {card.name, card.label}:
                cards[label] = (*cards.get(label, ()), card)
        return cards

    def cards_named(self, label: str) -> tuple[Card, ...]:
        """Return the card of a label `Name (X)`, or all versions of a `Name`."""
        return self._by_label.get(label, ())

    @cached_property
    def card_labels(self) -> tuple[str, ...]:
        """The labels and names that a card mark may have."""
        return tuple(self._by_label)


@dataclass(frozen=True)
class Ruling:
    """One ruling: its header and texts, the original first.

    `asked_as`: the questions of questions.tsv by language. `written`: the header in its file.
    """

    id: str
    game: str
    header: Header
    texts: tuple[Text, ...]
    path: str
    folder: str
    asked_as: dict[str, tuple[str, ...]] = field(default_factory=dict)
    written: YamlDocument = field(default_factory=YamlDocument, repr=False)

    @property
    def key(self) -> str:
        """`game/id`, unique in a base."""
        return f"{self.game}/{self.id}"

    def text(self, lang: str) -> Text | None:
        return next((text for text in self.texts if text.lang == lang), None)

    @property
    def original(self) -> Text:
        return self.texts[0]

    def cards(self) -> dict[str, bool]:
        """Return the labels of cards that the ruling is about (True) or only mentions (False)."""
        cards = dict.fromkeys(self.header.about, True)
        for text in self.texts:
            for mark in text.marks:
                if mark.is_card:
                    cards.setdefault(mark.label, False)
        return cards

    def named_rulings(self) -> Iterator[tuple[str, Place]]:
        """Yield the ids of rulings in its header, and their places."""
        for relation in (each for each in HEADER_FIELDS if each.of == "ruling"):
            for index, value in enumerate(relation.values(self.header)):
                ruling_id = value.id if isinstance(value, Difference) else value
                yield ruling_id, (relation.key, index)

    def references(self) -> set[str]:
        """Return the ids of the rulings that its header names."""
        return {ruling_id for ruling_id, _ in self.named_rulings()}

    def with_bodies(self, bodies: Iterable[str]) -> Ruling:
        """Return the ruling with other bodies of its texts."""
        pairs = zip(self.texts, bodies, strict=True)
        return replace(self, texts=tuple(replace(text, body=body) for text, body in pairs))

    def stale(self) -> list[str]:
        """Return the languages of stale translations."""
        if not self.header.translated_from:
            return []
        current = self.original.fingerprint
        return [
            text.lang
            for text in self.texts[1:]
            if self.header.translated_from.get(text.lang, current) != current
        ]

    def problem(self, message: str, *place: str | int) -> Problem:
        """Return a problem in the line of a header's value."""
        return self.written.problem(message, *place)
