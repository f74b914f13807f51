"""Rulings that were read before, as data: a build keeps them, so that the next one reads only the files that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.records.model import Citation, Difference, Header, Ruling, Text, construct_unchecked

_LISTS = (
    "about",
    "topics",
    "rules",
    "supersedes",
    "related",
    "example_of",
    "overrides",
    "formerly",
)


@dataclass(frozen=True)
class ParseCache:
    """What an earlier reading found: by a file's path below the records the checksum of its bytes and its rulings; the checksums
    of all files, those of games among them, are `sums`."""

    files: Mapping[str, tuple[str, list[Ruling]]] = field(default_factory=dict)
    sums: Mapping[str, str] = field(default_factory=dict)

    def rulings(self, path: str, checksum: str) -> list[Ruling] | None:
        """The rulings of a file, when it has the same bytes as then."""
        found = self.files.get(path)
        return found[1] if found and found[0] == checksum else None


def ruling_to_json(ruling: Ruling) -> dict[str, Any]:
    """A ruling as plain data, but for the lines of its header, which only problems need."""
    return ruling.model_dump(exclude={"lines"})


def ruling_from_json(data: dict[str, Any]) -> Ruling:
    """The ruling that `dumped` made, read from JSON. It is not checked again."""
    head = data["header"]
    for name in _LISTS:
        head[name] = tuple(head[name])
    head["sources"] = tuple([construct_unchecked(Citation, one) for one in head["sources"]])
    head["different_from"] = tuple(
        [construct_unchecked(Difference, one) for one in head["different_from"]]
    )
    texts = tuple([construct_unchecked(Text, one) for one in data["texts"]])
    return construct_unchecked(
        Ruling,
        {
            **data,
            "header": construct_unchecked(Header, head),
            "texts": texts,
            "asked_as": {lang: tuple(asked) for lang, asked in data["asked_as"].items()},
            "lines": {},
            "span": tuple(data["span"]),
        },
    )


def replace_bodies(ruling: Ruling, bodies: Iterable[str]) -> Ruling:
    """The ruling with other bodies of its texts."""
    pairs = zip(ruling.texts, bodies, strict=True)
    texts = tuple(
        construct_unchecked(Text, {**text.__dict__, "body": body}) for text, body in pairs
    )
    return construct_unchecked(Ruling, {**ruling.__dict__, "texts": texts})
