"""The event pack: the rulings of some games as one HTML file that needs nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

from kb.language import FormTable
from kb.linking.term_finder import TermFinder
from kb.records.library import Library
from kb.records.model import Game, Ruling, Term
from kb.records.syntax import Text
from kb.search.analyzer import documents
from kb.search.browser import BASE, write_index
from kb.search.browser.settings import SCRIPT, SCRIPT_FOLDER, joined
from kb.site.branding import Branding
from kb.site.collect import game_link
from kb.site.grouping import RulingGroups, by_initial, order
from kb.site.i18n import Catalog, search_words
from kb.site.markdown import Links, RulingText
from kb.site.render import environment, render
from kb.site.templates import Templates

_INLINE = ("kb.css", "pack.css", "pack.js")


@dataclass(frozen=True)
class PackSettings:
    """What a pack is made with besides the library.

    `languages`: of the texts, in the order of the columns; a ruling that is in none of them keeps
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
    """A library of some games, their texts in some languages; none named stands for all.

    `keys`: its rulings, by `game/id`; games without one are left out.
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
    """The whole file. `library` holds what shall be in it, see `subset`."""
    packer = _Packer(library, table)
    core = (settings.templates / f"static/{SCRIPT_FOLDER}").parent
    inline = {
        name: (settings.templates / f"static/{name}").read_text(encoding="utf-8")
        for name in _INLINE
    }
    inline["kb.css"] = settings.branding.colours(inline["kb.css"], library.games.values())
    values = {
        "settings": settings,
        "games": [packer.game(game) for game in library.games.values()],
        "inline": {SCRIPT: joined(core), **inline},
        "shards": _index(library, table),
        "search_words": search_words([*map(game_link, library.games.values())], words),
        "numbers": packer.numbers,
    }
    return render(environment(settings.templates, words), "pack.html", "pack.html", values)


def _index(library: Library, table: FormTable) -> str:
    """The browser's index as one script."""
    with tempfile.TemporaryDirectory() as name:
        folder, analysed = Path(name) / "search", documents(library, table)
        buckets = sorted((folder / write_index(library, table, analysed, folder)).iterdir())
        return "".join(path.read_text(encoding="utf-8") for path in (*buckets, folder / BASE))


class _Packer:
    """Numbers the rulings of all games, and collects what each game shows."""

    def __init__(self, library: Library, table: FormTable) -> None:
        self.library = library
        self.numbers: dict[str, int] = {}
        self.groups = {game.id: RulingGroups(game, library) for game in library.games.values()}
        self.finders = {
            (game.id, lang): TermFinder(game.terms, lang, table)
            for game in library.games.values()
            for lang in game.languages
            if game.terms
        }
        for groups in self.groups.values():
            for topic in groups.game.topics:
                for ruling in self._read_under(groups, topic):
                    self.numbers[ruling.key] = len(self.numbers) + 1

    @staticmethod
    def _read_under(groups: RulingGroups, topic: str) -> list[Ruling]:
        """The rulings that are read under a topic: their folder's, else their first."""
        return [ruling for ruling in groups.of_topic(topic) if topic == _main_topic(ruling)]

    def game(self, game: Game) -> SimpleNamespace:
        """What the pack shows of a game: its topics, its glossary and its index of cards.

        Of a topic: the rulings read under it, and the numbers of those that belong to it as well.
        """
        groups = self.groups[game.id]
        topics = []
        for topic in game.header.topics:
            here = self._read_under(groups, topic.id)
            others = [ruling for ruling in groups.of_topic(topic.id) if ruling not in here]
            if here or others:
                titles = tuple(topic.title.items())
                numbers = sorted(self.numbers[ruling.key] for ruling in others)
                rulings = [*map(self._ruling, here)]
                topics.append(SimpleNamespace(titles=titles, rulings=rulings, others=numbers))
        terms, letters = _explained(game), self._cards(groups)
        return SimpleNamespace(game=game, topics=topics, terms=terms, letters=letters)

    def _ruling(self, ruling: Ruling) -> SimpleNamespace:
        """A ruling, numbered through the whole pack. `other`: related rulings, by relation."""
        other = {
            name: [self.numbers[f"{ruling.game}/{one}"] for one in ids]
            for name, ids in self.library.relations(ruling).items()
            if ids
        }
        return SimpleNamespace(
            number=self.numbers[ruling.key],
            ruling=ruling,
            texts=[self._text(ruling, text) for text in ruling.texts],
            citations=[*map(str, ruling.header.sources)],
            other=other,
        )

    def _text(self, ruling: Ruling, text: Text) -> RulingText:
        groups, game = self.groups[ruling.game], self.library.games[ruling.game]

        def card(label: str) -> str | None:
            slug = groups.card_slug(label)
            return f"#card-{game.id}-{slug}" if slug else None

        def term(term_id: str) -> tuple[str, str]:
            meaning = game.terms_by_id[term_id].meaning.get(text.lang, "")
            return f"#term-{game.id}-{term_id}", meaning

        links = Links(card, term, self.finders.get((game.id, text.lang)))
        is_original = game.language == text.lang
        return RulingText(text.lang, text.title, text.body, links, is_original)

    def _cards(self, groups: RulingGroups) -> list[tuple[str, list[tuple[str, str, list[int]]]]]:
        """Cards by initial: of each its anchor, its name and the numbers of its rulings."""
        game = groups.game
        return [
            (
                letter,
                [
                    (
                        f"card-{game.id}-{groups.slugs[name]}",
                        name,
                        sorted(self.numbers[f"{game.id}/{one}"] for one in groups.by_card[name]),
                    )
                    for name in names
                ],
            )
            for letter, names in by_initial(groups.by_card, game.language)
        ]


def _explained(game: Game) -> tuple[Term, ...]:
    """The terms that have a meaning in one of the game's languages, in the order of its own."""
    languages = game.header.languages
    terms = [term for term in game.terms if any(term.meaning.get(lang) for lang in languages)]
    return tuple(sorted(terms, key=lambda term: order(term.title(game.language), game.language)))


def _main_topic(ruling: Ruling) -> str:
    """The topic that a ruling is read under."""
    topics = ruling.header.topics
    return ruling.folder if ruling.folder in topics else topics[0]
