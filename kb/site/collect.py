"""Library -> the pages of the site, as data."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import islice
from typing import Any

from kb.core import urls
from kb.language import FormTable
from kb.linking.term_finder import TermFinder
from kb.records.history import Past
from kb.records.library import Library
from kb.records.marks import plain_text, ruling_cards
from kb.records.model import Game, Ruling, Topic
from kb.site import markdown
from kb.site.collate import initial, order
from kb.site.pages import (
    CardPage,
    CardsPage,
    ChangesPage,
    ErrataPage,
    GamePage,
    GlossaryPage,
    Link,
    RulingLink,
    RulingPage,
    SourcePage,
    TermEntry,
    TextPart,
    TopicPage,
    TranslationsPage,
)

# What fingerprints are made of; see Planned.
_LENGTH = 16
_ORDER = {"ruling": 0, "errata": 1, "definition": 2, "note": 3, "question": 4, "example": 5}
AnyPage = (
    ErrataPage
    | RulingPage
    | TopicPage
    | CardPage
    | CardsPage
    | SourcePage
    | GlossaryPage
    | GamePage
)


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page that may have to be rendered: `made_of` changes with everything that is on it, `make` gathers it.

    What all pages show is no part of `made_of`.
    """

    address: str
    template: str
    made_of: str
    make: Callable[[], Any]


def fingerprint(*parts: object) -> str:
    """A hash of some values, as Python writes them."""
    return hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()[:_LENGTH]


@dataclass(frozen=True)
class Known:
    """What is known of rulings by key: `stamps` change with a ruling's text and with what its words mean, `cards` are its cards
    (`cards_of`). What is not known is made from the text."""

    stamps: Mapping[str, str] = field(default_factory=dict)
    cards: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)


@dataclass(frozen=True)
class Since:
    """What the pages of a game were made of in the site before, for a game with the same files of its own as then.

    `changed`: keys of rulings whose data, ties, days or history differ since, that are new or gone; `was`: those that were
    published then; `reworded`: whether words mean something else.
    """

    made_of: Mapping[str, str]
    changed: frozenset[str]
    was: Mapping[str, Ruling]
    reworded: bool


@dataclass
class _Touched:
    """What may differ from the site before: pages of rulings, topics and sources by id, those of cards by name, the list of cards
    with how many rulings each has (`counts`), and what stands in lists of rulings (`links`)."""

    since: Since
    links: bool
    counts: bool = False
    rulings: set[str] = field(default_factory=set)
    topics: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)

    def held(self, address: str, same: bool) -> str:
        """What a page was made of, where it is the same; else empty."""
        return self.since.made_of.get(address, "") if same else ""


class PageCollector:
    """Gathers the pages of one game."""

    def __init__(
        self,
        game: Game,
        library: Library,
        table: FormTable | None,
        past: Mapping[str, tuple[Past, ...]] | None = None,
        known: Known | None = None,
    ) -> None:
        self.past = past or {}
        self.known = known or Known()
        self.game, self.library = game, library
        self.languages = tuple(dict.fromkeys((game.language, *game.header.languages)))
        self.rulings = {ruling.id: ruling for ruling in library.of_game(game.id)}
        self.pieces = urls.slugs(card.name for card in game.cards)
        self.finders = (
            {lang: TermFinder(game, lang, table) for lang in self.languages}
            if table and game.terms
            else {}
        )
        self._names: dict[str, frozenset[str]] = {}
        self.labels = {ruling.id: self._labels(ruling) for ruling in self.rulings.values()}
        self.by_name = self._cards()
        self.by_topic, self.by_source, self.overriding = self._filed()
        self._links: dict[str, RulingLink] = {}
        self._told: dict[str, str] = {}
        self.head = fingerprint(game.header)
        self._card_link, self._terms = cache(self._linked_card), cache(self._linked_terms)

    def _labels(self, ruling: Ruling) -> dict[str, bool]:
        """The labels of a ruling's cards, and whether it is about them."""
        cards = self.known.cards.get(ruling.key)
        return {
            label: about
            for label, about in (ruling_cards(ruling) if cards is None else cards).items()
            if self._named(label)
        }

    def _named(self, label: str) -> frozenset[str]:
        """The names of the cards that a label stands for."""
        found = self._names.get(label)
        if found is None:
            found = self._names[label] = frozenset(
                card.name for card in self.game.cards_named(label)
            )
        return found

    def _cards(self) -> dict[str, dict[str, dict[str, bool]]]:
        """Card name -> ruling id -> label -> whether the ruling is about it."""
        found: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
        for ruling_id, labels in self.labels.items():
            for label, about in labels.items():
                for name in sorted(self._named(label)):
                    found[name][ruling_id][label] = about
        return found

    def _filed(
        self,
    ) -> tuple[
        dict[str, list[Ruling]], dict[str, list[tuple[str, Ruling]]], dict[str, list[Ruling]]
    ]:
        """The rulings of each topic; those of each document with the provisions that they cite; those that override it."""
        topics: dict[str, list[Ruling]] = defaultdict(list)
        sources: dict[str, list[tuple[str, Ruling]]] = defaultdict(list)
        overriding: dict[str, list[Ruling]] = defaultdict(list)
        for ruling in self.rulings.values():
            for topic in dict.fromkeys(ruling.header.topics):
                topics[topic].append(ruling)
            for citation in ruling.header.sources:
                sources[citation.source].append((citation.provision, ruling))
            for other in dict.fromkeys(ruling.header.overrides):
                overriding[other].append(ruling)
        return topics, sources, overriding

    def pages(self, since: Since | None = None) -> Iterator[PlannedPage]:
        """Every page of the game. Those that nothing on them has changed `since` the site before are made of what they were
        made of then: they are not gathered to see it."""
        game, touched, front = self.game, self._touched(since) if since else None, self.front
        yield self._plan(urls.game(game.id), "game.html", lambda: front, GamePage.parts)
        yield self._plan(
            urls.errata(game.id),
            "errata.html",
            lambda: ErrataPage((front,)),
            lambda one: one.games[0].parts(),
        )
        for topic in game.header.topics:
            held = (
                touched.held(urls.topic(game.id, topic.id), topic.id not in touched.topics)
                if touched
                else ""
            )
            yield self._plan(
                urls.topic(game.id, topic.id),
                "topic.html",
                partial(self.topic, topic),
                self._made_of_topic,
                held,
            )
        terms = fingerprint(game.terms)
        for ruling_id, ruling in self.rulings.items():
            address = urls.ruling(game.id, ruling_id)
            made_of = touched.held(address, ruling_id not in touched.rulings) if touched else ""
            yield PlannedPage(
                address,
                "ruling.html",
                made_of or self._made_of(ruling, terms),
                partial(self.ruling, ruling),
            )
        held = touched.held(urls.cards(game.id), not touched.counts) if touched else ""
        yield self._plan(
            urls.cards(game.id), "cards.html", self.cards, lambda one: (one.letters,), held
        )
        for name in self.by_name:
            address = urls.card(game.id, self.pieces[name])
            held = touched.held(address, name not in touched.names) if touched else ""
            yield self._plan(
                address, "card.html", partial(self.card, name), self._made_of_card, held
            )
        for source in game.sources:
            address = urls.source(game.id, source.id)
            held = touched.held(address, source.id not in touched.sources) if touched else ""
            yield self._plan(
                address, "source.html", partial(self.source, source.id), self._made_of_source, held
            )
        held = touched.held(urls.glossary(game.id), not touched.links) if touched else ""
        yield self._plan(
            urls.glossary(game.id),
            "glossary.html",
            self.glossary,
            partial(self._made_of_glossary, terms),
            held,
        )

    def _touched(self, since: Since) -> _Touched:
        """Which pages may differ."""
        found = _Touched(since, links=since.reworded)
        for key in since.changed:
            if not key.startswith(f"{self.game.id}/"):
                continue
            new, old = self.rulings.get(key.partition("/")[2]), since.was.get(key)
            for one in (new, old):
                if one is not None:
                    found.topics.update(one.header.topics)
                    found.sources.update(citation.source for citation in one.header.sources)
                    found.sources.update(one.header.overrides)
            was = (
                {name for label in ruling_cards(old) for name in self._named(label)}
                if old
                else set()
            )
            names = (
                {name for label in self.labels[new.id] for name in self._named(label)}
                if new
                else set()
            )
            found.names |= was | names
            found.counts |= was != names
            found.links |= (ruling_link(old) if old else None) != (self.link(new) if new else None)
            if new:
                found.rulings.update(
                    (new.id, *(one for ids in self.library.related(new).values() for one in ids))
                )
        return found

    def _plan(
        self,
        address: str,
        template: str,
        make: Callable[[], Any],
        parts: Callable[[Any], Iterable[object]],
        held: str = "",
    ) -> PlannedPage:
        """A page with what is on it, but for the game, as `parts`; gathered only where it is not known to be made of `held`."""
        if held:
            return PlannedPage(address, template, held, make)
        page = make()
        return PlannedPage(address, template, fingerprint(self.head, *parts(page)), lambda: page)

    def _made_of_topic(self, page: TopicPage) -> Iterable[object]:
        return page.topic, self._list(page.rulings)

    def _made_of_card(self, page: CardPage) -> Iterable[object]:
        rows = [
            (self.told(link), labels)
            for group in (page.about, page.mentioned)
            for link, labels in group
        ]
        return page.name, page.cards, len(page.about), rows

    def _made_of_source(self, page: SourcePage) -> Iterable[object]:
        provisions = [(name, self._list(rulings)) for name, rulings in page.provisions]
        return page.source, page.titles, provisions, page.overrides, self._list(page.overridden)

    def _made_of_glossary(self, terms: str, page: GlossaryPage) -> Iterable[object]:
        return terms, [self._list(entry.rulings) for entry in page.entries]

    def _made_of(self, ruling: Ruling, terms: str) -> str:
        """What a ruling's page is made of."""
        ties = [
            (name, [self.told(self.link(self.rulings[one])) for one in ids if one in self.rulings])
            for name, ids in self.library.related(ruling).items()
        ]
        cards = [(label, self._card(label)) for label in self.labels[ruling.id]]
        sources = [self.game.sources_by_id[one.source].title for one in ruling.header.sources]
        overrides = [self.game.sources_by_id[one].title for one in ruling.header.overrides]
        stamp = self.known.stamps.get(ruling.key) or fingerprint(ruling)
        return fingerprint(
            self.head, terms, stamp, ties, cards, sources, overrides, self.past.get(ruling.key, ())
        )

    def told(self, link: RulingLink) -> str:
        """A hash of a ruling in a list."""
        if link.key not in self._told:
            self._told[link.key] = fingerprint(link)
        return self._told[link.key]

    def _list(self, links: Iterable[RulingLink]) -> list[str]:
        return [self.told(link) for link in links]

    @cached_property
    def front(self) -> GamePage:
        """The game's front page."""
        topics = []
        for topic in self.game.header.topics:
            link = Link(urls.topic(self.game.id, topic.id), self._titles(topic.title))
            topics.append((link, len(self.by_topic.get(topic.id, ()))))
        sources = tuple(
            Link(urls.source(self.game.id, one.id), self._titles(one.title), one.kind)
            for one in self.game.sources
        )
        errata = tuple(
            self.link(one) for one in self.rulings.values() if one.header.kind == "errata"
        )
        return GamePage(
            self.game, tuple(topics), sources, errata, len(self.rulings), len(self.by_name)
        )

    def topic(self, topic: Topic) -> TopicPage:
        """The page of a topic."""
        return TopicPage(
            self.game,
            topic,
            self._titles(topic.title),
            tuple(map(self.link, self.of_topic(topic.id))),
        )

    def of_topic(self, topic: str) -> list[Ruling]:
        """A topic's rulings: those filed under it first, rulings before examples, in the order of the source documents."""

        def key(ruling: Ruling) -> tuple[bool, int, int, str]:
            at = min(
                (self.places.get(str(one), 10**6) for one in ruling.header.sources), default=10**6
            )
            return ruling.folder != topic, _ORDER[ruling.header.kind], at, ruling.id

        return sorted(self.by_topic.get(topic, ()), key=key)

    @cached_property
    def places(self) -> dict[str, int]:
        """The places of all provisions among those of the game's documents."""
        names = (
            f"{source.id}#{name}" for source in self.game.sources for name in source.provisions
        )
        return {name: number for number, name in enumerate(names)}

    def _titles(self, titles: dict[str, str]) -> tuple[tuple[str, str], ...]:
        return tuple((lang, titles[lang]) for lang in self.languages if lang in titles)

    def link(self, ruling: Ruling) -> RulingLink:
        """A ruling in a list."""
        if ruling.key not in self._links:
            self._links[ruling.key] = ruling_link(ruling)
        return self._links[ruling.key]

    def links(self, ids: Iterable[str]) -> tuple[RulingLink, ...]:
        """Rulings in a list, by their ids; those that are not published are left out."""
        return tuple(self.link(self.rulings[one]) for one in ids if one in self.rulings)

    def ruling(self, ruling: Ruling) -> RulingPage:
        """A ruling's page."""
        labels = self.labels[ruling.id]
        cards = {label: Link(self._card(label) or "", (("", label),)) for label in labels}
        topics = [
            Link(urls.topic(self.game.id, one), self._titles(self.game.topics[one].title))
            for one in ruling.header.topics
        ]
        return RulingPage(
            ruling=ruling,
            game=self.game,
            texts=tuple(self._text(ruling, number) for number in range(len(ruling.texts))),
            topics=tuple(topics),
            about=tuple(cards[label] for label in ruling.header.about if label in cards),
            mentioned=tuple(link for label, link in cards.items() if not labels[label]),
            citations=tuple(
                self._citation(one.source, one.provision) for one in ruling.header.sources
            ),
            overrides=tuple(self._citation(one, "") for one in ruling.header.overrides),
            ties={name: self.links(ids) for name, ids in self.library.related(ruling).items()},
            past=self.past.get(ruling.key, ()),
            stale=tuple(ruling.stale()),
            summaries={
                text.lang: " ".join(plain_text(text.answer).split())[:300] for text in ruling.texts
            },
        )

    def _citation(self, source: str, provision: str) -> Link:
        found = self.game.sources_by_id[source]
        address = urls.source(self.game.id, source) + (f"#{provision}" if provision else "")
        return Link(address, self._titles(found.title), provision)

    def _card(self, label: str) -> str | None:
        cards = self.game.cards_named(label)
        return urls.card(self.game.id, self.pieces[cards[0].name]) if cards else None

    def _text(self, ruling: Ruling, number: int) -> TextPart:
        text = ruling.texts[number]
        links = markdown.Links(
            self._card_link, self._terms(text.lang).__getitem__, self.finders.get(text.lang)
        )
        first, _, rest = text.body.partition("\n\n")
        answer = markdown.render(first, links, text.lang)
        return TextPart(
            text.lang, text.title, answer, markdown.render(rest, links, text.lang), number == 0
        )

    def _linked_card(self, label: str) -> str | None:
        """The link to a card from a ruling's page, the same from each."""
        target = self._card(label)
        return urls.relative(target, urls.ruling(self.game.id, "-")) if target else None

    def _linked_terms(self, lang: str) -> dict[str, tuple[str, str]]:
        """The links to the terms from a ruling's page, the same from each, with what they mean in a language."""
        here = urls.ruling(self.game.id, "-")
        links = {
            term.id: urls.relative(urls.glossary(self.game.id, term.id), here)
            for term in self.game.terms
        }
        return {term.id: (links[term.id], term.meaning.get(lang, "")) for term in self.game.terms}

    def cards(self) -> CardsPage:
        """The index of cards that have rulings."""
        lang = self.game.language
        letters: dict[str, list[tuple[Link, int]]] = {}
        for name in sorted(self.by_name, key=lambda one: order(one, lang)):
            link = Link(urls.card(self.game.id, self.pieces[name]), (("", name),))
            letters.setdefault(initial(name, lang), []).append((link, len(self.by_name[name])))
        return CardsPage(
            self.game, tuple((letter, tuple(links)) for letter, links in letters.items())
        )

    def card(self, name: str) -> CardPage:
        """The page of a card's name."""
        about: list[tuple[RulingLink, tuple[str, ...]]] = []
        mentioned: list[tuple[RulingLink, tuple[str, ...]]] = []
        for ruling_id, labels in self.by_name[name].items():
            row = (self.link(self.rulings[ruling_id]), tuple(labels))
            (about if any(labels.values()) else mentioned).append(row)
        return CardPage(
            self.game, name, self.game.cards_named(name), tuple(about), tuple(mentioned)
        )

    def source(self, source_id: str) -> SourcePage:
        """The page of a source document."""
        source = self.game.sources_by_id[source_id]
        covering: dict[str, list[RulingLink]] = defaultdict(list)
        for provision, ruling in self.by_source.get(source_id, ()):
            covering[provision].append(self.link(ruling))
        overridden = [self.link(ruling) for ruling in self.overriding.get(source_id, ())]
        provisions = tuple((one, tuple(covering.get(one, ()))) for one in source.provisions)
        overrides = tuple(self._citation(one, "") for one in source.overrides)
        return SourcePage(
            self.game, source, self._titles(source.title), provisions, overrides, tuple(overridden)
        )

    def glossary(self) -> GlossaryPage:
        """The game's glossary, in the order of its language."""
        using: dict[str, list[RulingLink]] = defaultdict(list)
        for ruling in self.rulings.values():
            text = ruling.original
            finder = self.finders.get(text.lang)
            for term in dict.fromkeys(finder.terms(text.title)) if finder else ():
                using[term].append(self.link(ruling))
        entries = sorted(
            self.game.terms,
            key=lambda one: order(one.title(self.game.language), self.game.language),
        )
        return GlossaryPage(
            self.game, tuple(TermEntry(term, tuple(using.get(term.id, ()))) for term in entries)
        )


def ruling_link(ruling: Ruling) -> RulingLink:
    """A ruling in a list."""
    head = ruling.header
    titles = tuple((text.lang, text.title) for text in ruling.texts)
    return RulingLink(
        ruling.key,
        urls.ruling(ruling.game, ruling.id),
        titles,
        head.kind,
        head.authority,
        head.status,
    )


def changes_page(
    library: Library, past: Mapping[str, tuple[Past, ...]], most: int = 200
) -> ChangesPage:
    """The last changes by day; where the records have no history, the rulings by the dates that they bear."""
    found = [
        (one.moment, key, one.what)
        for key, changes in past.items()
        for one in changes
        if key in library.rulings
    ]
    if not found:
        found = [
            (ruling.header.date, key, "dated")
            for key, ruling in library.rulings.items()
            if ruling.header.date
        ]
    by_day: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for one in found:
        by_day[one[0][:10]].append(one)
    newest = (
        one
        for day in sorted(by_day, reverse=True)
        for one in sorted(by_day[day], key=lambda one: one[1])
    )
    days: dict[str, dict[str, tuple[RulingLink, str]]] = {}
    for moment, key, what in islice(newest, most):
        rows = days.setdefault(moment[:10], {})
        if key not in rows or what == "created":
            rows[key] = (ruling_link(library.rulings[key]), what)
    return ChangesPage(tuple((date, tuple(rows.values())) for date, rows in days.items()))


def translations_page(library: Library) -> TranslationsPage:
    """Stale and missing translations of every game."""
    games = []
    for game in library.games.values():
        rulings = library.of_game(game.id)
        stale = tuple((ruling_link(one), lang) for one in rulings for lang in one.stale())
        missing = tuple(
            (ruling_link(one), lang)
            for one in rulings
            for lang in game.header.languages
            if one.text(lang) is None
        )
        games.append((game, stale, missing))
    return TranslationsPage(tuple(games))
