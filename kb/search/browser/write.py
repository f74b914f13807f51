"""A whole browser's index from nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from kb.core.derived_data import DerivedData
from kb.core.memo import Memo
from kb.language import FormTable
from kb.records.library import Library
from kb.search.browser import rows
from kb.search.browser.cut_words import derived_words, write_cut
from kb.search.browser.index_writer import IndexWriter, Offline, meaning, posting_row
from kb.search.browser.together import is_of_word, write_together
from kb.search.browser.word_lines import WordLines


def write_offline(
    library: Library,
    table: FormTable,
    folder: Path,
    memo: Memo | None = None,
    derived: DerivedData | None = None,
) -> Offline:
    """Writes base.js and the shards into `folder`. The same library gives the same bytes.

    `memo`: keeps the rows of words for updates by this process; `derived`: for the next index that
    is made from nothing.
    """
    # An update does not load numpy.
    from kb.search.browser.gather import gather

    folder.mkdir(parents=True, exist_ok=True)
    writer = IndexWriter(library, table, folder, memo or Memo(keep=False))
    postings, counts, layouts = gather(writer)
    lemmas = dict(sorted(counts.items()))
    words, cut = derived_words(writer, lemmas, derived)

    stems = filter(rows.is_stem, words)
    names = sorted({*postings, *lemmas, *stems}, key=rows.place_of)

    def by_name(several: Iterable[str]) -> Iterator[tuple[str, list[int] | str]]:
        for name in several:
            yield (
                name,
                postings.row(name) if name in postings else meaning(name, lemmas, words),
            )

    apart = [name for name in names if not is_of_word(name)] if writer.is_small else names
    shards = {
        "p": writer.cutter("p").all(map(posting_row, by_name(apart))),
        "n": writer.cutter("n").all(writer.names()),
        "c": writer.cards(),
        "x": writer.cutter("x").all(map(rows.shown, writer.rulings)),
        **write_cut(writer, cut),
    }
    if writer.is_small:
        of_words = by_name(filter(is_of_word, names))
        shards["f"] = write_together(writer.unwritten, writer.files, shards["f"], of_words)
    made = writer.finish(lemmas, layouts, shards)
    writer.memo.state("lines", WordLines).made = made
    return made
