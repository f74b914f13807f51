"""Writes a draft as the text of a record."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from kb.importers.drafts import Draft
from kb.records.characters import without_hidden
from kb.records.syntax import quoted

_PLAIN = re.compile(r"[\w(](?:[^:#\n]|(?<=\w)#)*[^\s:#]|[\w(]")
_MARK, _FENCE = re.compile(r"#(?:\s|$)|=== "), re.compile(r" {0,3}(?:`{3,}|~{3,})")


def rendered(draft: Draft) -> str:
    """Return a draft as a record, without the characters that records refuse."""
    return without_hidden("\n".join(_lines(draft))) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    yield "---"
    if draft.file:
        first, last = draft.lines
        place = f"lines {first}-{last}" if last > first else f"line {first}"
        yield f"# {' '.join(draft.file.split())}, {place}"
    yield from (f"# {line}" for line in draft.note.splitlines() if line.strip())
    for key in ("kind", "authority", "status"):
        yield f"{key}: {getattr(draft, key)}"
    yield from _listed("about", draft.about)
    yield from _listed("topics", dict.fromkeys((draft.topic, *draft.topics)))
    yield from _listed("sources", draft.sources)
    if draft.date:
        yield f"date: {draft.date}"
    yield from _listed("supersedes", draft.supersedes)
    yield from _listed("related", draft.related)
    for key, value in draft.header.items():
        if isinstance(value, str):
            yield f"{key}: {_scalar(value)}"
        elif isinstance(value, Mapping):
            yield from (f"{key}:", *(f"  {name}: {_scalar(item)}" for name, item in value.items()))
        else:
            yield from _listed(key, value)
    yield "---"
    for text in draft.texts:
        yield from ("", f"# {text.lang}: {' '.join(text.title.split())}", "")
        lines = text.body.strip().split("\n")
        # An unclosed fence would make code of the next language's section.
        open_fence = sum(bool(_FENCE.match(line)) for line in lines) % 2 == 1
        yield from (_body(line, open_fence) for line in lines)


def _listed(key: str, values: Collection[str]) -> Iterator[str]:
    if values:
        yield from (f"{key}:", *(f"  - {_scalar(value)}" for value in values))


def _scalar(value: str) -> str:
    """Return a value of the header, in quotes unless it is plain in YAML."""
    line = value if "\n" not in value and "\t" not in value else " ".join(value.split())
    return line if _PLAIN.fullmatch(line) else quoted(line)


def _body(line: str, open_fence: bool) -> str:
    """Escape a line that would begin a section or a ruling, or an unclosed fence."""
    escaped = _MARK.match(line) or (open_fence and _FENCE.match(line))
    return f"\\{line.lstrip()}" if escaped else line
