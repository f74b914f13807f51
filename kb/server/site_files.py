"""The files of a built site, read from a folder."""

from __future__ import annotations

import hashlib
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kb.core.media import media_type

# Larger files are streamed from disk, in bytes.
MAX_IN_MEMORY = 2_000_000
# A file of the browser's index, in a folder that is named by its content.
BUCKET = re.compile(r"static/search/[0-9a-f]{12}/[a-z][a-z0-9-]*\.js")
_SEGMENT = re.compile(r"[\w@+,=~-][\w@+,=~.-]*")


@dataclass(frozen=True)
class SiteFile:
    """One file of the site.

    `digest`: SHA-256 of the bytes in hexadecimal digits. `place`: its path on disk, if any. A large
    file has no `body`; its digest comes from time, size and inode.
    """

    media: str
    digest: str
    body: bytes | None
    place: Path | None = None

    @classmethod
    def from_bytes(cls, path: str, body: bytes, place: Path | None = None) -> SiteFile:
        """Return a file of the given bytes; `path` decides its media type."""
        return cls(media_type(path), hashlib.sha256(body).hexdigest(), body, place)


class SiteFiles(Protocol):
    """A storage of the site's files, by their paths relative to its root (`swtcg/index.html`)."""

    def get(self, path: str) -> SiteFile | None:
        """Return a file, None if the site has no such file or the path is not safe. May block."""


def is_safe_path(path: str) -> bool:
    """Return whether a path stays in the site: plain segments, not hidden, not leading up."""
    return all(_SEGMENT.fullmatch(segment) for segment in path.split("/"))


class FolderFiles:
    """The site in a folder. A build that is swapped in is served at once.

    Not Starlette's StaticFiles: it serves hidden files, its ETags change with every build, and it
    reads a file's length before it opens the file, so that a swap in between breaks the response.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, path: str) -> SiteFile | None:
        if not is_safe_path(path):
            return None
        file = self._read(path)
        if file is None and not self.folder.is_dir():
            # The folder is missing for a moment while a build swaps in another.
            time.sleep(0.05)
            file = self._read(path)
        return file

    def _read(self, path: str) -> SiteFile | None:
        place = self.folder / path
        try:
            # Symbolic links are not followed.
            if Path(os.path.realpath(place)) != Path(os.path.realpath(self.folder)) / path:
                return None
            with place.open("rb") as stream:
                status = os.fstat(stream.fileno())
                if status.st_size <= MAX_IN_MEMORY:
                    return SiteFile.from_bytes(path, stream.read(), place)
        except OSError:
            return None
        version = f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
        return SiteFile(media_type(path), hashlib.sha256(version.encode()).hexdigest(), None, place)
