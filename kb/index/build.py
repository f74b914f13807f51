"""Library -> documents for an engine, and its words for the table of forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb.index.document import Document, document, folded_cards, stored_length
from kb.index.words import Analyser, vocabulary
from kb.language import Table
from kb.records.library import Library
from kb.records.standing import spans

__all__ = ["documents", "folded_cards", "stored_length", "vocabulary"]


def documents(library: Library, table: Table, keys: Iterable[str] | None = None) -> Iterator[Document]:
    """The library's good rulings, or those with some keys, analysed."""
    analysers = {game.id: Analyser(game, table) for game in library.games.values()}
    standing = spans(library.games, library.rulings)
    for ruling in library.rulings.values() if keys is None else map(library.rulings.__getitem__, keys):
        yield document(ruling, library.games[ruling.game], analysers[ruling.game], standing[ruling.key])
