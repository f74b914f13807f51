"""Rulings, cards and terms as they are read from any store.

Without SQLModel, because its import takes longer than `kb search`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from kb.core.problems import KbError, WrongUsage, posix_path
from kb.records.fields import Header
from kb.records.text import Text
from kb.records.validity import EVER, chain, latest_day, standing
from kb.records.values import Card

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Ruling

# The file of a build that holds the store.
STORE_FILE = "kb.sqlite"


@dataclass(frozen=True, kw_only=True)
class StoredRuling(Header):
    """A ruling: the fields of its header, its texts, and facts that follow from other rulings.

    Relations are ids of the same game, `related` in both directions. `cards` are labels, first the
    cards of `about`. For `begins`, `ends`, `since` and `until` see Validity.
    """

    id: str
    game: str
    texts: tuple[Text, ...]
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
    def standing(self) -> str:
        """How the ruling stands today, by its status and its dates."""
        return standing(self.status, self.begins, self.ends)

    @property
    def is_undated(self) -> bool:
        """Whether the first day in force is unknown."""
        return self.begins == EVER

    @property
    def key(self) -> str:
        return f"{self.game}/{self.id}"

    def text(self, lang: str) -> Text | None:
        return next((text for text in self.texts if text.lang == lang), None)

    def text_for(self, *languages: str) -> Text:
        """Return the text in the first of some languages that has one, else the original."""
        return next(filter(None, map(self.text, languages)), self.texts[0])


class Reader(Protocol):
    """The part of a build that `kb search`, `kb show`, `kb card` and `kb link` read.

    Every method raises NotBuilt when the build cannot be read.
    """

    def languages(self) -> dict[str, tuple[str, ...]]:
        """Return the languages of each game, its own first."""

    def keys(self, ruling_id: str, game: str = "") -> list[str]:
        """Return the keys `game/id` of rulings with an id, else with a former id.

        `game`: only of this game.
        """

    def rulings(self, keys: Iterable[str]) -> Iterator[StoredRuling]:
        """Return the rulings of some keys, in their order, without unknown keys."""

    def ruling(self, key: str) -> StoredRuling | None:
        """Return the ruling of a key `game/id`."""

    def ruling_ids(self, game: str) -> list[str]:
        """Return the ids of a game's rulings, sorted."""

    def rulings_on(self, game: str, labels: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the ids of rulings about some cards, and of rulings that only mention them."""

    def cards(self, game: str) -> Iterable[Card]:
        """Return the cards of a game, in the order of cards.tsv."""

    def not_cards(self, game: str) -> tuple[str, ...]:
        """Return a game's words that look like a card's name."""


def stored_ruling(ruling: Ruling, library: Library) -> StoredRuling:
    """Return a ruling of a library as it is stored."""
    above = posix_path(library.root / "_").removesuffix("_")
    derived = {
        **vars(library.validities[ruling.key]),
        **library.relations(ruling),
        "topics": tuple(dict.fromkeys(ruling.header.topics)),
        "overrides": tuple(dict.fromkeys(ruling.header.overrides)),
        "cards": tuple(ruling.cards()),
    }
    return StoredRuling(
        id=ruling.id,
        game=ruling.game,
        texts=tuple(Text(text.lang, text.title, text.body) for text in ruling.texts),
        asked_as=dict(ruling.asked_as),
        path=ruling.path.removeprefix(above),
        **{**vars(ruling.header), **derived},
    )


def require_known(reader: Reader, game: str | None, lang: str | None = None) -> None:
    """Raise WrongUsage for an unknown game or language."""
    languages = reader.languages()
    if game is not None and game not in languages:
        raise WrongUsage(f"no game {game!r}; choose one of {', '.join(languages)}")
    known = {code for codes in languages.values() for code in codes}
    if lang is not None and lang not in known:
        from kb.language import language_hint

        raise WrongUsage(f"no rulings in {lang!r}{language_hint(lang, sorted(known))}")


def in_force_on(store: Reader, ruling: StoredRuling, day: str) -> StoredRuling:
    """Return the newest ruling of a chain that was in force on a day.

    A month or year stands for its last day. Raises KbError when no ruling was in force.
    """
    members = {ruling.id: ruling}

    def neighbours(ruling_id: str) -> Iterator[str]:
        member = members[ruling_id]
        for other in (*member.superseded_by, *member.supersedes):
            neighbour = members.get(other) or store.ruling(f"{ruling.game}/{other}")
            if neighbour:
                members[other] = neighbour
                yield other

    rulings = [members[member] for member in chain(ruling.id, neighbours)]
    last = latest_day(day)
    in_force = [member for member in rulings if member.begins <= last < member.ends]
    if not in_force:
        dates = ", ".join(
            f"{member.id} ({member.effective or member.date or 'no date'})" for member in rulings
        )
        raise KbError(f"no ruling of this chain is known to have been in force on {day}: {dates}")
    return max(in_force, key=lambda member: (member.begins, member.id == ruling.id))
