"""Searching a build that is published in PostgreSQL.

Store and index are read there, the table of forms is fetched once.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from kb.core.files import remove_temporary_files, user_cache, write_file
from kb.core.problems import NotBuilt
from kb.language import FormTable
from kb.postgres.breaker import CircuitBreaker
from kb.postgres.connection import PostgresConnection, read_file
from kb.search.document import EVERYTHING
from kb.search.engines.base import AllOf, Condition, Without
from kb.search.engines.database import IndexTables, token
from kb.search.ranking import rarity
from kb.search.searcher import Searcher
from kb.store.queries import Store

# Where the table of forms lies among a build's files: at an address that no server gives out.
FORMS = "/forms.sqlite"


def open_published(
    url: str, build: int | None = None, breaker: CircuitBreaker | None = None
) -> Searcher:
    """A searcher over the build of a number, or the current one.

    Raises NotBuilt where nothing is published or the build is gone, KbError where there is no
    server.
    """
    connection = PostgresConnection(url, build, breaker)
    try:
        return Searcher.over(
            Store(connection),
            FormTable.open(forms(connection)),
            PostgresIndex(connection),
        )
    except BaseException:
        connection.close()
        raise


class PostgresIndex(IndexTables):
    """The index of a published build, searched in the server; see kb.search.engines.base.Index.

    PostgreSQL's own ranking knows no rarity: documents are ordered by the rarities of the terms
    that they have.
    """

    def best(self, condition: Condition, limit: int) -> list[int]:
        expression = _expression(condition)
        terms = sorted(set(_wanted(condition)))
        frequencies = self.frequencies(terms)
        weights = [rarity(self.count, frequencies.get(term, 0)) for term in terms]
        rows = self._connection.all(
            "WITH matched AS MATERIALIZED"
            " (SELECT number, key FROM index_document WHERE words @@ ?::tsquery),"
            " hits AS (SELECT d.number, t.weight"
            " FROM unnest(?::text[], ?::float8[]) t(term, weight)"
            " JOIN index_document d ON d.words @@ t.term::tsquery)"
            " SELECT m.number FROM matched m LEFT JOIN hits h ON h.number = m.number"
            " GROUP BY m.number, m.key ORDER BY coalesce(sum(h.weight), 0) DESC, m.key LIMIT ?",
            (expression, [_quoted(term) for term in terms], weights, limit),
        )
        return [int(row[0]) for row in rows]

    def first(self, condition: Condition, limit: int) -> list[int]:
        rows = self._connection.all(
            "SELECT number FROM index_document WHERE words @@ ?::tsquery ORDER BY key LIMIT ?",
            (_expression(condition), limit),
        )
        return [int(row[0]) for row in rows]

    def total(self, condition: Condition) -> int:
        sql = "SELECT count(*) FROM index_document WHERE words @@ ?::tsquery"
        return int(self._connection.all(sql, (_expression(condition),))[0][0])


def _quoted(term: str) -> str:
    """A term as a lexeme of a tsquery."""
    return "'" + token(term).replace("\\", "\\\\").replace("'", "''") + "'"


def _expression(condition: Condition) -> str:
    """A condition as a tsquery."""
    if isinstance(condition, str):
        return _quoted(condition)
    if isinstance(condition, Without):
        return f"({_expression(condition.wanted)} & !{_expression(condition.unwanted)})"
    parts = [_expression(part) for part in condition.conditions]
    if isinstance(condition, AllOf):
        return f"({' & '.join(parts)})" if parts else _quoted(EVERYTHING)
    return f"({' | '.join(parts)})" if parts else f"!{_quoted(EVERYTHING)}"


def _wanted(condition: Condition) -> Iterator[str]:
    """The terms of a condition but those that it excludes and those of values."""
    if isinstance(condition, str):
        if not condition.startswith("@"):
            yield condition
    elif isinstance(condition, Without):
        yield from _wanted(condition.wanted)
    else:
        for part in condition.conditions:
            yield from _wanted(part)


def forms(connection: PostgresConnection) -> Path:
    """The file of a build's table of forms, kept in the user's cache by its hash.

    Raises NotBuilt when the build has none.
    """
    rows = connection.all("SELECT sha256 FROM page WHERE path = ?", (FORMS,))
    if not rows:
        raise NotBuilt("the build in the database has no table of forms")
    digest = str(rows[0][0])
    place = _cache() / f"forms-{digest}.sqlite"
    if not place.is_file() or hashlib.sha256(place.read_bytes()).hexdigest() != digest:
        found = read_file(connection, FORMS)
        if found is None:
            raise NotBuilt("the build in the database has no table of forms")
        _keep(place, gzip.decompress(found.body) if found.gzipped else found.body)
    return place


def _cache() -> Path:
    return user_cache() / "published"


def _keep(place: Path, data: bytes) -> None:
    """Writes a file whole, and forgets those that nobody has opened for long."""
    place.parent.mkdir(parents=True, exist_ok=True)
    remove_temporary_files(place.parent)
    write_file(place, data)
    others = sorted(
        place.parent.glob("forms-*.sqlite"), key=lambda one: one.stat().st_mtime, reverse=True
    )
    for old in others[KEPT:]:
        with suppress(OSError):
            old.unlink()


# So many tables of forms are kept.
KEPT = 4
