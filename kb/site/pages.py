"""Pages, and what is on them where Python code reads it too.

A page with few values, which only a template reads, is a namespace, described where it is built:
`collect`, `overview`, `site_build`. A template gets the values that it shows, headers and cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.language import text_in
from kb.records.fields import Header
from kb.records.history import RevisionDiff
from kb.site.diagrams import Drawing
from kb.site.markdown import RulingText

# (language, text) pairs, the game's own language first.
Titles = tuple[tuple[str, str], ...]


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

    `card_language`: of the words on its cards. `topics`: their titles, by id. `card_words`:
    translations of what its cards say, by word. `picture_site`: where the pictures of its cards
    are, else empty.
    """

    id: str
    language: str
    card_language: str
    languages: tuple[str, ...]
    names: Mapping[str, str]
    colour: str
    topics: Mapping[str, Mapping[str, str]]
    card_words: Mapping[str, Mapping[str, str]]
    sections: tuple[str, ...]
    picture_site: str

    def title(self, lang: str) -> str:
        """The game's name in a language, else in English, else in its own."""
        return text_in(self.names, lang, "en", self.language)


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page of the site; without an address a text in its place."""

    address: str
    titles: Titles


@dataclass(frozen=True, slots=True)
class SourceLink(Link):
    """A link to a source, at a provision or as a whole, and the source's edition.

    `provision`: its titles; without a title its name, in no language.
    """

    provision: Titles = ()
    edition: str = ""


@dataclass(frozen=True, slots=True)
class ListedRuling(Link):
    """A ruling in a list; `key` is `game/id`. `when`: the conditions of its verdict."""

    key: str
    kind: str
    authority: str
    status: str
    verdict: str | None = None
    when: Titles = ()


@dataclass(frozen=True, slots=True)
class RulingAnswer:
    """A ruling in a list that shows its answer; long lists show no answers.

    The links of an answer lead from pages three folders deep, such as a topic's.
    """

    link: ListedRuling
    answers: tuple[RulingText, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedCard:
    """A card that has rulings, in a list. `side`: empty where its versions differ."""

    link: Link
    type: str
    side: str
    rulings: int


@dataclass(frozen=True, slots=True)
class Fact:
    """A field of a ruling's header: `links` for its values, or the `choice` to be translated."""

    label: str
    links: tuple[Link, ...]
    choice: str


@dataclass(frozen=True, slots=True)
class RulingPage:
    """A ruling.

    `facts`: the fields of the header that have no other place. `status`: how it stands on the day
    of the build. `since`, `until`: when it is in force, empty where nobody knows. `in_force`: the
    rulings that have replaced it and are in force. `previous` and `next` are its neighbours in the
    first of its topics. `drawings`: its diagrams by language.
    """

    game: GameLink
    key: str
    header: Header
    facts: tuple[Fact, ...]
    status: str
    since: str
    until: str
    asked_as: tuple[tuple[str, tuple[str, ...]], ...]
    texts: tuple[RulingText, ...]
    topics: tuple[Link, ...]
    about: tuple[ListedCard, ...]
    mentioned: tuple[Link, ...]
    citations: tuple[SourceLink, ...]
    previous: ListedRuling | None
    next: ListedRuling | None
    ties: Mapping[str, tuple[ListedRuling, ...]]
    in_force: tuple[ListedRuling, ...]
    past: tuple[RevisionDiff, ...]
    drawings: Mapping[str, tuple[Drawing, ...]]

    def text(self, lang: str) -> RulingText:
        """The text in a language, else the original."""
        return next((text for text in self.texts if text.lang == lang), self.texts[0])

    def documents(self) -> tuple[tuple[SourceLink, ...], ...]:
        """The citations by document, in the order of the first of each."""
        documents: dict[str, list[SourceLink]] = {}
        for citation in self.citations:
            documents.setdefault(citation.address.partition("#")[0], []).append(citation)
        return tuple(map(tuple, documents.values()))
