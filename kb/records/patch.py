"""Write a form's changes into a record, and keep every other byte.

Unchanged are comments, the order of keys, line ends and a byte order mark. The result is read again
and compared with the form, because a heading in a text would begin a new section.

ruamel.yaml does not keep these bytes: it drops spaces at the end of a line, rewrites `[ a,b ]`, `~`
and `True`, and reads the fingerprint `066762e5` as a number.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from kb.core.diff import bounded_opcodes
from kb.records.draft import (
    KEYS,
    FormDraft,
    Value,
    field_at_line,
    normalized,
    parse_draft,
    single_line,
)
from kb.records.syntax import Document, Text, decode, parse_yaml, quoted, split_record, unix_lines

_PAIR, _ENTRY = "{}: {}", "{}:\n  - {}"
_BOM = b"\xef\xbb\xbf"
_HEADING = re.compile(r"(#[ \t]+[A-Za-z]{2,3}[ \t]*:)([ \t]*)")
_BLANK_OR_COMMENT = re.compile(r"\s*(?:#.*)?\Z")


class PatchError(Exception):
    """A value cannot be written so that it is read back; `place` is its field, as `body.pl`."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class RecordFile:
    """The text of a record's file, and its byte order mark if it has one."""

    text: str = ""
    mark: bytes = b""

    @property
    def version(self) -> str:
        """A hash of the text: an editor compares it before it saves."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def data(self, text: str) -> bytes:
        """Return the bytes of the file with another text."""
        return self.mark + text.encode()


def rows(text: str) -> list[str]:
    """Return the lines of a text with their line ends."""
    return list(StringIO(text, newline=""))


def record_file(data: bytes) -> RecordFile | None:
    """Return a record's file with its line ends; None if it is not a text that records may have."""
    _, problems = decode(data, "")
    if problems:
        return None
    return RecordFile(data.decode("utf-8-sig"), _BOM if data.startswith(_BOM) else b"")


def patch_text(text: str, draft: FormDraft) -> str:
    """Write a draft's changes into a ruling's text, which `parse_draft` must be able to read.

    Raises PatchError unless the result is read back as the draft.
    """
    unix = unix_lines(text)
    parts, _ = split_record(unix, "")
    read, _ = parse_draft(text)
    assert parts is not None and read is not None
    old, wanted = normalized(read), normalized(draft)
    for section in wanted.texts:
        if section not in old.texts:
            _require_one_section(*section)
    lines = unix.removesuffix("\n").split("\n")
    patched = _patched_header(lines[: parts.end], parts.header, old, wanted)
    patched += _patched_sections(lines, parts.end, parts.texts, wanted)
    new = replace_text(text, "\n".join(patched) + ("\n" if unix.endswith("\n") else ""))
    _require_same(new, wanted)
    return new


def new_record(draft: FormDraft) -> str:
    """Return the text of a new record. Raises PatchError unless it is read back as the draft."""
    wanted = normalized(draft)
    for section in wanted.texts:
        _require_one_section(*section)
    lines = ["---"]
    for key in KEYS:
        if key in wanted.header:
            lines += _new_key(key, wanted.header[key])
    lines.append("---")
    for section in wanted.texts:
        lines += ["", *_new_section(*section)]
    record = "\n".join([*lines, ""])
    if wanted.texts:
        _require_same(record, wanted)
    return record


def replace_text(text: str, new: str) -> str:
    """Return the new text of a record; unchanged lines keep their line ends."""
    old, lines = ([row.rstrip("\r\n") for row in rows(each)] for each in (text, new))
    ends = [row[len(line) :] for row, line in zip(rows(text), old, strict=True)]
    newline = max(("\n", "\r\n", "\r"), key=ends.count)
    old_rows = [line + (end or newline) for line, end in zip(old, ends, strict=True)]
    merged = "".join(_merged(old, lines, old_rows, [line + newline for line in lines]))
    return merged if new.endswith(("\r", "\n")) else merged.rstrip("\r\n")


def _require_one_section(lang: str, title: str, body: str) -> None:
    """Raise PatchError unless a text is read back as one section."""
    draft, problems = parse_draft(f"---\n---\n\n# {lang}: {title}\n\n{body}\n")
    if draft is None or normalized(draft).texts != ((lang, title, body),):
        advice = (
            "a line that begins with `# pl:` starts a section of its own;"
            " a heading inside a text is `## ...`"
        )
        raise PatchError(f"body.{lang}", problems[0].message if problems else advice)


def _require_same(text: str, wanted: FormDraft) -> None:
    """Raise PatchError unless a record is read back as the draft that it was made from."""
    draft, problems = parse_draft(text)
    if draft is None:
        raise PatchError(field_at_line(text, problems[0].line), problems[0].message)
    draft, wanted = normalized(draft), normalized(wanted)
    for key in KEYS:
        if draft.header.get(key) != wanted.header.get(key):
            raise PatchError(key, f"{key}: this cannot be written in a header")
    if sorted(draft.texts) != sorted(wanted.texts):
        raise PatchError(
            "", "the texts cannot be written so that they are read back; edit the record as text"
        )


def _patched_header(
    lines: Sequence[str], header: Document, old: FormDraft, wanted: FormDraft
) -> list[str]:
    """Return the lines above the closing line, with other values; new keys in the order of KEYS."""
    entries = header.entries()
    starts = sorted((entry.line(()) - 1, str(key)) for key, entry in entries.items())
    stops = [start for start, _ in starts[1:]] + [len(lines)]
    ends = {
        key: _end_of_value(lines, start, stop)
        for (start, key), stop in zip(starts, stops, strict=True)
    }
    added: dict[int, list[str]] = defaultdict(list)
    place = 1
    for key in KEYS:
        if key in ends:
            place = max(place, ends[key])
        elif key in wanted.header:
            added[place] += _new_key(key, wanted.header[key])
    patched = [lines[0], *added[1], *lines[1 : starts[0][0] if starts else len(lines)]]
    for (start, key), stop in zip(starts, stops, strict=True):
        value, new = lines[start : ends[key]], wanted.header.get(key, "")
        if new != old.header.get(key, ""):
            value = _changed_value(value, entries[key], key, new)
        patched += [*value, *added[ends[key]], *lines[ends[key] : stop]]
    return patched


def _end_of_value(lines: Sequence[str], start: int, stop: int) -> int:
    """Return the index after a value's last line; comments below belong to the next key."""
    while stop > start + 1 and _BLANK_OR_COMMENT.match(lines[stop - 1]):
        stop -= 1
    return stop


def _changed_value(old: Sequence[str], entry: Document, key: str, new: Value) -> list[str]:
    """Return the lines of a key with a new value."""
    if not new:
        return [row for row in old if row.lstrip().startswith("#")]
    if isinstance(new, tuple):
        items = entry.entries().values()
        places = [item.line(()) - entry.line(()) for item in items]
        if places and all(at > 0 and old[at].lstrip().startswith("-") for at in places):
            return _changed_list(old, places, [str(item.value) for item in items], new)
    elif isinstance(new, str) and len(old) == 1:
        head = re.match(r"[^:]+:[ \t]*", old[0])
        assert head is not None
        space = "" if head[0][-1:] in " \t" else " "
        return [f"{head[0]}{space}{_scalar(new, _PAIR)}"]
    return _new_key(key, new)


def _changed_list(
    lines: Sequence[str], places: Sequence[int], old: Sequence[str], new: Sequence[str]
) -> list[str]:
    """Return the lines of a list; unchanged entries and all comments keep their lines."""
    indent = lines[places[0]].partition("-")[0]
    stops = [*places[1:], len(lines)]
    merged = [*lines[: places[0]]]
    for what, i1, i2, j1, j2 in bounded_opcodes(old, new):
        if what in ("insert", "replace"):
            merged += [f"{indent}- {_scalar(entry, _ENTRY)}" for entry in new[j1:j2]]
        for place, stop in zip(places[i1:i2], stops[i1:i2], strict=True):
            kept = place if what == "equal" else _end_of_value(lines, place, stop)
            merged += lines[kept:stop]
    return merged


def _patched_sections(
    lines: Sequence[str], start: int, old: Sequence[Text], wanted: FormDraft
) -> list[str]:
    """Return the lines from `start` on with other texts; a new one stands before its successor."""
    texts = {lang: (title, body) for lang, title, body in wanted.texts}
    present = {section.lang for section in old}
    added: dict[str, list[str]] = {}
    new: list[str] = []
    for lang, (title, body) in texts.items():
        if lang in present:
            added[lang], new = new, []
        else:
            new += [*_new_section(lang, title, body), ""]
    patched = [*lines[start : old[0].line - 1]]
    stops = [*(section.line - 1 for section in old[1:]), len(lines)]
    for section, stop in zip(old, stops, strict=True):
        if section.lang in texts:
            patched += added[section.lang]
            patched += _changed_section(lines[:stop], section, *texts[section.lang])
    while old[-1].lang not in texts and not patched[-1].strip():
        patched.pop()
    return [*patched, "", *new[:-1]] if new else patched


def _changed_section(lines: Sequence[str], section: Text, title: str, body: str) -> list[str]:
    """Return the lines of the last section of `lines` with a title and a body."""
    heading, first = lines[section.line - 1], section.body_line - 1
    if title != single_line(section.title):
        head = _HEADING.match(heading)
        assert head is not None
        heading = f"{head[1]}{head[2] or ' '}{title}"
    above = lines[section.line : first]
    old, new = section.body.split("\n"), body.split("\n") if body else []
    if not section.body:
        return [heading, *(["", *new] if new else []), *above]
    stop = first + len(old)
    return [heading, *above, *_merged(old, new, lines[first:stop], new), *lines[stop:]]


def _new_key(key: str, new: Value) -> list[str]:
    """Return the lines of a key and its value."""
    if isinstance(new, tuple):
        return [f"{key}:", *(f"  - {_scalar(entry, _ENTRY)}" for entry in new)]
    if isinstance(new, dict):
        return [f"{key}:", *(f"  {name}: {_scalar(entry, _PAIR)}" for name, entry in new.items())]
    return [f"{key}: {_scalar(new, _PAIR)}"]


def _new_section(lang: str, title: str, body: str) -> list[str]:
    return [f"# {lang}: {title}".rstrip(), "", *(body.split("\n") if body else ())]


def _scalar(value: str, pattern: str) -> str:
    """Return a value as YAML, in quotes unless the plain value is read back unchanged."""
    for written in (value, quoted(value)):
        document, problems = parse_yaml(pattern.format("k", written), "")
        if not problems and document.value in ({"k": value}, {"k": [value]}):
            return written
    return value


def _merged(
    old: Sequence[str], new: Sequence[str], old_rows: Sequence[str], new_rows: Sequence[str]
) -> list[str]:
    """Return the rows of new lines; lines that are in `old` keep theirs."""
    merged: list[str] = []
    for what, i1, i2, j1, j2 in bounded_opcodes(old, new):
        merged += old_rows[i1:i2] if what == "equal" else new_rows[j1:j2]
    return merged
