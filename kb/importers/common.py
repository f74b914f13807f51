"""What the importers share: files, line numbers, ids, titles, escaping, card labels."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kb.core.problems import KbError, posix_path
from kb.core.urls import DEVICES, ascii_letters
from kb.importers.drafts import DraftCard
from kb.records.characters import without_hidden
from kb.records.model import Game

_LONGEST = 100
_TITLE = 60
# AllPrintings.json, the largest file that is read, has some 500 MB.
_MOST = 1_000_000_000
# A ruling that is longer is none; reading its HTML would take the square of it.
LONGEST_RULING = 20_000
# Only what Markdown would take as its own is escaped: texts stay readable, and searched, as they
# were written.
_INLINE = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|[*`]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=\[)|\](?=\])"
    r"|(?<=\[)\[|(?<=\])\]|\](?=[(:])"
)
_START = re.compile(
    r"^[ \t]*(?:([#>]|[-+=](?=[ \t]|$)|~~~|(?:-[ \t]*){3,}$|={2,}$)|(\d{1,9})([.)])(?=[ \t]|$))",
    re.MULTILINE,
)


def text_of(path: Path, most: int = _MOST) -> str:
    """Read a file of at most so many bytes as text with LF line ends, without a byte order mark.

    Raises KbError when it cannot be read as UTF-8.
    """
    try:
        if path.stat().st_size > most:
            raise KbError(
                f"{posix_path(path)}: larger than {most // 1_000_000:,} MB; no file of rulings is"
            )
        data = path.read_bytes()
    except OSError as error:
        raise KbError(f"{posix_path(path)}: {error.strerror or error}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise KbError(
            f"{posix_path(path)}:{line}: not UTF-8 (byte 0x{data[error.start]:02x}); give the file"
            " as UTF-8 text"
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def files_of(paths: Sequence[Path], pattern: str) -> list[Path]:
    """Return the given files, and those of given folders that match a pattern, by name."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob(pattern)) if path.is_dir() else [path]
    if not files:
        raise KbError(
            f"{', '.join(posix_path(path) for path in paths) or 'no path'}: no {pattern} there;"
            " name the file itself"
        )
    return files


class Lines:
    """Offsets of a text -> line numbers from 1."""

    def __init__(self, text: str) -> None:
        self._ends = [newline.start() for newline in re.finditer("\n", text)]

    def at(self, offset: int) -> int:
        """The line on which an offset lies."""
        return bisect_right(self._ends, offset - 1) + 1


def slug(text: str, longest: int = _LONGEST) -> str:
    """Return words as an id: `Political Action` -> political-action; `x` when nothing is left.

    Cut between words at a greatest length.
    """
    bare = re.sub(r"['’`]", "", ascii_letters(text.lower()))
    folded = re.sub(r"[^a-z0-9]+", "-", bare).strip("-")
    if len(folded) > longest:
        folded = (folded[: longest + 1].rpartition("-")[0] or folded[:longest]).strip("-")
    return f"x-{folded}" if folded in DEVICES else folded or "x"


class Ids:
    """Ids in the order of their asking: the first of a kind as it is, the next with -2, -3."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._made: set[str] = set()

    def make(self, base: str, between: str = "-") -> str:
        """A free id for a base; `between` stands before the number."""
        while True:
            self._seen[base] += 1
            number = self._seen[base]
            candidate = base if number == 1 else f"{base}{between}{number}"
            if candidate not in self._made:
                self._made.add(candidate)
                return candidate


def literal(text: str) -> str:
    """Escape plain prose so that Markdown shows the same characters."""
    escaped = _INLINE.sub(lambda match: "\\" + match[0], without_hidden(text))
    return _START.sub(escaped_start, escaped)


def escaped_start(match: re.Match[str]) -> str:
    """The mark of a heading or list at a line's start (1), or a number (2) and what ends it (3)."""
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def title(card: str, words: str) -> str:
    """Return a title of a card's name and the first words of a text, about 60 characters."""
    flat = " ".join(without_hidden(words).split())
    if len(flat) > _TITLE:
        cut = flat[: _TITLE + 1].rpartition(" ")[0] or flat[:_TITLE]
        flat = cut.rstrip(" ,;:.(–—-") + "…"
    flat = flat.replace("[[", "[ [").replace("]]", "] ]")
    return f"{card}: {flat}" if card and flat else card or flat


def day(text: str) -> str:
    """A date as records write it (2003-06-01), empty when it is none; `20030601` is read too."""
    try:
        return datetime.date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return ""


def label(card: DraftCard, game: Game | None = None) -> str:
    """How rulings name a card: with the game's pattern, else `Name (version)`."""
    pattern = game.header.card_version if game else "{name} ({version})"
    return (
        pattern.replace("{name}", card.name).replace("{version}", card.version)
        if card.version
        else card.name
    )


def distinguish(cards: Sequence[DraftCard], versions: Sequence[Sequence[str]]) -> list[DraftCard]:
    """Give cards of one name versions: the first of those offered in which they all differ."""
    distinct = list(cards)
    named: dict[str, list[int]] = {}
    for place, card in enumerate(cards):
        named.setdefault(card.name, []).append(place)
    for places in named.values():
        for place in places if len(places) > 1 else ():
            others = [versions[other] for other in places if other != place]
            free = (
                version
                for step, version in enumerate(versions[place], 1)
                if version and all(version not in other[:step] for other in others)
            )
            distinct[place] = replace(cards[place], version=next(free, versions[place][-1]))
    return distinct


def is_card_name(name: str) -> bool:
    """Whether records can mark a card of this name."""
    return bool(name) and not set("[]|") & set(name)


def paragraphs(text: str) -> Iterator[str]:
    """Join lines to paragraphs; one that breaks off inside a sentence goes on in the next."""
    paragraph = ""
    for line in (" ".join(row.split()) for row in text.split("\n")):
        if not line:
            continue
        paragraph = f"{paragraph} {line}" if paragraph else line
        if re.search(r"[.!?:)\"”’'\]]$", line) and not re.search(r"\b(?:e\.?g|i\.?e)\.$", line):
            yield paragraph
            paragraph = ""
    if paragraph:
        yield paragraph
