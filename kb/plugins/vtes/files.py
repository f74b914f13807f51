"""Reads the files of the VTES rulings into objects with line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kb.core.problems import KbError, posix_path
from kb.ingest.common import is_card_name, text_of
from kb.ingest.drafts import Imported
from kb.records.syntax import YamlDocument, parse_yaml
from kb.records.tables import read_table

FILES = ("rulings.yaml", "groups.yaml", "references.yaml", "cards.tsv")
_COLUMNS = ("id", "name", "type", "group", "aka")
_KEY = re.compile(r"([^|]+)\|(.*)", re.DOTALL)
_REFERENCE = re.compile(r"([A-Z]{3})[ ]([\w.-]+)")
_AUTHOR = re.compile(r"^#\s*-\s*([A-Z]{3}):\s*(.+)$", re.MULTILINE)


class Row(NamedTuple):
    """A line of cards.tsv; `label` is the card's name in records."""

    id: str
    name: str
    type: str
    group: str
    other_names: tuple[str, ...]
    label: str = ""


class Block(NamedTuple):
    """A first-level key of a YAML file with its value, its first and its last line."""

    key: str
    value: YamlDocument
    line: int
    end: int


@dataclass(frozen=True)
class SourceFile:
    """One of the files."""

    name: str
    text: str
    imported: Imported

    def skip(self, line: int, message: str) -> None:
        """Report a line that is left out."""
        self.imported.skip(self.name, line, message)


def find(paths: Sequence[Path], imported: Imported) -> dict[str, SourceFile]:
    """Read the files among paths, in folders and in the `rulings/` of folders, by name."""
    files: dict[str, SourceFile] = {}
    for path in paths:
        for name in FILES:
            candidates = [path / name, path / "rulings" / name] if path.is_dir() else [path]
            for place in candidates:
                if place.name == name and place.is_file():
                    files.setdefault(name, SourceFile(posix_path(place), text_of(place), imported))
    if missing := [name for name in FILES if name not in files]:
        named = ", ".join(posix_path(path) for path in paths)
        raise KbError(
            f"{named}: no {missing[0]} there; name the folder of the VTES rulings, or the files"
            f" {', '.join(FILES)}"
        )
    return files


def rows(file: SourceFile) -> Iterator[Row]:
    """Yield the good lines of cards.tsv, and report the others."""
    skipped = file.imported.skipped
    ids: set[str] = set()
    for number, cells in read_table(file.text, file.name, _COLUMNS, skipped):
        card, name = cells["id"], cells["name"]
        if not card or not is_card_name(name):
            file.skip(number, "a card needs an id, and a name without [ ] |")
        elif card in ids:
            file.skip(number, f"{card}: id given twice")
        else:
            ids.add(card)
            names = (other.strip() for other in cells["aka"].split(";"))
            yield Row(card, name, cells["type"], cells["group"], tuple(filter(None, names)))
    if skipped and skipped[-1][:2] == (file.name, 1):
        raise KbError(str(skipped[-1]))


def blocks(file: SourceFile) -> list[Block]:
    """Return the keys of a YAML file, and report repeated ones.

    Raises KbError unless the file is a mapping.
    """
    document, problems = parse_yaml(file.text, file.name)
    if not isinstance(document.value, dict):
        what = "keys are expected, as in `100001|.44 Magnum:`"
        raise KbError(str(problems[0]) if problems else f"{file.name}:1: {what}")
    file.imported.skipped += problems
    entries = document.entries()
    starts = [entry.line() for entry in entries.values()]
    ends = [*(start - 1 for start in starts[1:]), file.text.rstrip().count("\n") + 1]
    return [
        Block(str(key), entry, start, end)
        for (key, entry), start, end in zip(entries.items(), starts, ends, strict=True)
    ]


def split_key(key: str) -> tuple[str, str] | None:
    """Split `100001|.44 Magnum` into id and name; None for another key."""
    match = _KEY.fullmatch(key)
    return (match[1].strip(), " ".join(match[2].split())) if match else None


def groups(file: SourceFile) -> dict[str, list[tuple[str, str, str]]]:
    """Return the cards of each group of groups.yaml (id, name, symbols), by the group's id."""
    by_group: dict[str, list[tuple[str, str, str]]] = {}
    for block in blocks(file):
        key = split_key(block.key)
        cards = block.value.value
        if key is None or not isinstance(cards, dict):
            file.skip(block.line, f"{block.key}: a group is `G00001|Name:` with its cards below")
            continue
        members = by_group.setdefault(key[0], [])
        for card, symbol in cards.items():
            pair = split_key(card)
            if pair and isinstance(symbol, str):
                members.append((*pair, symbol))
            else:
                file.skip(block.value.line(card), f"{card}: a card is `100001|Name: ''`")
    return by_group


def references(file: SourceFile) -> tuple[dict[tuple[str, str], str], dict[str, str]]:
    """Return the addresses by author and place, and the authors' names from the comments.

    `LSJ 19980302-2: https://...` is by LSJ, at the place 19980302-2.
    """
    addresses: dict[tuple[str, str], str] = {}
    for block in blocks(file):
        match, address = _REFERENCE.fullmatch(" ".join(block.key.split())), block.value.value
        if match and isinstance(address, str):
            addresses[match[1], match[2]] = address.strip()
        else:
            file.skip(block.line, f"{block.key}: a reference is `LSJ 19980302-2: https://...`")
    return addresses, {author: who.strip() for author, who in _AUTHOR.findall(file.text)}
