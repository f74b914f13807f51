"""Library -> documents for the engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb.language import FormTable
from kb.records.library import Library
from kb.search.analyzer import Analyzers
from kb.search.document import Document, document


def documents(
    library: Library, table: FormTable, keys: Iterable[str] | None = None
) -> Iterator[Document]:
    """The library's good rulings, or those with some keys, analysed, in the order of their keys."""
    analyzers = Analyzers(library.games, table)
    for key in sorted(library.rulings if keys is None else keys):
        ruling = library.rulings[key]
        game = library.games[ruling.game]
        yield document(ruling, game, analyzers[game.id], library.spans[key])
