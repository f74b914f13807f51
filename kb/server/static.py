"""The files of the built site, wherever they lie: what a server needs to know of each, and the folder as one such place."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kb.core import urls

MEDIA = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "woff2": "font/woff2",
    "ico": "image/x-icon",
    "jpg": "image/jpeg",
    "webp": "image/webp",
}
OWN = {urls.FEED: "application/atom+xml", urls.OPENSEARCH: "application/opensearchdescription+xml"}
PLAIN = "application/octet-stream"
PACKED = (
    "text/",
    "application/json",
    "application/x-ndjson",
    "application/xml",
    "application/atom",
    "application/manifest",
    "application/open",
    "application/problem",
    "image/svg",
)
# Smaller bodies gain nothing by being packed.
LEAST_PACKED = 600
# A file up to this size is held in memory with its packed form; a larger one is read in pieces.
LARGEST_HELD = 2_000_000
HELD = 64_000_000
_PIECE = 256 * 1024
_NAME = re.compile(r"[\w@+,=~-][\w@+,=~.-]*")
_HASHED = re.compile(r"static/search/[a-z]-[a-z2-7]{8}\.js")
FOR_EVER = "public, max-age=31536000, immutable"
ASK = "no-cache"


@dataclass(frozen=True)
class File:
    """One file: its media type and the SHA-256 of its bytes in hexadecimal digits.

    `body` are its bytes and `packed` the same in gzip, where that is shorter; of a large file both are None, and `path`
    leads to it.
    """

    media: str
    digest: str
    size: int
    body: bytes | None
    packed: bytes | None = None
    path: Path | None = None

    def pieces(self) -> Iterator[bytes]:
        """The bytes in pieces."""
        if self.body is not None:
            yield self.body
        elif self.path is not None:
            with self.path.open("rb") as file:
                while piece := file.read(_PIECE):
                    yield piece


class Files(Protocol):
    """A place that holds the files of a site, by their addresses relative to its root (`swtcg/index.html`)."""

    def held(self, address: str) -> File | None:
        """The file where that can be told without waiting; None when it cannot or there is none."""

    def get(self, address: str) -> File | None:
        """The file; None when there is none."""


def made(address: str, body: bytes) -> File:
    """A file from its bytes."""
    media = media_type(address)
    return File(media, hashlib.sha256(body).hexdigest(), len(body), body, packed(body, media))


def packed(body: bytes, media: str) -> bytes | None:
    """A body in gzip, None where that would not be shorter."""
    if len(body) < LEAST_PACKED or not media.startswith(PACKED):
        return None
    short = gzip.compress(body, 6, mtime=0)
    return short if len(short) < len(body) else None


def media_type(address: str) -> str:
    """The media type of a file of the site."""
    name = address.rpartition("/")[2]
    return OWN.get(name) or MEDIA.get(name.rpartition(".")[2].lower(), PLAIN)


def safe(address: str) -> bool:
    """Whether an address stays inside the site: plain names between slashes, none hidden, none that leads upwards."""
    return all(_NAME.fullmatch(name) for name in address.split("/"))


def kept(address: str, query: str, file: File) -> str:
    """The Cache-Control of a file: for ever where the address carries the hash of the bytes, else to be asked for again."""
    if _HASHED.fullmatch(address) or (
        address.startswith("static/") and len(query) >= 10 and file.digest.startswith(query)
    ):
        return FOR_EVER
    return ASK


class Folder:
    """A folder as it was built. A build that is swapped in is seen at once, by each file's time, size and number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: OrderedDict[str, tuple[tuple[int, int, int], File]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def held(self, address: str) -> File | None:
        """The file from memory, when it has not changed since."""
        found = self._held.get(address)
        if found is None:
            return None
        try:
            now = _state(os.stat(os.path.join(self.folder, address)))
        except OSError:
            return None
        return found[1] if found[0] == now else None

    def get(self, address: str) -> File | None:
        """The file, read when it is new."""
        if not safe(address):
            return None
        file = self.held(address) or self._read(address)
        if file is None and not self.folder.is_dir():
            # Where folders cannot be exchanged at once, a build that is swapped in leaves its place empty for a moment.
            time.sleep(0.05)
            file = self._read(address)
        return file

    def _read(self, address: str) -> File | None:
        path = self.folder / address
        try:
            if Path(os.path.realpath(path)) != Path(os.path.realpath(self.folder)) / address:
                return None
            with path.open("rb") as opened:
                found = os.fstat(opened.fileno())
                if found.st_size > LARGEST_HELD:
                    digest = hashlib.file_digest(opened, "sha256").hexdigest()
                    file = File(media_type(address), digest, found.st_size, None, None, path)
                else:
                    file = made(address, opened.read())
        except OSError:
            return None
        self._keep(address, _state(found), file)
        return file

    def _keep(self, address: str, state: tuple[int, int, int], file: File) -> None:
        with self._lock:
            before = self._held.pop(address, None)
            self._size += _weight(file) - (_weight(before[1]) if before else 0)
            self._held[address] = (state, file)
            while self._size > HELD:
                _, (_, gone) = self._held.popitem(last=False)
                self._size -= _weight(gone)


def _weight(file: File) -> int:
    return 500 + len(file.body or b"") + len(file.packed or b"")


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_mtime_ns, found.st_size, found.st_ino
