"""Errors as data: what is wrong, where, and how it is printed."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import NamedTuple, Self, TextIO

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Problem(NamedTuple):
    """One thing wrong in one file.

    `path` is the file as the user named its folder (POSIX), `line` counts from 1 (1 also for the
    file as a whole), `message` says what is wrong and, where it can, what to do. `cause`: the file
    that this problem follows from if it has problems of its own.
    """

    path: str
    line: int
    message: str
    cause: str = ""

    def __str__(self) -> str:
        return f"{escape_control(self.path)}:{self.line}: {escape_control(self.message)}"

    def to_json(self) -> dict[str, str | int]:
        """Return it as data."""
        return {"path": self.path, "line": self.line, "message": self.message}


# At most so many problems of one file are listed; a file of junk could have millions.
MAX_PROBLEMS = 1_000


class FileProblems(list[Problem]):
    """The first problems of one file; the others are only counted."""

    omitted = 0

    def append(self, problem: Problem) -> None:
        """Add a problem, or count it."""
        if len(self) < MAX_PROBLEMS:
            super().append(problem)
            return
        self.omitted += 1

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems, or count them."""
        for problem in problems:
            self.append(problem)

    def listed(self) -> list[Problem]:
        """The problems, and how many more there are."""
        if not self.omitted:
            return list(self)
        message = f"{self.omitted:,} more problems in this file"
        return [*self, Problem(self[0].path, max(item.line for item in self) + 1, message)]


# At most so many problems of a base are listed; the same fault in every file makes millions.
MAX_LISTED = 5_000


class BaseProblems(list[Problem]):
    """The first problems of a whole base; the others are only counted.

    `only`: list the problems of these files and folders. `lines` has the lines of all problems,
    listed or not, by path. `causes`: files whose problems stand for those that follow from them.
    """

    causes: frozenset[str] = frozenset()

    def __init__(self, root: Path, only: Sequence[Path] = ()) -> None:
        super().__init__()
        self.lines: dict[str, set[int]] = {}
        self._root = only[0] if only else root
        self._only = [path.absolute() for path in only]
        self._counts: Counter[str] = Counter()

    def append(self, problem: Problem) -> None:
        """Add a problem, or count it."""
        self.lines.setdefault(problem.path, set()).add(problem.line)
        if problem.cause in self.causes:
            return
        if self._only and not self._is_wanted(Path(problem.path).absolute()):
            return
        self._counts[problem.path] += 1
        # A file's own list has a line more, which counts the others.
        if self._counts[problem.path] <= MAX_PROBLEMS + 1 and len(self) < MAX_LISTED:
            super().append(problem)

    def _is_wanted(self, path: Path) -> bool:
        return any(path.is_relative_to(folder) for folder in self._only)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Add problems, or count them."""
        for problem in problems:
            self.append(problem)

    def __iadd__(self, problems: Iterable[Problem]) -> Self:  # type: ignore[misc, override]
        self.extend(problems)
        return self

    def listed(self) -> list[Problem]:
        """The problems in order; the first says how many more there are."""
        unlisted = self._counts - Counter(problem.path for problem in self)
        listed = sorted(set(self))
        if unlisted:
            files = "a file" if len(unlisted) == 1 else f"{len(unlisted):,} files"
            message = (
                f"{unlisted.total():,} more problems in {files}; name one to list its problems"
            )
            listed.insert(0, Problem(posix_path(self._root), 1, message))
        return listed


def bounded(problems: Iterable[Problem]) -> list[Problem]:
    """At most so many problems of one file, then how many more there are."""
    listed = FileProblems()
    listed.extend(problems)
    return listed.listed()


class KbError(Exception):
    """A failure that a user can act upon; its text is shown without a traceback.

    `problems` are those of the records, if they are the reason.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class WrongUsage(KbError):
    """A value on the command line that cannot be, such as an unknown game: exit code 2."""


class NotBuilt(KbError):
    """The output of a build is missing, damaged or of another version; a new build mends it."""


class Unavailable(NotBuilt):
    """A storage of builds does not answer now; it may answer later without anybody's help."""


def escape_control(text: str) -> str:
    """Escape characters that would clear a terminal, or end or reverse its line.

    Messages quote files, and anybody may have written those.
    """
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_message(text: str, stream: TextIO | None = None) -> None:
    """Print a line on standard error, or another stream, if there is one that can be written.

    A server outlives the terminal that it was started from.
    """
    stream = stream or sys.stderr
    if stream is not None:
        with suppress(OSError, ValueError):
            print(text, file=stream, flush=True)


def posix_path(path: PurePath) -> str:
    """Return a path as problems print it: with slashes, control characters escaped."""
    text = path.as_posix()
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
