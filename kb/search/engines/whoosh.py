"""The engine `whoosh`, in the folder index/ of a build, with a manifest of checksums.

It is opened only as it was written.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache, reduce
from operator import and_, or_
from pathlib import Path
from types import ModuleType
from typing import Any

from kb.core.lookup_cache import LookupCache
from kb.core.problems import NotBuilt
from kb.search.document import EVERYTHING, Document, value_term
from kb.search.engines.base import (
    CACHED_CANDIDATES,
    AllOf,
    AnyOf,
    Candidate,
    Condition,
    Without,
)

LAYOUT = 5
# Memory for the postings of one segment while it is written, in megabytes.
_MEMORY = 128
_INDEX = "index"
# The documents of so many terms are kept in memory: a bit for each document.
_CACHED_TERMS = 4_096


def build(folder: Path, documents: Iterable[Document]) -> int:
    """Writes an index of all the documents; see kb.search.engines.base.Engine."""
    with _without_downloads():
        from whoosh import fields
        from whoosh.index import create_in

    schema = fields.Schema(
        key=fields.ID(stored=True, unique=True, sortable=True),
        kind=fields.STORED,
        segments=fields.STORED,
        terms=fields.KEYWORD(scorable=True),
        values=fields.KEYWORD(),
    )
    place = folder / _INDEX
    place.mkdir(parents=True)
    writer = create_in(str(place), schema).writer(limitmb=_MEMORY)
    count = 0
    for document in documents:
        writer.add_document(**_fields(document))
        count += 1
    writer.commit()
    _write_manifest(place, {})
    return count


def _fields(document: Document) -> dict[str, Any]:
    return {
        "key": document.key,
        "kind": document.kind,
        "segments": document.packed,
        "terms": document.terms.split(),
        "values": document.value_terms(),
    }


def update(folder: Path, documents: Iterable[Document], removed: Collection[str]) -> None:
    """Takes documents in and out; see kb.search.engines.base.Engine."""
    with _without_downloads():
        from whoosh.index import open_dir

    place = folder / _INDEX
    known = _segment_checksums(place)
    verify(place)
    with _damage():
        writer = open_dir(str(place)).writer(limitmb=_MEMORY)
        for key in removed:
            writer.delete_by_term("key", key)
        for document in documents:
            writer.update_document(**_fields(document))
        writer.commit()
    _write_manifest(place, known)


def _manifest(place: Path) -> Path:
    return place.with_name(place.name + ".manifest.json")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_manifest(place: Path, known: dict[str, str]) -> None:
    """Writes the checksums of all files; those of segments that are `known` have not changed."""
    checksums = {
        path.name: known.get(path.name) or _checksum(path)
        for path in sorted(place.iterdir())
        if "LOCK" not in path.name
    }
    text = json.dumps({"layout": LAYOUT, "files": checksums}, indent=1) + "\n"
    staged = place.with_name(".manifest.new")
    staged.write_text(text, encoding="utf-8")
    staged.replace(_manifest(place))


def _segment_checksums(place: Path) -> dict[str, str]:
    """The checksums of the files of segments."""
    try:
        files = json.loads(_manifest(place).read_text(encoding="utf-8"))["files"]
        return {
            str(name): str(wanted) for name, wanted in files.items() if not name.endswith(".toc")
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotBuilt(f"the index is missing or unreadable ({type(error).__name__})") from None


def verify(place: Path) -> None:
    """Raises NotBuilt unless the files of the index are as they were written.

    Whoosh unpickles its table of contents, and a flipped byte elsewhere gives wrong results without
    a word.
    """
    try:
        manifest = json.loads(_manifest(place).read_text(encoding="utf-8"))
        files, layout = dict(manifest["files"]), manifest["layout"]
        whole = layout == LAYOUT and all(
            _checksum(place / name) == wanted for name, wanted in files.items()
        )
        present = {path.name for path in place.iterdir() if "LOCK" not in path.name}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotBuilt(f"the index is missing or unreadable ({type(error).__name__})") from None
    if not whole or not present <= set(files):
        raise NotBuilt("the index is damaged or of another version")


@contextmanager
def _damage() -> Iterator[None]:
    """Whatever Whoosh raises over its files, as NotBuilt."""
    try:
        yield
    except NotBuilt:
        raise
    except Exception as error:
        raise NotBuilt(f"the index cannot be read ({type(error).__name__})") from None


@contextmanager
def _without_downloads() -> Iterator[None]:
    """Spare commands a library for downloads, which Whoosh loads for a function it never calls.

    It takes as long to load as the rest of Whoosh. Another thread may need it.
    """
    name = "urllib.request"
    if name in sys.modules or threading.active_count() > 1:
        yield
        return
    substitute = ModuleType(name)
    substitute.__dict__["urlretrieve"] = None
    sys.modules[name] = substitute
    try:
        yield
    finally:
        del sys.modules[name]


class WhooshIndex:
    """An index opened for reading; see kb.search.engines.base.Index."""

    def __init__(self, place: Path) -> None:
        """Raises NotBuilt when the index is missing or not as it was written."""
        verify(place)
        with _without_downloads():
            from whoosh.index import open_dir

        with _damage():
            self._reader = open_dir(str(place)).reader()
            self.count = self._reader.doc_count()
        self._candidates = LookupCache(CACHED_CANDIDATES, self._read_candidates)
        self._having = lru_cache(maxsize=_CACHED_TERMS)(self._read_having)

    @cached_property
    def _searcher(self) -> Any:
        """Whoosh's own search; its modules take longer to load than most queries to answer."""
        from whoosh.searching import Searcher

        return Searcher(self._reader)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        with _damage():
            return {term: self._frequency(term) for term in terms}

    def _frequency(self, term: str) -> int:
        return self._having(term).bit_count()

    def _read_having(self, term: str) -> int:
        """The documents that have a term, as the bits of a number."""
        name = _field(term), term.encode("utf-8", "replace")
        if name not in self._reader:
            return 0
        bits = bytearray(self._reader.doc_count_all() // 8 + 1)
        for number in self._reader.postings(*name).all_ids():
            bits[number >> 3] |= 1 << (number & 7)
        return int.from_bytes(bits, "little")

    def _meeting(self, condition: Condition) -> int:
        """The documents that meet a condition, as the bits of a number."""
        if isinstance(condition, str):
            return self._having(condition)
        if isinstance(condition, Without):
            return self._meeting(condition.wanted) & ~self._meeting(condition.unwanted)
        parts = map(self._meeting, condition.conditions)
        if isinstance(condition, AnyOf):
            return reduce(or_, parts, 0)
        return reduce(and_, parts) if condition.conditions else self._having(EVERYTHING)

    def best(self, condition: Condition, limit: int) -> list[int]:
        with _damage():
            meeting = self._meeting(condition)
            if meeting.bit_count() <= limit:
                # Whoosh ranks only where some have to be left out.
                return [number for number, bit in enumerate(bin(meeting)[:1:-1]) if bit == "1"]
            # Skipping blocks of low quality loses documents where a query excludes some.
            found = self._searcher.search(_query(condition), limit=limit, optimize=False)
            return [hit.docnum for hit in found]

    def first(self, condition: Condition, limit: int) -> list[int]:
        with _damage():
            found = self._searcher.search(_query(condition), limit=limit, sortedby="key")
            return [hit.docnum for hit in found]

    def total(self, condition: Condition) -> int:
        with _damage():
            return self._meeting(condition).bit_count()

    def candidates(self, numbers: Iterable[int]) -> list[Candidate]:
        with _damage():
            return list(self._candidates.get(numbers).values())

    def _read_candidates(self, numbers: list[int]) -> Iterator[tuple[int, Candidate]]:
        for number in numbers:
            fields = self._reader.stored_fields(number)
            yield number, Candidate(fields["key"], fields["kind"], fields["segments"])

    def values(self, name: str, low: str, high: str) -> list[str]:
        start, end = value_term(name, low), value_term(name, high)
        found = []
        with _damage():
            for field, term in self._reader.terms_from("values", start):
                text = term.decode("utf-8")
                if field != "values" or text >= end:
                    break
                if self._frequency(text):
                    found.append(text[len(name) + 2 :])
        return found

    def close(self) -> None:
        self._reader.close()
        # Whoosh's files stay open as long as anything refers to the reader, and caches do.
        vars(self).clear()


def _field(term: str) -> str:
    return "values" if term.startswith("@") else "terms"


def _query(condition: Condition) -> Any:
    """A condition as a query of Whoosh."""
    from whoosh import query

    if isinstance(condition, str):
        return query.Term(_field(condition), condition.encode("utf-8", "replace").decode())
    if isinstance(condition, Without):
        return query.And([_query(condition.wanted), query.Not(_query(condition.unwanted))])
    parts = [_query(part) for part in condition.conditions]
    if isinstance(condition, AnyOf):
        return query.Or(parts) if parts else query.NullQuery
    assert isinstance(condition, AllOf)
    return query.And(parts) if parts else _query(EVERYTHING)


def open_index(folder: Path) -> WhooshIndex:
    """The index of a build; see kb.search.engines.base.Engine."""
    return WhooshIndex(folder / _INDEX)
