"""Reads the files of the VTES rulings into objects with line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from kb.core.problems import KbError, posix_path
from kb.ingest.common import is_card_name, text_of
from kb.ingest.drafts import Imported
from kb.records.syntax import parse_yaml
from kb.records.table import read_table

KINDS = ("rulings.yaml", "groups.yaml", "references.yaml", "cards.tsv")
_COLUMNS = ("id", "name", "type", "group", "aka")
_KEY = re.compile(r"([^|]+)\|(.*)", re.DOTALL)
_BLOCK = re.compile(r"[^\s#\-.]|-(?![\s-])|\.(?!\.\.)")
_REFERENCE = re.compile(r"([A-Z]{3})[ ]([\w.-]+)")
_AUTHOR = re.compile(r"^#\s*-\s*([A-Z]{3}):\s*(.+)$", re.MULTILINE)


class Row(NamedTuple):
    """A line of cards.tsv; `label` is the card's name in records."""

    id: str
    name: str
    type: str = ""
    group: str = ""
    other_names: tuple[str, ...] = ()
    label: str = ""


class Block(NamedTuple):
    """A first-level key of a YAML file with its value, and the line of every item."""

    key: str
    value: object
    line: int
    end: int
    lines: dict[tuple[str | int, ...], int]


@dataclass(frozen=True)
class SourceFile:
    """One of the files; `text` is None for a missing one."""

    name: str
    text: str | None
    imported: Imported

    def skip(self, line: int, message: str) -> None:
        """Report a line that is left out."""
        self.imported.skip(self.name, line, message)


def find(paths: Sequence[Path], imported: Imported) -> dict[str, SourceFile]:
    """Find the files among paths, in folders and in the `rulings/` of folders."""
    places: dict[str, Path] = {}
    for path in paths:
        if not path.exists():
            raise KbError(f"{posix_path(path)}: there is no such file or folder")
        for kind in KINDS:
            candidates = [path / kind, path / "rulings" / kind] if path.is_dir() else [path]
            for place in candidates:
                if place.name == kind and place.is_file():
                    places.setdefault(kind, place)
    if "rulings.yaml" not in places:
        named = ", ".join(posix_path(path) for path in paths)
        raise KbError(
            f"{named}: no rulings.yaml there; name the folder of the VTES rulings, or the files"
            f" {', '.join(KINDS)}"
        )
    return {
        kind: SourceFile(posix_path(places[kind]), text_of(places[kind]), imported)
        if kind in places
        else SourceFile(kind, None, imported)
        for kind in KINDS
    }


def rows(file: SourceFile) -> Iterator[Row]:
    """Yield the good lines of cards.tsv, and report the others."""
    skipped = file.imported.skipped
    first_lines: dict[str, int] = {}
    for number, cells in read_table(file.text or "", file.name, _COLUMNS, skipped):
        card, name = cells["id"], cells["name"]
        if not card or not name:
            file.skip(number, "a card needs an id and a name")
        elif not is_card_name(name):
            file.skip(number, f"{name}: the characters [ ] | cannot stand in a card's name")
        elif card in first_lines:
            file.skip(number, f"{card}: id given twice (first on line {first_lines[card]})")
        else:
            first_lines[card] = number
            names = (other.strip() for other in cells["aka"].split(";"))
            yield Row(card, name, cells["type"], cells["group"], tuple(filter(None, names)))
    if skipped and skipped[-1][:2] == (file.name, 1):
        raise KbError(str(skipped[-1]))


def blocks(file: SourceFile) -> Iterator[Block]:
    """Yield a YAML mapping key by key: a bad line spoils only its own key."""
    lines = (file.text or "").split("\n")
    starts = [number for number, line in enumerate(lines) if _BLOCK.match(line)]
    for start, following in pairwise([*starts, len(lines)]):
        end = following
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        document, problems = parse_yaml("\n".join(lines[start:end]), file.name, start)
        file.imported.skipped += problems
        if document.value is None:
            continue
        if not isinstance(document.value, dict):
            message = f"a key is expected here, as in `100001|.44 Magnum:`, not {lines[start]!r}"
            file.skip(start + 1, message)
            continue
        for key, entry in document.entries().items():
            yield Block(str(key), entry.value, start + 1, end, entry.lines)


def split_key(key: str) -> tuple[str, str] | None:
    """Split `100001|.44 Magnum` into id and name; None for another key."""
    match = _KEY.fullmatch(key)
    return (match[1].strip(), " ".join(match[2].split())) if match else None


def groups(file: SourceFile) -> dict[str, list[tuple[str, str, str]]]:
    """Return the cards of each group of groups.yaml (id, name, symbols), by the group's id."""
    by_group: dict[str, list[tuple[str, str, str]]] = {}
    for block in blocks(file):
        key = split_key(block.key)
        if key is None or not isinstance(block.value, dict):
            file.skip(block.line, f"{block.key}: a group is `G00001|Name:` with its cards below")
            continue
        if key[0] in by_group:
            file.skip(block.line, f"{block.key}: group given twice; the cards of both are taken")
        members = by_group.setdefault(key[0], [])
        for card, symbol in block.value.items():
            pair = split_key(card)
            if pair and isinstance(symbol, str):
                members.append((*pair, symbol))
            else:
                line = block.lines.get((card,), block.line)
                file.skip(line, f"{card}: a card is `100001|Name: ''`")
    return by_group


def references(file: SourceFile) -> tuple[dict[tuple[str, str], str], dict[str, str]]:
    """Return the addresses by author and place, and the authors' names from the comments.

    `LSJ 19980302-2: https://...` is by LSJ, at the place 19980302-2.
    """
    addresses: dict[tuple[str, str], str] = {}
    for block in blocks(file):
        match = _REFERENCE.fullmatch(" ".join(block.key.split()))
        if match is None or not isinstance(block.value, str):
            file.skip(block.line, f"{block.key}: a reference is `LSJ 19980302-2: https://...`")
        elif (match[1], match[2]) in addresses:
            file.skip(block.line, f"{block.key}: reference given twice; the first is taken")
        else:
            addresses[match[1], match[2]] = block.value.strip()
    return addresses, {author: who.strip() for author, who in _AUTHOR.findall(file.text or "")}
