"""A record in a form: header and texts, valid or not."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kb.core.decoding import unix_lines
from kb.core.problems import Problem
from kb.records.fields import HEADER_FIELDS
from kb.records.syntax import split_record, trimmed_body

# The keys of a header in the order of new records.
KEYS = tuple(field.key for field in HEADER_FIELDS)
LISTS = frozenset(field.key for field in HEADER_FIELDS if field.shape == "list")
PAIRS = frozenset(field.key for field in HEADER_FIELDS if field.shape == "mapping")

Value = str | tuple[str, ...] | dict[str, str]


@dataclass(frozen=True)
class FormDraft:
    """A record in a form: its header by key, its texts as (language, title, Markdown).

    Values are as in the file, valid or not: lists for LISTS, pairs for PAIRS, otherwise text.
    Empty values are left out.
    """

    header: dict[str, Value] = field(default_factory=dict)
    texts: tuple[tuple[str, str, str], ...] = ()


def parse_draft(text: str) -> tuple[FormDraft | None, list[Problem]]:
    """Read a ruling into a form; None, with the problems, if it can be edited only as text."""
    parts, problems = split_record(unix_lines(text), "")
    if parts is None or problems:
        return None, problems
    values = parts.header.value
    if values == "":
        values = {}
    if not isinstance(values, dict):
        return None, [Problem("", 2, "keys and values are expected here, as in `kind: ruling`")]
    header: dict[str, Value] = {}
    for key in KEYS:
        value = _value(key, values.get(key, ""))
        if value is None:
            message = f"{key}: a form cannot show this shape"
            return None, [Problem("", parts.header.line((key,)), message)]
        if value:
            header[key] = value
    if len({section.lang for section in parts.texts}) < len(parts.texts):
        message = "a second section in the same language"
        return None, [Problem("", parts.texts[-1].line, message)]
    texts = tuple((section.lang, section.title, section.body) for section in parts.texts)
    return FormDraft(header, texts), []


def _value(key: str, given: object) -> Value | None:
    """Return a value in the shape of its key, None if it has another shape."""
    if key in LISTS:
        items = ([given] if given else []) if isinstance(given, str) else given
        if isinstance(items, list) and all(isinstance(item, str) for item in items):
            return tuple(items)
        return None
    if key in PAIRS:
        pairs = given or {}
        if isinstance(pairs, dict) and all(isinstance(item, str) for item in pairs.values()):
            return dict(pairs)
        return None
    return given if isinstance(given, str) else None


def normalized(draft: FormDraft) -> FormDraft:
    """Return a draft as it is read back: without surrounding spaces and empty entries."""
    header: dict[str, Value] = {}
    for key, value in draft.header.items():
        if isinstance(value, str):
            tidied: Value = single_line(value)
        elif isinstance(value, dict):
            tidied = {name.strip(): entry.strip() for name, entry in value.items() if entry.strip()}
        else:
            tidied = tuple(single_line(entry) for entry in value if entry.strip())
        if tidied:
            header[key] = tidied
    texts = []
    for lang, title, body in draft.texts:
        lines = unix_lines(body).split("\n")
        trimmed, _ = trimmed_body(lines, 0, len(lines))
        if title.strip() or trimmed:
            texts.append((lang, single_line(title), trimmed))
    return FormDraft(header, tuple(texts))


def single_line(value: str) -> str:
    """Join the lines of a text."""
    return " ".join(row.strip() for row in re.split(r"[\r\n]+", value)).strip()


def field_at_line(text: str, line: int) -> str:
    """Return the field of a line of a record, a key or `body.pl`; empty without one."""
    parts, _ = split_record(unix_lines(text), "")
    if parts is None:
        return ""
    sections = [section for section in parts.texts if section.line <= line]
    if sections:
        part = "title" if line == sections[-1].line else "body"
        return f"{part}.{sections[-1].lang}"
    keys = {entry.line(()): key for key, entry in parts.header.entries().items()}
    above = [at for at in keys if at <= line]
    return str(keys[max(above)]) if above else ""
