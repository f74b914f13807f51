"""Library -> the pages of the site, as data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from kb import urls
from kb.language import Table
from kb.records.history import Past
from kb.records.library import Library
from kb.records.marks import cards_of, plain
from kb.records.model import Game, Ruling
from kb.records.terms import TermFinder
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

_ORDER = {"ruling": 0, "errata": 1, "definition": 2, "note": 3, "question": 4, "example": 5}
AnyPage = ErrataPage | RulingPage | TopicPage | CardPage | CardsPage | SourcePage | GlossaryPage | GamePage


class Gatherer:
    """Gathers the pages of one game."""

    def __init__(
        self, game: Game, library: Library, table: Table | None, past: Mapping[str, tuple[Past, ...]] | None = None
    ) -> None:
        self.past = past or {}
        self.game, self.library = game, library
        self.languages = tuple(dict.fromkeys((game.language, *game.header.languages)))
        self.rulings = {ruling.id: ruling for ruling in library.of_game(game.id)}
        self.pieces = urls.slugs(card.name for card in game.cards)
        self.finders = {lang: TermFinder(game, lang, table) for lang in self.languages} if table and game.terms else {}
        self.by_name = self._cards()

    def _cards(self) -> dict[str, dict[str, dict[str, bool]]]:
        """Card name -> ruling id -> label -> whether the ruling is about it."""
        found: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
        for ruling in self.rulings.values():
            for label, about in cards_of(ruling).items():
                for name in {card.name for card in self.game.cards_named(label)}:
                    found[name][ruling.id][label] = about
        return found

    def pages(self) -> Iterator[tuple[str, str, AnyPage]]:
        """Every page of the game: its address, its template and what is on it."""
        game = self.game
        front = self.front()
        yield urls.game(game.id), "game.html", front
        yield urls.errata(game.id), "errata.html", ErrataPage((front,))
        for topic in game.header.topics:
            found = [self.link(one) for one in self.of_topic(topic.id)]
            yield urls.topic(game.id, topic.id), "topic.html", TopicPage(game, topic, self._titles(topic.title), tuple(found))
        for ruling in self.rulings.values():
            yield urls.ruling(game.id, ruling.id), "ruling.html", self.ruling(ruling)
        yield urls.cards(game.id), "cards.html", self.cards()
        for name in self.by_name:
            yield urls.card(game.id, self.pieces[name]), "card.html", self.card(name)
        for source in game.sources:
            yield urls.source(game.id, source.id), "source.html", self.source(source.id)
        yield urls.glossary(game.id), "glossary.html", self.glossary()

    def front(self) -> GamePage:
        """The game's front page."""
        topics = []
        for topic in self.game.header.topics:
            link = Link(urls.topic(self.game.id, topic.id), self._titles(topic.title))
            topics.append((link, len(self.of_topic(topic.id))))
        sources = tuple(Link(urls.source(self.game.id, one.id), self._titles(one.title), one.kind) for one in self.game.sources)
        errata = tuple(self.link(one) for one in self.rulings.values() if one.header.kind == "errata")
        return GamePage(self.game, tuple(topics), sources, errata, len(self.rulings), len(self.by_name))

    def of_topic(self, topic: str) -> list[Ruling]:
        """A topic's rulings: those filed under it first, rulings before examples, in the order of the source documents."""
        place = {f"{one.id}#{name}": n for n, (one, name) in enumerate((s, p) for s in self.game.sources for p in s.provisions)}

        def key(ruling: Ruling) -> tuple[bool, int, int, str]:
            at = min((place.get(str(one), 10**6) for one in ruling.header.sources), default=10**6)
            return ruling.folder != topic, _ORDER[ruling.header.kind], at, ruling.id

        return sorted((one for one in self.rulings.values() if topic in one.header.topics), key=key)

    def _titles(self, titles: dict[str, str]) -> tuple[tuple[str, str], ...]:
        return tuple((lang, titles[lang]) for lang in self.languages if lang in titles)

    def link(self, ruling: Ruling) -> RulingLink:
        """A ruling in a list."""
        return ruling_link(ruling)

    def links(self, ids: Iterable[str]) -> tuple[RulingLink, ...]:
        """Rulings in a list, by their ids; those that are not published are left out."""
        return tuple(self.link(self.rulings[one]) for one in ids if one in self.rulings)

    def ruling(self, ruling: Ruling) -> RulingPage:
        """A ruling's page."""
        here = urls.ruling(ruling.game, ruling.id)
        labels = {label: about for name in self.by_name.values() for label, about in name.get(ruling.id, {}).items()}
        cards = {label: Link(self._card(label) or "", (("", label),)) for label in labels}
        topics = [Link(urls.topic(self.game.id, one), self._titles(self.game.topics[one].title)) for one in ruling.header.topics]
        return RulingPage(
            ruling=ruling,
            game=self.game,
            texts=tuple(self._text(ruling, number, here) for number in range(len(ruling.texts))),
            topics=tuple(topics),
            about=tuple(cards[label] for label in ruling.header.about if label in cards),
            mentioned=tuple(link for label, link in cards.items() if not labels[label]),
            citations=tuple(self._citation(one.source, one.provision) for one in ruling.header.sources),
            overrides=tuple(self._citation(one, "") for one in ruling.header.overrides),
            ties={name: self.links(ids) for name, ids in self.library.related(ruling).items()},
            past=self.past.get(ruling.key, ()),
            stale=tuple(ruling.stale()),
            summaries={text.lang: " ".join(plain(text.answer).split())[:300] for text in ruling.texts},
        )

    def _citation(self, source: str, provision: str) -> Link:
        found = self.game.sources_by_id[source]
        address = urls.source(self.game.id, source) + (f"#{provision}" if provision else "")
        return Link(address, self._titles(found.title), provision)

    def _card(self, label: str) -> str | None:
        cards = self.game.cards_named(label)
        return urls.card(self.game.id, self.pieces[cards[0].name]) if cards else None

    def _text(self, ruling: Ruling, number: int, here: str) -> TextPart:
        text = ruling.texts[number]

        def card(label: str) -> str | None:
            target = self._card(label)
            return urls.relative(target, here) if target else None

        def term(term_id: str) -> tuple[str, str]:
            meaning = self.game.terms_by_id[term_id].meaning.get(text.lang, "")
            return urls.relative(urls.glossary(self.game.id, term_id), here), meaning

        links = markdown.Links(card, term, self.finders.get(text.lang))
        first, _, rest = text.body.partition("\n\n")
        answer = markdown.render(first, links, text.lang)
        return TextPart(text.lang, text.title, answer, markdown.render(rest, links, text.lang), number == 0)

    def cards(self) -> CardsPage:
        """The index of cards that have rulings."""
        lang = self.game.language
        letters: dict[str, list[tuple[Link, int]]] = {}
        for name in sorted(self.by_name, key=lambda one: order(one, lang)):
            link = Link(urls.card(self.game.id, self.pieces[name]), (("", name),))
            letters.setdefault(initial(name, lang), []).append((link, len(self.by_name[name])))
        return CardsPage(self.game, tuple((letter, tuple(links)) for letter, links in letters.items()))

    def card(self, name: str) -> CardPage:
        """The page of a card's name."""
        about: list[tuple[RulingLink, tuple[str, ...]]] = []
        mentioned: list[tuple[RulingLink, tuple[str, ...]]] = []
        for ruling_id, labels in self.by_name[name].items():
            row = (self.link(self.rulings[ruling_id]), tuple(labels))
            (about if any(labels.values()) else mentioned).append(row)
        return CardPage(self.game, name, self.game.cards_named(name), tuple(about), tuple(mentioned))

    def source(self, source_id: str) -> SourcePage:
        """The page of a source document."""
        source = self.game.sources_by_id[source_id]
        covering: dict[str, list[RulingLink]] = defaultdict(list)
        overridden = []
        for ruling in self.rulings.values():
            for citation in ruling.header.sources:
                if citation.source == source_id:
                    covering[citation.provision].append(self.link(ruling))
            if source_id in ruling.header.overrides:
                overridden.append(self.link(ruling))
        provisions = tuple((one, tuple(covering.get(one, ()))) for one in source.provisions)
        overrides = tuple(self._citation(one, "") for one in source.overrides)
        return SourcePage(self.game, source, self._titles(source.title), provisions, overrides, tuple(overridden))

    def glossary(self) -> GlossaryPage:
        """The game's glossary, in the order of its language."""
        using: dict[str, list[RulingLink]] = defaultdict(list)
        for ruling in self.rulings.values():
            text = ruling.original
            finder = self.finders.get(text.lang)
            for term in dict.fromkeys(finder.terms(text.title)) if finder else ():
                using[term].append(self.link(ruling))
        entries = sorted(self.game.terms, key=lambda one: order(one.title(self.game.language), self.game.language))
        return GlossaryPage(self.game, tuple(TermEntry(term, tuple(using.get(term.id, ()))) for term in entries))


def ruling_link(ruling: Ruling) -> RulingLink:
    """A ruling in a list."""
    head = ruling.header
    titles = tuple((text.lang, text.title) for text in ruling.texts)
    return RulingLink(ruling.key, urls.ruling(ruling.game, ruling.id), titles, head.kind, head.authority, head.status)


def changes_page(library: Library, past: Mapping[str, tuple[Past, ...]], most: int = 200) -> ChangesPage:
    """The last changes by day; where the records have no history, the rulings by the dates that they bear."""
    found = [(one.moment, key, one.what) for key, changes in past.items() for one in changes if key in library.rulings]
    if not found:
        found = [(ruling.header.date, key, "dated") for key, ruling in library.rulings.items() if ruling.header.date]
    newest = sorted(sorted(found, key=lambda one: one[1]), key=lambda one: one[0][:10], reverse=True)
    days: dict[str, dict[str, tuple[RulingLink, str]]] = {}
    for moment, key, what in newest[:most]:
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
        missing = tuple((ruling_link(one), lang) for one in rulings for lang in game.header.languages if one.text(lang) is None)
        games.append((game, stale, missing))
    return TranslationsPage(tuple(games))
