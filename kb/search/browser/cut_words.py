"""The shards that depend on the table of forms, cut for an index that is made from nothing.

Going through all forms takes most of the time of a small base's index. Indexes with the same table
and the same lemmas have the same shards, but for postings that may lie beside forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kb.core.derived_data import DerivedData
from kb.core.json import data_hash
from kb.search.browser.index_writer import SIZES, IndexWriter
from kb.search.browser.shards import Shard
from kb.search.browser.together import Unwritten

_KIND = "words"
# The keys of the first and the last row of a shard, and its data.
_Cut = tuple[str, str, Any]


class CutWords(NamedTuple):
    """Shards by kind, before they are written.

    `words`: the words of the texts that may mean a lemma, by `lang:lemma`.
    """

    words: Mapping[str, str]
    shards: Mapping[str, Sequence[_Cut]]


def write_cut(writer: IndexWriter, cut: Mapping[str, Sequence[_Cut]]) -> dict[str, list[Shard]]:
    """Write shards, by kind; those of forms that get postings are only held."""
    return {
        kind: [
            Shard(first, last, writer.files_of(kind).write(kind, data))
            for first, last, data in several
        ]
        for kind, several in cut.items()
    }


def cut_words(writer: IndexWriter, lemmas: Mapping[str, int]) -> CutWords:
    """Cut the shards. `lemmas`: those that documents have."""
    lines, held = writer.lines(lemmas), Unwritten(writer.files)
    shards = writer.word_shards(lines, held)
    return CutWords(
        lines.words,
        {
            kind: [(one.first, one.last, held.forms(one.hash)) for one in several]
            for kind, several in shards.items()
        },
    )


def derived_words(
    writer: IndexWriter, lemmas: Mapping[str, int], derived: DerivedData | None
) -> CutWords:
    """The same as `cut_words`, from what an earlier index has kept where that is there."""
    if derived is None:
        return cut_words(writer, lemmas)
    keys = {lang: writer.table.key(lang) for lang in writer.languages}
    key = data_hash([SIZES, keys, [*lemmas]])
    known = derived.read_json(_KIND, key)
    if known is not None:
        return CutWords(*known)
    found = cut_words(writer, lemmas)
    derived.keep_json(_KIND, key, [found.words, found.shards])
    return found
