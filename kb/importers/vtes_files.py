"""The files of the VTES rulings as objects with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from kb.core.problems import KbError, Problem, posix_path
from kb.importers.common import text_of
from kb.records.syntax import parse_yaml

COLUMNS = ("id", "name", "type", "group", "aka")
_KEY = re.compile(r"([^|]+)\|(.*)", re.DOTALL)
_BLOCK = re.compile(r"[^\s#\-]|-(?![\s-])")


class Row(NamedTuple):
    """A line of cards.tsv."""

    id: str
    name: str
    type: str
    group: str
    aka: tuple[str, ...]


class Block(NamedTuple):
    """A key of the first level of a YAML file with its value, and the line of every item."""

    key: str
    value: object
    line: int
    end: int
    lines: dict[tuple[str | int, ...], int]


@dataclass
class Files:
    """The texts that were given, by what they are; `name` is how problems name one."""

    paths: dict[str, Path] = field(default_factory=dict)

    def name(self, kind: str) -> str:
        return posix_path(self.paths[kind]) if kind in self.paths else kind

    def text(self, kind: str) -> str:
        """A file's text, empty where it was not given."""
        return text_of(self.paths[kind]) if kind in self.paths else ""


KINDS = ("rulings.yaml", "groups.yaml", "references.yaml", "cards.tsv")


def find(paths: list[Path]) -> Files:
    """Find the four files among the given paths, in given folders and `rulings/` inside them."""
    files = Files()
    for path in paths:
        if not path.exists():
            raise KbError(f"{posix_path(path)}: there is no such file or folder")
        for kind in KINDS:
            places = (
                [path / kind, path / "rulings" / kind]
                if path.is_dir()
                else [path]
                if path.name == kind
                else []
            )
            place = next((candidate for candidate in places if candidate.is_file()), None)
            if place:
                files.paths.setdefault(kind, place)
    if "rulings.yaml" not in files.paths:
        given = ", ".join(posix_path(path) for path in paths)
        raise KbError(
            f"{given}: no rulings.yaml there; name the folder of the VTES rulings, or the files"
            f" {', '.join(KINDS)}"
        )
    return files


def rows(text: str, name: str, skipped: list[Problem]) -> Iterator[Row]:
    """cards.tsv -> its good lines; the others are named in `skipped`."""
    lines = text.split("\n")
    if tuple(lines[0].split("\t")) != COLUMNS:
        raise KbError(
            f"{name}:1: the first line names the columns, separated by tabs: {' '.join(COLUMNS)}"
        )
    first_lines: dict[str, int] = {}
    for number, line in enumerate(lines[1:], 2):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip():
            continue
        if len(cells) != len(COLUMNS):
            skipped.append(
                Problem(
                    name,
                    number,
                    f"{len(cells)} columns instead of {len(COLUMNS)} (tabs separate them)",
                )
            )
        elif not cells[0] or not cells[1]:
            skipped.append(Problem(name, number, "a card needs an id and a name"))
        elif set("[]|") & set(cells[1]):
            skipped.append(
                Problem(
                    name, number, f"{cells[1]}: the characters [ ] | cannot stand in a card's name"
                )
            )
        elif cells[0] in first_lines:
            skipped.append(
                Problem(
                    name,
                    number,
                    f"{cells[0]}: id given twice (first on line {first_lines[cells[0]]})",
                )
            )
        else:
            first_lines[cells[0]] = number
            key, card, kind, group, aka = cells
            yield Row(
                key,
                card,
                kind,
                group,
                tuple(name.strip() for name in aka.split(";") if name.strip()),
            )


def blocks(text: str, name: str, skipped: list[Problem]) -> Iterator[Block]:
    """A YAML mapping key by key, so that a bad line costs only the key that it belongs to."""
    lines = text.split("\n")
    starts = [
        number
        for number, line in enumerate(lines)
        if _BLOCK.match(line) and not line.startswith("...")
    ]
    for start, after in pairwise([*starts, len(lines)]):
        stop = after
        while stop > start + 1 and (not lines[stop - 1].strip() or lines[stop - 1].startswith("#")):
            stop -= 1
        document, problems = parse_yaml("\n".join(lines[start:stop]), name, start)
        skipped += problems
        if document.value is None:
            continue
        if not isinstance(document.value, dict):
            skipped.append(
                Problem(
                    name,
                    start + 1,
                    f"a key is expected here, as in `100001|.44 Magnum:`, not {lines[start]!r}",
                )
            )
            continue
        for key, value in document.value.items():
            below = {
                place[1:]: line for place, line in document.lines.items() if place[:1] == (key,)
            }
            yield Block(key, value, start + 1, stop, below)


def keyed(key: str) -> tuple[str, str] | None:
    """`100001|.44 Magnum` -> the id and the name."""
    match = _KEY.fullmatch(key)
    return (match[1].strip(), " ".join(match[2].split())) if match else None


def groups(text: str, name: str, skipped: list[Problem]) -> dict[str, list[tuple[str, str, str]]]:
    """Return the cards of each group of groups.yaml (id, name, symbols), by the group's id."""
    by_group: dict[str, list[tuple[str, str, str]]] = {}
    for block in blocks(text, name, skipped):
        key = keyed(block.key)
        if key is None or not isinstance(block.value, dict):
            skipped.append(
                Problem(
                    name, block.line, f"{block.key}: a group is `G00001|Name:` with its cards below"
                )
            )
            continue
        if key[0] in by_group:
            skipped.append(
                Problem(
                    name, block.line, f"{block.key}: group given twice; the cards of both are taken"
                )
            )
        members = by_group.setdefault(key[0], [])
        for card, symbol in block.value.items():
            pair = keyed(card)
            if pair is None or not isinstance(symbol, str):
                skipped.append(
                    Problem(
                        name,
                        block.lines.get((card,), block.line),
                        f"{card}: a card is `100001|Name: ''`",
                    )
                )
            else:
                members.append((*pair, symbol))
    return by_group


class Reference(NamedTuple):
    """A key of references.yaml: who (LSJ), and the rest (19980302-2), with the address."""

    author: str
    place: str
    url: str


_REFERENCE = re.compile(r"([A-Z]{3})[ ]([\w.-]+)")
_AUTHOR = re.compile(r"^#\s*-\s*([A-Z]{3}):\s*(.+)$", re.MULTILINE)


def reference(text: str) -> tuple[str, str] | None:
    """`LSJ 19980302-2` -> LSJ and 19980302-2; None for what is no reference."""
    match = _REFERENCE.fullmatch(" ".join(text.split()))
    return (match[1], match[2]) if match else None


def references(
    text: str, name: str, skipped: list[Problem]
) -> tuple[list[Reference], dict[str, str]]:
    """Return the references in order, and the authors from the comments at the file's top."""
    by_pair: dict[tuple[str, str], Reference] = {}
    for block in blocks(text, name, skipped):
        pair = reference(block.key)
        if pair is None or not isinstance(block.value, str):
            skipped.append(
                Problem(
                    name, block.line, f"{block.key}: a reference is `LSJ 19980302-2: https://...`"
                )
            )
        elif pair in by_pair:
            skipped.append(
                Problem(name, block.line, f"{block.key}: reference given twice; the first is taken")
            )
        else:
            by_pair[pair] = Reference(*pair, block.value.strip())
    return list(by_pair.values()), {author: who.strip() for author, who in _AUTHOR.findall(text)}
