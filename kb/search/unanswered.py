"""The log of unanswered queries: the server appends to it, `grouped` sorts it for curators.

A line has the day, the match and the query, separated by tabs: no address and no identity.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.problems import KbError
from kb.language.fold import clean_typed
from kb.records.model import valid_date
from kb.search.query import MAX_LENGTH

if TYPE_CHECKING:
    from kb.search.searcher import Searcher

# The kinds of match that are no answer.
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


def read_log(path: Path) -> tuple[dict[str, list[str]], int]:
    """The days of each query of a log, and the number of damaged lines.

    Raises KbError without a file.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES)
    except OSError as error:
        raise KbError(f"{path}: {error.strerror}") from error
    days: dict[str, list[str]] = {}
    damaged = 0
    for line in data.decode("utf-8", "replace").splitlines():
        day, _, rest = line.partition("\t")
        match, _, text = rest.partition("\t")
        query = printable(text)
        if match in UNANSWERED and query and _is_day(day):
            days.setdefault(query, []).append(day)
        elif line.strip():
            damaged += 1
    return days, damaged


def _is_day(text: str) -> bool:
    try:
        return len(valid_date(text)) == len("2003-06-01")
    except ValueError:
        return False


@dataclass(frozen=True)
class QueryGroup:
    """Queries with the same words in any forms; the most frequent spelling comes first."""

    spellings: tuple[str, ...]
    count: int
    first_day: str
    last_day: str


def grouped(days: Mapping[str, Sequence[str]], searcher: Searcher) -> list[QueryGroup]:
    """Group queries by the lemmas of their words, the most frequent group first.

    `days`: those of each query.
    """
    meanings = {query: searcher.lemmas(query) for query in days}
    same = _same_lemmas(lemmas for words in meanings.values() for lemmas in words)
    spellings: dict[object, list[str]] = {}
    for query, words in meanings.items():
        key = frozenset(same[lemmas[0]] for lemmas in words) or query
        spellings.setdefault(key, []).append(query)
    groups = [_group(same_words, days) for same_words in spellings.values()]
    return sorted(groups, key=lambda group: (-group.count, group.spellings))


def _group(queries: Sequence[str], days: Mapping[str, Sequence[str]]) -> QueryGroup:
    all_days = sorted(day for query in queries for day in days[query])
    ordered = sorted(queries, key=lambda query: (-len(days[query]), query))
    return QueryGroup(tuple(ordered), len(all_days), all_days[0], all_days[-1])


def _same_lemmas(words: Iterable[Sequence[str]]) -> dict[str, str]:
    """The lemma that stands for each lemma: the most frequent one of the same word."""
    words = list(words)
    frequencies = Counter(lemma for lemmas in words for lemma in lemmas)

    def rank(lemma: str) -> tuple[int, str]:
        return -frequencies[lemma], lemma

    chosen: dict[str, str] = {}
    for lemmas in words:
        best = min(lemmas, key=rank)
        for lemma in lemmas:
            chosen[lemma] = min(chosen.get(lemma, best), best, key=rank)
    return chosen
