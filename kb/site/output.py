"""Writes the files of a site, and notes the hash and size of each."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from kb.core.json import bytes_hash

# Files to be written: their addresses and contents.
Files = Iterable[tuple[str, bytes | str]]
# The hash of a file's bytes, and its size.
Written = tuple[str, int]


def write_site_files(folder: Path, files: Files) -> dict[str, Written]:
    """Write files below a folder; return the hash and size of each, by address."""
    notes: dict[str, Written] = {}
    folders: set[str] = set()
    for address, content in files:
        data = encoded(content)
        notes[address] = note(data)
        path = os.path.join(folder, address)
        parent = os.path.dirname(path)
        if parent not in folders:
            os.makedirs(parent, exist_ok=True)
            folders.add(parent)
        with open(path, "wb") as file:
            file.write(data)
    return notes


def note(data: bytes) -> Written:
    """The hash and size of a file with some bytes."""
    return bytes_hash(data), len(data)


def encoded(content: bytes | str) -> bytes:
    """The bytes of a file's content."""
    return content.encode("utf-8", "replace") if isinstance(content, str) else content


def versioned(address: str, file_hash: str) -> str:
    """The address of a file with a hash of its content, so that browsers never mix two builds."""
    return f"{address}?{file_hash[:10]}"
