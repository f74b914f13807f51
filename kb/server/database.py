"""A build in PostgreSQL as the server reads it: its files and its searchers."""

from __future__ import annotations

import gzip
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import ClassVar, Generic, TypeVar

from kb.core.problems import KbError, NotBuilt, Unavailable
from kb.postgres.breaker import CircuitBreaker
from kb.postgres.connection import PostgresConnection, read_file
from kb.postgres.index import open_published
from kb.records.history import Change
from kb.search.searcher import Searcher
from kb.server.responses import HttpError
from kb.server.site_files import SiteFile, is_safe_path

T = TypeVar("T")
# How long a file is served from memory before the database is asked again, in seconds.
_TTL = 1.0
# How long a request waits for the connection, in seconds; less where a file is in memory.
_PATIENCE = 2.5
_IMPATIENCE = 0.2
# Total size of the files in memory, in bytes.
CACHE_SIZE = 64_000_000
# Memory that an entry takes beside its bytes.
_ENTRY_OVERHEAD = 500
UNAVAILABLE = (
    "The pages cannot be read from the database at the moment; try again in a few seconds."
)


class _CurrentBuild:
    """One connection, used by one thread at a time, that always reads the current build."""

    def __init__(self, url: str, breaker: CircuitBreaker) -> None:
        self.url = url
        self.breaker = breaker
        self._connection: PostgresConnection | None = None
        self._lock = threading.Lock()

    def run(self, work: Callable[[PostgresConnection], T], patience: float = _PATIENCE) -> T:
        """Call `work` with the connection; once more where its build has just been dropped.

        Raises Unavailable when the database does not answer, or others use the connection for
        longer than `patience`.
        """
        if not self._lock.acquire(timeout=patience):
            raise Unavailable("other requests are waiting for the database")
        try:
            try:
                return self._attempt(work)
            except Unavailable:
                raise
            except NotBuilt:
                return self._attempt(work)
        finally:
            self._lock.release()

    def _attempt(self, work: Callable[[PostgresConnection], T]) -> T:
        try:
            return work(self._connected())
        except KbError:
            self._close()
            raise

    def _connected(self) -> PostgresConnection:
        if self._connection is not None:
            if self._connection.published() == self._connection.build:
                return self._connection
            self._close()
        self._connection = PostgresConnection(self.url, breaker=self.breaker)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None


class DatabaseBuilds:
    """The builds of a database; see kb.server.pool.Builds."""

    # While one waits for the database, others can run.
    searches: ClassVar[int] = 4

    def __init__(self, url: str, breaker: CircuitBreaker | None = None) -> None:
        """`breaker` is that of all connections of this process to the server."""
        self.url = url
        self._breaker = breaker or CircuitBreaker()
        self._build = _CurrentBuild(url, self._breaker)

    def current(self) -> str:
        """Return the number of the current build."""
        try:
            return str(self._build.run(lambda connection: connection.build))
        except NotBuilt:
            raise
        except KbError as error:
            raise NotBuilt(str(error)) from None

    def open(self, build_id: str) -> Searcher:
        """Open the build of that number."""
        try:
            return open_published(self.url, int(build_id), self._breaker)
        except NotBuilt:
            raise
        except KbError as error:
            raise NotBuilt(str(error)) from None

    def history(self) -> list[Change] | None:
        """Return None: the records are elsewhere."""
        return None


class FileCache(Generic[T]):
    """Files in memory, the least recently read ones dropped first.

    Each file has a `version`, by which its storage decides whether it is up to date.
    """

    def __init__(self) -> None:
        self._entries: OrderedDict[str, tuple[T, SiteFile]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, path: str) -> tuple[T, SiteFile] | None:
        """Return a file with its version."""
        return self._entries.get(path)

    def put(self, path: str, version: T, file: SiteFile) -> None:
        """Add or replace a file."""
        with self._lock:
            previous = self._entries.pop(path, None)
            self._size += _memory(file) - (_memory(previous[1]) if previous else 0)
            self._entries[path] = (version, file)
            while self._size > CACHE_SIZE:
                _, (_, dropped) = self._entries.popitem(last=False)
                self._size -= _memory(dropped)


def _memory(file: SiteFile) -> int:
    return _ENTRY_OVERHEAD + len(file.body or b"")


class DatabaseFiles:
    """The files of the current build's site; see kb.server.site_files.SiteFiles."""

    def __init__(self, url: str, breaker: CircuitBreaker | None = None) -> None:
        """`breaker` is that of all connections of this process to the server."""
        self._breaker = breaker or CircuitBreaker()
        self._build = _CurrentBuild(url, self._breaker)
        self._cache: FileCache[float] = FileCache()

    def cached(self, path: str) -> SiteFile | None:
        """Return a file that was read or confirmed a moment ago, or when the database answered."""
        entry = self._cache.get(path)
        fresh = entry is not None and time.monotonic() - entry[0] < _TTL
        return entry[1] if entry and (fresh or self._breaker.is_open) else None

    def get(self, path: str) -> SiteFile | None:
        """Return a file; from memory while the database cannot be read, else HttpError 503."""
        if not is_safe_path(path):
            return None
        entry = self._cache.get(path)
        known = entry[1] if entry else None
        patience = _PATIENCE if known is None else _IMPATIENCE
        try:
            file = self._build.run(lambda connection: _read(connection, path, known), patience)
        except KbError as error:
            if known is None:
                raise HttpError(
                    HTTPStatus.SERVICE_UNAVAILABLE,
                    UNAVAILABLE,
                    {"Retry-After": "5"},
                    cause=str(error),
                ) from None
            return known
        if file is not None:
            self._cache.put(path, time.monotonic(), file)
        return file


def _read(connection: PostgresConnection, path: str, known: SiteFile | None) -> SiteFile | None:
    """Read a file of the build, without its bytes where the known ones are the same."""
    rows = connection.all("SELECT sha256 FROM page WHERE path = ?", (path,))
    if not rows:
        return None
    if known is not None and known.digest == rows[0][0]:
        return known
    stored = read_file(connection, path)
    if stored is None:
        return None
    body = gzip.decompress(stored.body) if stored.gzipped else stored.body
    return SiteFile(stored.media, stored.sha256, body)
