"""Problems of files as data, and the errors that users see."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import NamedTuple, TextIO

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Problem(NamedTuple):
    """A problem in a line of a file.

    `path`: the file, with the folder as the user named it and slashes. `line`: from 1; 1 also for
    the whole file. `message`: what is wrong and, if possible, what to do. `cause`: the file that
    this problem follows from, if that has problems itself.
    """

    path: str
    line: int
    message: str
    cause: str = ""

    def __str__(self) -> str:
        return f"{escape_control(self.path)}:{self.line}: {escape_control(self.message)}"

    def to_json(self) -> dict[str, str | int]:
        """Return the problem as `--json` prints it."""
        return {"path": self.path, "line": self.line, "message": self.message}


# Problems listed for a file, because a file of junk could have millions.
MAX_PROBLEMS = 1_000


class _Problems(list[Problem]):
    """The first problems; `append` only counts further ones."""

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.append(problem)


class FileProblems(_Problems):
    """The first problems of a file; further ones are only counted."""

    omitted = 0

    def append(self, problem: Problem) -> None:
        """Add a problem, or count it."""
        if len(self) < MAX_PROBLEMS:
            super().append(problem)
            return
        self.omitted += 1

    def listed(self) -> list[Problem]:
        """Return the problems, then one with the number of further ones."""
        if not self.omitted:
            return list(self)
        message = f"{self.omitted:,} more problems in this file"
        return [*self, Problem(self[0].path, max(item.line for item in self) + 1, message)]


# Problems listed for a base, because one fault in every file would make millions.
MAX_LISTED = 5_000


class BaseProblems(_Problems):
    """The first problems of a base; further ones are only counted.

    `only`: list only problems of these files and folders. `paths`: the files of all problems, also
    of those not listed. `causes`: files with problems; problems that follow from them are left out.
    """

    causes: frozenset[str] = frozenset()

    def __init__(self, root: Path, only: Sequence[Path] = ()) -> None:
        super().__init__()
        self.paths: set[str] = set()
        self._root = only[0] if only else root
        self._only = [path.absolute() for path in only]
        self._counts: Counter[str] = Counter()

    def append(self, problem: Problem) -> None:
        """Add a problem, or count it."""
        self.paths.add(problem.path)
        if problem.cause in self.causes:
            return
        if self._only:
            path = Path(problem.path).absolute()
            if not any(path.is_relative_to(folder) for folder in self._only):
                return
        self._counts[problem.path] += 1
        # The list of a file has one more, with the number of further problems.
        if self._counts[problem.path] <= MAX_PROBLEMS + 1 and len(self) < MAX_LISTED:
            super().append(problem)

    def listed(self) -> list[Problem]:
        """Return the problems in order; the first has the number of those not listed."""
        unlisted = self._counts - Counter(problem.path for problem in self)
        listed = sorted(set(self))
        if unlisted:
            files = "a file" if len(unlisted) == 1 else f"{len(unlisted):,} files"
            message = (
                f"{unlisted.total():,} more problems in {files}; name one to list its problems"
            )
            listed.insert(0, Problem(posix_path(self._root), 1, message))
        return listed


class KbError(Exception):
    """A failure that a user can fix; the message is shown without a traceback.

    `problems`: those of the records, if they are the reason.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class WrongUsage(KbError):
    """A wrong value on the command line, such as an unknown game: exit code 2."""


class NotBuilt(KbError):
    """A build is missing, damaged or of another version; a new build fixes that."""


class Unavailable(NotBuilt):
    """The storage of builds does not answer now; it may answer later by itself."""


def escape_control(text: str) -> str:
    """Escape characters that would clear a terminal, or end or reverse its line.

    Messages quote files, which anybody may have written.
    """
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_message(text: str, stream: TextIO | None = None) -> None:
    """Print a line on standard error or another stream.

    Nothing happens if the stream is closed, because a server may outlive its terminal.
    """
    stream = stream or sys.stderr
    if stream is not None:
        with suppress(OSError, ValueError):
            print(text, file=stream, flush=True)


def posix_path(path: PurePath) -> str:
    """Return a path as problems print it, with slashes and escaped control characters."""
    text = path.as_posix()
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
