"""The parse cache: rulings as data, so that a build reads only the files that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.core.memo import Memo
from kb.records.fields import HEADER_FIELDS, construct_header
from kb.records.model import Ruling, Text, construct_unchecked


@dataclass(frozen=True)
class ParseCache:
    """What an earlier reading gave.

    `files`: by path below the records, the checksum of a file and its rulings. `checksums`: the
    checksums of all files, those of games among them. `memo`: for what else is read again.
    """

    files: Mapping[str, tuple[str, list[Ruling]]] = field(default_factory=dict)
    checksums: Mapping[str, str] = field(default_factory=dict)
    memo: Memo = field(default_factory=lambda: Memo(keep=False))

    def rulings(self, path: str, checksum: str) -> list[Ruling] | None:
        """The rulings of a file, when it has the same bytes as then."""
        cached = self.files.get(path)
        return cached[1] if cached and cached[0] == checksum else None


def ruling_to_json(ruling: Ruling) -> dict[str, Any]:
    """A ruling as plain data, but for the lines of its header, which only problems need."""
    header = ruling.header.__dict__
    return {
        **ruling.__dict__,
        "header": {field.name: field.to_json(header[field.name]) for field in HEADER_FIELDS},
        "texts": [_text_values(text) for text in ruling.texts],
        "lines": {},
    }


def ruling_from_json(data: dict[str, Any]) -> Ruling:
    """The ruling that `ruling_to_json` was given, from its JSON. It is not checked again."""
    header = data["header"]
    values = {field.name: field.from_json(header[field.name]) for field in HEADER_FIELDS}
    texts = tuple([construct_unchecked(Text, text) for text in data["texts"]])
    return construct_unchecked(
        Ruling,
        {
            **data,
            "header": construct_header(values),
            "texts": texts,
            "asked_as": {lang: tuple(asked) for lang, asked in data["asked_as"].items()},
            "span": tuple(data["span"]),
        },
    )


def replace_bodies(ruling: Ruling, bodies: Iterable[str]) -> Ruling:
    """The ruling with other bodies of its texts."""
    pairs = zip(ruling.texts, bodies, strict=True)
    texts = tuple(
        construct_unchecked(Text, {**_text_values(text), "body": body}) for text, body in pairs
    )
    return construct_unchecked(Ruling, {**ruling.__dict__, "texts": texts})


def _text_values(text: Text) -> dict[str, Any]:
    """The values of a text's fields, without what was derived from them."""
    values = text.__dict__
    return {name: values[name] for name in Text.model_fields}
