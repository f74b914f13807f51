"""Writes a draft as the text of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kb.core.characters import normalize
from kb.ingest.drafts import Draft
from kb.records.fields import HEADER_FIELDS, RulingField
from kb.records.syntax import YamlValue, quoted, yaml_lines

_PLAIN = re.compile(r"[\w(](?:[^:#\n]|(?<=\w)#)*[^\s:#]|[\w(]")
_PLACE_COMMENT = re.compile(r"\A(---\n)# .+, lines? \d+(?:-\d+)?\n")
_MARK, _FENCE = re.compile(r"#(?:\s|$)"), re.compile(r" {0,3}(?:`{3,}|~{3,})")
# These come first, in their order: a changed order would be taken for a change of the source.
_FIRST = "kind authority status about topics sources date supersedes related".split()
_FIELDS = sorted(HEADER_FIELDS, key=lambda field: field.name not in _FIRST)


def rendered(draft: Draft) -> str:
    """Return a draft as a record, without the characters that records refuse."""
    return normalize("\n".join(_lines(draft))) + "\n"


def without_place(record: str) -> str:
    """Return a record without the comment on its place in the source's file, which may shift."""
    return _PLACE_COMMENT.sub(r"\1", record)


def _lines(draft: Draft) -> Iterator[str]:
    yield "---"
    if draft.file:
        first, last = draft.lines
        place = f"lines {first}-{last}" if last > first else f"line {first}"
        yield f"# {' '.join(draft.file.split())}, {place}"
    yield from (f"# {line}" for line in draft.note.splitlines() if line.strip())
    header = replace(draft.header, topics=draft.topics)
    yield from yaml_lines(
        {field.key: _value(field, getattr(header, field.name)) for field in _FIELDS}
    )
    yield "---"
    for text in draft.texts:
        yield from ("", f"# {text.lang}: {' '.join(text.title.split())}", "")
        lines = text.body.strip().split("\n")
        # An unclosed fence would make code of the next language's section.
        open_fence = sum(bool(_FENCE.match(line)) for line in lines) % 2 == 1
        yield from (_body(line, open_fence) for line in lines)


def _value(field: RulingField, value: Any) -> YamlValue:
    if field.shape == "list":
        return [_scalar(str(item)) for item in value]
    if field.shape == "mapping":
        return {lang: _scalar(item) for lang, item in value.items()}
    return _scalar(value) if value else ""


def _scalar(value: str) -> str:
    """Return a value of the header, in quotes unless it is plain in YAML."""
    line = value if "\n" not in value and "\t" not in value else " ".join(value.split())
    return line if _PLAIN.fullmatch(line) else quoted(line)


def _body(line: str, open_fence: bool) -> str:
    """Escape a line that would begin a section, or an unclosed fence."""
    escaped = _MARK.match(line) or (open_fence and _FENCE.match(line))
    return f"\\{line.lstrip()}" if escaped else line
