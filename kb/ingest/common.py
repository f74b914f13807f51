"""What the importers share: files, lines of JSON, ids, titles, escaping, card labels."""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kb.core import urls
from kb.core.characters import normalize
from kb.core.decoding import given_text
from kb.core.problems import KbError, posix_path
from kb.records.model import Game, card_label
from kb.records.values import Card

# Characters of an id, because file names with more are unwieldy; and of one that may get a number.
_MAX_ID, MAX_UNNUMBERED_ID = 100, 90
# Characters of a title that is made from a ruling's first words.
_MAX_TITLE = 60
# Bytes of a file; the largest one in use, AllPrintings.json, has 500 MB.
_MAX_FILE = 1_000_000_000
# Characters of a ruling; the time to read its HTML grows with the square of its length.
LONGEST_RULING = 20_000
_DECODER = json.JSONDecoder()
_SEPARATORS = re.compile(r"[\s,]*")
# Only characters that Markdown would interpret are escaped: other text stays readable.
_INLINE = re.compile(
    r"\\(?=[!-/:-@\[-`{-~])|[*`]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)|\[(?=\[)|\](?=\])"
    r"|(?<=\[)\[|(?<=\])\]|\](?=[(:])"
)
_START = re.compile(
    r"^[ \t]*(?:([#>]|[-+=](?=[ \t]|$)|~~~|(?:-[ \t]*){3,}$|={2,}$)|(\d{1,9})([.)])(?=[ \t]|$))",
    re.MULTILINE,
)


def text_of(path: Path, max_size: int = _MAX_FILE) -> str:
    """Read a file as normalized text with LF line ends, in any encoding of `given_text`.

    Raises KbError for a file of more than `max_size` bytes, or of another encoding.
    """
    try:
        if path.stat().st_size > max_size:
            megabytes = max_size // 1_000_000
            raise KbError(
                f"{posix_path(path)}: larger than {megabytes:,} MB, the limit for imports"
            )
        data = path.read_bytes()
    except OSError as error:
        raise KbError(f"{posix_path(path)}: {error.strerror or error}") from error
    return given_text(data, posix_path(path))


def files_of(paths: Sequence[Path], pattern: str) -> list[Path]:
    """Return the named files, and the files of named folders that match a pattern, by name."""
    files: list[Path] = []
    for path in paths:
        files += sorted(path.glob(pattern)) if path.is_dir() else [path]
    if not files:
        raise KbError(
            f"{', '.join(posix_path(path) for path in paths) or 'no path'}: no {pattern} there;"
            " name the file itself"
        )
    return files


class JsonEntry(NamedTuple):
    """A value of a list, and the line in which it begins."""

    value: Any
    line: int


def text_under(value: Any, key: str) -> str:
    """Return the text under a key of an object; empty without one."""
    text = value.get(key) if isinstance(value, dict) else None
    return text.strip() if isinstance(text, str) else ""


def read_entries(path: Path, key: str = "") -> list[JsonEntry]:
    """Return the entries of a file's list, or of the list under a key of its object.

    Raises KbError, with the line, for a file that is not JSON; the list is empty without one.
    """
    text, name = text_of(path), posix_path(path)
    try:
        json.loads(text)
        start = re.search(rf'\A\s*\{{[^\[\]{{}}]*?"{key}"\s*:\s*\[' if key else r"\A\s*\[", text)
        return list(_entries(text, start.end())) if start else []
    except json.JSONDecodeError as error:
        raise KbError(
            f"{name}:{error.lineno}: not JSON ({error.msg}); fetch the file again, it may be cut"
            " off"
        ) from error
    except (RecursionError, ValueError) as error:
        raise KbError(
            f"{name}: nested too deeply, or a number too long, to be a file of this format"
        ) from error


def _entries(text: str, offset: int) -> Iterator[JsonEntry]:
    line, counted = 1, 0
    while True:
        match = _SEPARATORS.match(text, offset)
        offset = match.end() if match else offset
        if text.startswith("]", offset):
            return
        line, counted = line + text.count("\n", counted, offset), offset
        value, offset = _DECODER.raw_decode(text, offset)
        yield JsonEntry(value, line)


def slug(text: str, max_length: int = _MAX_ID) -> str:
    """Return words as an id: `Political Action` -> political-action; `x` when nothing is left."""
    return urls.slug(text, max_length, "x")


def topic_of_type(topics: dict[str, str], card_type: str) -> str:
    """The topic of rulings on cards of a type, "" if unknown; added to `topics`, titles by id."""
    topic = slug(card_type) if card_type else "other-cards"
    topics.setdefault(topic, card_type or "Other cards")
    return topic


class Ids:
    """Makes ids unique: the first of equal ids stays as it is, the next ones get -2, -3."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._taken: set[str] = set()

    def make(self, base: str, separator: str = "-") -> str:
        """Return a free id; `separator` stands before its number."""
        while True:
            self._counts[base] += 1
            number = self._counts[base]
            candidate = base if number == 1 else f"{base}{separator}{number}"
            if candidate not in self._taken:
                self._taken.add(candidate)
                return candidate


def literal(text: str) -> str:
    """Escape plain prose so that Markdown shows the same characters."""
    escaped = _INLINE.sub(lambda match: "\\" + match[0], normalize(text))
    # A mark of a card with backslashes is a slip of a word processor: see kb/records/text.py.
    escaped = escaped.replace("\\[\\[", "&#91;&#91;").replace("\\]\\]", "&#93;&#93;")
    return _START.sub(escaped_start, escaped)


def escaped_start(match: re.Match[str]) -> str:
    """Escape a mark (group 1), or a number (2) by the sign after it (3), at a line's start."""
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def title(card: str, words: str) -> str:
    """Return a title of a card's name and the first words of a text, about 60 characters."""
    flat = " ".join(normalize(words).split())
    if len(flat) > _MAX_TITLE:
        cut = flat[: _MAX_TITLE + 1].rpartition(" ")[0] or flat[:_MAX_TITLE]
        flat = cut.rstrip(" ,;:.(–—-") + "…"
    flat = flat.replace("[[", "[ [").replace("]]", "] ]")
    return f"{card}: {flat}" if card and flat else card or flat


def day(text: str) -> str:
    """Return a date, or `20030601`, as records write it: 2003-06-01; empty for other text."""
    try:
        return datetime.date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        return ""


def label(card: Card, game: Game | None = None) -> str:
    """Return a card's name and version in the game's pattern, or as `Name (version)`."""
    pattern = game.header.card_version if game else "{name} ({version})"
    return card_label(pattern, card.name, card.version)


def distinguish(cards: Sequence[Card], versions: Sequence[Sequence[str]]) -> list[Card]:
    """Give each card that shares its name a version that no other card of the name has.

    `versions` are those that each card may have, the best first.
    """
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
    """Yield the paragraphs of a text; a line that ends inside a sentence goes on in the next."""
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
