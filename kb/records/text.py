"""A text of a ruling or a page in one language."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from kb.records.marks import Mark, find_marks, plain_text


@dataclass(frozen=True)
class Text:
    """A ruling, or a page, in one language: a section of its file.

    `body` is Markdown with card marks. `line` is the heading's line, `body_line` the
    first line of the body.
    """

    lang: str
    title: str
    body: str
    line: int = 1
    body_line: int = 1

    @property
    def answer(self) -> str:
        """The first paragraph, to be read out at a table."""
        return self.body.split("\n\n", 1)[0]

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits of a hash of the words, without card marks."""
        words = plain_text(f"{self.title}\n{self.body}").split()
        return hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """The card marks of the body."""
        return find_marks(self.body)

    def line_at(self, offset: int) -> int:
        """Return the line of the file at an offset of the body."""
        return self.body_line + self.body.count("\n", 0, offset)
