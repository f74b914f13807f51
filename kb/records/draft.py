"""A record in a form: header and texts, valid or not; and writing its changes into the file.

Comments, the order of keys, line ends and a byte order mark stay. The result is read again and
compared with the form, because a heading in a text would begin a new section.

ruamel.yaml does not keep these bytes: it drops spaces at the end of a line, rewrites `[ a,b ]`, `~`
and `True`, and reads the fingerprint `066762e5` as a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kb.core.decoding import FileText, decode_utf8, unix_lines
from kb.core.problems import Problem
from kb.records.edits import Edit, edited, entry_edits
from kb.records.fields import HEADER_FIELDS
from kb.records.syntax import (
    Parts,
    YamlDocument,
    decode,
    record_text,
    section_lines,
    split_record,
    trimmed_body,
    yaml_lines,
)
from kb.records.text import Text

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
            return None, [parts.header.problem(message, key)]
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
    keys = {entry.line(): key for key, entry in parts.header.entries().items()}
    above = [at for at in keys if at <= line]
    return str(keys[max(above)]) if above else ""


_BLANK_OR_COMMENT = re.compile(r"\s*(?:#.*)?\Z")


class PatchError(Exception):
    """A value cannot be written so that it is read back; `place` is its field, as `body.pl`."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


def record_file(data: bytes) -> FileText | None:
    """Return a record's file with its line ends; None if it is not a text that records may have."""
    _, problems = decode(data, "")
    return None if problems else decode_utf8(data, "")[0]


def patch_text(text: str, draft: FormDraft) -> str:
    """Write a draft's changes into a ruling's text, which `parse_draft` must be able to read.

    Raises PatchError unless the result is read back as the draft.
    """
    unix = unix_lines(text)
    parts, _ = split_record(unix, "")
    read, _ = parse_draft(text)
    assert parts is not None and read is not None
    old, wanted = normalized(read), normalized(draft)
    lines = unix.split("\n")
    edits = [
        *_header_edits(lines[: parts.end], parts.header, old, wanted),
        *_section_edits(lines, parts, wanted),
    ]
    new = edited(text, edits)
    _require_same(new, wanted)
    return new


def new_record(draft: FormDraft) -> str:
    """Return the text of a new record. Raises PatchError unless it is read back as the draft."""
    wanted = normalized(draft)
    header = {key: wanted.header[key] for key in KEYS if key in wanted.header}
    record = record_text(header, wanted.texts)
    if wanted.texts:
        _require_same(record, wanted)
    return record


def _require_same(text: str, wanted: FormDraft) -> None:
    """Raise PatchError unless a record is read back as the draft that it was made from."""
    parts, problems = split_record(unix_lines(text), "")
    written: dict[str, tuple[str, str]] = {}
    for section in parts.texts if parts else ():
        if section.title or section.body:
            written.setdefault(section.lang, (single_line(section.title), section.body))
    texts = {lang: (title, body) for lang, title, body in wanted.texts}
    for lang in {**texts, **written} if parts else ():
        if written.get(lang) != texts.get(lang):
            advice = (
                "a line that begins with `# pl:` starts a section of its own;"
                " a heading inside a text is `## ...`"
            )
            raise PatchError(f"body.{lang}", problems[0].message if problems else advice)
    draft, problems = parse_draft(text)
    if draft is None:
        raise PatchError(field_at_line(text, problems[0].line), problems[0].message)
    read = normalized(draft)
    for key in KEYS:
        if read.header.get(key) != wanted.header.get(key):
            raise PatchError(key, f"{key}: this cannot be written in a header")


def _header_edits(
    lines: Sequence[str], header: YamlDocument, old: FormDraft, wanted: FormDraft
) -> Iterator[Edit]:
    """Yield the edits of a header; new keys stand in the order of KEYS."""
    entries = header.entries()
    starts = sorted(entry.line() - 1 for entry in entries.values())
    stops = dict(zip(starts, [*starts[1:], len(lines)], strict=True))
    place = 1
    for key in KEYS:
        new = wanted.header.get(key, "")
        if key not in entries:
            yield Edit(place, place, _key_lines(key, new))
            continue
        start = entries[key].line() - 1
        stop = _end_of_value(lines, start, stops[start])
        if new != old.header.get(key, ""):
            yield from _value_edits(lines[:stop], entries[key], key, new)
        place = max(place, stop)


def _end_of_value(lines: Sequence[str], start: int, stop: int) -> int:
    """Return the index after a value's last line; comments below belong to the next key."""
    while stop > start + 1 and _BLANK_OR_COMMENT.match(lines[stop - 1]):
        stop -= 1
    return stop


def _value_edits(lines: Sequence[str], entry: YamlDocument, key: str, new: Value) -> Iterator[Edit]:
    """Yield the edits of a key, whose old value is the end of `lines`."""
    start, stop = entry.line() - 1, len(lines)
    items = entry.entries().values()
    places = [item.line() - 1 for item in items]
    if not new:
        yield Edit(start, stop, [row for row in lines[start:] if row.lstrip().startswith("#")])
    elif (
        isinstance(new, tuple)
        and places
        and all(at > start and lines[at].lstrip().startswith("-") for at in places)
    ):
        spans = [
            (at, _end_of_value(lines, at, below))
            for at, below in zip(places, [*places[1:], stop], strict=True)
        ]
        indent = lines[places[0]].partition("-")[0]
        written = [f"{indent}{line}" for line in yaml_lines(new)]
        yield from entry_edits(spans, [str(item.value) for item in items], new, written)
    else:
        yield Edit(start, stop, _key_lines(key, new))


def _section_edits(lines: Sequence[str], parts: Parts, wanted: FormDraft) -> Iterator[Edit]:
    """Yield the edits of the sections; a new one stands before its successor."""
    present = {section.lang: section for section in parts.texts}
    new: list[str] = []
    for lang, title, body in wanted.texts:
        if lang not in present:
            new += [*section_lines(lang, title, body), ""]
            continue
        section = present[lang]
        start = section.line - 1
        yield Edit(start, start, new)
        new = []
        if (title, body) != (single_line(section.title), section.body):
            head, _, rest = lines[start].partition(":")
            space = rest[: len(rest) - len(rest.lstrip())] or " "
            text = [f"{head}:{space}{title}", *section_lines(lang, title, body)[1:]]
            yield Edit(start, _end_of_section(section), text)
    last = _end_of_section(parts.texts[-1])
    yield Edit(last, last, ["", *new[:-1]] if new else ())
    kept = {lang for lang, _, _ in wanted.texts}
    above = parts.end + 1
    for section in parts.texts:
        if section.lang not in kept:
            yield Edit(above, _end_of_section(section))
        above = _end_of_section(section)


def _end_of_section(section: Text) -> int:
    """Return the index after the last line of a section that is not blank."""
    if not section.body:
        return section.line
    return section.body_line + section.body.count("\n")


def _key_lines(key: str, value: Value) -> list[str]:
    """Return the lines of a key and its value; none without a value."""
    return list(yaml_lines({key: value}))
