"""Data that take long to derive, in the user's cache, by a hash of all that they depend on.

A file is named for what its data are, for that hash, and for its content, so that a damaged one is
not used. Deleting them loses nothing.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from kb.core.files import replacing_file, user_cache

# Files of each kind that stay, of all bases.
_FILES = 4
# Smaller plain data are derived as quickly as they are read.
_MIN_SIZE = 100_000
_DIGITS = 16


class DerivedData:
    """Bytes by kind and key. `version`: tells the program that derives them from other ones.

    `files`: how many of each kind stay.
    """

    def __init__(self, version: str, files: int = _FILES) -> None:
        self._version, self._files = version, files

    def read(self, kind: str, key: str) -> bytes | None:
        """The bytes that were kept; None where there are none, or only damaged ones."""
        for path in newest_first(_folder(), f"{self._name(kind, key)}-*"):
            with suppress(OSError):
                data = path.read_bytes()
                if path.name.endswith(f"-{_checksum(data)}"):
                    os.utime(path)
                    return data
                path.unlink()
        return None

    def keep(self, kind: str, key: str, data: bytes) -> None:
        """Keep bytes, where the cache can be written."""
        with suppress(OSError):
            folder = _folder()
            folder.mkdir(parents=True, exist_ok=True)
            with replacing_file(folder / f"{self._name(kind, key)}-{_checksum(data)}") as file:
                file.write(data)
            for path in newest_first(folder, f"{kind}-*")[self._files :]:
                path.unlink(missing_ok=True)

    def read_json(self, kind: str, key: str) -> Any:
        """The plain data that `keep_json` was given; None where there are none."""
        data = self.read(kind, key)
        return None if data is None else orjson.loads(data)

    def keep_json(self, kind: str, key: str, value: object) -> None:
        """Keep plain data, where they are large and JSON has bytes for them."""
        with suppress(orjson.JSONEncodeError):
            data = orjson.dumps(value)
            if len(data) >= _MIN_SIZE:
                self.keep(kind, key, data)

    def _name(self, kind: str, key: str) -> str:
        digest = hashlib.sha256(f"{self._version} {key}".encode()).hexdigest()
        return f"{kind}-{digest[:_DIGITS]}"


def _folder() -> Path:
    return user_cache() / "derived"


def newest_first(folder: Path, pattern: str) -> list[Path]:
    """The files of a folder that match a pattern; none where there is no such folder."""
    paths: list[tuple[float, Path]] = []
    for path in folder.glob(pattern):
        with suppress(OSError):
            paths.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(paths, reverse=True)]


def _checksum(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}"
