"""Card links beside the curators' marks: every mention that is one card or one name becomes a mark of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kb.language import Table
from kb.problems import Problem
from kb.records.library import Library
from kb.records.mentions import CardFinder, unmarked, with_marks
from kb.records.model import Ruling, Text

Finders = dict[tuple[str, str], CardFinder]


def finders(library: Library, table: Table) -> Finders:
    """A finder for each game and language of a library."""
    return {
        (game.id, lang): CardFinder(game.cards, game.header.not_cards, lang, table)
        for game in library.games.values()
        for lang in game.header.languages
        if game.cards
    }


def linked(library: Library, table: Table) -> Library:
    """The library with a mark for each card that its texts name and nobody has marked."""
    found = finders(library, table)
    rulings = {key: _linked(ruling, found) for key, ruling in library.rulings.items()}
    return replace(library, rulings=rulings)


def _linked(ruling: Ruling, found: Finders) -> Ruling:
    texts = tuple(_text(text, found.get((ruling.game, text.lang))) for text in ruling.texts)
    return ruling if texts == ruling.texts else ruling.model_copy(update={"texts": texts})


def _text(text: Text, finder: CardFinder | None) -> Text:
    mentions = unmarked(text.body, finder) if finder else []
    return text.model_copy(update={"body": with_marks(text.body, mentions)}) if mentions else text


def suggestions(library: Library, table: Table) -> Iterator[Problem]:
    """A line for each unmarked mention, with the mark to paste; for one that the text leaves open, what it may be."""
    found = finders(library, table)
    for ruling in library.rulings.values():
        for text in ruling.texts:
            finder = found.get((ruling.game, text.lang))
            for one in unmarked(text.body, finder) if finder else ():
                line = text.body_line + text.body.count("\n", 0, one.start)
                if one.label is None:
                    choices = " or ".join(f"[[{label}|{one.surface}]]" for label in one.candidates)
                    yield Problem(
                        ruling.path, line, f"{one.surface!r} may be several cards; write {choices}, or [[-|{one.surface}]]"
                    )
                else:
                    yield Problem(
                        ruling.path,
                        line,
                        f"{one.surface!r} -> {with_marks(one.surface, [one._replace(start=0, end=len(one.surface))])}",
                    )


def left_open(library: Library, table: Table) -> Iterator[Problem]:
    """Only those of the suggestions that a curator has to decide: the text names one of several cards."""
    return (one for one in suggestions(library, table) if "may be several cards" in one.message)
