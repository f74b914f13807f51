"""A text of a ruling or a page in one language, its card marks and its notes.

A card mark is `[[Card]]`, `[[Card|words]]`, or `[[-|words]]` for no card. A note is a block of
Markdown by the editors or the translator, who add what the cited document does not say. It begins
with a line `> [!editors]` or `> [!translator]`, as alerts of forges do.
"""

from __future__ import annotations

import hashlib
import html
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, cast

MARK = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]|\n]{1,300}))?\]\]")
_NOT_A_CARD = "-"
# Also with the backslashes that word processors write before brackets.
_BRACKETS = re.compile(r"\\?\[\\?\[|\\?\]\\?\]")
# What pages show unchanged: the words of a mark, an escaped sign, code, an address, an entity.
_LITERAL = re.compile(
    rf"{MARK.pattern}|\\(?P<escaped>[!-/:-@\[-`{{-~\n])"
    r"|(?P<ticks>`+)(?!`) ?(?P<code>(?:(?!\n\s*\n).)+?) ?(?<!`)(?P=ticks)(?!`)"
    r"|<(?P<address>(?:https?://|mailto:)[^<>\s]+)>|(?P<entity>&#?\w{1,31};)",
    re.DOTALL,
)
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s{0,3}(?:[-*+]|\d+[.)]|#+|>)\s)")
_BLOCK_SIGN = re.compile(r"^\s{0,3}(?:[-*+]|\d+[.)]|#+|>)\s+", re.MULTILINE)
_LINK = re.compile(r"\[([^\[\]]+)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_EMPHASIS = re.compile(
    r"(?:(?<!\w)|(?=\*+\w))(?P<run>(?P<sign>[*_])(?P=sign){0,2})(?=\S)"
    r"(?P<words>(?:(?!(?P=sign)).)+)(?<!\s)(?P=run)(?!(?<=_)\w)",
    re.DOTALL,
)
# Characters for private use stand for literal signs while the signs of Markdown are taken out.
_HIDDEN = {ord(sign): 0x100000 + ord(sign) for sign in string.punctuation}
_SHOWN = {hidden: sign for sign, hidden in _HIDDEN.items()}


class Mark(NamedTuple):
    """A card mark: its place in the text (code points), the card's label and the words shown."""

    start: int
    end: int
    label: str
    surface: str

    @property
    def is_card(self) -> bool:
        """Whether the mark names a card, unlike `[[-|words]]`."""
        return self.label != _NOT_A_CARD


def _mark(match: re.Match[str]) -> Mark:
    # In a table of Markdown a bar in a cell may be written with a backslash.
    label = (match[1].removesuffix("\\") if match[2] else match[1]).strip()
    return Mark(match.start(), match.end(), label, (match[2] or label).strip())


def find_marks(text: str) -> tuple[Mark, ...]:
    """Return the marks of a text in order."""
    return tuple(map(_mark, MARK.finditer(text))) if "[[" in text else ()


def mark_at(text: str, start: int) -> Mark | None:
    """Return the mark that begins at a place."""
    match = MARK.match(text, start)
    return _mark(match) if match else None


def broken_marks(text: str) -> Iterator[int]:
    """Yield the offsets of double brackets that belong to no whole mark.

    A mark is not whole if its words begin or end with a blank, which belongs outside.
    """

    def blanked(match: re.Match[str]) -> str:
        words = match[2] or ""
        return " " * len(match[0]) if words == words.strip() else match[0]

    for match in _BRACKETS.finditer(MARK.sub(blanked, text)):
        yield match.start()


def write_mark(label: str, surface: str) -> str:
    """Return a mark as Markdown."""
    return f"[[{label}]]" if label == surface else f"[[{label}|{surface}]]"


def plain_text(text: str) -> str:
    """Return a text with each mark replaced by the words it shows."""
    return MARK.sub(lambda match: _mark(match).surface, text) if "[[" in text else text


def shown_blocks(text: str) -> list[str]:
    """Return the blocks of a Markdown text as a page shows them: plain text, each on one line.

    Without the parser of the pages, whose import would add a sixth to the time of `kb search`.
    """
    blocks = map(_shown, _BLOCK.split(_LITERAL.sub(_hidden, text)))
    return list(filter(None, blocks))


def _hidden(match: re.Match[str]) -> str:
    words = match[match.lastgroup] if match.lastgroup else _mark(match).surface
    return (html.unescape(words) if match["entity"] else words).translate(_HIDDEN)


def _shown(block: str) -> str:
    words = _LINK.sub(r"\1", _BLOCK_SIGN.sub("", block))
    # The innermost emphasis goes first.
    while (plain := _EMPHASIS.sub(r"\g<words>", words)) != words:
        words = plain
    return " ".join(words.translate(_SHOWN).split())


NoteAuthor = Literal["editors", "translator"]
# Whose words a note is, as readers see it.
NOTES = {
    "editors": "Editors’ note",
    "translator": "Translator’s note",
}
_NOTE = re.compile(rf"(?:\A|(?<=\n\n))> \[!({'|'.join(NOTES)})\][ \t]*((?:\n>[^\n]*)*)(?=\n\n|\Z)")
# The first line of a note, also of a miswritten one.
_ALERT = re.compile(r"^[ \t]*\\?>[ \t]*\\?\[!([^\]\n]*)\]?", re.MULTILINE)
_QUOTE = re.compile(r"^> ?", re.MULTILINE)


class Part(NamedTuple):
    """A part of a text in Markdown: a note with its author, or the words between two notes.

    `start` is its offset in the text; a note is without the signs of its block.
    """

    by: NoteAuthor | Literal[""]
    text: str
    start: int


class Note(NamedTuple):
    """A note in Markdown; it begins in `line` of the file."""

    by: NoteAuthor
    text: str
    line: int


def split_notes(body: str) -> Iterator[Part]:
    """Yield the parts of a text in their order."""
    done = 0
    for match in _NOTE.finditer(body) if "[!" in body else ():
        if between := body[done : match.start()].strip("\n"):
            yield Part("", between, done)
        author = cast("NoteAuthor", match[1])
        yield Part(author, _QUOTE.sub("", match[2]).strip("\n"), match.start())
        done = match.end()
    if rest := body[done:].strip("\n"):
        yield Part("", rest, done)


@dataclass(frozen=True)
class Text:
    """A ruling, or a page, in one language: a section of its file.

    `body` is Markdown with card marks and notes. `line` is the heading's line, `body_line` the
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

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The notes of the editors and the translator."""
        parts = split_notes(self.body)
        return tuple(Note(by, text, self.line_at(start)) for by, text, start in parts if by)

    @property
    def without_notes(self) -> str:
        """The body without its notes: the words of the authority alone."""
        if not self.notes:
            return self.body
        return "\n\n".join(part.text for part in split_notes(self.body) if not part.by)

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

    def note_faults(self) -> Iterator[tuple[int, str]]:
        """Yield the line and the message of each mistake in a note."""
        lines = {note.line for note in self.notes}
        for match in _ALERT.finditer(self.body):
            line = self.line_at(match.start())
            if match[1] not in NOTES:
                yield line, f"[!{match[1]}]: a note begins with `> [!editors]` or `> [!translator]`"
            elif line not in lines:
                message = (
                    f"a note is a block of its own: `> [!{match[1]}]` alone on a line, then lines"
                    " that begin with `>`, blank lines around"
                )
                yield line, message
        for note in self.notes:
            if not note.text:
                yield note.line, f"the note by the {note.by} is empty"
            if note.line == self.body_line:
                yield note.line, "the section begins with a note; its first paragraph is the answer"
