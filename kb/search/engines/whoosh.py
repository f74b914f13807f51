"""The engine `whoosh`, in the folder index/ of a build, with a manifest of checksums: it is opened only as it was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import merge
from itertools import compress, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.core.problems import NotBuilt
from kb.search.document import Document
from kb.search.postings import (
    KEY,
    NOTHING,
    ONCE,
    Numbers,
    Packed,
    Postings,
    field_term,
    joined,
    pack,
    placed,
)

if TYPE_CHECKING:
    from kb.search.postings_builder import BuiltPostings

LAYOUT = 3
# Segments are merged into the one being written when there are more of them than this besides the largest, or when more than
# this part of a segment's documents is deleted: each document is written again a few times at most.
SEGMENTS = 8
DELETED = 0.25
_INDEX = "index"
_POSTINGS = ".pst"


def build(folder: Path, gathered: BuiltPostings) -> int:
    """Writes an index of all the documents; see kb.search.engines.base.Engine."""
    from whoosh.index import create_in

    from kb.search.engines.whoosh_codec import Writer, schema

    place = folder / _INDEX
    place.mkdir(parents=True)
    writer = Writer(create_in(str(place), schema()))
    for key, length in zip(gathered.keys, gathered.lengths, strict=True):
        writer.keep(key.encode(), length)
    writer.packed = merge(_texts(gathered), _values(gathered))
    writer.commit()
    _seal(place, {})
    return len(gathered.keys)


def _texts(gathered: BuiltPostings) -> Iterator[Packed]:
    """The terms of all texts, in order."""
    for some in gathered.sorted(sorted(gathered.terms, key=_name)):
        many = (some.starts[1:] - some.starts[:-1]).tolist()
        for term, (lists, places), documents in zip(
            some.terms, some.packed(some.starts), many, strict=True
        ):
            yield Packed(_name(term), lists, places, documents)


def _values(gathered: BuiltPostings) -> Iterator[Packed]:
    """The terms of all fields, in order."""
    keys = {field_term(KEY, key): [number] for number, key in enumerate(gathered.keys)}
    both: Iterable[tuple[str, Sequence[int]]] = (*gathered.values.items(), *keys.items())
    nowhere = pack((), ())
    for term, docs in sorted((_name(name), docs) for name, docs in both):
        yield Packed(term, pack(docs, [ONCE] * len(docs)), nowhere, len(docs))


def _name(term: str) -> bytes:
    """A term as a segment has it."""
    return term.encode("utf-8", "surrogatepass")


def update(folder: Path, documents: Iterable[Document], removed: Collection[str]) -> None:
    """Takes documents in and out; see kb.search.engines.base.Engine."""
    from whoosh.index import open_dir

    from kb.search.engines.whoosh_codec import Writer

    place = folder / _INDEX
    known = _sums(place)
    verify(place)
    writer = Writer(open_dir(str(place)))
    with _Opened(writer.storage, writer.segments) as opened:
        seen = set()
        for one in documents:
            seen.add(one.key)
            writer.add(one)
        for key in {*seen, *removed}:
            number = opened.number(key)
            if number is not None:
                writer.delete_document(number)
    writer.commit(mergetype=_merge)
    _seal(place, known)


def _merge(writer: Any, segments: list[Any]) -> list[Any]:
    """The segments that stay as they are; the others go into the one being written."""
    from kb.search.engines.whoosh_codec import Segment

    by_size = sorted(segments, key=lambda one: one.doc_count_all())
    chosen = by_size[:-1] if len(by_size) > SEGMENTS else []
    chosen += [
        one
        for one in by_size
        if one not in chosen and one.deleted_count() > DELETED * one.doc_count_all()
    ]
    for one in chosen:
        opened = Segment(writer.storage, one)
        writer.take_over(opened, frozenset(one.deleted_docs()))
        opened.close()
    return [one for one in segments if one not in chosen]


def _manifest(place: Path) -> Path:
    return place.with_name(place.name + ".manifest.json")


def _sum(path: Path) -> str:
    """The checksum of a file; of a file of postings, each of which bears its own, the length."""
    if path.suffix == _POSTINGS:
        return str(path.stat().st_size)
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _seal(place: Path, known: dict[str, str]) -> None:
    """Writes the manifest; files of segments that are `known` have not changed."""
    kept = {
        path.name: known.get(path.name) or _sum(path)
        for path in sorted(place.iterdir())
        if "LOCK" not in path.name
    }
    text = json.dumps({"layout": LAYOUT, "files": kept}, indent=1) + "\n"
    beside = place.with_name(".manifest.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(_manifest(place))


def _sums(place: Path) -> dict[str, str]:
    """The checksums of the files of segments."""
    try:
        files = json.loads(_manifest(place).read_text(encoding="utf-8"))["files"]
        return {
            str(name): str(wanted) for name, wanted in files.items() if not name.endswith(".toc")
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotBuilt(f"the index is missing or unreadable ({type(error).__name__})") from None


def verify(place: Path) -> None:
    """Raises NotBuilt unless the files of the index are as they were written; postings are looked at as they are read.

    Whoosh unpickles its table of contents, and a flipped byte elsewhere gives wrong results without a word.
    """
    try:
        manifest = json.loads(_manifest(place).read_text(encoding="utf-8"))
        files, layout = dict(manifest["files"]), manifest["layout"]
        whole = layout == LAYOUT and all(
            _sum(place / name) == wanted for name, wanted in files.items()
        )
        found = {path.name for path in place.iterdir() if "LOCK" not in path.name}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotBuilt(f"the index is missing or unreadable ({type(error).__name__})") from None
    if not whole or not found <= set(files):
        raise NotBuilt("the index is damaged or of another version")


class _Opened:
    """The segments of an index one after the other: numbers of a later one begin where the earlier one ends."""

    def __init__(self, storage: Any, segments: Iterable[Any]) -> None:
        from kb.search.engines.whoosh_codec import Segment

        self.segments: list[tuple[int, Any, bytes]] = []
        self.size = 0
        for one in segments:
            opened = Segment(storage, one)
            live = bytearray(b"\1") * opened.size
            for number in opened.deleted:
                live[number] = 0
            self.segments.append((self.size, opened, bytes(live)))
            self.size += opened.size

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *error: object) -> None:
        for _, segment, _ in self.segments:
            segment.close()

    def postings(self, term: str) -> Postings:
        """The postings of a term in all segments, without deleted documents."""
        name = _name(term)
        docs: list[Numbers] = []
        weights: list[Numbers] = []
        for base, segment, live in self.segments:
            found = segment.terms.packed(name)
            if found is None:
                continue
            here, heavy = found.docs, found.weights
            if segment.deleted:
                kept = bytes(map(live.__getitem__, here))
                here, heavy = list(compress(here, kept)), list(compress(heavy, kept))
            docs.append(list(map(base.__add__, here)) if base else here)
            weights.append(heavy)
        return Postings(joined(docs), joined(weights)) if docs else NOTHING

    def places(self, term: str, wanted: Iterable[int]) -> dict[int, Numbers]:
        """Where a term stands in some documents."""
        name = _name(term)
        asked = list(wanted)
        made: dict[int, Numbers] = {}
        for base, segment, _ in self.segments:
            found = segment.terms.packed(name)
            inside = [doc - base for doc in asked if base <= doc < base + segment.size]
            if found is not None and inside:
                here = placed(found, segment.terms.packed_places(name), inside)
                made.update((doc + base, places) for doc, places in here.items())
        return made

    def names(self, low: str, high: str) -> Iterator[str]:
        """The terms from `low` up to, not with, `high`, of all segments, in order; of some all documents may be deleted."""
        start, end = _name(low), _name(high)
        for name, _ in groupby(
            merge(*(segment.terms.names_from(start) for _, segment, _ in self.segments))
        ):
            if name >= end:
                return
            yield name.decode("utf-8", "surrogatepass")

    def number(self, key: str) -> int | None:
        """The number of the document with a key."""
        return next(iter(self.postings(field_term(KEY, key)).docs), None)

    def key(self, number: int) -> str:
        """The key of a document."""
        base, segment, _ = next(one for one in reversed(self.segments) if one[0] <= number)
        return str(segment.key(number - base).decode())


class WhooshIndex:
    """An index opened for reading; see kb.search.engines.base.Index."""

    def __init__(self, place: Path) -> None:
        """Raises NotBuilt when the index is missing or not as it was written."""
        verify(place)
        from whoosh.index import open_dir

        try:
            index: Any = open_dir(str(place))
            self._opened = _Opened(index.storage, index._segments())
            self._summarise()
        except NotBuilt:
            raise
        except Exception as error:
            raise NotBuilt(f"the index cannot be opened ({type(error).__name__})") from None
        self.postings = lru_cache(maxsize=1024)(self._opened.postings)

    def _summarise(self) -> None:
        self.lengths = b"".join(segment.steps() for _, segment, _ in self._opened.segments)
        self.live = b"".join(live for _, _, live in self._opened.segments)
        self.count = self._opened.size - sum(
            len(segment.deleted) for _, segment, _ in self._opened.segments
        )
        total = sum(segment.total() for _, segment, _ in self._opened.segments)
        self.average_length = total / self.count if self.count else 1.0

    def places(self, term: str, documents: Iterable[int]) -> dict[int, Numbers]:
        return self._opened.places(term, documents)

    def between(self, name: str, low: str, high: str) -> Iterator[tuple[str, Numbers]]:
        start = field_term(name, "")
        for term in self._opened.names(start + low, start + high):
            docs = self.postings(term).docs
            if docs:
                yield term[len(start) :], docs

    def keys(self, documents: Iterable[int]) -> dict[int, str]:
        return {doc: self._opened.key(doc) for doc in documents}

    def close(self) -> None:
        self._opened.__exit__()


def open_index(folder: Path) -> WhooshIndex:
    """The index of a build; see kb.search.engines.base.Engine."""
    return WhooshIndex(folder / _INDEX)
