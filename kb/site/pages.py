"""What is on each kind of page: one dataclass a kind, holding all that its template can reach.

A template is given no records, only the values that it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from kb.core.json import Json
from kb.records.fields import Header
from kb.records.history import RevisionDiff
from kb.serialize.markdown import glossary_to_markdown
from kb.serialize.ruling import Document, ruling_to_markdown
from kb.site.diagrams import Drawing
from kb.site.markdown import MarkdownText
from kb.store.model import StoredTerm

# (language, text) pairs, the game's own language first.
Titles = tuple[tuple[str, str], ...]
# Characters of an answer that previews and search engines get.
_SUMMARY = 300


@dataclass(frozen=True, slots=True)
class GameLink:
    """A game as pages name it. `sections`: which of cards, glossary, errata and deck it has."""

    id: str
    language: str
    languages: tuple[str, ...]
    names: Mapping[str, str]
    sections: tuple[str, ...] = ()
    colour: str = ""

    def title(self, lang: str) -> str:
        """The game's name in a language, else in English, else in its own."""
        given = (self.names.get(code) for code in (lang, "en", self.language))
        return next(filter(None, given), "") or next(iter(self.names.values()))


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page of the site."""

    address: str
    titles: Titles


@dataclass(frozen=True, slots=True)
class Fact:
    """A field of a header by its label: its values, or one of its choices, to be translated."""

    label: str
    links: tuple[Link, ...] = ()
    choice: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A link to a source, at a provision or as a whole, and the edition that the source is of.

    `provision`: its titles; its name in no language, where it has none.
    """

    address: str
    titles: Titles
    provision: Titles = ()
    edition: str = ""


@dataclass(frozen=True, slots=True)
class RulingLink:
    """A ruling in a list; `key` is `game/id`."""

    key: str
    address: str
    titles: Titles
    kind: str
    authority: str
    status: str


@dataclass(frozen=True, slots=True)
class RulingAnswer:
    """A ruling in a list that shows its answer, by language; long lists show no answers.

    The links of an answer lead from pages three folders deep, such as a topic's.
    """

    link: RulingLink
    answers: tuple[tuple[str, MarkdownText], ...] = ()


@dataclass(frozen=True, slots=True)
class RulingText:
    """A ruling in one language; `plain` is its answer without markup, on one line."""

    lang: str
    title: str
    original: bool
    stale: bool
    plain: str
    body: MarkdownText

    @property
    def answer(self) -> str:
        """The HTML of the first paragraph."""
        return self.body.html[0]

    @property
    def rest(self) -> str:
        """The HTML of what follows the first paragraph."""
        return self.body.html[1]

    @property
    def summary(self) -> str:
        """The beginning of the answer, in whole words."""
        if len(self.plain) <= _SUMMARY:
            return self.plain
        return self.plain[:_SUMMARY].rpartition(" ")[0].rstrip(" ,;:–") + "…"


@dataclass(frozen=True, slots=True)
class RulingPage:
    """A ruling. `exported` is its JSON, which lies beside the page.

    `facts`: the fields of the header that have no other place. `since`, `until`:
    when it is in force, empty where nobody knows. `documents` are those that it cites. `previous`
    and `next` are its neighbours in the first of its topics. `drawings`: its diagrams by language.
    """

    game: GameLink
    key: str
    header: Header
    facts: tuple[Fact, ...]
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
    documents: tuple[Document, ...]
    drawings: Mapping[str, tuple[Drawing, ...]]

    def text(self, lang: str) -> RulingText:
        """The text in a language, else the original."""
        return next((text for text in self.texts if text.lang == lang), self.texts[0])

    def beside(self) -> Json:
        """The JSON beside the page."""
        return self.exported

    def markdown(self, base_url: str) -> str:
        """The Markdown beside the page."""
        documents = {document.id: document for document in self.documents}
        return ruling_to_markdown(self.exported, documents, self.game.title("en"), base_url)


@dataclass(frozen=True, slots=True)
class IndexPage:
    """The list of a game's rulings by topic, of its topics or of its sources, as `name` says.

    `groups`: a topic or nothing, with (link, number of rulings or 0) pairs.
    """

    game: GameLink
    name: str
    groups: tuple[tuple[Link | None, tuple[tuple[Link, int], ...]], ...]


@dataclass(frozen=True, slots=True)
class TopicPage:
    """A topic with its rulings."""

    game: GameLink
    titles: Titles
    rulings: tuple[RulingAnswer, ...]


@dataclass(frozen=True, slots=True)
class CardVersion:
    """A version of a card; `outside` is its address on another site."""

    name: str
    version: str
    sets: tuple[str, ...]
    type: str
    side: str
    subtypes: str
    other_names: tuple[str, ...]
    label: str
    outside: str


@dataclass(frozen=True, slots=True)
class CardGroup:
    """The rulings that name one version of a card, or by its bare name all of them.

    A ruling that stands in an earlier group has no answer here.
    """

    label: str
    versions: tuple[CardVersion, ...]
    about: tuple[RulingAnswer, ...]
    mentioned: tuple[RulingAnswer, ...]


@dataclass(frozen=True, slots=True)
class CardPage:
    """All cards of one name; `groups` are their rulings by version.

    `titles` are the name as readers of each language find it, `labels` what the game calls a card's
    facts.
    """

    game: GameLink
    name: str
    titles: Titles
    labels: Mapping[str, Titles]
    cards: tuple[CardVersion, ...]
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
    def others(self) -> tuple[CardVersion, ...]:
        """The versions that no ruling names."""
        labels = {card.label for group in self.groups for card in group.versions}
        return tuple(card for card in self.cards if card.label not in labels)

    def beside(self) -> Json:
        """The JSON beside the page, from which other pages show the card in a panel."""
        about, mentioned = self.about, self.mentioned
        return {
            "game": self.game.id,
            "name": self.name,
            "cards": [asdict(card) for card in self.cards],
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


@dataclass(frozen=True, slots=True)
class CardsPage:
    """The cards of a game that have rulings, by initial letter.

    `names`: how many names the game's cards have.
    """

    game: GameLink
    letters: tuple[tuple[str, tuple[CardRow, ...]], ...]
    names: int


@dataclass(frozen=True, slots=True)
class Provision:
    """A part of a source document with the rulings that cover it."""

    id: str
    titles: Titles
    rulings: tuple[RulingAnswer, ...]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A source document, with its provisions in their order.

    `facts` are (name, value) pairs. `overrides` are documents that it overrides, `overridden` the
    rulings that override it.
    """

    game: GameLink
    id: str
    language: str
    titles: Titles
    facts: tuple[tuple[str, str], ...]
    url: str
    provisions: tuple[Provision, ...]
    overrides: tuple[Citation, ...]
    overridden: tuple[RulingAnswer, ...]


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A term in the glossary, with the rulings that have it in their title."""

    id: str
    names: Mapping[str, tuple[str, ...]]
    meanings: Mapping[str, str]
    rulings: tuple[RulingAnswer, ...]

    def title(self, lang: str) -> str:
        """The preferred name in a language, else in any."""
        return (self.names.get(lang) or next(iter(self.names.values())))[0]


@dataclass(frozen=True, slots=True)
class GlossaryPage:
    """A game's glossary."""

    game: GameLink
    terms: tuple[GlossaryTerm, ...]

    def markdown(self, base_url: str) -> str:
        """The Markdown beside the page."""
        entries = (StoredTerm(term.id, term.names, term.meanings) for term in self.terms)
        return glossary_to_markdown(self.game.id, self.game.names, entries)


@dataclass(frozen=True, slots=True)
class GamePage:
    """A game's front page: topics with how many rulings each has, documents, how much there is.

    `drawings`: by language, the game's diagrams, each with the address of its first ruling.
    `faces`: the cards with most rulings.
    """

    game: GameLink
    topics: tuple[tuple[Link, int], ...]
    sources: tuple[Link, ...]
    errata: int
    rulings: int
    cards: int
    drawings: Mapping[str, tuple[tuple[Drawing, str], ...]]
    faces: tuple[CardRow, ...]


@dataclass(frozen=True, slots=True)
class ErrataPage:
    """All errata of some games."""

    games: tuple[tuple[GameLink, tuple[RulingAnswer, ...]], ...]


@dataclass(frozen=True, slots=True)
class GameErrataPage(ErrataPage):
    """All errata of one game, which the page belongs to."""

    game: GameLink


@dataclass(frozen=True, slots=True)
class ChangedRuling:
    """A ruling in a list of changes, with what happened to it."""

    link: RulingLink
    what: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HomeGame:
    """A game on the front page: how much there is, its first topics, and what changed last."""

    game: GameLink
    rulings: int
    cards: int
    sources: int
    topic_count: int
    topics: tuple[Link, ...]
    newest: tuple[RulingLink, str] | None


@dataclass(frozen=True, slots=True)
class HomePage:
    """The site's front page.

    `changes`: the last ones, with their dates. `authorities`: how many rulings each has.
    """

    games: tuple[HomeGame, ...]
    changes: tuple[tuple[str, ChangedRuling], ...]
    authorities: tuple[tuple[str, int], ...]
    build_id: str
    build_date: str


@dataclass(frozen=True, slots=True)
class GlossariesPage:
    """The glossaries of all games, with how many terms each has."""

    games: tuple[tuple[GameLink, int], ...]


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """What changed last, newest first, by day."""

    games: tuple[GameLink, ...]
    days: tuple[tuple[str, tuple[ChangedRuling, ...]], ...]

    def of_day(
        self, rows: tuple[ChangedRuling, ...]
    ) -> Iterator[tuple[GameLink, list[ChangedRuling]]]:
        """The changes of a day by game."""
        for game in self.games:
            own = [row for row in rows if row.link.key.startswith(f"{game.id}/")]
            if own:
                yield game, own


@dataclass(frozen=True, slots=True)
class TranslationsPage:
    """Stale and missing translations by game, each a ruling and the language."""

    games: tuple[
        tuple[GameLink, tuple[tuple[RulingLink, str], ...], tuple[tuple[RulingLink, str], ...]], ...
    ]


@dataclass(frozen=True, slots=True)
class SearchedGame:
    """What the search names of a game: its titles, its languages, its topics' titles by id."""

    game: GameLink
    topics: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class SearchPage:
    """The search page: addresses of the browser's index and of words."""

    index: str
    words: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DeckPage:
    """The deck page and `go`: the browser's index, each game's data and facts of its other cards.

    They are addresses, those of games by id.
    """

    index: str
    data: Mapping[str, str]
    facts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ProposePage:
    """The page for proposals, with the games and their topics."""

    games: tuple[SearchedGame, ...]


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page at a former address, leading to `target`."""

    target: str


@dataclass(frozen=True, slots=True)
class OwnText:
    """A page of the webmaster's own in one language; `body` is HTML."""

    lang: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class OwnPage:
    """A page of the webmaster's own, such as an imprint."""

    texts: tuple[OwnText, ...]

    def text(self, lang: str) -> OwnText:
        """The text in a language, else in English, else the first."""
        by_language = {text.lang: text for text in reversed(self.texts)}
        return by_language.get(lang) or by_language.get("en") or self.texts[0]


@dataclass(frozen=True, slots=True)
class PlainPage:
    """A page that shows nothing but the site's own words."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its address below the language, its template, and all that is on it."""

    address: str
    template: str
    data: Any


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page that is yet to be collected: `collect` returns what is on it.

    A site has too many pages to hold what is on all of them.
    """

    address: str
    template: str
    collect: Callable[[], Any]

    def page(self) -> Page:
        """Collect the page."""
        return Page(self.address, self.template, self.collect())
