"""The notations of the records, with lines: YAML headers and language sections.

The only module that imports yaml. Every YAML value is read as a string (`yes`, `1.10` and
`2003-01-01` stay what was typed); pydantic converts later. The event stream is used instead of a
loader so that aliases, tags and deep nesting are refused before anything is built from them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import yaml

from kb.core.problems import Problem
from kb.records.characters import CONTROL, find_hidden, hidden_message
from kb.records.questions import HEADING, QuestionSection, read_section

Path = tuple[str | int, ...]

MAX_DEPTH = 6
MAX_BYTES = 16_000_000
# A ruling is read out at a table, a list of facts is kept by hand: what is longer is no such thing,
# and takes minutes to read.
MAX_RULING = 400_000
MAX_VALUES = 200_000
_SECTION = re.compile(r"#[ \t]+([A-Za-z]{2,3})[ \t]*:(.*)")
_HASH = re.compile(r"#(?:[ \t]|$)")
# What a line begins with that may be a heading or a fence.
_TELLING = ("#", " ", "`", "~")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_CONTROL = CONTROL.pattern[1:-1]
# A row of a header as judges write it: `key: value`, `  - value`, `  pl: value`, or a key alone,
# each value as plain as can be.
_PLAIN_ROW = re.compile(
    rf"(?:([a-z][a-z-]{{0,39}}):|  (?:-|([a-z]{{2,3}}):))(?: +([^\W_](?:[^:#\t\n\r{_CONTROL}]|:(?!"
    r" |$)|(?<! )#)*))?"
)
_ITEM = "-"


def decode(data: bytes, path: str) -> tuple[str, list[Problem]]:
    """Decode a file to text with LF line ends, without a byte order mark.

    Windows line ends and a byte order mark are accepted, they lose nothing. The text is empty when
    it cannot be read.
    """
    if len(data) > MAX_BYTES:
        return "", [
            Problem(path, 1, f"is larger than {MAX_BYTES // 1_000_000} MB; no text record is")
        ]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        kind = "binary data" if b"\x00" in data[:4096] else "not UTF-8"
        return "", [
            Problem(
                path, line, f"{kind} (byte 0x{data[error.start]:02x}); save the file as UTF-8 text"
            )
        ]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    hidden = find_hidden(text)
    if hidden:
        line = text.count("\n", 0, hidden.start()) + 1
        return "", [Problem(path, line, f"{hidden_message(hidden[0])}; delete it")]
    return text, []


@dataclass
class Document:
    """A YAML document as strings, lists and dictionaries, with the line of every value.

    Its lines may be shared with other documents.
    """

    value: object = None
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path, default: int = 1) -> int:
        """The line of a value, else of the nearest thing around it."""
        while path:
            if path in self.lines:
                return self.lines[path]
            path = path[:-1]
        return self.lines.get((), default)


class _Refused(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message


class _Composer:
    """Builds one Document from yaml's events; collects problems, stops at what cannot be built."""

    def __init__(self, text: str, path: str, offset: int) -> None:
        self.rows = text.split("\n")
        self.path, self.offset = path, offset
        self.document = Document()
        self.problems: list[Problem] = []
        self.values = 0
        self.events: Iterator[yaml.Event] = yaml.parse(
            text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        )

    def line(self, event: yaml.Event) -> int:
        return (event.start_mark.line if event.start_mark else 0) + 1 + self.offset

    def run(self) -> None:
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _Refused(
                        self.line(event), "a second YAML document begins here; delete the `---`"
                    )
            elif isinstance(event, yaml.NodeEvent):
                self.document.lines[()] = self.line(event)
                self.document.value = self.node(event, ())

    def node(self, event: yaml.Event, path: Path) -> object:
        line = self.line(event)
        if isinstance(event, yaml.AliasEvent):
            raise _Refused(
                line, "an alias (*); write the value out, or in quotes if the * belongs to it"
            )
        if getattr(event, "anchor", None):
            raise _Refused(line, "an anchor (&); put the value in quotes if the & belongs to it")
        if getattr(event, "tag", None):
            raise _Refused(line, "a tag (!); put the value in quotes if the ! belongs to it")
        self.values += 1
        if self.values > MAX_VALUES:
            raise _Refused(
                line, f"more than {MAX_VALUES:,} values; no list that people keep has as many"
            )
        if len(path) > MAX_DEPTH:
            raise _Refused(line, f"nested deeper than {MAX_DEPTH} levels")
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(path)
        return self.mapping(path)

    def scalar(self, event: yaml.ScalarEvent) -> str:
        end = event.end_mark
        row = self.rows[end.line] if end and end.line < len(self.rows) else ""
        if (
            end
            and event.style not in ("'", '"', "|", ">")
            and event.value
            and re.match(r"[ \t]+#", row[end.column :])
        ):
            self.problems.append(
                Problem(
                    self.path,
                    self.line(event),
                    "text after # is lost; put the value in quotes or the comment on a line of its"
                    " own",
                )
            )
        return self.without_hidden(str(event.value), self.line(event))

    def without_hidden(self, value: str, line: int) -> str:
        """Return a value; refuse one with a hidden character, which an escape can hold."""
        hidden = find_hidden(value)
        if hidden:
            raise _Refused(line, f"{hidden_message(hidden[0])}, written as an escape; delete it")
        return value

    def sequence(self, path: Path) -> list[object]:
        items: list[object] = []
        for event in self.events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            place = (*path, len(items))
            self.document.lines[place] = self.line(event)
            items.append(self.node(event, place))
        return items

    def mapping(self, path: Path) -> dict[str, object]:
        items: dict[str, object] = {}
        for event in self.events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            line = self.line(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise _Refused(line, "a key must be a plain word")
            key = self.without_hidden(str(event.value), line)
            if getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise _Refused(line, f"key {key!r} carries an anchor or a tag")
            value = self.node(next(self.events), (*path, key))
            if key in items:
                first = self.document.lines[(*path, key)]
                self.problems.append(
                    Problem(self.path, line, f"{key}: key given twice (first on line {first})")
                )
                continue
            self.document.lines[(*path, key)] = line
            items[key] = value
        return items


def parse_yaml(text: str, path: str, offset: int = 0) -> tuple[Document, list[Problem]]:
    """Parse YAML text; `offset` lines stand before it in the file.

    Never raises for bad text.

    The value is None when the text cannot be composed, "" when there is nothing in it. Refused:
    duplicate keys, aliases, anchors, tags, more than one document, a comment after an unquoted
    value.
    """
    try:
        composer = _Composer(text, path, offset)
        try:
            composer.run()
        except _Refused as refused:
            return Document(lines={(): offset + 1}), [
                *composer.problems,
                Problem(path, refused.line, refused.message),
            ]
        if composer.document.value is None:
            composer.document.value, composer.document.lines[()] = "", offset + 1
        return composer.document, composer.problems
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = (min(mark.line, text.count("\n")) if mark else 0) + 1 + offset
        advice = "; put a value that contains `: ` or begins with a special character in quotes"
        return Document(lines={(): line}), [
            Problem(path, line, f"YAML: {error.problem or error.context}{advice}")
        ]
    except yaml.YAMLError as error:
        return Document(lines={(): offset + 1}), [
            Problem(path, offset + 1, f"YAML: {str(error).splitlines()[0]}")
        ]


def parse_header(text: str, offset: int, path: str) -> tuple[Document, list[Problem]]:
    """Parse a ruling's header, which nearly always is plain enough to need no YAML parser."""
    document = _plain_header(text.split("\n"), offset)
    return (document, []) if document else parse_yaml(text, path, offset)


def _plain_header(rows: list[str], offset: int) -> Document | None:
    """Parse a header of plain rows as `parse_yaml` would; None when it has anything else."""
    header: dict[str, object] = {}
    shape: list[str] = []
    key = ""
    inside: dict[str, object] | list[object] | None = None
    for row in rows:
        match = _PLAIN_ROW.fullmatch(row)
        if not match:
            return None
        name, inner, value = match.groups()
        if name:
            if name in header:
                return None
            key, inside = name, None
            shape.append(name)
            header[name] = _value(value) if value else ""
        elif not value or not key or (inside is None and header[key]):
            return None
        elif inner:
            if inside is None:
                header[key] = inside = {}
            if not isinstance(inside, dict) or inner in inside:
                return None
            shape.append(f" {inner}")
            inside[inner] = _value(value)
        else:
            if inside is None:
                header[key] = inside = []
            if not isinstance(inside, list):
                return None
            shape.append(_ITEM)
            inside.append(_value(value))
    return Document(header, _value_lines(tuple(shape), offset)) if header else None


def _value(value: str) -> str:
    """Return a plain value, interned: thousands of rulings share topics, dates and sources."""
    return sys.intern(value.rstrip(" "))


@lru_cache(maxsize=1024)
def _value_lines(shape: tuple[str, ...], offset: int) -> dict[Path, int]:
    """The lines of a plain header's values. Headers have few shapes: those of one share them."""
    lines: dict[Path, int] = {(): offset + 1}
    key, count, top = "", 0, 0
    for line, name in enumerate((*shape, ""), offset + 1):
        if name == _ITEM:
            lines[key, count] = line
            count += 1
        elif name.startswith(" "):
            lines[key, name[1:]] = line
        else:
            if key:
                lines[key,] = top
            key, count, top = name, 0, line
    return lines


@dataclass(frozen=True)
class Section:
    """A language section; `line` is its heading's, `body_line` the first of its body."""

    lang: str
    title: str
    body: str
    line: int
    body_line: int


@dataclass
class Parts:
    """A record's file, cut: the header, the language sections and the questions in their order."""

    header: Document
    sections: list[Section] = field(default_factory=list)
    asked_as: list[QuestionSection] = field(default_factory=list)


def split_record(text: str, path: str) -> tuple[Parts | None, list[Problem]]:
    """Split a record's text into its parts.

    Never raises for bad text.
    """
    lines = text.split("\n")
    if not text.strip():
        return None, [Problem(path, 1, "the file is empty; `kb new` writes a record to fill in")]
    if len(text) > MAX_RULING:
        return None, [
            Problem(
                path, 1, f"a ruling of more than {MAX_RULING:,} characters; no single ruling is"
            )
        ]
    if lines[0].rstrip() != "---":
        return None, [
            Problem(
                path,
                1,
                "a record begins with a line `---`, then its header (kind, authority, status, ...)",
            )
        ]
    end = next(
        (number for number, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")),
        None,
    )
    if end is None:
        return None, [Problem(path, 1, "the header that begins here has no closing line `---`")]
    early = next(
        (
            number
            for number in range(1, end)
            if lines[number][:1] == "#"
            and (_SECTION.fullmatch(lines[number]) or HEADING.fullmatch(lines[number]))
        ),
        None,
    )
    header, problems = parse_header("\n".join(lines[1:end]), 1, path)
    if early is not None and _looks_like_text(lines[early:end]):
        problems.append(
            Problem(
                path,
                early + 1,
                "a section begins inside the header; close the header with `---` before it",
            )
        )
    sections, asked_as, more = _read_sections(lines, end + 1, path)
    return Parts(header, sections, asked_as), [*problems, *more]


def split_page(text: str, path: str) -> tuple[list[Section], list[Problem]]:
    """Split a text without a header into its language sections."""
    sections, questions, problems = _read_sections(text.split("\n"), 0, path)
    if questions and not problems:
        problems = [Problem(path, 1, "a page has no `# asked-as`; only rulings have questions")]
    return sections, problems


def _looks_like_text(lines: list[str]) -> bool:
    """Whether a heading in a header, a YAML comment, is a lost section: prose follows it."""
    return any(not line.strip() for line in lines[1:])


class _Heading(NamedTuple):
    """A level-1 heading: the number of its line from 0, its language and the title of a text.

    `lang` is empty where a text begins without a heading.
    """

    row: int
    lang: str
    title: str
    is_questions: bool = False


def _read_sections(
    lines: list[str], start: int, path: str
) -> tuple[list[Section], list[QuestionSection], list[Problem]]:
    headings, problems = _headings(lines, start, path)
    sections: list[Section] = []
    questions: list[QuestionSection] = []
    stops = [*(heading.row for heading in headings[1:]), len(lines)]
    for heading, stop in zip(headings, stops, strict=False):
        number = heading.row + 1
        if heading.is_questions:
            asked, more = read_section(heading.lang, lines[number:stop], number, path)
            questions.append(asked)
            problems += more
        elif heading.lang:
            body, first = _trim(lines, number, stop)
            sections.append(Section(heading.lang, heading.title, body, number, first + 1))
            if questions:
                message = "a text after `# asked-as`; the questions stand at the end of the file"
                problems.append(Problem(path, number, message))
    if all(heading.is_questions for heading in headings):
        problems.append(Problem(path, start, "the record has no text; add a section `# pl: Title`"))
    return sections, questions, problems


def _headings(lines: list[str], start: int, path: str) -> tuple[list[_Heading], list[Problem]]:
    """Find the headings of sections outside code blocks, and lines that belong to no section."""
    problems: list[Problem] = []
    headings: list[_Heading] = []
    fence = ""
    for number in range(start, len(lines)):
        line = lines[number]
        if line[:1] not in _TELLING and headings:
            continue
        mark = _FENCE.match(line)
        if fence:
            if (
                mark
                and mark[1][0] == fence[0]
                and len(mark[1]) >= len(fence)
                and not line[mark.end() :].strip()
            ):
                fence = ""
            continue
        if mark:
            fence = mark[1]
            continue
        bare = line.rstrip()
        if head := _SECTION.fullmatch(bare):
            headings.append(_Heading(number, sys.intern(head[1].lower()), head[2].strip()))
        elif asked := HEADING.fullmatch(bare):
            headings.append(
                _Heading(number, (asked[1] or "").strip().lower(), "", is_questions=True)
            )
        elif _HASH.match(line):
            problems.append(
                Problem(
                    path,
                    number + 1,
                    "a section's heading is `# pl: Title`, with the language; inside a text use"
                    " `##`",
                )
            )
        elif not headings and line.strip():
            problems.append(
                Problem(
                    path, number + 1, "text before the first section; begin it with `# pl: Title`"
                )
            )
            headings.append(_Heading(number, "", ""))
    if fence:
        problems.append(
            Problem(path, len(lines), f"a code block opened with {fence} is never closed")
        )
    return headings, problems


def _trim(lines: list[str], start: int, stop: int) -> tuple[str, int]:
    while start < stop and not lines[start].strip():
        start += 1
    while stop > start and not lines[stop - 1].strip():
        stop -= 1
    return "\n".join(
        [line.rstrip() if not line.endswith("  ") else line for line in lines[start:stop]]
    ), start
