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
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from kb.core.problems import Problem
from kb.records.collection import is_collection, split_collection
from kb.records.fields import HEADER_FIELDS
from kb.records.syntax import Parts, decode, parse_yaml, split_record

# The keys of a header in the order in which new ones are put in.
KEYS = tuple(field.key for field in HEADER_FIELDS)
LISTS = frozenset(field.key for field in HEADER_FIELDS if field.shape == "list")
PAIRS = frozenset(field.key for field in HEADER_FIELDS if field.shape == "mapping")
_PAIR, _ENTRY = "{}: {}", "{}:\n  - {}"
_BOM = b"\xef\xbb\xbf"
_ROW = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_END = re.compile(r"(?:\r\n|\r|\n)\Z")
_HEADING = re.compile(r"(#[ \t]+[A-Za-z]{2,3}[ \t]*:)([ \t]*)")
_SPARE = re.compile(r"\s*(?:#.*)?\Z")

Value = str | tuple[str, ...] | dict[str, str]


class PatchError(Exception):
    """A value would be read back as something else; `place` is its field, such as `body.pl`."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True)
class Draft:
    """A record as a form holds it: its header by key, its texts (language, title, Markdown).

    Values are as they stand in the file, right or wrong: lists for LISTS, pairs for PAIRS, else
    text; empty ones are left out. `asked_as`: the questions by language; None leaves those of the
    file as they are.
    """

    header: dict[str, Value] = field(default_factory=dict)
    texts: tuple[tuple[str, str, str], ...] = ()
    asked_as: tuple[tuple[str, tuple[str, ...]], ...] | None = None


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
    def seen(self) -> str:
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
    held = rows(text)
    for piece in split_collection(text):
        if piece.id == ruling_id:
            before = "".join(held[: piece.offset])
            return RecordLocation(mark, before, piece.text, text[len(before) + len(piece.text) :])
    return None


def parse_draft(text: str) -> tuple[Draft | None, list[Problem]]:
    """Read a ruling's text as a form.

    None, with the problems, when its outline is broken and it can only be edited as text.
    """
    parts, problems = split_record(_unix_lines(text), "")
    if parts is None or problems:
        return None, problems
    held = parts.header.value
    if held == "":
        held = {}
    if not isinstance(held, dict):
        return None, [Problem("", 2, "keys and values are expected here, as in `kind: ruling`")]
    header: dict[str, Value] = {}
    for key in KEYS:
        value = _value(key, held.get(key, ""))
        if value is None:
            return None, [
                Problem("", parts.header.line((key,)), f"{key}: a form cannot show this shape")
            ]
        if value:
            header[key] = value
    langs = [section.lang for section in parts.sections]
    if len(set(langs)) < len(langs):
        return None, [Problem("", parts.sections[-1].line, "a second section in the same language")]
    texts = tuple((section.lang, section.title, section.body) for section in parts.sections)
    asked_as = tuple((section.lang, section.texts) for section in parts.asked_as)
    if len(dict(asked_as)) < len(asked_as):
        return None, [
            Problem("", parts.asked_as[-1].line, "a second asked-as in the same language")
        ]
    return Draft(header, texts, asked_as), []


def _value(key: str, held: object) -> Value | None:
    if key in LISTS:
        if isinstance(held, str):
            return (held,) if held else ()
        return (
            tuple(held)
            if isinstance(held, list) and all(isinstance(one, str) for one in held)
            else None
        )
    if key in PAIRS:
        if not held:
            return {}
        return (
            dict(held)
            if isinstance(held, dict) and all(isinstance(one, str) for one in held.values())
            else None
        )
    return held if isinstance(held, str) else None


def normalized(draft: Draft) -> Draft:
    """A draft as reading it back would give it: without spaces at the ends and empty entries."""
    header: dict[str, Value] = {}
    for key, value in draft.header.items():
        if isinstance(value, str):
            tidied: Value = _line(value)
        elif isinstance(value, dict):
            tidied = {name.strip(): one.strip() for name, one in value.items() if one.strip()}
        else:
            tidied = tuple(_line(one) for one in value if one.strip())
        if tidied:
            header[key] = tidied
    texts = []
    for lang, title, body in draft.texts:
        lines = [
            line if line.endswith("  ") else line.rstrip() for line in _unix_lines(body).split("\n")
        ]
        while lines and not lines[0].strip():
            lines.pop(0)
        while lines and not lines[-1].strip():
            lines.pop()
        if title.strip() or lines:
            texts.append((lang, _line(title), "\n".join(lines)))
    asked_as = draft.asked_as
    if asked_as is not None:
        tidied_questions = (
            (lang, tuple(_line(question) for question in questions if question.strip()))
            for lang, questions in asked_as
        )
        asked_as = tuple((lang, questions) for lang, questions in tidied_questions if questions)
    return Draft(header, tuple(texts), asked_as)


def _line(value: str) -> str:
    return " ".join(row.strip() for row in re.split(r"[\r\n]+", value)).strip()


def patch_text(text: str, draft: Draft) -> str:
    """Return a ruling's text with the draft's changes.

    The text is one that `parse_draft` can read.

    Raises Mangled when the result would not be read as the draft.
    """
    wanted = normalized(draft)
    parts, _ = split_record(_unix_lines(text), "")
    found, _ = parse_draft(text)
    assert parts is not None and found is not None
    before = normalized(found)
    if wanted.asked_as is None:
        wanted = replace(wanted, asked_as=before.asked_as)
    for one in wanted.texts:
        if one not in before.texts:
            _require_one_section(*one)
    held, end = rows(text), _newline(text)
    edits = [
        *_header_edits(held, parts, before, wanted, end),
        # At one place what is put in first comes to stand last.
        *_question_edits(held, parts, wanted, end),
        *_section_edits(held, parts, before, wanted, end),
    ]
    for start, stop, new in sorted(edits, key=lambda one: one[0], reverse=True):
        held[start:stop] = new
    if len(wanted.asked_as or ()) < len(before.asked_as or ()):
        while not held[-1].strip():
            held.pop()
    made = _with_line_ends(held, text, end)
    _require_same(made, wanted)
    return made


def new_record(draft: Draft) -> str:
    """A new record's text. Raises Mangled when it would not be read as the draft."""
    wanted = normalized(draft)
    for one in wanted.texts:
        _require_one_section(*one)
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
    made = "".join(["---\n", *header, "---\n", texts, questions])
    if wanted.texts:
        _require_same(made, wanted)
    return made


def replace_text(text: str, new: str) -> str:
    """Return a text from a plain editor with the line ends that unchanged lines had."""
    held, end = rows(text), _newline(text)
    lines = _unix_lines(new).split("\n")
    ended = lines[-1] == ""
    made = _merge_lines(
        [_END.sub("", row) for row in held], lines[:-1] if ended else lines, held, end
    )
    return _with_line_ends(made, "\n" if ended else "", end)


def _require_one_section(lang: str, title: str, body: str) -> None:
    """Raises Mangled for a text that would not be one section."""
    found, problems = parse_draft(f"---\n---\n\n# {lang}: {title}\n\n{body}\n")
    if found is None or normalized(found).texts != ((lang, title, body),):
        told = "a line that begins with `# pl:` starts a section of its own; a heading inside a text is `## ...`"
        raise PatchError(f"body.{lang}", problems[0].message if problems else told)


def _require_same(made: str, wanted: Draft) -> None:
    """Raises Mangled when a text is not read as the draft that it was made from."""
    found, problems = parse_draft(made)
    if found is None:
        line = problems[0].line if problems else 1
        raise PatchError(
            field_at_line(made, line), problems[0].message if problems else "cannot be read back"
        )
    found = normalized(found)
    for key in KEYS:
        if found.header.get(key) != wanted.header.get(key):
            raise PatchError(key, f"{key}: this cannot be written in a header")
    if sorted(found.texts) != sorted(wanted.texts):
        raise PatchError(
            "", "the texts cannot be written so that they are read back; edit the record as text"
        )
    if sorted(found.asked_as or ()) != sorted(wanted.asked_as or ()):
        raise PatchError(
            "asked-as", "asked-as: a question cannot be written so that it is read back"
        )


def field_at_line(text: str, line: int) -> str:
    """Return the field of a form that a line belongs to: a key or `body.pl`; empty for none."""
    parts, _ = split_record(_unix_lines(text), "")
    if parts is None:
        return ""
    found = ""
    for section in parts.sections:
        if line >= section.line:
            found = f"title.{section.lang}" if line == section.line else f"body.{section.lang}"
    for asked in parts.asked_as:
        if line >= asked.line:
            found = f"asked-as.{asked.lang}"
    if found or not isinstance(parts.header.value, dict):
        return found
    keys = [
        (at, str(place[0]))
        for place, at in parts.header.lines.items()
        if len(place) == 1 and at <= line
    ]
    return max(keys)[1] if keys and line > 1 else ""


Edit = tuple[int, int, list[str]]


def _header_edits(
    held: list[str], parts: Parts, before: Draft, wanted: Draft, end: str
) -> Iterator[Edit]:
    """Yield the edits of the header.

    Those at one place come in the order that leaves keys in theirs.
    """
    fence = next(at for at, row in enumerate(held[1:], 1) if row.rstrip() in ("---", "..."))
    starts = sorted(at - 1 for place, at in parts.header.lines.items() if len(place) == 1)
    stops = {
        start: _end_of_value(held, start, following)
        for start, following in zip(starts, [*starts[1:], fence], strict=True)
    }
    lines = {str(place[0]): at - 1 for place, at in parts.header.lines.items() if len(place) == 1}
    late: list[Edit] = []
    for number, key in enumerate(KEYS):
        new = wanted.header.get(key, "")
        if new == before.header.get(key, ""):
            continue
        if key in lines:
            start = lines[key]
            yield (
                start,
                stops[start],
                _changed_value(held, parts, key, start, stops[start], new, end),
            )
        else:
            above = [stops[lines[other]] for other in KEYS[:number] if other in lines]
            late.append((max(above, default=1), 0, _new_key(key, new, end)))
    # Of several that are put in at one place the last is put in first.
    yield from ((at, at, new) for at, _, new in reversed(late))


def _end_of_value(held: list[str], start: int, following: int) -> int:
    """Return where a key's rows end; comments before the next key belong to that one."""
    while following > start + 1 and _SPARE.match(_END.sub("", held[following - 1])):
        following -= 1
    return following


def _changed_value(
    held: list[str], parts: Parts, key: str, start: int, stop: int, new: Value, end: str
) -> list[str]:
    """The rows of a key with another value."""
    if not new:
        return [row for row in held[start:stop] if row.lstrip().startswith("#")]
    if isinstance(new, tuple):
        places = [parts.header.lines[key, at] - 1 for at in range(_count(parts, key))]
        if places and places[0] > start and all(held[at].lstrip().startswith("-") for at in places):
            return _changed_list(held, parts, key, start, stop, places, new, end)
    elif isinstance(new, str) and stop == start + 1:
        head = re.match(r"[^:]+:[ \t]*", held[start])
        assert head is not None
        space = "" if head[0][-1:] in " \t" else " "
        found = _END.search(held[start])
        return [head[0] + space + _scalar(new, _PAIR) + (found[0] if found else end)]
    return _new_key(key, new, end)


def _count(parts: Parts, key: str) -> int:
    value = parts.header.value
    held = value.get(key) if isinstance(value, dict) else None
    return len(held) if isinstance(held, list) else 0


def _changed_list(
    held: list[str],
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
    old = [str(one) for one in parts.header.value[key]]
    indent = held[places[0]][: len(held[places[0]]) - len(held[places[0]].lstrip())]
    fresh = [f"{indent}- {_scalar(one, _ENTRY)}{end}" for one in new]
    return _merge_items(held, start, stop, places, old, new, fresh)


def _merge_items(
    held: list[str],
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
    made = held[start : places[0]]
    own: list[list[str]] = []
    gaps: list[list[str]] = []
    for at, following in zip(places, [*places[1:], stop], strict=True):
        last = _end_of_value(held, at, following)
        own.append(held[at:last])
        gaps.append(held[last:following])
    for what, i1, i2, j1, j2 in SequenceMatcher(None, old, list(new), autojunk=False).get_opcodes():
        if what in ("insert", "replace"):
            made += fresh[j1:j2]
        for at in range(i1, i2):
            made += [*(own[at] if what == "equal" else []), *gaps[at]]
    return made


def _new_key(key: str, new: Value, end: str) -> list[str]:
    """The rows of a key that was not there, or not in this shape."""
    if isinstance(new, tuple):
        return [f"{key}:{end}", *(f"  - {_scalar(one, _ENTRY)}{end}" for one in new)]
    if isinstance(new, dict):
        return [
            f"{key}:{end}",
            *(f"  {name}: {_scalar(one, _PAIR)}{end}" for name, one in new.items()),
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
    held: list[str], parts: Parts, before: Draft, wanted: Draft, end: str
) -> Iterator[Edit]:
    texts = {lang: (title, body) for lang, title, body in wanted.texts}
    prior = {lang: (title, body) for lang, title, body in before.texts}
    heads = [section.line - 1 for section in parts.sections]
    last = parts.asked_as[0].line - 1 if parts.asked_as else len(held)
    for section, following in zip(parts.sections, [*heads[1:], last], strict=True):
        start = section.line - 1
        if section.lang not in texts:
            while following == len(held) and start > 0 and not held[start - 1].strip():
                start -= 1
            yield start, following, []
            continue
        title, body = texts[section.lang]
        old_title, old_body = prior.get(section.lang, ("", ""))
        if body != old_body:
            yield _body_edit(held, section.body, section.body_line - 1, start, body, end)
        if title != old_title:
            head = _HEADING.match(held[start])
            found = _END.search(held[start])
            assert head is not None
            yield (
                start,
                start + 1,
                [f"{head[1]}{head[2] or ' '}{title}{found[0] if found else end}"],
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
            yield at, at, [end, *new] if at == len(held) else [*new, end]


def _question_edits(held: list[str], parts: Parts, wanted: Draft, end: str) -> Iterator[Edit]:
    wanted_questions = dict(wanted.asked_as or ())
    starts = [section.line - 1 for section in parts.asked_as]
    for section, following in zip(parts.asked_as, [*starts[1:], len(held)], strict=False):
        start = section.line - 1
        new = wanted_questions.pop(section.lang, ())
        if not new:
            yield start, following, []
        elif new != section.texts:
            places = [question.line - 1 for question in section.questions]
            stop = places[-1] + 1
            fresh = [f"- {question}{end}" for question in new]
            yield start, stop, _merge_items(held, start, stop, places, section.texts, new, fresh)
    for lang, questions in reversed(wanted_questions.items()):
        yield len(held), len(held), _question_rows(lang, questions, end)


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
    made: list[str] = []
    for what, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        made += raw[i1:i2] if what == "equal" else [line + end for line in new[j1:j2]]
    return made


def _with_line_ends(held: list[str], before: str, end: str) -> str:
    """Rows as a text: each but the last has an end, the last one where the text before had one."""
    made = [row if _END.search(row) else row + end for row in held]
    if made and not _END.search(before):
        made[-1] = _END.sub("", made[-1])
    return "".join(made)


def _newline(text: str) -> str:
    """The line end that most lines of a text have."""
    ends = [_END.search(row) for row in rows(text)]
    found = [one[0] for one in ends if one]
    return max(("\n", "\r\n", "\r"), key=found.count)


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
