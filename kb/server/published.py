"""A build in PostgreSQL as a server sees it: its files and its searchers. Nothing is kept on the machine but for a while."""

from __future__ import annotations

import gzip
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import TypeVar

from kb.core.problems import KbError, NotBuilt
from kb.postgres.index import open_published
from kb.postgres.store import PostgresConnection, content
from kb.records.history import Change
from kb.search.searcher import Searcher
from kb.server.responses import Refused
from kb.server.static import File, safe

T = TypeVar("T")
# How long a file is served from memory before it is looked whether another build is published, in seconds.
FRESH = 1.0
HELD = 64_000_000


class _Reader:
    """A connection for the threads of a server, one after the other, which follows what is published."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._connection: PostgresConnection | None = None
        self._lock = threading.Lock()

    def ask(self, work: Callable[[PostgresConnection], T]) -> T:
        """Does `work` on the current build; where it went away meanwhile, on the one that is current then."""
        with self._lock:
            for left in (1, 0):
                try:
                    if self._connection is None:
                        self._connection = PostgresConnection(self.url)
                    elif self._connection.published() != self._connection.build:
                        self._drop()
                        self._connection = PostgresConnection(self.url)
                    return work(self._connection)
                except (KbError, NotBuilt):
                    self._drop()
                    if not left:
                        raise
        raise AssertionError

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None


class PublishedBuilds:
    """The builds of a database; see kb.server.pool.Builds."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._reader = _Reader(url)

    def current(self) -> str:
        """The number of the published build."""
        try:
            return str(self._reader.ask(lambda connection: connection.build))
        except KbError as error:
            raise NotBuilt(str(error)) from None

    def open(self, build: str) -> Searcher:
        """A searcher over the build of that number."""
        try:
            return open_published(self.url, int(build))
        except KbError as error:
            raise NotBuilt(str(error)) from None

    def history(self) -> list[Change] | None:
        """None: the records are elsewhere."""
        return None


class PublishedFiles:
    """The files of the published site; see kb.server.static.Files."""

    def __init__(self, url: str) -> None:
        self._reader = _Reader(url)
        self._held: OrderedDict[str, tuple[float, File]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def held(self, address: str) -> File | None:
        """The file from memory, when it was looked at a moment ago."""
        found = self._held.get(address)
        return found[1] if found and time.monotonic() - found[0] < FRESH else None

    def get(self, address: str) -> File | None:
        """The file. Raises Refused with 503 where the database cannot be read and the file is not in memory."""
        if not safe(address):
            return None
        try:
            file = self._reader.ask(
                lambda connection: _file(connection, address, self._known(address))
            )
        except (KbError, NotBuilt) as error:
            known = self._known(address)
            if known is None:
                raise Refused(
                    HTTPStatus.SERVICE_UNAVAILABLE, str(error), {"Retry-After": "5"}
                ) from None
            return known
        if file is not None:
            self._keep(address, file)
        return file

    def _known(self, address: str) -> File | None:
        found = self._held.get(address)
        return found[1] if found else None

    def _keep(self, address: str, file: File) -> None:
        with self._lock:
            before = self._held.pop(address, None)
            self._size += _weight(file) - (_weight(before[1]) if before else 0)
            self._held[address] = (time.monotonic(), file)
            while self._size > HELD:
                _, (_, gone) = self._held.popitem(last=False)
                self._size -= _weight(gone)


def _file(connection: PostgresConnection, address: str, known: File | None) -> File | None:
    """A file of the build; its bytes are not fetched again where they are known."""
    rows = connection.all("SELECT sha256 FROM page WHERE path = ?", (address,))
    if not rows:
        return None
    if known is not None and known.digest == rows[0][0]:
        return known
    found = content(connection, address)
    if found is None:
        return None
    body = gzip.decompress(found.body) if found.packed else found.body
    return File(found.media, found.sha256, found.size, body, found.body if found.packed else None)


def _weight(file: File) -> int:
    return 500 + len(file.body or b"") + len(file.packed or b"")
