"""The pages of one game, as data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from types import SimpleNamespace

from kb.core import urls
from kb.language import FormTable
from kb.linking.names import foreign_name, is_latin
from kb.linking.term_finder import TermFinder
from kb.records.diagram import Diagram
from kb.records.fields import HEADER_FIELDS, KINDS, Header, Reference
from kb.records.history import RevisionDiff
from kb.records.library import Library
from kb.records.model import Game, Ruling, Source, Topic
from kb.records.values import Card
from kb.site.cards import CardPage
from kb.site.diagrams import Drawing, draw
from kb.site.grouping import RulingGroups, by_initial, order
from kb.site.markdown import LinkTargets, RulingText
from kb.site.pages import (
    Fact,
    GameLink,
    Link,
    ListedCard,
    ListedRuling,
    Page,
    RulingAnswer,
    RulingPage,
    SourceLink,
    Titles,
)

RULING_TEMPLATE, MOVED_TEMPLATE = "ruling.html", "moved.html"
# Rulings in a list with answers at most; a longer one has titles alone.
_ANSWERS = 200
# Rulings in the list of all at most.
_LISTED = 1_000
# The number of cards on a game's front page.
_MOST_RULED = 9
# The facts of a source document on its page.
_FACTS = ("author", "translator", "publisher", "published", "edition", "licence")
# The fields of the header that a ruling's page shows in a place of their own, or not at all.
_PLACED = frozenset(
    "kind authority status verdict when about topics sources date effective effective_until"
    " supersedes because different_from asked asked_of translated_from related example_of"
    " formerly".split()
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
        self.link = GameLink(
            id=game.id,
            language=game.language,
            card_language=game.header.card_language or game.language,
            languages=game.header.languages,
            names=game.header.name,
            colour=game.header.colour,
            topics={topic.id: topic.title for topic in game.header.topics},
            card_words=game.header.card_words,
            sections=tuple(name for name, has in sections.items() if has),
            picture_site=game.header.picture_site,
        )
        self._listed = {ruling.id: listed_ruling(ruling, library) for ruling in rulings.values()}
        self.languages = game.languages
        self.finders = (
            {lang: TermFinder(game.terms, lang, table) for lang in self.languages}
            if table and game.terms
            else {}
        )
        self._card_link = cache(self._make_card_link)
        self._card_target = cache(self._relative_card_address)
        self._terms = cache(self._term_links)
        self._drawings = cache(self._make_drawings)
        # The same text is on several pages.
        self._texts = cache(self._make_texts)

    def pages(self) -> Iterator[Page]:
        game, groups = self.game, self.groups
        yield Page(urls.game(game.id), "game.html", self.front)
        for name in ("rulings", "topics", "sources"):
            yield Page(urls.index(game.id, name), "listing.html", partial(self.index, name))
        yield Page(urls.errata(game.id), "errata.html", self.errata_page)
        for topic in game.header.topics:
            address = urls.topic(game.id, topic.id)
            yield Page(address, "topic.html", partial(self.topic, topic))
        for ruling in groups.rulings.values():
            here = urls.ruling(game.id, ruling.id)
            yield Page(here, RULING_TEMPLATE, partial(self.ruling, ruling.id))
            for former in ruling.header.formerly:
                titles = tuple((text.lang, text.title) for text in ruling.texts)
                moved = partial(SimpleNamespace, target=here, titles=titles)
                yield Page(urls.ruling(game.id, former), MOVED_TEMPLATE, moved)
        yield Page(urls.cards(game.id), "cards.html", self.cards)
        for name, address in self.card_pages().items():
            yield Page(address, "card.html", partial(self.card, name))
        for source in game.sources:
            address = urls.source(game.id, source.id)
            yield Page(address, "source.html", partial(self.source, source))
        yield Page(urls.glossary(game.id), "glossary.html", self.glossary)

    def front(self) -> SimpleNamespace:
        """The game's front page, with the numbers of its rulings, cards and errata.

        `topics`: each with its number of rulings. `drawings`: by language, the game's diagrams,
        each with the address of its first ruling. `most_ruled`: the cards with most rulings, then
        by the alphabet.
        """
        groups = self.groups
        most = sorted(groups.by_card, key=lambda name: order(name, self.game.language))
        most.sort(key=lambda name: len(groups.by_card[name]), reverse=True)
        return SimpleNamespace(
            game=self.link,
            topics=self.topics(),
            sources=self._sources(),
            errata=len(self._errata_ids()),
            rulings=len(groups.rulings),
            cards=len(groups.by_card),
            drawings={lang: self._gallery(lang) for lang in self.languages},
            most_ruled=tuple(map(self._card_row, most[:_MOST_RULED])),
        )

    def _gallery(self, lang: str) -> tuple[tuple[Drawing, str], ...]:
        """All diagrams of the game in a language, tables last, with their first rulings' pages."""
        diagrams = sorted(self._drawings(lang), key=lambda row: row[0].kind == "table")
        return tuple(
            (drawing, self._ruling_address(diagram.rulings[0])) for diagram, drawing in diagrams
        )

    def topics(self) -> tuple[tuple[Link, int], ...]:
        """The game's topics with how many rulings each has."""
        return tuple(
            (self._topic_link(topic), len(self.groups.by_topic[topic.id]))
            for topic in self.game.header.topics
        )

    def _topic_link(self, topic: Topic) -> Link:
        return Link(urls.topic(self.game.id, topic.id), self._titles(topic.title))

    def _sources(self) -> tuple[Link, ...]:
        return tuple(
            Link(urls.source(self.game.id, source.id), self._titles(source.title))
            for source in self.game.sources
        )

    def index(self, name: str) -> SimpleNamespace:
        """The list of the game's rulings, topics or sources; of too many rulings the topics.

        `topics`: (link, its rulings) pairs, else `links`: (link, number of rulings or 0) pairs.
        """
        topics, links = [], self.topics()
        if name == "sources":
            cited = Counter(
                name
                for ruling in self.groups.rulings.values()
                for name in {citation.source for citation in ruling.header.sources}
            )
            names = (source.id for source in self.game.sources)
            links = tuple(zip(self._sources(), map(cited.__getitem__, names), strict=True))
        elif name == "rulings" and len(self.groups.rulings) <= _LISTED:
            topics = [(link, rulings) for link, rulings in self.rulings_by_topic() if rulings]
            links = () if topics else links
        return SimpleNamespace(game=self.link, name=name, topics=topics, links=links)

    def rulings_by_topic(self) -> Iterator[tuple[Link, tuple[ListedRuling, ...]]]:
        for topic in self.game.header.topics:
            yield self._topic_link(topic), self._links(self.groups.by_topic[topic.id])

    def errata(self) -> tuple[RulingAnswer, ...]:
        ids = self._errata_ids()
        return self._answers(ids, len(ids) <= _ANSWERS)

    def _errata_ids(self) -> list[str]:
        rulings = self.groups.rulings.values()
        return [ruling.id for ruling in rulings if ruling.header.kind == "errata"]

    def errata_page(self) -> SimpleNamespace:
        return SimpleNamespace(game=self.link, games=((self.link, self.errata()),))

    def topic(self, topic: Topic) -> SimpleNamespace:
        """The page of a topic: its titles, and its rulings with their answers."""
        ids = self.groups.by_topic[topic.id]
        rulings = self._answers(ids, len(ids) <= _ANSWERS)
        return SimpleNamespace(game=self.link, titles=self._titles(topic.title), rulings=rulings)

    def ruling(self, ruling_id: str) -> RulingPage:
        ruling = self.groups.rulings[ruling_id]
        head, game, ties = ruling.header, self.game, self._library.relations(ruling)
        labels = self.groups.labels[ruling_id]
        validity = self._library.validities[ruling.key]
        previous, following = self.groups.neighbours.get(ruling_id, (None, None))
        return RulingPage(
            game=self.link,
            key=ruling.key,
            header=head,
            facts=tuple(self._facts(head)),
            status=self._library.standing(ruling.key),
            since=validity.since,
            until=validity.until,
            asked_as=tuple(ruling.asked_as.items()),
            texts=self._texts(ruling_id),
            topics=tuple(self._topic_link(game.topics[topic]) for topic in head.topics),
            about=tuple(self._card_row(label) for label in head.about if label in labels),
            mentioned=tuple(map(self._card_link, (label for label in labels if not labels[label]))),
            citations=tuple(self._citation(each.source, each.provision) for each in head.sources),
            previous=self._listed[previous] if previous else None,
            next=self._listed[following] if following else None,
            ties={name: self._links(ids) for name, ids in ties.items()},
            in_force=self._links(self._library.in_force_after(ruling)),
            past=self._past.get(ruling.key, ()),
            drawings={
                lang: tuple(
                    drawing
                    for diagram, drawing in self._drawings(lang)
                    if ruling_id in diagram.rulings
                )
                for lang in self.languages
            },
        )

    def _facts(self, header: Header) -> Iterator[Fact]:
        """Yield each field that has no place of its own."""
        for field in HEADER_FIELDS:
            values = () if field.name in _PLACED else field.values(header)
            if values:
                links = tuple(self._named(field.of, str(value)) for value in values)
                choice = values[0] if field.choices else ""
                yield Fact(field.label, links, choice)

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

    def _make_drawings(self, lang: str) -> list[tuple[Diagram, Drawing]]:
        """The diagrams of the game in a language."""
        diagrams = self.game.diagrams
        return [(diagram, draw(diagram, lang, self._ruling_address)) for diagram in diagrams]

    def _ruling_address(self, ruling_id: str) -> str:
        link = self._listed.get(ruling_id)
        return link.address if link else ""

    def _make_texts(self, ruling_id: str) -> tuple[RulingText, ...]:
        """The texts of a ruling, the original first."""
        ruling = self.groups.rulings[ruling_id]
        stale = ruling.stale()
        return tuple(
            RulingText(
                lang=text.lang,
                title=text.title,
                body=text.body,
                links=LinkTargets(
                    self._card_target,
                    self._terms(text.lang).__getitem__,
                    self.finders.get(text.lang),
                ),
                original=text is ruling.original,
                stale=text.lang in stale,
                anchors=text.lang,
            )
            for text in ruling.texts
        )

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

    def cards(self) -> SimpleNamespace:
        """The index of cards that have rulings; `names`: how many names the game's cards have."""
        letters = tuple(
            (letter, tuple(map(self._card_row, names)))
            for letter, names in by_initial(self.groups.by_card, self.game.language)
        )
        return SimpleNamespace(game=self.link, letters=letters, names=len(self.groups.slugs))

    def _card_row(self, label: str) -> ListedCard:
        cards = self.game.cards_named(label)
        types = dict.fromkeys(card.type for card in cards if card.type)
        sides = {card.side for card in cards}
        side = sides.pop() if len(sides) == 1 else ""
        count = len(self.groups.by_card[cards[0].name])
        return ListedCard(self._card_link(label), ", ".join(types), side, count)

    def card_pages(self) -> dict[str, str]:
        slugs = self.groups.slugs
        return {name: urls.card(self.game.id, slugs[name]) for name in self.groups.by_card}

    def card(self, name: str) -> CardPage:
        """The page of a card's name, on which each ruling stands once."""
        cards, header = self.game.cards_named(name), self.game.header
        rulings = self.groups.by_card[name]
        groups = self._about_versions(name, cards)
        about = [key for ids in groups.values() for key in ids]
        mentioned = sorted(
            (key for key in rulings if key not in about),
            key=lambda key: KINDS.index(self._listed[key].kind),
        )
        is_short = len(rulings) <= _ANSWERS
        return CardPage(
            game=self.link,
            header=header,
            name=name,
            titles=self._card_titles(name),
            labels={fact: self._titles(titles) for fact, titles in header.card_labels.items()},
            cards=cards,
            groups=[(labels, self._answers(ids, is_short)) for labels, ids in groups.items()],
            mentioned=self._answers(mentioned, is_short),
        )

    def _about_versions(
        self, name: str, versions: tuple[Card, ...]
    ) -> dict[tuple[str, ...], list[str]]:
        """The ids of the rulings about the bare name, about each version and about several."""
        known = [*dict.fromkeys((name, *(card.label for card in versions)))]
        groups: dict[tuple[str, ...], list[str]] = {}
        for key, labels in self.groups.by_card[name].items():
            about = tuple(label for label in known if labels.get(label))
            if about:
                groups.setdefault(about[:1] if about[0] == name else about, []).append(key)
        return dict(sorted(groups.items(), key=lambda group: [*map(known.index, group[0])]))

    def source(self, source: Source) -> SimpleNamespace:
        """The page of a source document, with its provisions in their order.

        `facts` are (name, value) pairs. `provisions` have id, titles and rulings with answers.
        `overrides` are documents that it overrides, `overridden` the rulings that override it.
        """
        covering = self.groups.by_source.get(source.id, {})
        overriding = self.groups.overriding.get(source.id, ())
        facts = ((name, getattr(source, name)) for name in _FACTS)
        short = sum(map(len, covering.values())) + len(overriding) <= _ANSWERS
        answered: set[str] = set()
        return SimpleNamespace(
            game=self.link,
            id=source.id,
            language=source.language,
            titles=self._titles(source.title),
            facts=tuple((name, value) for name, value in facts if value),
            url=source.url,
            provisions=tuple(
                SimpleNamespace(
                    id=provision,
                    titles=self._provision_titles(source, provision),
                    rulings=self._answers(covering.get(provision, ()), short, answered),
                )
                for provision in source.provisions
            ),
            overrides=tuple(map(self._citation, source.overrides)),
            overridden=self._answers(overriding, short, answered),
        )

    def glossary(self) -> SimpleNamespace:
        """The game's glossary: its terms, each with the rulings that have it in their title.

        Definitions stand first, with their answers.
        """
        using: dict[str, list[str]] = defaultdict(list)
        for ruling in self.groups.rulings.values():
            finder = self.finders.get(ruling.original.lang)
            for term_id in dict.fromkeys(finder.terms(ruling.original.title)) if finder else ():
                using[term_id].append(ruling.id)
        terms = [
            SimpleNamespace(
                id=term.id,
                names=term.names,
                meanings=term.meaning,
                rulings=self._explaining(using[term.id]),
            )
            for term in self.game.terms
        ]
        return SimpleNamespace(game=self.link, terms=terms)

    def _explaining(self, ids: list[str]) -> tuple[RulingAnswer, ...]:
        rulings = self.groups.rulings
        definitions = [key for key in ids if rulings[key].header.kind == "definition"]
        others = [key for key in ids if key not in definitions]
        return (*self._answers(definitions, shown=True), *self._answers(others, shown=False))

    def _make_card_link(self, label: str) -> Link:
        slug = self.groups.card_slug(label)
        return Link(urls.card(self.game.id, slug) if slug else "", self._card_titles(label))

    def _card_titles(self, label: str) -> Titles:
        """A card's label, and what readers of another script call the card."""
        cards = self.game.cards_named(label)
        foreign = foreign_name(cards[0].name, cards[0].other_names) if cards else ""
        if not foreign:
            return (("", label),)
        titles = [(self.game.language, label), ("en", f"{foreign} ({label})")]
        if not is_latin(foreign):
            titles = [("", label), ("ru", f"{foreign} ({label})")]
        return tuple(sorted(titles, key=lambda title: title[0] != "en"))

    def _relative_card_address(self, label: str) -> str:
        """The link to a card from a ruling's page; empty without a page."""
        address = self._card_link(label).address
        return urls.relative(address, urls.ruling(self.game.id, "-")) if address else ""

    def _citation(self, source_id: str, provision: str = "") -> SourceLink:
        source = self.game.sources_by_id[source_id]
        address = urls.source(self.game.id, source_id) + (f"#{provision}" if provision else "")
        titles = self._provision_titles(source, provision) if provision else ()
        return SourceLink(address, self._titles(source.title), titles, source.edition or "")

    def _provision_titles(self, source: Source, provision: str) -> Titles:
        """The titles of a provision, else its name."""
        return self._titles(source.provision_titles.get(provision, {})) or (("", provision),)

    def _titles(self, titles: Mapping[str, str]) -> Titles:
        return tuple((lang, titles[lang]) for lang in self.languages if lang in titles)

    def _links(self, ids: Iterable[str]) -> tuple[ListedRuling, ...]:
        """Rulings in a list, by their ids; those that are not published are left out."""
        return tuple(self._listed[key] for key in ids if key in self.groups.rulings)

    def _answers(
        self, ids: Iterable[str], shown: bool, answered: set[str] | None = None
    ) -> tuple[RulingAnswer, ...]:
        """Rulings in a list with their answers, unless the page has `answered` them already."""
        rows = []
        answered = set() if answered is None else answered
        for ruling_id in ids:
            texts = self._texts(ruling_id) if shown and ruling_id not in answered else ()
            answered.add(ruling_id)
            rows.append(RulingAnswer(self._listed[ruling_id], texts))
        return tuple(rows)


def listed_ruling(ruling: Ruling, library: Library) -> ListedRuling:
    """A ruling in a list."""
    head = ruling.header
    return ListedRuling(
        key=ruling.key,
        address=urls.ruling(ruling.game, ruling.id),
        titles=tuple((text.lang, text.title) for text in ruling.texts),
        kind=head.kind,
        authority=head.authority,
        status=library.standing(ruling.key),
        verdict=head.verdict,
        when=tuple(head.when.items()),
    )
