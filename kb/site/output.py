"""The folder that a site is written into, and what is known of its files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

# A file: the beginning of the SHA-256 of its bytes in hexadecimal, and its size.
Written = tuple[str, int]
HASH = 16


class Output:
    """Writes files below `folder`; `files` has those that are there, by address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, Written] = {}
        self._folders: set[str] = set()

    def write(self, address: str, data: bytes | str) -> None:
        """Write a file."""
        raw = encoded(data)
        self.files[address] = written(raw)
        path = os.path.join(self.folder, address)
        folder = os.path.dirname(path)
        if folder not in self._folders:
            os.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        # Without a buffer: there are tens of thousands of small files.
        with open(path, "wb", buffering=0) as file:
            rest = memoryview(raw)
            while rest:
                rest = rest[file.write(rest) :]

    def take(self, files: Mapping[str, Written]) -> None:
        """Note files that another process has written."""
        self.files.update(files)

    def scan(self, below: str) -> None:
        """Note every file below an address, written by others."""
        for path in sorted((self.folder / below).rglob("*")):
            if path.is_file():
                address = path.relative_to(self.folder).as_posix()
                self.files[address] = written(path.read_bytes())


def encoded(data: bytes | str) -> bytes:
    """The bytes of a file's content."""
    return data.encode("utf-8", "replace") if isinstance(data, str) else data


def written(data: bytes) -> Written:
    """What is noted of a file with some bytes."""
    return hashlib.sha256(data).hexdigest()[:HASH], len(data)
