"""Write a form's changes into a record, and keep every other byte.

Unchanged are comments, the order of keys, line ends, a byte order mark and the other rulings of a
collection. The result is read again and compared with the form, because a heading in a text would
begin a new section.

ruamel.yaml does not keep these bytes: it drops spaces at the end of a line, rewrites `[ a,b ]`, `~`
and `True`, and reads the fingerprint `066762e5` as a number.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.core.diff import bounded_opcodes
from kb.records.collection import is_collection, split_collection
from kb.records.draft import KEYS, FormDraft, Value, field_at_line, normalized, parse_draft
from kb.records.syntax import Parts, Text, decode, parse_yaml, quoted, split_record, unix_lines

_PAIR, _ENTRY = "{}: {}", "{}:\n  - {}"
_BOM = b"\xef\xbb\xbf"
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_END = re.compile(r"(?:\r\n|\r|\n)\Z")
_HEADING = re.compile(r"(#[ \t]+[A-Za-z]{2,3}[ \t]*:)([ \t]*)")
_BLANK_OR_COMMENT = re.compile(r"\s*(?:#.*)?\Z")


class PatchError(Exception):
    """A value cannot be written so that it is read back; `place` is its field, as `body.pl`."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class RecordLocation:
    """A ruling's text, with the parts of its file before and after it.

    In a collection its line `=== id` is part of `before`. `has_bom`: the file begins with a byte
    order mark.
    """

    has_bom: bool
    before: str
    text: str
    after: str

    @property
    def offset(self) -> int:
        """The number of lines before the ruling."""
        return len(rows(self.before))

    @property
    def version(self) -> str:
        """A hash of the text: an editor compares it before it saves."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def file(self, text: str) -> bytes:
        """Return the file with another text of the ruling."""
        return (_BOM if self.has_bom else b"") + (self.before + text + self.after).encode()


def rows(text: str) -> list[str]:
    """Return the lines of a text with their line ends."""
    return _ROW.findall(text)


def locate(data: bytes, ruling_id: str) -> RecordLocation | None:
    """Return the location of a ruling in its file; None for a binary file or another id."""
    _, problems = decode(data, "")
    if problems:
        return None
    text = data.removeprefix(_BOM).decode("utf-8")
    has_bom = data.startswith(_BOM)
    if not is_collection(data):
        return RecordLocation(has_bom, "", text, "")
    if "\r" in text.replace("\r\n", ""):
        return None
    lines = rows(text)
    for piece in split_collection(text):
        if piece.id == ruling_id:
            before = "".join(lines[: piece.offset])
            after = text[len(before) + len(piece.text) :]
            return RecordLocation(has_bom, before, piece.text, after)
    return None


def patch_text(text: str, draft: FormDraft) -> str:
    """Write a draft's changes into a ruling's text, which `parse_draft` must be able to read.

    Raises PatchError unless the result is read back as the draft.
    """
    wanted = normalized(draft)
    record = _Record(text)
    for section in wanted.texts:
        if section not in record.draft.texts:
            _require_one_section(*section)
    edits = [*record.header_edits(wanted), *record.section_edits(wanted)]
    patched = replace_text(text, record.with_edits(edits))
    _require_same(patched, wanted)
    return patched


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
    old = rows(text)
    ends = [match[0] for row in old if (match := _END.search(row))]
    newline = max(("\n", "\r\n", "\r"), key=ends.count)
    lines = unix_lines(new).split("\n")
    is_closed = lines[-1] == ""
    if is_closed:
        lines.pop()
    raw = [row if _END.search(row) else row + newline for row in old]
    new_rows = [line + newline for line in lines]
    merged = _merged([_END.sub("", row) for row in old], lines, raw, new_rows)
    if merged and not is_closed:
        merged[-1] = _END.sub("", merged[-1])
    return "".join(merged)


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


# The index of the first replaced line, the index after the last, and the new lines.
Edit = tuple[int, int, list[str]]


class _Record:
    """A ruling's text as lines; yields the edits that turn it into another draft."""

    def __init__(self, text: str) -> None:
        parts, _ = split_record(unix_lines(text), "")
        draft, _ = parse_draft(text)
        assert parts is not None and draft is not None
        self.parts: Parts = parts
        self.draft = normalized(draft)
        self.lines = unix_lines(text).split("\n")
        # The line end of a closed text.
        self.last = [self.lines.pop()] if self.lines[-1] == "" else []

    def with_edits(self, edits: Sequence[Edit]) -> str:
        """Return the text with some edits, with LF line ends."""
        lines = list(self.lines)
        for start, stop, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
            lines[start:stop] = new
        return "\n".join(lines + self.last)

    def header_edits(self, wanted: FormDraft) -> Iterator[Edit]:
        """Yield the edits of the header; new keys are inserted in the order of KEYS."""
        spans = self.key_spans()
        place = 1
        inserted: dict[int, list[str]] = defaultdict(list)
        for key in KEYS:
            value = wanted.header.get(key, "")
            if key in spans:
                start, stop = spans[key]
                place = max(place, stop)
                if value != self.draft.header.get(key, ""):
                    yield start, stop, self.changed_value(key, start, stop, value)
            elif value:
                inserted[place] += _new_key(key, value)
        yield from ((at, at, new) for at, new in inserted.items())

    def key_spans(self) -> dict[str, tuple[int, int]]:
        """Return the line of each key and the line after its value, as indexes."""
        starts = sorted(
            (line - 1, str(place[0]))
            for place, line in self.parts.header.lines.items()
            if len(place) == 1
        )
        closing = next(
            at for at, row in enumerate(self.lines) if at and row.rstrip() in ("---", "...")
        )
        stops = [*(start for start, _ in starts[1:]), closing]
        return {
            key: (start, self.end_of_value(start, stop))
            for (start, key), stop in zip(starts, stops, strict=True)
        }

    def end_of_value(self, start: int, stop: int) -> int:
        """Return the index after a value's last line; comments below belong to the next key."""
        while stop > start + 1 and _BLANK_OR_COMMENT.match(self.lines[stop - 1]):
            stop -= 1
        return stop

    def changed_value(self, key: str, start: int, stop: int, new: Value) -> list[str]:
        """Return the lines of a key with a new value."""
        old = self.lines[start:stop]
        if not new:
            return [row for row in old if row.lstrip().startswith("#")]
        if isinstance(new, tuple):
            places = sorted(
                line - 1
                for place, line in self.parts.header.lines.items()
                if len(place) == 2 and place[0] == key
            )
            is_block = places and places[0] > start
            if is_block and all(self.lines[at].lstrip().startswith("-") for at in places):
                return self.changed_list(key, start, stop, places, new)
        elif isinstance(new, str) and len(old) == 1:
            head = re.match(r"[^:]+:[ \t]*", old[0])
            assert head is not None
            space = "" if head[0][-1:] in " \t" else " "
            return [f"{head[0]}{space}{_scalar(new, _PAIR)}"]
        return _new_key(key, new)

    def changed_list(
        self, key: str, start: int, stop: int, places: list[int], new: tuple[str, ...]
    ) -> list[str]:
        """Return the lines of a list; unchanged entries and all comments keep their lines."""
        first = self.lines[places[0]]
        indent = first[: len(first) - len(first.lstrip())]
        kept: list[list[str]] = []
        gaps: list[list[str]] = []
        for place, following in zip(places, [*places[1:], stop], strict=True):
            last = self.end_of_value(place, following)
            kept.append(self.lines[place:last])
            gaps.append(self.lines[last:following])
        values = self.parts.header.value
        assert isinstance(values, dict)
        merged = self.lines[start : places[0]]
        for what, i1, i2, j1, j2 in bounded_opcodes([*map(str, values[key])], new):
            if what in ("insert", "replace"):
                merged += [f"{indent}- {_scalar(entry, _ENTRY)}" for entry in new[j1:j2]]
            for place in range(i1, i2):
                merged += [*(kept[place] if what == "equal" else []), *gaps[place]]
        return merged

    def section_edits(self, wanted: FormDraft) -> Iterator[Edit]:
        """Yield the edits of the texts; a new text is inserted before its successor."""
        texts = {lang: (title, body) for lang, title, body in wanted.texts}
        starts = {section.lang: section.line - 1 for section in self.parts.texts}
        stop = len(self.lines)
        for section, following in zip(
            self.parts.texts, [*list(starts.values())[1:], stop], strict=True
        ):
            if section.lang in texts:
                yield from self.changed_section(section, *texts[section.lang])
            else:
                yield self.start_of_removal(section.line - 1, following), following, []
        inserted: dict[int, list[str]] = {}
        place = stop
        for lang, (title, body) in reversed(texts.items()):
            if lang in starts:
                place = starts[lang]
                continue
            new = _new_section(lang, title, body)
            lines = ["", *new] if place == len(self.lines) else [*new, ""]
            inserted[place] = lines + inserted.get(place, [])
        yield from ((at, at, new) for at, new in inserted.items())

    def start_of_removal(self, start: int, stop: int) -> int:
        """Return where to remove a section; at the file's end with the blank lines before it."""
        while stop == len(self.lines) and start > 0 and not self.lines[start - 1].strip():
            start -= 1
        return start

    def changed_section(self, section: Text, title: str, body: str) -> Iterator[Edit]:
        """Yield the edits that change the title and the body of a section."""
        start, first = section.line - 1, section.body_line - 1
        old_texts = {lang: (title, body) for lang, title, body in self.draft.texts}
        old_title, old_body = old_texts.get(section.lang, ("", ""))
        new = body.split("\n") if body else []
        if body != old_body and not section.body:
            yield start + 1, start + 1, ["", *new]
        elif body != old_body:
            old = section.body.split("\n")
            stop = first + len(old)
            yield first, stop, _merged(old, new, self.lines[first:stop], new)
        if title != old_title:
            head = _HEADING.match(self.lines[start])
            assert head is not None
            yield start, start + 1, [f"{head[1]}{head[2] or ' '}{title}"]


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
