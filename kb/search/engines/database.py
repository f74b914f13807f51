"""The engine `database`: the database's own full text, beside the store.

SQLite's FTS5 (MATCH, bm25) or PostgreSQL's tsvector (@@ over a GIN index, ts_rank). Both index the
analysed terms of a document, separated by spaces, so that no tokenizer of theirs changes a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any
from zlib import crc32

from sqlalchemy import cast, column, func, literal_column, table, text
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlmodel import Field, Session, SQLModel, col, select

from kb.core.lookup_cache import LookupCache
from kb.records.model import Game
from kb.search.document import EVERYTHING, Document, pack_segments, value_term
from kb.search.engines.base import (
    CACHED_CANDIDATES,
    AllOf,
    Candidate,
    Condition,
    Without,
    decode_term,
    encode_term,
)
from kb.store.load import add_rows, create_file_engine
from kb.store.model import STORE_FILE, Reader
from kb.store.queries import Store
from kb.store.tables import Text

# No document has this term.
_NOTHING = "@none"


class IndexDocument(SQLModel, table=True):
    """A ruling; the numbers follow the order of keys. `terms`: as the full text indexes them."""

    __tablename__ = "index_document"
    number: int = Field(primary_key=True)
    key: str = Field(sa_type=Text, unique=True)
    kind: str
    segments: str
    terms: str


class IndexTerm(SQLModel, table=True):
    """A term, and how many documents have it."""

    __tablename__ = "index_term"
    term: str = Field(sa_type=Text, primary_key=True)
    documents: int


INDEX_TABLES = [SQLModel.metadata.tables[name] for name in ("index_document", "index_term")]
# Every character but spaces belongs to a word, and no diacritics are removed.
_CREATE_FTS5 = (
    "CREATE VIRTUAL TABLE index_words USING fts5(terms, content='index_document',"
    " content_rowid='number',"
    " tokenize=\"unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'\")",
    "INSERT INTO index_words(index_words) VALUES ('rebuild')",
)
# What PostgreSQL needs after the rows have been copied there; {} is the schema.
CREATE_TSVECTOR = (
    "ALTER TABLE {}.index_document ADD COLUMN words tsvector"
    " GENERATED ALWAYS AS (array_to_tsvector(string_to_array(terms, ' '))) STORED",
    "CREATE INDEX ON {}.index_document USING gin (words)",
)


def build(folder: Path, documents: Iterable[Document], games: Iterable[Game]) -> None:
    """Write an index of all the documents; see kb.search.engines.base.Engine."""
    engine = create_file_engine(folder / STORE_FILE)
    frequencies: Counter[str] = Counter()
    rows = []
    for number, document in enumerate(documents, 1):
        values = [*map(encode_term, document.value_terms())]
        words = [(encode_term(term), count) for term, count in document.terms.items()]
        frequencies.update(chain(values, (word for word, _ in words)))
        repeated = (word for term, count in words for word in repeat(_lexeme(term), count))
        rows.append(
            {
                "number": number,
                "key": document.key,
                "kind": document.kind,
                "segments": pack_segments(document.segments),
                "terms": " ".join(chain(map(_lexeme, values), repeated)),
            }
        )
    counts = ({"term": term, "documents": count} for term, count in sorted(frequencies.items()))
    try:
        SQLModel.metadata.create_all(engine, tables=INDEX_TABLES)
        with Session(engine) as session:
            add_rows(session, IndexDocument, rows)
            add_rows(session, IndexTerm, counts)
            for statement in _CREATE_FTS5:
                session.execute(text(statement))
            session.commit()
    finally:
        engine.dispose()


def _lexeme(word: str) -> str:
    """A token as the full text holds it: FTS5 would not tell upper case from lower case."""
    lower = word.lower()
    return word if word == lower else f"{lower}~{crc32(word.encode()):x}"


class DatabaseIndex:
    """An index opened for reading; see kb.search.engines.base.Index."""

    def __init__(self, store: Store) -> None:
        """Raises NotBuilt without an index. Closing the index closes the store."""
        self._store = store
        self._dialect = POSTGRESQL if store.dialect == "postgresql" else SQLITE
        self.reader: Reader = store
        self._candidates = LookupCache(CACHED_CANDIDATES, self._read_candidates)
        self.count = self.frequencies([EVERYTHING]).get(EVERYTHING, 0)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        by_token = {encode_term(term): term for term in terms}
        rows = select(IndexTerm.term, IndexTerm.documents)
        counts = self._store.all_with(rows, IndexTerm.term, by_token)
        return {by_token[name]: count for name, count in counts}

    def best(self, condition: Condition, limit: int) -> list[int]:
        numbers, rank = self._dialect.matching(self._dialect.expression(condition))
        return [*self._store.all(numbers.order_by(rank, "number").limit(limit))]

    def first(self, condition: Condition, limit: int) -> list[int]:
        numbers, _ = self._dialect.matching(self._dialect.expression(condition))
        return [*self._store.all(numbers.order_by("number").limit(limit))]

    def total(self, condition: Condition) -> int:
        numbers, _ = self._dialect.matching(self._dialect.expression(condition))
        return int(self._store.all(select(func.count()).select_from(numbers.subquery()))[0])

    def candidates(self, numbers: Iterable[int]) -> list[Candidate]:
        return list(self._candidates.get(numbers).values())

    def values(self, name: str, low: str, high: str) -> list[str]:
        term = col(IndexTerm.term)
        start = value_term(name, "")
        terms = select(IndexTerm.term).order_by(term)
        return [
            decode_term(found)
            for found in self._store.all(
                terms.where(term >= start + encode_term(low), term < start + encode_term(high))
            )
        ]

    def close(self) -> None:
        self._store.close()

    def _read_candidates(self, numbers: Iterable[int]) -> Iterator[tuple[int, Candidate]]:
        columns = (
            IndexDocument.number,
            IndexDocument.key,
            IndexDocument.kind,
            IndexDocument.segments,
        )
        rows = self._store.all_with(select(*columns), IndexDocument.number, numbers)
        for number, key, kind, segments in rows:
            yield number, Candidate(key, kind, segments)


@dataclass(frozen=True)
class Dialect:
    """The query language of a database's full text.

    `matching` returns the SELECT of the numbers that match an expression, and their order by rank.
    """

    all_of: str
    any_of: str
    but_not: str
    quote: Callable[[str], str]
    matching: Callable[[str], tuple[Any, Any]]

    def expression(self, condition: Condition) -> str:
        """Return a condition in the query language."""
        if isinstance(condition, str):
            return self.quote(_lexeme(encode_term(condition)))
        if isinstance(condition, Without):
            wanted, unwanted = map(self.expression, (condition.wanted, condition.unwanted))
            return f"({wanted} {self.but_not} {unwanted})"
        if isinstance(condition, AllOf):
            operator, parts = self.all_of, condition.conditions or (EVERYTHING,)
        else:
            operator, parts = self.any_of, condition.conditions or (_NOTHING,)
        return f"({f' {operator} '.join(map(self.expression, parts))})"


def _match_fts5(expression: str) -> tuple[Any, Any]:
    words = table("index_words", column("rowid"), column("rank"))
    is_match = literal_column("index_words").op("MATCH")(expression)
    return select(words.c.rowid.label("number")).where(is_match), words.c.rank


def _match_tsvector(expression: str) -> tuple[Any, Any]:
    words: Any = literal_column("words")
    query = cast(expression, TSQUERY)
    numbers = select(IndexDocument.number).where(words.op("@@")(query))
    return numbers, func.ts_rank(words, query).desc()


SQLITE = Dialect("AND", "OR", "NOT", lambda word: '"' + word.replace('"', '""') + '"', _match_fts5)
POSTGRESQL = Dialect(
    "&",
    "|",
    "& !",
    lambda word: "'" + word.replace("\\", "\\\\").replace("'", "''") + "'",
    _match_tsvector,
)


def open_index(folder: Path) -> DatabaseIndex:
    """The index of a build; see kb.search.engines.base.Engine."""
    return DatabaseIndex(Store(folder / STORE_FILE))
