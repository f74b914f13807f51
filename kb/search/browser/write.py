"""A whole browser's index from nothing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kb.core.memo import Memo
from kb.core.parallel import cpu_count, parallel_map
from kb.language import FormTable
from kb.records.library import Library
from kb.search.browser import rows
from kb.search.browser.index_writer import IndexWriter, Offline, meaning, row_length
from kb.search.browser.rows import Posting
from kb.search.browser.shards import Row

# So many rulings are analysed sooner by one process than a second one is started.
_FEW = 500


def write_offline(
    library: Library, table: FormTable, folder: Path, memo: Memo | None = None
) -> Offline:
    """Writes base.js and the shards into `folder`. The same library gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = IndexWriter(library, table, folder, memo or Memo(keep=False))
    postings, lemmas, layouts = _gather(writer)
    lines = writer.lines(lemmas)

    def by_name() -> Iterator[Row]:
        stems = filter(rows.is_stem, lines.words)
        for name in sorted({*postings, *lemmas, *stems}, key=rows.place_of):
            value = postings[name].row() if name in postings else meaning(name, lemmas, lines.words)
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


class _Gathered(NamedTuple):
    """What some documents add: postings, lemmas with their frequencies, layouts of segments."""

    postings: dict[str, Posting]
    lemmas: Counter[str]
    layouts: list[str]


def _gather(writer: IndexWriter) -> tuple[dict[str, Posting], dict[str, int], list[str]]:
    """The postings of all documents, the lemmas with their frequencies, and the layouts."""
    keys = [ruling.key for ruling in writer.rulings]
    size = max(1, -(-len(keys) // (cpu_count() if len(keys) > _FEW else 1)))
    starts = range(0, len(keys), size)
    parts = dict(
        parallel_map(
            lambda start: (start, _gather_some(writer, keys[start : start + size], start)), starts
        )
    )
    postings: dict[str, Posting] = {}
    lemmas: Counter[str] = Counter()
    layouts: list[str] = []
    for start in starts:
        part = parts.pop(start)
        for name, posting in part.postings.items():
            if name in postings:
                postings[name].extend(posting)
            else:
                postings[name] = posting
        lemmas.update(part.lemmas)
        layouts += part.layouts
    return postings, dict(sorted(lemmas.items())), layouts


def _gather_some(writer: IndexWriter, keys: Sequence[str], first: int) -> _Gathered:
    """What documents add whose numbers begin with `first`."""
    postings: dict[str, Posting] = defaultdict(Posting)
    lemmas: Counter[str] = Counter()
    layouts: list[str] = []
    for number, key in enumerate(keys, first):
        added, layout = writer.contribution(key)
        for name, positions in added.positions.items():
            postings[name].append(number, positions)
        lemmas.update(added.lemmas)
        layouts.append(layout)
    return _Gathered(postings, lemmas, layouts)
