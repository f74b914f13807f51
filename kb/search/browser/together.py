"""Postings of words in the files of their forms, for a small base: a query asks for half the files.

The files are cut by the forms alone: what rulings say changes none of their beginnings.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kb.search.browser import rows
from kb.search.browser.shards import Files, Shard, order, starts

# What keys of postings begin with that are no words: ideas, rules' numbers, values of fields.
_MARKS = ("!", "#", "@")


class Unwritten(Files):
    """Holds the forms of shards until their postings are known; stands for the folder of files."""

    def __init__(self, files: Files) -> None:
        super().__init__(files.folder)
        self._forms: dict[str, object] = {}

    def write(self, kind: str, data: object) -> str:
        """Hold the forms of a shard; return what stands for its hash, which is shorter than any."""
        name = str(len(self._forms))
        self._forms[name] = data
        return name

    def forms(self, name: str) -> object:
        """The forms of a shard, held or read from its file."""
        return self._forms[name] if name in self._forms else self.read("f", name)[0]


def is_of_word(name: str) -> bool:
    """Whether a posting is that of a word or a lemma."""
    return not rows.key_of(name).startswith(_MARKS)


class Places:
    """Which of some shards of forms has a posting."""

    def __init__(self, shards: Sequence[Shard]) -> None:
        self._starts = [order(start) for start in starts(shards)]

    def of(self, name: str) -> int:
        """The number of the shard; the first one has all that comes before it."""
        return max(0, bisect_right(self._starts, order(rows.key_of(name))) - 1)


def write_together(
    unwritten: Unwritten, files: Files, forms: Sequence[Shard], postings: Iterable[tuple[str, Any]]
) -> list[Shard]:
    """Write shards of forms, each with the postings of its words, which are in order."""
    forms = forms or [_without_forms(unwritten)]
    places = Places(forms)
    own: dict[int, dict[str, Any]] = {number: {} for number in range(len(forms))}
    for name, row in postings:
        own[places.of(name)][name] = row
    return _written(unwritten, files, forms, own)


def update_together(
    unwritten: Unwritten,
    files: Files,
    before: Sequence[Shard],
    forms: Sequence[Shard],
    changed: Mapping[str, list[int] | str],
) -> list[Shard]:
    """Write the shards again that have other forms or postings than before.

    `changed`: the rows of postings that have changed, empty where there is none any more.
    """
    forms = forms or [_without_forms(unwritten)]
    places = Places(forms)
    old, new = _spans(before), _spans(forms)
    same = set(old).intersection(new) - {new[places.of(name)] for name in changed}
    own: dict[int, dict[str, Any]] = {
        number: {} for number, span in enumerate(new) if span not in same
    }
    # The others begin and end where those did that are gone.
    gone = (shard for span, shard in zip(old, before, strict=True) if span not in same)
    postings = {**dict(read_postings(files, gone)), **changed}
    for name in filter(postings.get, sorted(postings, key=rows.place_of)):
        own[places.of(name)][name] = postings[name]
    return _written(unwritten, files, forms, own)


def _without_forms(unwritten: Unwritten) -> Shard:
    return Shard("", "", unwritten.write("f", ""))


def _spans(shards: Sequence[Shard]) -> list[tuple[str, str | None, str]]:
    """Where each shard begins, where the next one does, and the hash."""
    begin = starts(shards)
    hashes = [shard.hash for shard in shards]
    return list(zip(begin, [*begin[1:], None], hashes, strict=True))


def _written(
    unwritten: Unwritten,
    files: Files,
    forms: Sequence[Shard],
    postings: Mapping[int, Mapping[str, Any]],
) -> list[Shard]:
    """Write those shards whose postings are given by their numbers."""
    shards = list(forms)
    for number, own in postings.items():
        data = [unwritten.forms(shards[number].hash), own]
        shards[number] = shards[number]._replace(hash=files.write("f", data))
    return shards


def read_postings(files: Files, shards: Iterable[Shard]) -> Iterator[tuple[str, Any]]:
    """Every posting that lies with forms."""
    for shard in shards:
        yield from files.read("f", shard.hash)[1].items()
