"""Rulings, cards and terms as readers get them, whatever they are stored in.

Nothing here needs SQLModel, whose import takes longer than a whole `kb search`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

from kb.core.problems import posix_path
from kb.records.fields import Header
from kb.records.validity import EVER, chain, latest_day

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Game, Ruling

from kb.core.problems import KbError


@dataclass(frozen=True)
class StoredText:
    """A ruling's text in one language; `body` is Markdown with card marks."""

    lang: str
    title: str
    body: str


@dataclass(frozen=True, kw_only=True)
class StoredRuling(Header):
    """A ruling: the fields of its header, and what follows from its texts and other rulings.

    Relations name ids of the same game, `related` both ways; `cards` are labels, those it is about
    first. It is valid from the day `begins` up to, not including, `ends`; `since` and `until` are
    these days as they are written, empty where they are unknown.
    """

    id: str
    game: str
    texts: tuple[StoredText, ...]
    asked_as: dict[str, tuple[str, ...]]
    cards: tuple[str, ...]
    superseded_by: tuple[str, ...]
    examples: tuple[str, ...]
    path: str
    begins: str
    ends: str
    since: str
    until: str

    @property
    def is_undated(self) -> bool:
        """Whether nobody knows since when it has been in force."""
        return self.begins == EVER

    @property
    def key(self) -> str:
        """`game/id`."""
        return f"{self.game}/{self.id}"

    def text(self, lang: str) -> StoredText | None:
        """The text in a language, if there is one."""
        return next((text for text in self.texts if text.lang == lang), None)


@dataclass(frozen=True)
class StoredCard:
    """A card; `label` is `Name (X)` or the bare name."""

    game: str
    name: str
    version: str
    label: str
    sets: tuple[str, ...]
    type: str
    side: str
    subtypes: str
    other_names: tuple[str, ...]
    keywords: tuple[str, ...]


# The fields of a card in the records, too.
CARD_FACTS = tuple(field.name for field in fields(StoredCard) if field.name != "game")


@dataclass(frozen=True)
class StoredTerm:
    """A term: its names by language, the preferred one first, and its meanings."""

    id: str
    names: Mapping[str, tuple[str, ...]]
    meanings: Mapping[str, str]


@dataclass(frozen=True)
class StoredGame:
    """A game with its cards; its own language is the first."""

    id: str
    languages: tuple[str, ...]
    not_cards: tuple[str, ...]
    cards: tuple[StoredCard, ...]


class Reader(Protocol):
    """What `kb search`, `kb show`, `kb card` and `kb link` read of a build.

    Every method raises NotBuilt when the build cannot be read.
    """

    def languages(self) -> dict[str, tuple[str, ...]]:
        """The languages of each game, its own first."""

    def keys(self, ruling_id: str) -> list[str]:
        """The keys `game/id` of the rulings with an id (or a former id), in every game."""

    def rulings(self, keys: Iterable[str]) -> Iterator[StoredRuling]:
        """The rulings with some keys, in their order; unknown keys are left out."""

    def ruling(self, key: str) -> StoredRuling | None:
        """The ruling with the key `game/id`, if there is one."""

    def ruling_ids(self, game: str) -> list[str]:
        """The ids of a game's rulings, in order."""

    def rulings_on(self, game: str, labels: Iterable[str]) -> tuple[list[str], list[str]]:
        """The ids of the rulings about any of these cards, and of those that mention them."""

    def cards(self, game: str | None = None) -> Iterable[StoredCard]:
        """The cards of a game, or of all, in the order of their catalogues."""

    def not_cards(self, game: str) -> tuple[str, ...]:
        """The words that look like a card's name in a game and are not."""

    def close(self) -> None:
        """End reading."""

    def __enter__(self) -> Reader: ...

    def __exit__(self, *_: object) -> None: ...


def stored_ruling(ruling: Ruling, library: Library) -> StoredRuling:
    """Return a ruling of a library as readers get it."""
    above = posix_path(library.root / "_").removesuffix("_")
    derived = {
        **vars(library.spans[ruling.key]),
        **library.relations(ruling),
        "topics": tuple(dict.fromkeys(ruling.header.topics)),
        "overrides": tuple(dict.fromkeys(ruling.header.overrides)),
        "cards": tuple(ruling.cards()),
    }
    return StoredRuling(
        id=ruling.id,
        game=ruling.game,
        texts=tuple(StoredText(text.lang, text.title, text.body) for text in ruling.texts),
        asked_as=dict(ruling.asked_as),
        path=ruling.path.removeprefix(above),
        **{**vars(ruling.header), **derived},
    )


def stored_game(game: Game) -> StoredGame:
    """Return a game as readers get it."""
    languages = game.languages
    cards = (
        StoredCard(game.id, **{name: getattr(card, name) for name in CARD_FACTS})
        for card in game.cards
    )
    return StoredGame(game.id, languages, tuple(game.header.not_cards), tuple(cards))


def in_force_on(store: Reader, ruling: StoredRuling, day: str) -> StoredRuling:
    """Return the ruling of a chain that was in force on a day, the newest if there were several.

    `day`: a date, or the last day of a month or year. Raises KbError when none was in force.
    """
    known = {ruling.id: ruling}

    def neighbours(ruling_id: str) -> Iterator[str]:
        member = known[ruling_id]
        for other in (*member.superseded_by, *member.supersedes):
            neighbour = known.get(other) or store.ruling(f"{ruling.game}/{other}")
            if neighbour:
                known[other] = neighbour
                yield other

    rulings = [known[member] for member in chain(ruling.id, neighbours)]
    last = latest_day(day)
    in_force = [member for member in rulings if member.begins <= last < member.ends]
    if not in_force:
        dates = ", ".join(
            f"{member.id} ({member.effective or member.date or 'no date'})" for member in rulings
        )
        raise KbError(f"no ruling of this chain is known to have been in force on {day}: {dates}")
    return max(in_force, key=lambda member: (member.begins, member.id == ruling.id))
