"""Pages, and what is on them where Python code reads it too.

What only a template reads is a namespace, described where it is made: `collect`, `overview`,
`site_build`. A template is given the values that it shows, and of the records headers and cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from kb.core.json import Json
from kb.records.fields import Header
from kb.records.history import RevisionDiff
from kb.records.model import Card
from kb.serialize.markdown import glossary_to_markdown
from kb.serialize.ruling import Document, ruling_to_markdown
from kb.site.diagrams import Drawing
from kb.site.markdown import RulingText
from kb.store.model import StoredTerm

# (language, text) pairs, the game's own language first.
Titles = tuple[tuple[str, str], ...]
# The facts of a card in the JSON beside its page.
_CARD_FACTS = "name version sets type side subtypes other_names label".split()


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its address below the language and its template; `collect` returns what is on it.

    A site has too many pages to hold what is on all of them.
    """

    address: str
    template: str
    collect: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class GameLink:
    """A game as pages name it. `sections`: which of cards, glossary, errata and deck it has.

    `topics`: their titles, by id.
    """

    id: str
    language: str
    languages: tuple[str, ...]
    names: Mapping[str, str]
    colour: str
    topics: Mapping[str, Mapping[str, str]]
    sections: tuple[str, ...]

    def title(self, lang: str) -> str:
        """The game's name in a language, else in English, else in its own."""
        given = (self.names.get(code) for code in (lang, "en", self.language))
        return next(filter(None, given), "") or next(iter(self.names.values()))


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page of the site; without an address a text in its place."""

    address: str
    titles: Titles


@dataclass(frozen=True, slots=True)
class Citation(Link):
    """A link to a source, at a provision or as a whole, and the edition that the source is of.

    `provision`: its titles; its name in no language, where it has none.
    """

    provision: Titles = ()
    edition: str = ""


@dataclass(frozen=True, slots=True)
class RulingLink(Link):
    """A ruling in a list; `key` is `game/id`."""

    key: str
    kind: str
    authority: str
    status: str


@dataclass(frozen=True, slots=True)
class RulingAnswer:
    """A ruling in a list that shows its answer; long lists show no answers.

    The links of an answer lead from pages three folders deep, such as a topic's.
    """

    link: RulingLink
    answers: tuple[RulingText, ...] = ()


@dataclass(frozen=True, slots=True)
class RulingPage:
    """A ruling. `exported` is its JSON, which lies beside the page.

    `facts`: the fields of the header that have no other place, each with its `label`, and its
    `links` or the `choice` to be translated. `since`, `until`: when it is in force, empty where
    nobody knows. `documents`: those that it cites, by id. `previous` and `next` are its neighbours
    in the first of its topics. `drawings`: its diagrams by language.
    """

    game: GameLink
    key: str
    header: Header
    facts: tuple[Any, ...]
    since: str
    until: str
    asked_as: tuple[tuple[str, tuple[str, ...]], ...]
    texts: tuple[RulingText, ...]
    topics: tuple[Link, ...]
    about: tuple[Link, ...]
    mentioned: tuple[Link, ...]
    citations: tuple[Citation, ...]
    previous: RulingLink | None
    next: RulingLink | None
    ties: Mapping[str, tuple[RulingLink, ...]]
    past: tuple[RevisionDiff, ...]
    exported: Json
    documents: Mapping[str, Document]
    drawings: Mapping[str, tuple[Drawing, ...]]

    def text(self, lang: str) -> RulingText:
        """The text in a language, else the original."""
        return next((text for text in self.texts if text.lang == lang), self.texts[0])

    def markdown(self, base_url: str) -> str:
        """The Markdown beside the page."""
        name = self.game.title("en")
        return ruling_to_markdown(self.exported, self.documents, name, base_url)


@dataclass(frozen=True, slots=True)
class CardGroup:
    """The rulings that name one version of a card, or by its bare name all of them.

    A ruling that stands in an earlier group has no answer here.
    """

    label: str
    versions: tuple[Card, ...]
    about: tuple[RulingAnswer, ...]
    mentioned: tuple[RulingAnswer, ...]


@dataclass(frozen=True, slots=True)
class CardPage:
    """All cards of one name; `groups` are their rulings by version.

    `titles` are the name as readers of each language find it, `labels` what the game calls a card's
    facts, `outside` the addresses of the cards on another site, by label.
    """

    game: GameLink
    name: str
    titles: Titles
    labels: Mapping[str, Titles]
    cards: tuple[Card, ...]
    outside: Mapping[str, str]
    groups: tuple[CardGroup, ...]

    @property
    def about(self) -> tuple[RulingLink, ...]:
        """The rulings about any of the versions."""
        return _links(row for group in self.groups for row in group.about)

    @property
    def mentioned(self) -> tuple[RulingLink, ...]:
        """The other rulings that name any of the versions."""
        about = {link.key for link in self.about}
        links = _links(row for group in self.groups for row in group.mentioned)
        return tuple(link for link in links if link.key not in about)

    @property
    def others(self) -> tuple[Card, ...]:
        """The versions that no ruling names."""
        labels = {card.label for group in self.groups for card in group.versions}
        return tuple(card for card in self.cards if card.label not in labels)

    @property
    def exported(self) -> Json:
        """The JSON beside the page, from which other pages show the card in a panel."""
        about, mentioned = self.about, self.mentioned
        cards = [
            {name: getattr(card, name) for name in _CARD_FACTS}
            | {"outside": self.outside[card.label]}
            for card in self.cards
        ]
        return {
            "game": self.game.id,
            "name": self.name,
            "cards": cards,
            "about": [link.key for link in about],
            "mentioned": [link.key for link in mentioned],
            "titles": {link.key: dict(link.titles) for link in (*about, *mentioned)},
        }


def _links(rows: Iterable[RulingAnswer]) -> tuple[RulingLink, ...]:
    return tuple({row.link.key: row.link for row in rows}.values())


class CardRow(NamedTuple):
    """A card that has rulings, in a list. `side`: empty where its versions differ."""

    link: Link
    type: str
    side: str
    rulings: int


@dataclass(frozen=True)
class GlossaryTerm(StoredTerm):
    """A term in the glossary, with the rulings that have it in their title."""

    rulings: tuple[RulingAnswer, ...]

    def title(self, lang: str) -> str:
        """The preferred name in a language, else in any."""
        return (self.names.get(lang) or next(iter(self.names.values())))[0]


@dataclass(frozen=True, slots=True)
class GlossaryPage:
    """A game's glossary."""

    game: GameLink
    terms: tuple[GlossaryTerm, ...]

    def markdown(self) -> str:
        """The Markdown beside the page."""
        return glossary_to_markdown(self.game.id, self.game.names, self.terms)
