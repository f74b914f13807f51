"""The event pack: the rulings of some games as one self-contained HTML file."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

from kb.language import FormTable
from kb.records.library import Library
from kb.records.model import Game, Ruling, Term
from kb.records.text import Text
from kb.search.analyzer import documents
from kb.search.browser import BASE, write_index
from kb.site.assets import SEARCH_SCRIPT, asset
from kb.site.branding import Branding
from kb.site.collect import PageCollector
from kb.site.grouping import by_initial, order
from kb.site.i18n import Catalog, search_words
from kb.site.markdown import LinkTargets, RulingText
from kb.site.render import environment, render
from kb.site.templates import Templates

_INLINE = ("kb.css", "pack.css", "site/page.js", "marks.js", "pack.js", SEARCH_SCRIPT)


@dataclass(frozen=True)
class PackSettings:
    """What a pack is made with besides the library.

    `languages`: of titles and texts, in the order of the columns; a ruling in other languages keeps
    its original. `branding`: the site's colours and its logo.
    """

    templates: Templates
    build_id: str
    build_date: str
    languages: tuple[str, ...] = ()
    branding: Branding = field(default_factory=Branding)


def subset(
    library: Library,
    games: Sequence[str],
    languages: Sequence[str],
    keys: Collection[str] | None = None,
) -> Library:
    """A library of some games, their texts in some languages; empty lists stand for all.

    `keys`: its rulings, by `game/id`; games without rulings are left out.
    """
    present = {key.partition("/")[0] for key in keys} if keys is not None else set(library.games)
    chosen = [game for game in library.games if game in present and (not games or game in games)]
    part = Library(
        library.root, {game: _narrowed(library.games[game], languages) for game in chosen}
    )
    for key, ruling in library.rulings.items():
        if ruling.game in part.games and (keys is None or key in keys):
            texts = [ruling.text(lang) for lang in languages]
            shown = tuple(text for text in texts if text is not None) or (
                ruling.texts if not languages else (ruling.original,)
            )
            part.rulings[key] = replace(ruling, texts=shown)
    return part


def _narrowed(game: Game, languages: Sequence[str]) -> Game:
    """The game with some of its languages. Its own stays, since a ruling may be in no other."""
    if not languages:
        return game
    rest = tuple(
        lang for lang in game.header.languages if lang in languages or lang == game.language
    )
    return replace(game, header=game.header.model_copy(update={"languages": rest}))


def pack(library: Library, table: FormTable, settings: PackSettings, words: Catalog) -> str:
    """The whole file. `library`: what it contains, see `subset`."""
    games = library.games.values()
    numbers: dict[str, int] = {}
    packers = [
        _Packer(PageCollector(game, library, table), library, numbers, settings.languages)
        for game in games
    ]
    inline = {name: asset(settings.templates, name) for name in _INLINE}
    inline["kb.css"] = settings.branding.colours(inline["kb.css"], games)
    values = {
        "settings": settings,
        "games": [packer.packed() for packer in packers],
        "inline": inline,
        "shards": _index(library, table),
        "search_words": search_words([packer.collector.link for packer in packers], words),
        "numbers": numbers,
    }
    reading = next(iter(settings.languages), words.lang)
    env = environment(settings.templates, words, reading=reading)
    return render(env, "pack.html", "pack.html", values)


def _index(library: Library, table: FormTable) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder, analysed = Path(name) / "search", documents(library, table)
        buckets = sorted((folder / write_index(library, table, analysed, folder)).iterdir())
        return "".join(path.read_text(encoding="utf-8") for path in (*buckets, folder / BASE))


class _Packer:
    """Collects what the pack shows of a game. Adds the game's rulings to `numbers`, by key.

    `languages`: of the pack; the glossary is in the order of the first that the game has.
    """

    def __init__(
        self,
        collector: PageCollector,
        library: Library,
        numbers: dict[str, int],
        languages: Sequence[str],
    ) -> None:
        self.collector, self.game, self.groups = collector, collector.game, collector.groups
        self.library, self.numbers = library, numbers
        self.cited: set[str] = set()
        own = (lang for lang in languages if lang in self.game.header.languages)
        self.language = next(own, self.game.language)
        for topic in self.game.topics:
            for ruling in self._read_under(topic):
                numbers[ruling.key] = len(numbers) + 1

    def _read_under(self, topic: str) -> list[Ruling]:
        """The rulings that are read under a topic: their folder's, else their first."""
        rulings = map(self.groups.rulings.__getitem__, self.groups.by_topic[topic])
        return [ruling for ruling in rulings if topic == _main_topic(ruling)]

    def _numbers(self, ids: Iterable[str]) -> list[int]:
        return [self.numbers[f"{self.game.id}/{ruling_id}"] for ruling_id in ids]

    def packed(self) -> SimpleNamespace:
        """What the pack shows of the game: topics, glossary, index of cards, sources that it cites.

        Of a topic: the rulings read under it, and the numbers of those that belong to it as well.
        Of a card: its anchor, its name and the numbers of its rulings.
        """
        topics = []
        for topic in self.game.header.topics:
            rulings = [self._ruling(ruling) for ruling in self._read_under(topic.id)]
            numbers = self._numbers(self.groups.by_topic[topic.id])
            others = sorted({*numbers}.difference(ruling.number for ruling in rulings))
            if numbers:
                titles = tuple(topic.title.items())
                topics.append(SimpleNamespace(titles=titles, rulings=rulings, others=others))
        letters = [
            (letter, [self._card(name) for name in names])
            for letter, names in by_initial(self.groups.by_card, self.game.language)
        ]
        return SimpleNamespace(
            game=self.game,
            language=self.language,
            topics=topics,
            terms=_explained(self.game, self.language),
            letters=letters,
            sources=[
                SimpleNamespace(entry=source, titles=tuple(source.title.items()))
                for source in self.game.sources
                if source.id in self.cited
            ],
        )

    def _card(self, name: str) -> tuple[str, str, list[int]]:
        numbers = sorted(self._numbers(self.groups.by_card[name]))
        return f"card-{self.game.id}-{self.groups.slugs[name]}", name, numbers

    def _ruling(self, ruling: Ruling) -> SimpleNamespace:
        """A ruling with its number, its provisions by source and its relations' numbers by name."""
        relations = self.library.relations(ruling)
        provisions: dict[str, list[str]] = {}
        for citation in ruling.header.sources:
            provisions.setdefault(citation.source, []).append(citation.provision)
        self.cited.update(provisions)
        return SimpleNamespace(
            number=self.numbers[ruling.key],
            ruling=ruling,
            status=self.library.standing(ruling.key),
            texts=[*map(self._text, ruling.texts)],
            provisions=provisions,
            relations={name: self._numbers(ids) for name, ids in relations.items() if ids},
        )

    def _text(self, text: Text) -> RulingText:
        game = self.game

        def card(label: str) -> str | None:
            slug = self.groups.card_slug(label)
            return f"#card-{game.id}-{slug}" if slug else None

        def term(term_id: str) -> tuple[str, str]:
            meaning = game.terms_by_id[term_id].meaning.get(text.lang, "")
            return f"#term-{game.id}-{term_id}", meaning

        links = LinkTargets(card, term, self.collector.finders.get(text.lang))
        return RulingText(text.lang, text.title, text.body, links, game.language == text.lang)


def _explained(game: Game, language: str) -> tuple[Term, ...]:
    """The terms that have a meaning in one of the game's languages, in the order of a language."""
    languages = game.header.languages
    terms = [term for term in game.terms if any(term.meaning.get(lang) for lang in languages)]
    return tuple(sorted(terms, key=lambda term: order(term.title(language), language)))


def _main_topic(ruling: Ruling) -> str:
    """The topic that a ruling is read under."""
    topics = ruling.header.topics
    return ruling.folder if ruling.folder in topics else topics[0]
