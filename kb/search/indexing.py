"""Library -> documents for the indexes, and its words for the table of forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kb.core.parallel import cpu_count, parallel_map
from kb.language import FormTable
from kb.records.library import Library
from kb.search.analyzer import Analyzer, vocabulary
from kb.search.document import Document, document, folded_cards, stored_length

if TYPE_CHECKING:
    from kb.search.postings_builder import BuiltPostings, PostingsBuilder

__all__ = ["documents", "folded_cards", "gather", "stored_length", "vocabulary"]


# So many rulings are analysed sooner by one process than a second one is started.
_FEW = 500


def documents(
    library: Library, table: FormTable, keys: Iterable[str] | None = None
) -> Iterator[Document]:
    """The library's good rulings, or those with some keys, analysed."""
    analysers = {game.id: Analyzer(game, table) for game in library.games.values()}
    for ruling in (
        library.rulings.values() if keys is None else map(library.rulings.__getitem__, keys)
    ):
        yield document(
            ruling, library.games[ruling.game], analysers[ruling.game], library.spans[ruling.key]
        )


def gather(library: Library, table: FormTable) -> BuiltPostings:
    """All of the library's good rulings, analysed on all cores."""
    from kb.search.postings_builder import PostingsBuilder, contiguous

    rulings = list(library.rulings.values())
    sizes = [sum(len(text.body) for text in ruling.texts) for ruling in rulings]
    parts = contiguous(sizes, cpu_count() if len(rulings) > _FEW else 1)

    def some(number: int) -> tuple[int, PostingsBuilder]:
        made = PostingsBuilder()
        for one in documents(library, table, [ruling.key for ruling in rulings[parts[number]]]):
            made.add(one)
        return number, made

    whole, waiting, taken = PostingsBuilder(), dict[int, "PostingsBuilder"](), 0
    for number, part in parallel_map(some, range(len(parts))):
        waiting[number] = part
        while taken in waiting:
            whole.take(waiting.pop(taken))
            taken += 1
    return whole.done()
