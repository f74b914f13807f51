"""The published build in PostgreSQL as the server reads it."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from functools import cached_property

from sqlalchemy import Engine

from kb.core.problems import KbError, NotBuilt, Unavailable
from kb.postgres.connection import (
    build_engine,
    current_build,
    file_digest,
    read_file,
    reading_engine,
)
from kb.postgres.index import open_published
from kb.records.history import Change
from kb.search.searcher import Searcher
from kb.server.responses import unavailable
from kb.server.site_files import SiteFile, is_safe_path

# A file in memory is served for this time without asking the database, in seconds.
_TTL = 1.0
# Longest wait for an answer of the database, in seconds: for a new file, and for one in memory.
_PATIENCE = 1.5
_IMPATIENCE = 0.2
# Number of connections that read pages and the number of the current build.
_CONNECTIONS = 8
# Total size of the files in memory, and of an entry beside its file, in bytes.
_CACHE_SIZE, _ENTRY_OVERHEAD = 64_000_000, 1_000
UNAVAILABLE = (
    "The pages cannot be read from the database at the moment; try again in a few seconds."
)


class PublishedBase:
    """The current build in a database, with its files.

    Both `Builds` of kb.server.pool and `SiteFiles` of kb.server.site_files.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        # By path, the one read last at the end: the time of the last reading, and the file.
        self._cache: OrderedDict[str, tuple[float, SiteFile]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def current(self) -> str:
        """Return the number of the current build."""
        return str(current_build(self._engine))

    def open(self, build_id: str) -> Searcher:
        """Open the build of that number."""
        return open_published(self.url, int(build_id))

    def history(self) -> list[Change] | None:
        """Return None: a database has no records with their history."""
        return None

    def get(self, path: str) -> SiteFile | None:
        """Return a file, from memory if the database does not answer. Raises HttpError 503."""
        if not is_safe_path(path):
            return None
        moment, cached = self._cache.get(path, (0.0, None))
        if cached and time.monotonic() - moment < _TTL:
            return cached
        try:
            file = self._read(path, cached)
        except KbError as error:
            if cached:
                return cached
            raise unavailable(UNAVAILABLE, str(error)) from None
        if file is not None:
            self._keep(path, file)
        return file

    @cached_property
    def _engine(self) -> Engine:
        """The engine, opened on first use. Raises NotBuilt for an unusable address."""
        try:
            return reading_engine(self.url, _CONNECTIONS)
        except KbError as error:
            raise NotBuilt(str(error)) from None

    def _read(self, path: str, cached: SiteFile | None) -> SiteFile | None:
        """Read a file of the current build, again if that build has just been dropped."""
        try:
            return self._read_current(path, cached)
        except Unavailable:
            raise
        except NotBuilt:
            return self._read_current(path, cached)

    def _read_current(self, path: str, cached: SiteFile | None) -> SiteFile | None:
        """Read a file of the current build; its bytes only if they differ from the cached ones."""
        timeout = _IMPATIENCE if cached else _PATIENCE
        build = build_engine(self._engine, current_build(self._engine, timeout))
        if cached and cached.digest == file_digest(build, path, timeout):
            return cached
        stored = read_file(build, path, timeout)
        return SiteFile(stored[0].media, stored[0].sha256, stored[1]) if stored else None

    def _keep(self, path: str, file: SiteFile) -> None:
        """Keep a file in memory in place of those that were read longest ago."""
        with self._lock:
            _, previous = self._cache.pop(path, (0.0, None))
            self._cache[path] = time.monotonic(), file
            self._size += _size(file) - (_size(previous) if previous else 0)
            while self._size > _CACHE_SIZE:
                _, (_, dropped) = self._cache.popitem(last=False)
                self._size -= _size(dropped)


def _size(file: SiteFile) -> int:
    return _ENTRY_OVERHEAD + len(file.body or b"")
