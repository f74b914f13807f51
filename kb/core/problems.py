"""Problems of files as data, and the errors and messages that users see."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from kb.core.characters import CONTROL

_UNPRINTABLE = re.compile(f"{CONTROL.pattern}|[\t\n\r\u200e\u200f]")

# By the types of pydantic's errors.
_VALIDATION = {
    "missing": "missing",
    "extra_forbidden": "unknown key",
    "unexpected_keyword_argument": "unknown argument",
    "string_type": "a text is expected",
    "dict_type": "values by name are expected",
    "string_too_short": "empty",
    "list_type": "a list is expected",
    "tuple_type": "a list is expected",
    "model_type": "an object with keys and values is expected",
    "int_type": "a whole number is expected",
    "int_parsing": "a whole number is expected",
    "string_too_long": "more than {max_length} characters",
    "too_long": "more than {max_length} values",
    "too_short": "needs {min_length} or more",
    "greater_than_equal": "less than {ge}",
    "less_than_equal": "more than {le}",
}


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


def listed(
    problems: Iterable[Problem], only: Sequence[Path] = (), causes: Collection[str] = ()
) -> list[Problem]:
    """Return problems in order, each once.

    `only`: the files and folders whose problems are wanted, by default all. `causes`: files with
    problems; problems that follow from them are left out.
    """
    folders = [path.absolute() for path in only]
    return sorted(
        problem
        for problem in set(problems)
        if problem.cause not in causes
        and (not only or any(map(Path(problem.path).absolute().is_relative_to, folders)))
    )


def explain(error: Mapping[str, Any], messages: Mapping[str, str] = _VALIDATION) -> str:
    """Return the message of an error of pydantic; `messages` by its type, else the general ones."""
    kind, facts = error["type"], error.get("ctx", {})
    if kind == "literal_error" and not isinstance(error["input"], str):
        kind = "string_type"
    if kind == "literal_error":
        return f"{error['input']!r} is not one of {facts['expected']}"
    if kind == "union_tag_invalid":
        return f"{facts['tag']!r} is not one of {facts['expected_tags']}"
    if kind == "value_error":
        return str(facts["error"])
    if kind == "string_pattern_mismatch":
        return f"{error['input'][:60]!r} is not of the expected form"
    known = messages.get(kind) or _VALIDATION.get(kind)
    return known.format(**facts) if known else str(error["msg"])


class KbError(Exception):
    """A failure that a user can fix; the message is shown without a traceback.

    `problems`: the problems of the records, if they are the reason.
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
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_message(text: str) -> None:
    """Print a line on standard error, unless that is closed: a server may outlive its terminal."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(text, file=sys.stderr, flush=True)


def posix_path(path: PurePath) -> str:
    """Return a path as problems print it, with slashes and escaped control characters."""
    text = path.as_posix()
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
