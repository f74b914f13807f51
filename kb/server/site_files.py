"""The files of a built site: their metadata, and the folder that they are read from."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Generic, Protocol, TypeVar

from kb.core.media import compress, media_type

T = TypeVar("T")
# Files up to this size are cached with their gzip form; larger ones are streamed, in bytes.
MAX_CACHED_FILE = 2_000_000
# Total size of the cached files, in bytes.
CACHE_SIZE = 64_000_000
# Memory that a cache entry takes beside its bytes.
_ENTRY_OVERHEAD = 500
# A file of the browser's index that is named by its content.
SHARD = re.compile(r"static/search/[a-z]-[a-z2-7]{8}\.js")
_SEGMENT = re.compile(r"[\w@+,=~-][\w@+,=~.-]*")


@dataclass(frozen=True)
class SiteFile:
    """One file of the site.

    `digest` is the SHA-256 of its bytes in hexadecimal digits. `gzip` is the compressed body where
    that is shorter. A large file has an open `stream` instead of a body, and its digest is that of
    its modification time, size and inode.
    """

    media: str
    digest: str
    size: int
    body: bytes | None
    gzip: bytes | None = None
    stream: BinaryIO | None = None

    @property
    def etag(self) -> str:
        """The opaque part of the strong ETag, without quotes."""
        return self.digest[:32]

    @classmethod
    def from_bytes(cls, path: str, body: bytes) -> SiteFile:
        """Make a file of the given bytes; `path` decides its media type."""
        media = media_type(path)
        digest = hashlib.sha256(body).hexdigest()
        return cls(media, digest, len(body), body, compress(body, media))


class SiteFiles(Protocol):
    """A storage of the site's files, by their paths relative to its root (`swtcg/index.html`)."""

    def cached(self, path: str) -> SiteFile | None:
        """Return a file that can be served without blocking, None where there is none."""

    def get(self, path: str) -> SiteFile | None:
        """Return a file, None where the site has none at this path. May block."""


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
    return _ENTRY_OVERHEAD + len(file.body or b"") + len(file.gzip or b"")


def is_safe_path(path: str) -> bool:
    """Return whether a path stays in the site: plain segments, none hidden, none leading up."""
    return all(_SEGMENT.fullmatch(segment) for segment in path.split("/"))


class FolderFiles:
    """The site in a folder. A build that is swapped in is served at once.

    Not Starlette's StaticFiles: that looks a file's length up before it opens the file, so that a
    swap in between breaks the response, and it takes 28 times the CPU of a cached body.
    """

    def __init__(self, folder: Path, retired: Path | None = None) -> None:
        """`retired` has the shards of earlier builds, which pages that are open still ask for."""
        self.folder = folder
        self.retired = FolderFiles(retired) if retired else None
        self._cache: FileCache[tuple[int, int, int]] = FileCache()

    def cached(self, path: str) -> SiteFile | None:
        """Return a cached file, unless the one on disk has another time, size or inode."""
        entry = self._cache.get(path)
        if entry is None:
            return None
        try:
            version = _version(os.stat(os.path.join(self.folder, path)))
        except OSError:
            return None
        return entry[1] if entry[0] == version else None

    def get(self, path: str) -> SiteFile | None:
        """Return a file, read from disk if it has changed."""
        if not is_safe_path(path):
            return None
        file = self.cached(path) or self._read(path)
        if file is None and not self.folder.is_dir():
            # Without an atomic exchange of folders, a swap leaves the place empty for a moment.
            time.sleep(0.05)
            file = self._read(path)
        if file is None and self.retired is not None and SHARD.fullmatch(path):
            return self.retired.get(path.rpartition("/")[2])
        return file

    def _read(self, path: str) -> SiteFile | None:
        full_path = self.folder / path
        try:
            if Path(os.path.realpath(full_path)) != Path(os.path.realpath(self.folder)) / path:
                return None
            stream = full_path.open("rb")
        except OSError:
            return None
        # Size and bytes are those of one open file, whatever is swapped in meanwhile.
        version = _version(os.fstat(stream.fileno()))
        if version[1] > MAX_CACHED_FILE:
            digest = hashlib.sha256(repr(version).encode()).hexdigest()
            return SiteFile(media_type(path), digest, version[1], None, stream=stream)
        with stream:
            try:
                file = SiteFile.from_bytes(path, stream.read())
            except OSError:
                return None
        self._cache.put(path, version, file)
        return file


def _version(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_mtime_ns, status.st_size, status.st_ino
