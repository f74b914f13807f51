"""The event pack: the rulings of some games as one HTML file that needs nothing else, on screen, in print and as a PDF."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.language import FormTable
from kb.linking.term_finder import TermFinder
from kb.records.library import Library
from kb.records.marks import ruling_cards
from kb.records.model import Game, Ruling, Term
from kb.search.browser import BASE, modules, write_offline
from kb.site import markdown
from kb.site.collate import initial, order
from kb.site.collect import PageCollector
from kb.site.i18n import Catalog, search_words
from kb.site.pages import TextPart
from kb.site.render import environment, render


@dataclass(frozen=True)
class PackedRuling:
    """A ruling in the pack; `number` counts through the whole pack, `other` are numbers of rulings that it is tied to."""

    number: int
    ruling: Ruling
    texts: tuple[TextPart, ...]
    citations: tuple[str, ...]
    other: dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class PackedTopic:
    """A topic: the rulings that are filed under it, and the numbers of those that also belong to it."""

    titles: tuple[tuple[str, str], ...]
    rulings: tuple[PackedRuling, ...]
    others: tuple[int, ...]


@dataclass(frozen=True)
class PackedGame:
    """A game: its topics, its glossary and its index of cards by initial letter, with numbers of rulings."""

    game: Game
    topics: tuple[PackedTopic, ...]
    terms: tuple[Term, ...]
    letters: tuple[tuple[str, tuple[tuple[str, str, tuple[int, ...]], ...]], ...]


@dataclass(frozen=True)
class PackSettings:
    """`languages`: of the texts, in the order of the columns; a ruling that is in none of them keeps its original."""

    templates: Path
    build_id: str
    build_date: str
    languages: tuple[str, ...] = ()


def subset(library: Library, games: Sequence[str], languages: Sequence[str]) -> Library:
    """A library of some games (all when none is named), their texts in some languages (all when none is named)."""
    chosen = [game for game in library.games if not games or game in games]
    made = Library(
        library.root, {game: _narrowed(library.games[game], languages) for game in chosen}
    )
    for key, ruling in library.rulings.items():
        if ruling.game in made.games:
            texts = [ruling.text(lang) for lang in languages]
            found = tuple(text for text in texts if text is not None) or (
                ruling.texts if not languages else (ruling.original,)
            )
            made.rulings[key] = ruling.model_copy(update={"texts": found})
    return made


def _narrowed(game: Game, languages: Sequence[str]) -> Game:
    """Searching looks into the languages of a game; its own stays, since a ruling may be in no other."""
    if not languages:
        return game
    kept = tuple(
        lang for lang in game.header.languages if lang in languages or lang == game.language
    )
    return game.model_copy(update={"header": game.header.model_copy(update={"languages": kept})})


def pack(library: Library, table: FormTable, settings: PackSettings, words: Catalog) -> str:
    """The whole file. `library` holds what shall be in it, see `subset`."""
    packer = _Packer(library, table)
    env = environment(settings.templates, words)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "search"
        write_offline(library, table, place)
        shards = [
            path.read_text(encoding="utf-8")
            for path in sorted(place.glob("*.js"))
            if path.name != BASE
        ]
        shards.append((place / BASE).read_text(encoding="utf-8"))
    static = settings.templates / "static"
    inline = {
        name: (static / name).read_text(encoding="utf-8")
        for name in ("kb.css", "pack.css", "pack.js")
    }
    inline[modules.SCRIPT] = modules.joined(static)
    values = {
        "settings": settings,
        "games": [packer.game(game) for game in library.games.values()],
        "inline": inline,
        "shards": "".join(shards),
        "search_words": search_words(library, words),
        "numbers": packer.numbers,
    }
    return render(env, "pack.html", "pack.html", values)


class _Packer:
    def __init__(self, library: Library, table: FormTable) -> None:
        self.library, self.table = library, table
        self.numbers: dict[str, int] = {}
        self.gatherers = {
            game.id: PageCollector(game, library, table) for game in library.games.values()
        }
        for gatherer in self.gatherers.values():
            for _, rulings in self._filed(gatherer):
                for ruling in rulings:
                    self.numbers[ruling.key] = len(self.numbers) + 1

    @staticmethod
    def _filed(gatherer: PageCollector) -> Iterator[tuple[str, list[Ruling]]]:
        """Each topic with the rulings that are read there: in their folder's topic, else in their first."""
        for topic in gatherer.game.topics:
            found = gatherer.of_topic(topic)
            yield topic, [one for one in found if topic == _home(one)]

    def game(self, game: Game) -> PackedGame:
        gatherer = self.gatherers[game.id]
        topics = []
        for topic, rulings in self._filed(gatherer):
            others = [
                self.numbers[one.key] for one in gatherer.of_topic(topic) if _home(one) != topic
            ]
            packed = tuple(self._ruling(one, gatherer) for one in rulings)
            if packed or others:
                topics.append(
                    PackedTopic(
                        tuple(game.topics[topic].title.items()), packed, tuple(sorted(others))
                    )
                )
        return PackedGame(game, tuple(topics), _explained(game), self._cards(gatherer))

    def _ruling(self, ruling: Ruling, gatherer: PageCollector) -> PackedRuling:
        ties = self.library.related(ruling)
        other = {
            name: tuple(self.numbers[f"{ruling.game}/{one}"] for one in ids)
            for name, ids in ties.items()
            if ids
        }
        texts = tuple(self._text(ruling, place, gatherer) for place in range(len(ruling.texts)))
        return PackedRuling(
            self.numbers[ruling.key],
            ruling,
            texts,
            tuple(str(one) for one in ruling.header.sources),
            other,
        )

    def _text(self, ruling: Ruling, place: int, gatherer: PageCollector) -> TextPart:
        text, game = ruling.texts[place], gatherer.game
        original = self.library.games[ruling.game].language == text.lang
        finder: TermFinder | None = gatherer.finders.get(text.lang)

        def card(label: str) -> str | None:
            cards = game.cards_named(label)
            return f"#card-{game.id}-{gatherer.pieces[cards[0].name]}" if cards else None

        def term(term_id: str) -> tuple[str, str]:
            return f"#term-{game.id}-{term_id}", game.terms_by_id[term_id].meaning.get(
                text.lang, ""
            )

        links = markdown.Links(card, term, finder)
        first, _, rest = text.body.partition("\n\n")
        answer = markdown.render(first, links)
        return TextPart(text.lang, text.title, answer, markdown.render(rest, links), original)

    def _cards(
        self, gatherer: PageCollector
    ) -> tuple[tuple[str, tuple[tuple[str, str, tuple[int, ...]], ...]], ...]:
        lang = gatherer.game.language
        found: dict[str, set[int]] = {}
        for ruling in gatherer.rulings.values():
            for label in ruling_cards(ruling):
                for card in gatherer.game.cards_named(label):
                    found.setdefault(card.name, set()).add(self.numbers[ruling.key])
        letters: dict[str, list[tuple[str, str, tuple[int, ...]]]] = {}
        for name in sorted(found, key=lambda one: order(one, lang)):
            row = (
                f"card-{gatherer.game.id}-{gatherer.pieces[name]}",
                name,
                tuple(sorted(found[name])),
            )
            letters.setdefault(initial(name, lang), []).append(row)
        return tuple((letter, tuple(rows)) for letter, rows in letters.items())


def _explained(game: Game) -> tuple[Term, ...]:
    """The terms that have a meaning in one of the game's languages, in the order of its own."""
    kept = [
        term for term in game.terms if any(term.meaning.get(lang) for lang in game.header.languages)
    ]
    return tuple(sorted(kept, key=lambda term: order(term.title(game.language), game.language)))


def _home(ruling: Ruling) -> str:
    return ruling.folder if ruling.folder in ruling.header.topics else ruling.header.topics[0]
