"""The pages of one game, as data."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

from kb.core import urls
from kb.core.json import Json
from kb.language import FormTable
from kb.linking.names import foreign_name, is_latin
from kb.linking.term_finder import TermFinder
from kb.records.fields import HEADER_FIELDS, Header, Reference
from kb.records.history import RevisionDiff
from kb.records.library import Library
from kb.records.marks import plain_text
from kb.records.model import Game, Ruling, Source, Topic
from kb.records.syntax import Text
from kb.serialize.ruling import document_of, published_to_json
from kb.site.diagrams import Drawing, draw
from kb.site.grouping import RulingGroups, initial, order
from kb.site.markdown import Links, MarkdownText
from kb.site.pages import (
    CardGroup,
    CardPage,
    CardRow,
    CardsPage,
    CardVersion,
    Citation,
    Fact,
    GameErrataPage,
    GameLink,
    GamePage,
    GlossaryPage,
    GlossaryTerm,
    IndexPage,
    Link,
    MovedPage,
    PageSource,
    Provision,
    RulingAnswer,
    RulingLink,
    RulingPage,
    RulingText,
    SourcePage,
    Titles,
    TopicPage,
)

RULING_TEMPLATE, MOVED_TEMPLATE = "ruling.html", "moved.html"
# Rulings in a list with answers at most; a longer one has titles alone.
_ANSWERS = 200
# Rulings in the list of all at most.
_LISTED = 1_000
# So many cards stand on a game's front page.
_FACES = 7
_FACTS = ("author", "translator", "publisher", "published", "edition", "licence")
# The fields of the header that a ruling's page shows in a place of their own, or not at all.
_PLACED = frozenset(
    "kind authority status about topics sources date effective effective_until supersedes because"
    " different_from asked asked_of translated_from related example_of formerly".split()
)


class PageCollector:
    """Collects the pages of one game.

    `table` finds the terms that a text explains. `past`: the last changes of rulings, by key.
    """

    def __init__(
        self,
        game: Game,
        library: Library,
        table: FormTable | None,
        past: Mapping[str, tuple[RevisionDiff, ...]] | None = None,
    ) -> None:
        self.game, self._library, self._past = game, library, past or {}
        self.groups = RulingGroups(game, library)
        rulings = self.groups.rulings
        sections = {
            "cards": self.groups.by_card,
            "glossary": game.terms,
            "errata": self._errata_ids(),
            "deck": game.cards,
        }
        self.link = replace(
            game_link(game), sections=tuple(name for name, has in sections.items() if has)
        )
        self._ruling_links = {ruling.id: ruling_link(ruling) for ruling in rulings.values()}
        self.languages = game.languages
        self.finders = (
            {lang: TermFinder(game.terms, lang, table) for lang in self.languages}
            if table and game.terms
            else {}
        )
        self._documents = {source.id: document_of(source) for source in game.sources}
        self._card_link = cache(self._make_card_link)
        self._card_target = cache(self._relative_card_address)
        self._terms = cache(self._term_links)
        self._drawing = cache(self._make_drawing)
        # The same text is on several pages.
        self._bodies = cache(self._make_bodies)

    def pages(self) -> Iterator[PageSource]:
        """Every page of the game."""
        game, groups = self.game, self.groups
        yield PageSource(urls.game(game.id), "game.html", self.front)
        for name in ("rulings", "topics", "sources"):
            yield PageSource(urls.index(game.id, name), "listing.html", partial(self.index, name))
        yield PageSource(urls.errata(game.id), "errata.html", self.errata_page)
        for topic in game.header.topics:
            address = urls.topic(game.id, topic.id)
            yield PageSource(address, "topic.html", partial(self.topic, topic))
        for ruling in groups.rulings.values():
            here = urls.ruling(game.id, ruling.id)
            yield PageSource(here, RULING_TEMPLATE, partial(self.ruling, ruling.id))
            for former in ruling.header.formerly:
                moved = partial(self.moved, ruling.id)
                yield PageSource(urls.ruling(game.id, former), MOVED_TEMPLATE, moved)
        yield PageSource(urls.cards(game.id), "cards.html", self.cards)
        for name, address in self.card_pages().items():
            yield PageSource(address, "card.html", partial(self.card, name))
        for source in game.sources:
            address = urls.source(game.id, source.id)
            yield PageSource(address, "source.html", partial(self.source, source))
        yield PageSource(urls.glossary(game.id), "glossary.html", self.glossary)

    def front(self) -> GamePage:
        """The game's front page."""
        groups = self.groups
        most = sorted(groups.by_card, key=lambda name: (-len(groups.by_card[name]), name))
        return GamePage(
            game=self.link,
            topics=self._topics(),
            sources=self._sources(),
            errata=len(self._errata_ids()),
            rulings=len(groups.rulings),
            cards=len(groups.by_card),
            drawings={lang: self._gallery(lang) for lang in self.languages},
            faces=tuple(map(self._card_row, most[:_FACES])),
        )

    def _gallery(self, lang: str) -> tuple[tuple[Drawing, str], ...]:
        """All diagrams of the game in a language, tables last, with their first rulings' pages."""
        diagrams = sorted(enumerate(self.game.diagrams), key=lambda row: row[1].kind == "table")
        return tuple(
            (self._drawing(index, lang), self._ruling_address(diagram.rulings[0]))
            for index, diagram in diagrams
        )

    def _topics(self) -> tuple[tuple[Link, int], ...]:
        """The game's topics with how many rulings each has."""
        game = self.game.id
        return tuple(
            (
                Link(urls.topic(game, topic.id), self._titles(topic.title)),
                len(self.groups.by_topic.get(topic.id, ())),
            )
            for topic in self.game.header.topics
        )

    def _sources(self) -> tuple[Link, ...]:
        return tuple(
            Link(urls.source(self.game.id, source.id), self._titles(source.title))
            for source in self.game.sources
        )

    def index(self, name: str) -> IndexPage:
        """The list of the game's rulings, topics or sources; of too many rulings the topics."""
        if name == "sources":
            sources = tuple((link, 0) for link in self._sources())
            return IndexPage(self.link, name, ((None, sources),))
        if name == "topics" or len(self.groups.rulings) > _LISTED:
            return IndexPage(self.link, name, ((None, self._topics()),))
        groups = []
        for topic, (link, _) in zip(self.game.header.topics, self._topics(), strict=True):
            _, rulings = self.topic_links(topic)
            groups.append((link, tuple((Link(one.address, one.titles), 0) for one in rulings)))
        return IndexPage(self.link, name, tuple(group for group in groups if group[1]))

    def errata(self) -> tuple[RulingAnswer, ...]:
        """The game's errata."""
        ids = self._errata_ids()
        return self._answers(ids, len(ids) <= _ANSWERS)

    def _errata_ids(self) -> list[str]:
        rulings = self.groups.rulings.values()
        return [ruling.id for ruling in rulings if ruling.header.kind == "errata"]

    def errata_page(self) -> GameErrataPage:
        """The page of the game's errata."""
        return GameErrataPage(((self.link, self.errata()),), self.link)

    def topic_links(self, topic: Topic) -> tuple[Titles, tuple[RulingLink, ...]]:
        """A topic's titles and its rulings."""
        links = map(self._ruling_links.__getitem__, self.groups.by_topic.get(topic.id, ()))
        return self._titles(topic.title), tuple(links)

    def topic(self, topic: Topic) -> TopicPage:
        """The page of a topic."""
        ids = self.groups.by_topic.get(topic.id, ())
        return TopicPage(
            self.link, self._titles(topic.title), self._answers(ids, len(ids) <= _ANSWERS)
        )

    def moved(self, ruling_id: str) -> MovedPage:
        """The page at a former address of a ruling."""
        return MovedPage(urls.ruling(self.game.id, self.groups.rulings[ruling_id].id))

    def ruling(self, ruling_id: str) -> RulingPage:
        """A ruling's page."""
        ruling = self.groups.rulings[ruling_id]
        head, game, ties = ruling.header, self.game, self._library.relations(ruling)
        labels = self.groups.labels[ruling_id]
        links = {label: self._card_link(label) for label in labels}
        stale, validity = ruling.stale(), self._library.validities[ruling.key]
        previous, following = self.groups.neighbours.get(ruling_id, (None, None))
        return RulingPage(
            game=self.link,
            key=ruling.key,
            header=head,
            facts=tuple(self._facts(head)),
            since=validity.since,
            until=validity.until,
            asked_as=tuple(ruling.asked_as.items()),
            texts=tuple(
                RulingText(
                    lang=text.lang,
                    title=text.title,
                    original=number == 0,
                    stale=text.lang in stale,
                    plain=" ".join(plain_text(text.answer).split()),
                    body=body,
                )
                for number, (text, body) in enumerate(
                    zip(ruling.texts, self._bodies(ruling_id), strict=True)
                )
            ),
            topics=tuple(
                Link(urls.topic(game.id, one), self._titles(game.topics[one].title))
                for one in head.topics
            ),
            about=tuple(links[label] for label in head.about if label in links),
            mentioned=tuple(link for label, link in links.items() if not labels[label]),
            citations=tuple(self._citation(one.source, one.provision) for one in head.sources),
            previous=self._ruling_links[previous] if previous else None,
            next=self._ruling_links[following] if following else None,
            ties={name: self._links(ids) for name, ids in ties.items()},
            past=self._past.get(ruling.key, ()),
            exported=published_to_json(ruling, ties),
            documents=tuple(
                self._documents[each] for each in dict.fromkeys(one.source for one in head.sources)
            ),
            drawings={lang: self._drawings(ruling_id, lang) for lang in self.languages},
        )

    def _facts(self, header: Header) -> Iterator[Fact]:
        """Yield each field that has no place of its own."""
        for field in HEADER_FIELDS:
            values = () if field.name in _PLACED else field.values(header)
            if values and field.choices:
                yield Fact(field.label, choice=values[0])
            elif values:
                links = tuple(self._named(field.of, str(value)) for value in values)
                yield Fact(field.label, links)

    def _named(self, what: Reference, value: str) -> Link:
        """What a value of the header names, by its title, with its page if it has one."""
        game = self.game
        if what == "document":
            source = self._citation(value)
            return Link(source.address, source.titles)
        entries: Mapping[str, Iterable[Topic]]
        entries = {"rule": game.header.rule_sets, "edition": game.header.editions}
        titles = next(
            (self._titles(entry.title) for entry in entries.get(what, ()) if entry.id == value), ()
        )
        return Link("", titles or (("", value),))

    def _drawings(self, ruling_id: str, lang: str) -> tuple[Drawing, ...]:
        """The diagrams of a ruling's page in a language."""
        diagrams = enumerate(self.game.diagrams)
        return tuple(
            self._drawing(index, lang)
            for index, diagram in diagrams
            if ruling_id in diagram.rulings
        )

    def _make_drawing(self, index: int, lang: str) -> Drawing:
        return draw(self.game.diagrams[index], lang, self._ruling_address)

    def _ruling_address(self, ruling_id: str) -> str:
        link = self._ruling_links.get(ruling_id)
        return link.address if link else ""

    def _make_bodies(self, ruling_id: str) -> tuple[MarkdownText, ...]:
        """The texts of a ruling."""
        return tuple(map(self._body, self.groups.rulings[ruling_id].texts))

    def _body(self, text: Text) -> MarkdownText:
        terms = self._terms(text.lang).__getitem__
        links = Links(self._card_target, terms, self.finders.get(text.lang))
        return MarkdownText(text.body, links, text.lang)

    def _term_links(self, lang: str) -> dict[str, tuple[str, str]]:
        """The links to the terms from a ruling's page, with what they mean in a language."""
        here = urls.ruling(self.game.id, "-")
        return {
            term.id: (
                urls.relative(urls.glossary(self.game.id, term.id), here),
                term.meaning.get(lang, ""),
            )
            for term in self.game.terms
        }

    def cards(self) -> CardsPage:
        """The index of cards that have rulings."""
        lang = self.game.language
        letters: dict[str, list[CardRow]] = {}
        for name in sorted(self.groups.by_card, key=lambda name: order(name, lang)):
            letters.setdefault(initial(name, lang), []).append(self._card_row(name))
        rows = tuple((letter, tuple(row)) for letter, row in letters.items())
        return CardsPage(self.link, rows, len({card.name for card in self.game.cards}))

    def _card_row(self, name: str) -> CardRow:
        groups, cards = self.groups, self.game.cards_named(name)
        link = Link(urls.card(self.game.id, groups.slugs[name]), self._card_titles(name))
        types = dict.fromkeys(card.type for card in cards if card.type)
        sides = {card.side for card in cards}
        side = sides.pop() if len(sides) == 1 else ""
        return CardRow(link, ", ".join(types), side, len(groups.by_card[name]))

    def card_pages(self) -> dict[str, str]:
        """The addresses of the cards' pages, by name."""
        slugs = self.groups.slugs
        return {name: urls.card(self.game.id, slugs[name]) for name in self.groups.by_card}

    def facts_of_others(self) -> Json:
        """Sets, type and side of the cards that have no page, and where else they are shown.

        Cards name their facts by number, since these repeat.
        """
        cards = [card for card in self.game.cards if card.name not in self.groups.by_card]
        facts = {card.label: (*card.sets, card.type, card.side) for card in cards}
        numbers: dict[str, int] = {}
        rows = {
            label: [numbers.setdefault(fact, len(numbers)) for fact in several if fact]
            for label, several in facts.items()
        }
        kinds = {
            card.label: [numbers[fact] for fact in (card.type, card.side) if fact] for card in cards
        }
        addresses = {card.label: self.game.header.card_address(card) for card in cards}
        outside = {label: address for label, address in addresses.items() if address}
        return {"facts": list(numbers), "cards": rows, "kinds": kinds, "outside": outside}

    def card(self, name: str) -> CardPage:
        """The page of a card's name."""
        versions = tuple(
            CardVersion(
                name=card.name,
                version=card.version,
                sets=card.sets,
                type=card.type,
                side=card.side,
                subtypes=card.subtypes,
                other_names=card.other_names,
                label=card.label,
                outside=self.game.header.card_address(card),
            )
            for card in self.game.cards_named(name)
        )
        labels: dict[str, Titles] = {
            fact: self._titles(titles) for fact, titles in self.game.header.card_labels.items()
        }
        groups = tuple(self._card_groups(name, versions))
        return CardPage(self.link, name, self._card_titles(name), labels, versions, groups)

    def _card_groups(self, name: str, versions: tuple[CardVersion, ...]) -> Iterator[CardGroup]:
        """The rulings of a card's name: those of all versions, then by version."""
        rulings = self.groups.by_card[name]
        answered: set[str] = set()
        for label in dict.fromkeys((name, *(card.label for card in versions))):
            about = [key for key, labels in rulings.items() if labels.get(label)]
            mentioned = [key for key, labels in rulings.items() if labels.get(label) is False]
            if about or mentioned:
                yield CardGroup(
                    label,
                    tuple(card for card in versions if label in (name, card.label)),
                    self._answers(about, len(rulings) <= _ANSWERS, answered),
                    self._answers(mentioned, len(rulings) <= _ANSWERS, answered),
                )

    def source(self, source: Source) -> SourcePage:
        """The page of a source document."""
        covering: dict[str, list[str]] = defaultdict(list)
        for provision, ruling_id in self.groups.by_source.get(source.id, ()):
            covering[provision].append(ruling_id)
        overriding = self.groups.overriding.get(source.id, ())
        facts = ((name, getattr(source, name)) for name in _FACTS)
        short = sum(map(len, covering.values())) + len(overriding) <= _ANSWERS
        answered: set[str] = set()
        return SourcePage(
            game=self.link,
            id=source.id,
            language=source.language,
            titles=self._titles(source.title),
            facts=tuple((name, value) for name, value in facts if value),
            url=source.url,
            provisions=tuple(
                Provision(
                    one,
                    self._provision_titles(source, one),
                    self._answers(covering.get(one, ()), short, answered),
                )
                for one in source.provisions
            ),
            overrides=tuple(self._citation(one) for one in source.overrides),
            overridden=self._answers(overriding, short, answered),
        )

    def glossary(self) -> GlossaryPage:
        """The game's glossary; each language of the interface has an order of its own.

        Definitions stand first, with their answers.
        """
        using: dict[str, list[str]] = defaultdict(list)
        for ruling in self.groups.rulings.values():
            finder = self.finders.get(ruling.original.lang)
            for term_id in dict.fromkeys(finder.terms(ruling.original.title)) if finder else ():
                using[term_id].append(ruling.id)
        return GlossaryPage(
            self.link,
            tuple(
                GlossaryTerm(term.id, term.names, term.meaning, self._explaining(using[term.id]))
                for term in self.game.terms
            ),
        )

    def _explaining(self, ids: list[str]) -> tuple[RulingAnswer, ...]:
        kinds = {ruling_id: self.groups.rulings[ruling_id].header.kind for ruling_id in ids}
        definitions = [ruling_id for ruling_id in ids if kinds[ruling_id] == "definition"]
        others = [ruling_id for ruling_id in ids if kinds[ruling_id] != "definition"]
        return (*self._answers(definitions, shown=True), *self._answers(others, shown=False))

    def _make_card_link(self, label: str) -> Link:
        slug = self.groups.card_slug(label)
        return Link(urls.card(self.game.id, slug) if slug else "", self._card_titles(label))

    def _card_titles(self, label: str) -> Titles:
        """A card's label, and beside it what readers of another script call the card."""
        cards = self.game.cards_named(label)
        foreign = foreign_name(cards[0].name, cards[0].other_names) if cards else ""
        if not foreign:
            return (("", label),)
        titles = [(self.game.language, label), ("en", f"{foreign} ({label})")]
        if not is_latin(foreign):
            titles = [("", label), ("ru", f"{foreign} ({label})")]
        return tuple(sorted(titles, key=lambda title: title[0] != "en"))

    def _relative_card_address(self, label: str) -> str:
        """The link to a card from a ruling's page; empty for none."""
        address = self._card_link(label).address
        return urls.relative(address, urls.ruling(self.game.id, "-")) if address else ""

    def _citation(self, source_id: str, provision: str = "") -> Citation:
        source = self.game.sources_by_id[source_id]
        address = urls.source(self.game.id, source_id) + (f"#{provision}" if provision else "")
        titles = self._provision_titles(source, provision) if provision else ()
        return Citation(address, self._titles(source.title), titles, source.edition or "")

    def _provision_titles(self, source: Source, provision: str) -> Titles:
        """The titles of a provision; its name where it has none."""
        return self._titles(source.provision_titles.get(provision, {})) or (("", provision),)

    def _titles(self, titles: Mapping[str, str]) -> Titles:
        return tuple((lang, titles[lang]) for lang in self.languages if lang in titles)

    def _links(self, ids: Iterable[str]) -> tuple[RulingLink, ...]:
        """Rulings in a list, by their ids; those that are not published are left out."""
        return tuple(self._ruling_links[one] for one in ids if one in self.groups.rulings)

    def _answers(
        self, ids: Iterable[str], shown: bool, answered: set[str] | None = None
    ) -> tuple[RulingAnswer, ...]:
        """Rulings in a list with their answers, unless the page has `answered` them already."""
        rows = []
        answered = set() if answered is None else answered
        for ruling_id in ids:
            ruling = self.groups.rulings.get(ruling_id)
            if ruling is None:
                continue
            texts = ruling.texts if shown and ruling_id not in answered else ()
            bodies = self._bodies(ruling_id) if texts else ()
            answers = tuple((text.lang, body) for text, body in zip(texts, bodies, strict=True))
            answered.add(ruling_id)
            rows.append(RulingAnswer(self._ruling_links[ruling_id], answers))
        return tuple(rows)


def game_link(game: Game) -> GameLink:
    """A game as pages name it."""
    head = game.header
    return GameLink(game.id, game.language, head.languages, head.name, colour=head.colour)


def ruling_link(ruling: Ruling) -> RulingLink:
    """A ruling in a list."""
    head = ruling.header
    return RulingLink(
        key=ruling.key,
        address=urls.ruling(ruling.game, ruling.id),
        titles=tuple((text.lang, text.title) for text in ruling.texts),
        kind=head.kind,
        authority=head.authority,
        status=head.status,
    )
