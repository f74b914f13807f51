"""Edits a record through a form: only what was changed is rewritten.

Every other byte stays as it was.

Comments, the order of keys, line ends, a byte order mark and the other rulings of a collection
stay. What comes out is read again and compared with what was meant, so that no text can become
something else (a heading in a text that would begin a section).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb.core.diff import bounded_opcodes
from kb.records.collection import is_collection, split_collection
from kb.records.draft import KEYS, Draft, Value, field_at_line, normalized, parse_draft
from kb.records.syntax import Parts, decode, parse_yaml, split_record, unix_lines

_PAIR, _ENTRY = "{}: {}", "{}:\n  - {}"
_BOM = b"\xef\xbb\xbf"
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_END = re.compile(r"(?:\r\n|\r|\n)\Z")
_HEADING = re.compile(r"(#[ \t]+[A-Za-z]{2,3}[ \t]*:)([ \t]*)")
_SPARE = re.compile(r"\s*(?:#.*)?\Z")


class PatchError(Exception):
    """A value would be read back as something else; `place` is its field, such as `body.pl`."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class RecordLocation:
    """A ruling's text in its file, and what stands before and after it.

    In a collection its own `=== id` line is part of `before`.

    `mark`: the file begins with a byte order mark.
    """

    mark: bool
    before: str
    text: str
    after: str

    @property
    def offset(self) -> int:
        """How many lines of the file stand before the ruling's own."""
        return len(rows(self.before))

    @property
    def version(self) -> str:
        """The hash by which an editor tells whether the ruling is still the one that was seen."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def file(self, text: str) -> bytes:
        """The file with another text in this place."""
        return (_BOM if self.mark else b"") + (self.before + text + self.after).encode()


def rows(text: str) -> list[str]:
    """The lines of a text with their ends, numbered as problems number them."""
    return _ROW.findall(text)


def locate(data: bytes, ruling_id: str) -> RecordLocation | None:
    """Locate a ruling in the bytes of its file.

    None when the file is no text, or a collection without that ruling.
    """
    _, problems = decode(data, "")
    if problems:
        return None
    text = data.removeprefix(_BOM).decode("utf-8")
    mark = data.startswith(_BOM)
    if not is_collection(data):
        return RecordLocation(mark, "", text, "")
    if "\r" in text.replace("\r\n", ""):
        return None
    lines = rows(text)
    for piece in split_collection(text):
        if piece.id == ruling_id:
            before = "".join(lines[: piece.offset])
            return RecordLocation(mark, before, piece.text, text[len(before) + len(piece.text) :])
    return None


def patch_text(text: str, draft: Draft) -> str:
    """Return a ruling's text with the draft's changes.

    The text is one that `parse_draft` can read.

    Raises PatchError when the result would not be read as the draft.
    """
    wanted = normalized(draft)
    parts, _ = split_record(unix_lines(text), "")
    draft_before, _ = parse_draft(text)
    assert parts is not None and draft_before is not None
    before = normalized(draft_before)
    if wanted.asked_as is None:
        wanted = replace(wanted, asked_as=before.asked_as)
    for section in wanted.texts:
        if section not in before.texts:
            _require_one_section(*section)
    lines, end = rows(text), _newline(text)
    edits = [
        *_header_edits(lines, parts, before, wanted, end),
        # At one place what is put in first comes to stand last.
        *_question_edits(lines, parts, wanted, end),
        *_section_edits(lines, parts, before, wanted, end),
    ]
    for start, stop, new in sorted(edits, key=lambda section: section[0], reverse=True):
        lines[start:stop] = new
    if len(wanted.asked_as or ()) < len(before.asked_as or ()):
        while not lines[-1].strip():
            lines.pop()
    patched = _with_line_ends(lines, text, end)
    _require_same(patched, wanted)
    return patched


def new_record(draft: Draft) -> str:
    """A new record's text. Raises PatchError when it would not be read as the draft."""
    wanted = normalized(draft)
    for section in wanted.texts:
        _require_one_section(*section)
    header = [
        row
        for key in KEYS
        if key in wanted.header
        for row in _new_key(key, wanted.header[key], "\n")
    ]
    texts = "".join(
        f"\n# {lang}: {title}".rstrip() + f"\n\n{body}\n" for lang, title, body in wanted.texts
    )
    questions = "".join(
        row for lang, asked in wanted.asked_as or () for row in _question_rows(lang, asked, "\n")
    )
    record = "".join(["---\n", *header, "---\n", texts, questions])
    if wanted.texts:
        _require_same(record, wanted)
    return record


def replace_text(text: str, new: str) -> str:
    """Return a text from a plain editor with the line ends that unchanged lines had."""
    old, end = rows(text), _newline(text)
    lines = unix_lines(new).split("\n")
    ended = lines[-1] == ""
    merged = _merge_lines(
        [_END.sub("", row) for row in old], lines[:-1] if ended else lines, old, end
    )
    return _with_line_ends(merged, "\n" if ended else "", end)


def _require_one_section(lang: str, title: str, body: str) -> None:
    """Raises PatchError for a text that would not be one section."""
    draft, problems = parse_draft(f"---\n---\n\n# {lang}: {title}\n\n{body}\n")
    if draft is None or normalized(draft).texts != ((lang, title, body),):
        advice = (
            "a line that begins with `# pl:` starts a section of its own;"
            " a heading inside a text is `## ...`"
        )
        raise PatchError(f"body.{lang}", problems[0].message if problems else advice)


def _require_same(text: str, wanted: Draft) -> None:
    """Raises PatchError when a text is not read as the draft that it was made from."""
    draft, problems = parse_draft(text)
    if draft is None:
        line = problems[0].line if problems else 1
        raise PatchError(
            field_at_line(text, line), problems[0].message if problems else "cannot be read back"
        )
    draft = normalized(draft)
    for key in KEYS:
        if draft.header.get(key) != wanted.header.get(key):
            raise PatchError(key, f"{key}: this cannot be written in a header")
    if sorted(draft.texts) != sorted(wanted.texts):
        raise PatchError(
            "", "the texts cannot be written so that they are read back; edit the record as text"
        )
    if sorted(draft.asked_as or ()) != sorted(wanted.asked_as or ()):
        raise PatchError(
            "asked-as", "asked-as: a question cannot be written so that it is read back"
        )


Edit = tuple[int, int, list[str]]


def _header_edits(
    lines: list[str], parts: Parts, before: Draft, wanted: Draft, end: str
) -> Iterator[Edit]:
    """Yield the edits of the header.

    Those at one place come in the order that leaves keys in theirs.
    """
    fence = next(at for at, row in enumerate(lines[1:], 1) if row.rstrip() in ("---", "..."))
    starts = sorted(at - 1 for place, at in parts.header.lines.items() if len(place) == 1)
    stops = {
        start: _end_of_value(lines, start, following)
        for start, following in zip(starts, [*starts[1:], fence], strict=True)
    }
    starts_by_key = {
        str(place[0]): at - 1 for place, at in parts.header.lines.items() if len(place) == 1
    }
    late: list[Edit] = []
    for number, key in enumerate(KEYS):
        new = wanted.header.get(key, "")
        if new == before.header.get(key, ""):
            continue
        if key in starts_by_key:
            start = starts_by_key[key]
            yield (
                start,
                stops[start],
                _changed_value(lines, parts, key, start, stops[start], new, end),
            )
        else:
            above = [
                stops[starts_by_key[other]] for other in KEYS[:number] if other in starts_by_key
            ]
            late.append((max(above, default=1), 0, _new_key(key, new, end)))
    # Of several that are put in at one place the last is put in first.
    yield from ((at, at, new) for at, _, new in reversed(late))


def _end_of_value(lines: list[str], start: int, following: int) -> int:
    """Return where a key's rows end; comments before the next key belong to that one."""
    while following > start + 1 and _SPARE.match(_END.sub("", lines[following - 1])):
        following -= 1
    return following


def _changed_value(
    lines: list[str], parts: Parts, key: str, start: int, stop: int, new: Value, end: str
) -> list[str]:
    """The rows of a key with another value."""
    if not new:
        return [row for row in lines[start:stop] if row.lstrip().startswith("#")]
    if isinstance(new, tuple):
        places = [parts.header.lines[key, place] - 1 for place in range(_count(parts, key))]
        if (
            places
            and places[0] > start
            and all(lines[place].lstrip().startswith("-") for place in places)
        ):
            return _changed_list(lines, parts, key, start, stop, places, new, end)
    elif isinstance(new, str) and stop == start + 1:
        head = re.match(r"[^:]+:[ \t]*", lines[start])
        assert head is not None
        space = "" if head[0][-1:] in " \t" else " "
        line_end = _END.search(lines[start])
        return [head[0] + space + _scalar(new, _PAIR) + (line_end[0] if line_end else end)]
    return _new_key(key, new, end)


def _count(parts: Parts, key: str) -> int:
    value = parts.header.value
    items = value.get(key) if isinstance(value, dict) else None
    return len(items) if isinstance(items, list) else 0


def _changed_list(
    lines: list[str],
    parts: Parts,
    key: str,
    start: int,
    stop: int,
    places: list[int],
    new: tuple[str, ...],
    end: str,
) -> list[str]:
    """The rows of a list: entries that stay keep theirs, and comments between them stay."""
    assert isinstance(parts.header.value, dict)
    old = [str(entry) for entry in parts.header.value[key]]
    indent = lines[places[0]][: len(lines[places[0]]) - len(lines[places[0]].lstrip())]
    fresh = [f"{indent}- {_scalar(entry, _ENTRY)}{end}" for entry in new]
    return _merge_items(lines, start, stop, places, old, new, fresh)


def _merge_items(
    lines: list[str],
    start: int,
    stop: int,
    places: Sequence[int],
    old: Sequence[str],
    new: Sequence[str],
    fresh: Sequence[str],
) -> list[str]:
    """Return the rows from `start` to `stop` with new entries: those that stay keep their rows.

    `places` are the rows of the old entries, `fresh` those of the new ones.
    """
    merged = lines[start : places[0]]
    own: list[list[str]] = []
    gaps: list[list[str]] = []
    for place, following in zip(places, [*places[1:], stop], strict=True):
        last = _end_of_value(lines, place, following)
        own.append(lines[place:last])
        gaps.append(lines[last:following])
    for what, i1, i2, j1, j2 in bounded_opcodes(old, list(new)):
        if what in ("insert", "replace"):
            merged += fresh[j1:j2]
        for place in range(i1, i2):
            merged += [*(own[place] if what == "equal" else []), *gaps[place]]
    return merged


def _new_key(key: str, new: Value, end: str) -> list[str]:
    """The rows of a key that was not there, or not in this shape."""
    if isinstance(new, tuple):
        return [f"{key}:{end}", *(f"  - {_scalar(entry, _ENTRY)}{end}" for entry in new)]
    if isinstance(new, dict):
        return [
            f"{key}:{end}",
            *(f"  {name}: {_scalar(entry, _PAIR)}{end}" for name, entry in new.items()),
        ]
    return [f"{key}: {_scalar(new, _PAIR)}{end}"]


def _scalar(value: str, pattern: str) -> str:
    """A value as YAML: plain where it is read back as it is, else in quotes."""
    for written in (value, "'" + value.replace("'", "''") + "'"):
        document, problems = parse_yaml(pattern.format("k", written), "")
        if not problems and document.value in ({"k": value}, {"k": [value]}):
            return written
    return value


def _section_edits(
    lines: list[str], parts: Parts, before: Draft, wanted: Draft, end: str
) -> Iterator[Edit]:
    texts = {lang: (title, body) for lang, title, body in wanted.texts}
    prior = {lang: (title, body) for lang, title, body in before.texts}
    heads = [section.line - 1 for section in parts.sections]
    last = parts.asked_as[0].line - 1 if parts.asked_as else len(lines)
    for section, following in zip(parts.sections, [*heads[1:], last], strict=True):
        start = section.line - 1
        if section.lang not in texts:
            while following == len(lines) and start > 0 and not lines[start - 1].strip():
                start -= 1
            yield start, following, []
            continue
        title, body = texts[section.lang]
        old_title, old_body = prior.get(section.lang, ("", ""))
        if body != old_body:
            yield _body_edit(lines, section.body, section.body_line - 1, start, body, end)
        if title != old_title:
            head = _HEADING.match(lines[start])
            line_end = _END.search(lines[start])
            assert head is not None
            yield (
                start,
                start + 1,
                [f"{head[1]}{head[2] or ' '}{title}{line_end[0] if line_end else end}"],
            )
    known = {section.lang: section.line - 1 for section in parts.sections}
    order = [lang for lang, _, _ in wanted.texts]
    for lang in reversed(order):
        if lang not in known:
            title, body = texts[lang]
            new = [
                f"# {lang}: {title}".rstrip() + end,
                end,
                *(line + end for line in (body.split("\n") if body else ())),
            ]
            below = next(
                (known[other] for other in order[order.index(lang) + 1 :] if other in known), None
            )
            at = last if below is None else below
            yield at, at, [end, *new] if at == len(lines) else [*new, end]


def _question_edits(lines: list[str], parts: Parts, wanted: Draft, end: str) -> Iterator[Edit]:
    wanted_questions = dict(wanted.asked_as or ())
    starts = [section.line - 1 for section in parts.asked_as]
    for section, following in zip(parts.asked_as, [*starts[1:], len(lines)], strict=False):
        start = section.line - 1
        new = wanted_questions.pop(section.lang, ())
        if not new:
            yield start, following, []
        elif new != section.texts:
            places = [question.line - 1 for question in section.questions]
            stop = places[-1] + 1
            fresh = [f"- {question}{end}" for question in new]
            yield start, stop, _merge_items(lines, start, stop, places, section.texts, new, fresh)
    for lang, questions in reversed(wanted_questions.items()):
        yield len(lines), len(lines), _question_rows(lang, questions, end)


def _question_rows(lang: str, questions: Sequence[str], end: str) -> list[str]:
    """The rows of a new `# asked-as` section, after an empty one."""
    heading = [end, f"# asked-as: {lang}{end}", end]
    return [*heading, *(f"- {question}{end}" for question in questions)]


def _body_edit(held: list[str], old: str, first: int, start: int, body: str, end: str) -> Edit:
    lines = body.split("\n") if body else []
    if not old:
        return start + 1, start + 1, [end, *(line + end for line in lines)]
    raw = held[first : first + old.count("\n") + 1]
    return first, first + len(raw), _merge_lines(old.split("\n"), lines, raw, end)


def _merge_lines(old: Sequence[str], new: Sequence[str], raw: Sequence[str], end: str) -> list[str]:
    """New lines as rows; those that were there before keep their rows."""
    merged: list[str] = []
    for what, i1, i2, j1, j2 in bounded_opcodes(old, new):
        merged += raw[i1:i2] if what == "equal" else [line + end for line in new[j1:j2]]
    return merged


def _with_line_ends(lines: list[str], before: str, end: str) -> str:
    """Rows as a text: each but the last has an end, the last one where the text before had one."""
    ended = [row if _END.search(row) else row + end for row in lines]
    if ended and not _END.search(before):
        ended[-1] = _END.sub("", ended[-1])
    return "".join(ended)


def _newline(text: str) -> str:
    """The line end that most lines of a text have."""
    ends = [_END.search(row) for row in rows(text)]
    line_ends = [match[0] for match in ends if match]
    return max(("\n", "\r\n", "\r"), key=line_ends.count)
