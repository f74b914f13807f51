"""The log of unanswered queries, which the server appends to and curators read.

A line has the day, the match and the query, separated by tabs: no address and no identity.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from kb.core.characters import clean_typed
from kb.core.problems import KbError
from kb.search.query import MAX_LENGTH

# The kinds of match that do not answer a query.
UNANSWERED = ("near", "none")
# At most this many bytes are logged, so that nobody can fill the disk.
MAX_BYTES = 16_000_000
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT
# Follow no symbolic link, and wait for no reader of a pipe. Windows has neither flag.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


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
        text = printable(query)
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
        handle = os.open(self.path, _FLAGS | _SAFE, 0o600)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(0, "not a regular file")
            if line and status.st_size + len(line) <= MAX_BYTES:
                os.write(handle, line)
        finally:
            os.close(handle)


def printable(text: str) -> str:
    """A text on one line of at most MAX_LENGTH characters, all of them printable."""
    typed = clean_typed(text[: 4 * MAX_LENGTH])
    shown = "".join(char if char.isprintable() else " " for char in typed)
    return " ".join(shown.split())[:MAX_LENGTH].encode("utf-8", "ignore").decode()
