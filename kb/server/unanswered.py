"""The log of unanswered queries, which the server appends to and curators read.

A line has the day, the match and the query, separated by tabs: no address and no identity.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from kb.core.characters import clean_typed
from kb.core.problems import KbError

# The kinds of match that do not answer a query.
UNANSWERED = ("near", "none")
# At most this many bytes are logged, so that nobody can fill the disk.
MAX_BYTES = 16_000_000


class UnansweredLog:
    """Appends queries to a file; several processes may share it."""

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        """`say` gets the first error of writing; no search fails for it."""
        self.path, self._say = path, say
        self._has_failed = False

    def check(self) -> None:
        """Raise KbError where the file cannot be appended to."""
        try:
            self._write(b"")
        except OSError as error:
            raise KbError(f"{self.path}: {error.strerror or error}") from error

    def record(self, query: str, match: str) -> None:
        """Append a query of today, unless its match is an answer."""
        text = clean_typed(query)
        if match not in UNANSWERED or not text:
            return
        try:
            self._write(f"{datetime.now(UTC).date()}\t{match}\t{text}\n".encode())
        except OSError as error:
            if not self._has_failed:
                reason = error.strerror or error
                self._say(f"kb: {self.path}: {reason}; unanswered queries are lost")
            self._has_failed = True

    def _write(self, line: bytes) -> None:
        """Append with a single write, which no other process can interrupt."""
        with open(self.path, "ab", buffering=0, opener=_open_for_owner) as file:
            if file.tell() + len(line) <= MAX_BYTES:
                file.write(line)


def _open_for_owner(path: str, flags: int) -> int:
    """Open a file that only its owner can read. Follows no symbolic link."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)
