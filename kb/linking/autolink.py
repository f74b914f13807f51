"""Automatic card links: every mention of a single card or name becomes a mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from kb.core.parallel import map_chunks
from kb.core.problems import Problem
from kb.language import FormTable
from kb.linking.card_finder import CardFinder, Mention, insert_marks, unmarked_mentions
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.records.text import Text, write_mark

Finders = dict[tuple[str, str], CardFinder]
# Rulings that a process links at a time.
_CHUNK = 250


def finders(games: Iterable[Game], table: FormTable) -> Finders:
    """A finder for each game with cards and each of its languages."""
    return {
        (game.id, lang): CardFinder(game.cards, game.header.not_cards, lang, table)
        for game in games
        if game.cards
        for lang in game.header.languages
    }


def autolink(library: Library, table: FormTable) -> Library:
    """The library with a mark for each unmarked mention of a card."""
    rulings = {ruling.key: ruling for ruling in linked(library, table, library.rulings)}
    return replace(library, rulings=rulings)


def linked(library: Library, table: FormTable, keys: Iterable[str]) -> list[Ruling]:
    """Return some rulings of a library with these marks, linked on all cores."""
    rulings = [library.rulings[key] for key in keys]
    by_game_and_language = finders(library.games.values(), table)

    def changed_bodies(ruling: Ruling) -> list[str]:
        """Return the bodies of a ruling that gets a mark; empty for others."""
        bodies = [_linked_body(ruling, text, by_game_and_language) for text in ruling.texts]
        return bodies if bodies != [text.body for text in ruling.texts] else []

    chunks = map_chunks(lambda part: [*map(changed_bodies, part)], rulings, _CHUNK)
    return [
        ruling.with_bodies(bodies) if bodies else ruling
        for ruling, bodies in zip(rulings, chain.from_iterable(chunks), strict=True)
    ]


def _linked_body(ruling: Ruling, text: Text, by_game_and_language: Finders) -> str:
    finder = by_game_and_language.get((ruling.game, text.lang))
    return insert_marks(text.body, unmarked_mentions(text.body, finder)) if finder else text.body


def suggestions(
    library: Library, table: FormTable, *, only_ambiguous: bool = False
) -> Iterator[Problem]:
    """Yield a problem for each unmarked mention, with the mark to paste or the choices.

    `only_ambiguous`: only for mentions that leave the card open, which a curator decides.
    """
    by_game_and_language = finders(library.games.values(), table)
    for ruling in library.rulings.values():
        for text in ruling.texts:
            finder = by_game_and_language.get((ruling.game, text.lang))
            for mention in unmarked_mentions(text.body, finder) if finder else ():
                if mention.label is None or not only_ambiguous:
                    line = text.body_line + text.body.count("\n", 0, mention.start)
                    yield Problem(ruling.path, line, _advice(mention))


def _advice(mention: Mention) -> str:
    surface = mention.words
    if mention.label is not None:
        return f"{surface!r} -> {write_mark(mention.label, surface)}"
    choices = " or ".join(f"[[{label}|{surface}]]" for label in mention.candidates)
    return f"{surface!r} may be several cards; write {choices}, or [[-|{surface}]]"
