"""Errors as data: what is wrong, where, and how it is printed."""

from __future__ import annotations

from pathlib import PurePath
from typing import NamedTuple


class Problem(NamedTuple):
    """One thing wrong in one file.

    `path` is the file as the user named its folder (POSIX), `line` counts from 1 (1 also for the file as a whole),
    `message` says what is wrong and, where it can, what to do.
    """

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class KbError(Exception):
    """A failure that a user can act upon; its text is shown without a traceback.

    `problems` holds what was found in the records, when that is the reason.
    """

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class NotBuilt(KbError):
    """What a build derives from the records is missing, damaged or of another version: it can be made anew."""


def posix(path: PurePath) -> str:
    """A path as problems print it: with slashes on every system, control characters made visible."""
    text = path.as_posix()
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)
