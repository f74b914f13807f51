"""The engine `database`: postings in two tables beside the store, in SQLite or PostgreSQL."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple

from sqlmodel import Field, Session, SQLModel, col, select

from kb.core.lookup_cache import LookupCache
from kb.search.document import EVERYTHING, Document, pack_segments, value_term
from kb.search.engines.base import (
    CACHED_CANDIDATES,
    AllOf,
    AnyOf,
    Candidate,
    Condition,
    Without,
    searched_terms,
    token,
    value,
)
from kb.search.ranking import rarity
from kb.store.load import add_rows, create_file_engine
from kb.store.model import Reader, StoredGame
from kb.store.queries import Store
from kb.store.tables import Text

_STORE = "kb.sqlite"
# A term counts at most this often in a document: a byte.
_MOST = 255
# BM25's saturation of a term that occurs often.
_SATURATION = 1.2


class DocumentRow(SQLModel, table=True):
    """A ruling; the numbers follow the order of keys. `terms`: its terms, separated by spaces."""

    __tablename__ = "index_document"
    number: int = Field(primary_key=True)
    key: str = Field(sa_type=Text, unique=True)
    kind: str
    segments: str
    terms: str


class PostingsRow(SQLModel, table=True):
    """A term: how many documents have it, their numbers (uint32), and its weights there (bytes)."""

    __tablename__ = "index_term"
    term: str = Field(sa_type=Text, primary_key=True)
    documents: int
    numbers: bytes
    weights: bytes


INDEX_TABLES = [SQLModel.metadata.tables[name] for name in ("index_document", "index_term")]


def build(folder: Path, documents: Iterable[Document], games: Iterable[StoredGame]) -> None:
    """Write an index of all the documents; see kb.search.engines.base.Engine."""
    engine = create_file_engine(folder / _STORE)
    numbers: dict[str, array[int]] = defaultdict(lambda: array("I"))
    weights: dict[str, bytearray] = defaultdict(bytearray)
    rows = []
    for number, document in enumerate(documents, 1):
        counts = {token(term): count for term, count in document.terms.items()}
        counts |= dict.fromkeys(map(token, document.value_terms()), 1)
        for term, count in counts.items():
            numbers[term].append(number)
            weights[term].append(min(count, _MOST))
        rows.append(
            {
                "number": number,
                "key": document.key,
                "kind": document.kind,
                "segments": pack_segments(document.segments),
                "terms": " ".join(counts),
            }
        )
    try:
        SQLModel.metadata.create_all(engine, tables=INDEX_TABLES)
        with Session(engine) as session:
            add_rows(session, DocumentRow, rows)
            add_rows(
                session,
                PostingsRow,
                (
                    {
                        "term": term,
                        "documents": len(several),
                        "numbers": several.tobytes(),
                        "weights": bytes(weights[term]),
                    }
                    for term, several in sorted(numbers.items())
                ),
            )
            session.commit()
    finally:
        engine.dispose()


class DatabaseIndex:
    """An index opened for reading; see kb.search.engines.base.Index."""

    def __init__(self, store: Store) -> None:
        """Raises NotBuilt without an index. Closing the index closes the store."""
        self._store = store
        self.reader: Reader = store
        self._candidates = LookupCache(CACHED_CANDIDATES, self._read_candidates)
        self.count = self.frequencies([EVERYTHING]).get(EVERYTHING, 0)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        by_token = {token(term): term for term in terms}
        rows = select(PostingsRow.term, PostingsRow.documents)
        counts = self._store.all_with(rows, PostingsRow.term, by_token)
        return {by_token[name]: count for name, count in counts}

    def best(self, condition: Condition, limit: int) -> list[int]:
        postings = self._postings(condition)
        matching = _matching(condition, postings)
        if len(matching) <= limit:
            return sorted(matching)
        scores = dict.fromkeys(matching, 0.0)
        for term in sorted(searched_terms(condition) & postings.keys()):
            row = postings[term]
            factor = rarity(self.count, row.documents)
            for number, weight in zip(row.numbers, row.weights, strict=True):
                if number in scores:
                    scores[number] += factor * weight / (weight + _SATURATION)
        return nlargest(limit, scores, key=lambda number: (scores[number], -number))

    def first(self, condition: Condition, limit: int) -> list[int]:
        return sorted(_matching(condition, self._postings(condition)))[:limit]

    def total(self, condition: Condition) -> int:
        return len(_matching(condition, self._postings(condition)))

    def candidates(self, numbers: Iterable[int]) -> list[Candidate]:
        return list(self._candidates.get(numbers).values())

    def values(self, name: str, low: str, high: str) -> list[str]:
        term = col(PostingsRow.term)
        terms = select(PostingsRow.term).order_by(term)
        start = value_term(name, "")
        return [
            value(found)
            for found in self._store.all(
                terms.where(term >= start + token(low), term < start + token(high))
            )
        ]

    def close(self) -> None:
        self._store.close()

    def _read_candidates(self, numbers: Iterable[int]) -> Iterator[tuple[int, Candidate]]:
        columns = (DocumentRow.number, DocumentRow.key, DocumentRow.kind, DocumentRow.segments)
        rows = self._store.all_with(select(*columns), DocumentRow.number, numbers)
        for number, key, kind, segments in rows:
            yield number, Candidate(key, kind, segments)

    def _postings(self, condition: Condition) -> dict[str, Postings]:
        """The postings of the terms of a condition, by term."""
        by_token = {token(term): term for term in _terms(condition)}
        rows = self._store.all_with(select(PostingsRow), PostingsRow.term, by_token)
        return {
            by_token[row.term]: Postings(row.documents, array("I", row.numbers), row.weights)
            for row in rows
        }


class Postings(NamedTuple):
    """The documents of a term, and its weight in each."""

    documents: int
    numbers: array[int]
    weights: bytes


def _terms(condition: Condition) -> set[str]:
    """All terms of a condition, and the term of every document."""
    if isinstance(condition, str):
        return {condition}
    if isinstance(condition, Without):
        return _terms(condition.wanted) | _terms(condition.unwanted)
    return {EVERYTHING}.union(*map(_terms, condition.conditions))


def _matching(condition: Condition, postings: Mapping[str, Postings]) -> set[int]:
    """The documents that meet a condition."""
    if isinstance(condition, str):
        return set(postings[condition].numbers) if condition in postings else set()
    if isinstance(condition, Without):
        return _matching(condition.wanted, postings) - _matching(condition.unwanted, postings)
    parts = [_matching(part, postings) for part in condition.conditions]
    if isinstance(condition, AnyOf):
        return set().union(*parts)
    assert isinstance(condition, AllOf)
    return set.intersection(*parts) if parts else _matching(EVERYTHING, postings)


def open_index(folder: Path) -> DatabaseIndex:
    """The index of a build; see kb.search.engines.base.Engine."""
    return DatabaseIndex(Store(folder / _STORE))
