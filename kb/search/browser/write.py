"""A whole browser's index from nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kb.core.memo import Memo
from kb.language import FormTable
from kb.records.library import Library
from kb.search.browser import rows
from kb.search.browser.index_writer import IndexWriter, Offline, meaning, row_length
from kb.search.browser.shards import Row


def write_offline(
    library: Library, table: FormTable, folder: Path, memo: Memo | None = None
) -> Offline:
    """Writes base.js and the shards into `folder`. The same library gives the same bytes."""
    # An update does not load numpy.
    from kb.search.browser.gather import gather

    folder.mkdir(parents=True, exist_ok=True)
    writer = IndexWriter(library, table, folder, memo or Memo(keep=False))
    postings, counts, layouts = gather(writer)
    lemmas = dict(sorted(counts.items()))
    lines = writer.lines(lemmas)

    def by_name() -> Iterator[Row]:
        stems = filter(rows.is_stem, lines.words)
        for name in sorted({*postings, *lemmas, *stems}, key=rows.place_of):
            value = postings.row(name) if name in postings else meaning(name, lemmas, lines.words)
            yield rows.key_of(name), (name, value), row_length(name, value)

    shards = {
        "p": writer.cutter("p").all(by_name()),
        "n": writer.cutter("n").all(writer.names()),
        "c": writer.cards(),
        "x": writer.cutter("x").all(map(rows.shown, writer.rulings)),
        **writer.word_shards(lines),
    }
    made = lines.made = writer.finish(lemmas, layouts, shards)
    return made
