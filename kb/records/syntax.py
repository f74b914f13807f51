"""The notation of records: YAML headers and sections in languages, with their lines.

The only module that imports yaml. Every YAML value is read as a string (`yes`, `1.10` and
`2003-01-01` are kept as typed); pydantic converts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import yaml

from kb.core.characters import find_hidden, hidden_message, normalize
from kb.core.decoding import decode_utf8, unix_lines
from kb.core.problems import Problem
from kb.language import LANGUAGES, is_language, language_hint
from kb.records.text import Text

# The keys and indexes that lead to a value.
Place = tuple[str | int, ...]

MAX_DEPTH = 6
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
MAX_BYTES = 16_000_000
# In characters: people write no more.
MAX_RULING = 400_000
_ALIAS = "an alias (*); write the value out, or in quotes if the * belongs to it"
# What may stand before a value in YAML and is refused, by its first character.
_PROPERTIES = {
    "*": _ALIAS,
    "&": "an anchor (&); put the value in quotes if the & belongs to it",
    "!": "a tag (!); put the value in quotes if the ! belongs to it",
}
_SECTION = re.compile(r"#[ \t]+([A-Za-z]{2,3})[ \t]*:(.*)")
# A heading of a section in another form: `#en:`, `## en:`, `**en: Title**`, `en: Title`.
_MISWRITTEN = re.compile(
    r"((?:[ \t]*#{1,6})?[ \t]*(?:\*\*|__)?)([A-Za-z]{2})[ \t]*:(.*?)(?:\*\*|__)?"
)
_HASH = re.compile(r"#(?:[ \t]|$)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_KEY = re.compile(r"(?:#.*|- .*|.*:(?: .*)?|)\Z")
_COMMENT = re.compile(r"[ \t]+#")
# Values that YAML takes as they are, and readers too: without a colon, and with # only in words.
_PLAIN = re.compile(r"[\w(](?:[^:#\n]|(?<=\w)#)*[^\s:#]|[\w(]")
# Quotes of books: a value that begins with one, and a whole value in them.
_QUOTES = "\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
_INNER_APOSTROPHE = re.compile(r"\s*(?:- |[\w-]+: )?'(?:[^']|'')*'\w")
_APOSTROPHE = "an apostrophe ends the value in quotes; write it twice, as in 'Artoo''s Repairs'"
_CURLY = re.compile(rf"[:-] +([{_QUOTES}])")
_IN_CURLY = re.compile(rf"([{_QUOTES}])([^\u201c\u201d\u201e\u00ab\u00bb]*)[{_QUOTES}]")
_NOT_A_QUOTE = "{} is not a quote of YAML; write straight quotes, ' or \""
# The lines that git writes around the versions of a conflict.
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|>{7})(?: |$)", re.MULTILINE)


def decode(data: bytes, path: str) -> tuple[str, list[Problem]]:
    """Decode a file to normalized text with LF line ends, without a byte order mark.

    The text is empty when the file cannot be read.
    """
    if len(data) > MAX_BYTES:
        message = f"larger than {MAX_BYTES // 1_000_000} MB, the limit for a record"
        return "", [Problem(path, 1, message)]
    file, problems = decode_utf8(data, path)
    text = unix_lines(file.text)
    hidden = find_hidden(text)
    if hidden:
        line = text.count("\n", 0, hidden.start()) + 1
        return "", [Problem(path, line, f"{hidden_message(hidden[0])}; delete it")]
    conflicts = list(_CONFLICT.finditer(text))
    # Each begins with `<`, unless somebody has deleted that line only.
    begins = [mark for mark in conflicts if mark[0][0] == "<"] or conflicts[:1]
    message = (
        "a merge conflict that nobody has resolved; keep the right lines, and delete those of"
        " `<<<<<<<`, `=======` and `>>>>>>>`"
    )
    problems += [Problem(path, text.count("\n", 0, mark.start()) + 1, message) for mark in begins]
    return "" if problems else normalize(text), problems


@dataclass
class YamlDocument:
    """The YAML of a file as strings, lists and dictionaries, with the line of every value."""

    path: str = ""
    value: object = None
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, *place: str | int) -> int:
        """Return the line of a value, else of the nearest value that contains it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def problem(self, message: str, *place: str | int) -> Problem:
        """Return a problem in the line of a value."""
        return Problem(self.path, self.line(*place), message)

    def entries(self) -> dict[str | int, YamlDocument]:
        """Return the values of a list or mapping, by index or key, with the lines below them."""
        lines: dict[str | int, dict[Place, int]] = {}
        for place, line in self.lines.items():
            if place:
                lines.setdefault(place[0], {})[place[1:]] = line
        values = self.value if isinstance(self.value, dict) else {}
        if isinstance(self.value, list):
            values = dict(enumerate(self.value))
        return {key: YamlDocument(self.path, value, lines[key]) for key, value in values.items()}


class _Refused(Exception):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line, self.message = line, message


class _NodeReader:
    """Makes a YamlDocument of yaml's nodes; collects problems, or raises _Refused."""

    def __init__(self, text: str, path: str, offset: int) -> None:
        self.rows = text.split("\n")
        self.path, self.offset = path, offset
        self.document = YamlDocument(path)
        self.problems: list[Problem] = []

    def line(self, mark: yaml.Mark) -> int:
        return mark.line + 1 + self.offset

    def rest(self, mark: yaml.Mark) -> str:
        """Return the rest of a line from a mark on."""
        return self.rows[mark.line][mark.column :] if mark.line < len(self.rows) else ""

    def value(self, node: yaml.Node, place: Place) -> object:
        line = self.line(node.start_mark)
        self.document.lines.setdefault(place, line)
        if refused := _PROPERTIES.get(self.rest(node.start_mark)[:1]):
            raise _Refused(line, refused)
        if len(place) > MAX_DEPTH:
            raise _Refused(line, _TOO_DEEP)
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node)
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, place)
        return [self.value(item, (*place, index)) for index, item in enumerate(node.value)]

    def mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, object]:
        items: dict[str, object] = {}
        for key_node, value_node in node.value:
            line = self.line(key_node.start_mark)
            if not isinstance(key_node, yaml.ScalarNode):
                raise _Refused(line, "a key must be a plain word")
            key = self.scalar(key_node)
            if self.rest(key_node.start_mark)[:1] in _PROPERTIES:
                raise _Refused(line, f"key {key!r} carries an anchor or a tag")
            first = self.document.lines.setdefault((*place, key), line)
            if key in items:
                message = f"{key}: key given twice (first on line {first})"
                self.problems.append(Problem(self.path, line, message))
            else:
                items[key] = self.value(value_node, (*place, key))
        return items

    def scalar(self, node: yaml.ScalarNode) -> str:
        """Return a value as typed; refuse hidden characters that are written as escapes."""
        line, value = self.line(node.start_mark), str(node.value)
        hidden = find_hidden(value)
        if hidden:
            message = f"{hidden_message(hidden[0])}, written as an escape; delete it"
            raise _Refused(line, message)
        if value and not node.style and _COMMENT.match(self.rest(node.end_mark)):
            message = (
                "text after # is lost; put the value in quotes or the comment on a line of its own"
            )
            self.problems.append(Problem(self.path, line, message))
        for below in range(
            node.start_mark.line + 1, node.end_mark.line + 1 if not node.style else 0
        ):
            if re.match(r"\s*-(?:\s|$)", self.rows[below]):
                message = (
                    "this line is read as words of the one above; indent an entry like that one, or"
                    " put the text in quotes"
                )
                self.problems.append(Problem(self.path, below + 1 + self.offset, message))
        return normalize(value)


def parse_yaml(text: str, path: str, offset: int = 0) -> tuple[YamlDocument, list[Problem]]:
    """Parse YAML text that follows `offset` lines of its file. Never raises for bad text.

    The value is None if the text cannot be parsed, "" if it is empty. Refused are duplicate keys,
    aliases, anchors, tags, a second document, and a comment after an unquoted value.
    """
    reader = _NodeReader(text, path, offset)
    line, message = offset + 1, ""
    try:
        node = yaml.compose(text, Loader=yaml.CBaseLoader)
        if node is None:
            return YamlDocument(path, "", {(): line}), []
        reader.document.value = reader.value(node, ())
        return reader.document, reader.problems
    except _Refused as refused:
        failed = Problem(path, refused.line, refused.message)
        return YamlDocument(path, lines={(): line}), [*reader.problems, failed]
    except yaml.MarkedYAMLError as error:
        row, message = _explained(error, reader.rows)
        line += row
    except yaml.YAMLError as error:
        message = f"YAML: {str(error).splitlines()[0]}"
    return YamlDocument(path, lines={(): line}), [Problem(path, line, message)]


def _explained(error: yaml.MarkedYAMLError, rows: list[str]) -> tuple[int, str]:
    """Return the index of the line with an error of YAML, and the message."""
    mark = error.problem_mark or error.context_mark
    row = min(mark.line, len(rows) - 1) if mark else 0
    problem, context = error.problem or "", error.context or ""
    if "undefined alias" in problem:
        return row, _ALIAS
    if "scanning an alias" in context:
        return row, "a list has `- ` before each value, not `* `; put a value with a * in quotes"
    if "another document" in problem:
        return row, "a second YAML document begins here; delete the `---`"
    if "quoted scalar" in context and "end of" in problem and error.context_mark:
        return error.context_mark.line, "a quote that is opened here is never closed"
    if "nesting depth" in problem:
        # libyaml refuses what is nested very deep before there are nodes.
        return row, _TOO_DEEP
    if "\t" in rows[row][: len(rows[row]) - len(rows[row].lstrip())]:
        return row, "a tab before the value; indent with spaces"
    if curly := _CURLY.search(rows[row]):
        return row, _NOT_A_QUOTE.format(curly[1])
    if _INNER_APOSTROPHE.match(rows[row]):
        return row, _APOSTROPHE
    before = row - 1 if row else None
    if "expected ':'" in problem and error.context_mark:
        before = error.context_mark.line
    above = "" if before is None else rows[before].strip()
    if re.search("mapping values|expected ':'", problem) and not _KEY.match(above):
        return before or 0, (
            f"{above[:60]!r} has no colon with a space after it, as in `kind: ruling`"
        )
    advice = "put a value that contains `: ` or begins with a special character in quotes"
    if re.search("expected (?:key|'-' indicator)", problem):
        advice = "give the keys, or list entries, that belong together the same indentation"
    return row, f"YAML: {problem or context}; {advice}"


def curly_error(value: object) -> str:
    """Say that quotes of books are around a value that has to be right; empty if they are not."""
    curly = _IN_CURLY.fullmatch(value) if isinstance(value, str) else None
    return f"{_NOT_A_QUOTE.format(curly[1])}, or none" if curly else ""


def quoted(value: str) -> str:
    """Return a value in single quotes, in which YAML takes every character as it is."""
    return "'" + value.replace("'", "''") + "'"


def scalar(value: str) -> str:
    """Return a value of one line, in quotes unless it is plain."""
    line = value if "\n" not in value and "\t" not in value else " ".join(value.split())
    return line if _PLAIN.fullmatch(line) else quoted(line)


def record_text(
    header: Mapping[str, object],
    texts: Iterable[tuple[str, str, str]],
    comments: Iterable[str] = (),
) -> str:
    """Return a new record; `texts`: language, title and body."""
    lines = ["---", *(f"# {line}" for line in comments), *yaml_lines(header), "---"]
    for lang, title, body in texts:
        lines += ["", *section_lines(lang, title, body)]
    return "\n".join([*lines, ""])


def section_lines(lang: str, title: str, body: str) -> list[str]:
    """Return the lines of a section."""
    return [f"# {lang}: {title}".rstrip(), "", *(body.split("\n") if body else ())]


def yaml_lines(value: object) -> Iterator[str]:
    """Yield the lines of a mapping, a list, or the text of a value; empty ones of keys are not."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if item and isinstance(item, (Mapping, list, tuple)):
                yield f"{key}:"
                yield from (f"  {line}" for line in yaml_lines(item))
            elif item:
                yield f"{key}: {scalar(str(item))}"
    elif isinstance(value, (list, tuple)):
        for item in value:
            first, *rest = yaml_lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
    else:
        yield scalar(str(value))


def with_items(text: str, path: Place, items: Iterable[str]) -> str:
    """Return YAML with lines at the end of the list at a path, which is created if missing.

    `items`: the lines, without the indentation of the list.
    """
    document, _ = parse_yaml(text, "")
    lines = text.split("\n")
    first = document.lines.get((*path, 0), 0)
    indent = lines[first - 1].partition("-")[0] if first else "  " * len(path)
    outer = path if path in document.lines else path[:-1]
    depth = len(indent) if first else len(indent) - 2
    last = max(
        (line for place, line in document.lines.items() if place[: len(outer)] == outer),
        default=0,
    )
    # Of a long value the document has only the first line.
    while last < len(lines) and lines[last][: depth + 1].isspace() and lines[last].strip():
        last += 1
    head = [] if outer == path else [f"{indent[2:]}{path[-1]}:"]
    added = [*head, *(indent + item for item in items)]
    return "\n".join([*lines[:last], *added, *(lines[last:] or [""])])


class Parts(NamedTuple):
    """The parts of a record: its header, the index of the line that closes it, and its texts."""

    header: YamlDocument
    end: int
    texts: list[Text]


def split_record(text: str, path: str) -> tuple[Parts | None, list[Problem]]:
    """Split a record's text into its parts. Never raises for bad text."""
    lines = text.split("\n")
    try:
        end = _header_end(text, lines)
    except _Refused as refused:
        return None, [Problem(path, refused.line, refused.message)]
    header, problems = parse_yaml("\n".join(lines[1:end]), path, 1)
    early = next((row for row in range(1, end) if _SECTION.fullmatch(lines[row])), None)
    # A heading in a header is a YAML comment; with text below it the header is not closed.
    if early is not None and any(not line.strip() for line in lines[early + 1 : end]):
        message = "a section begins inside the header; close the header with `---` before it"
        problems.append(Problem(path, early + 1, message))
    texts, more = _read_sections(lines, end + 1, path)
    return Parts(header, end, texts), [*problems, *more]


def _header_end(text: str, lines: list[str]) -> int:
    """Return the index of the line that closes the header. Raises _Refused without one."""
    if not text.strip():
        raise _Refused(1, "the file is empty; `kb new` writes a record to fill in")
    if len(text) > MAX_RULING:
        raise _Refused(1, f"more than {MAX_RULING:,} characters, the limit for a ruling")
    if lines[0].rstrip() != "---":
        raise _Refused(
            1, "a record begins with a line `---`, then its header (kind, authority, status, ...)"
        )
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in ("---", "..."):
            return number
    raise _Refused(1, "the header that begins here has no closing line `---`")


def split_page(text: str, path: str) -> tuple[list[Text], list[Problem]]:
    """Split a text without a header into its language sections."""
    texts, problems = _read_sections(text.split("\n"), 0, path)
    return texts, [*problems, *section_problems(texts, path)]


def section_problems(texts: Sequence[Text], path: str) -> Iterator[Problem]:
    """Yield repeated and unknown languages, and texts without a title or a body."""
    first_lines: dict[str, int] = {}
    for text in texts:
        lang, line = text.lang, text.line
        first = first_lines.setdefault(lang, line)
        if first != line:
            message = f"a second section in {lang} (the first is on line {first})"
            yield Problem(path, line, message)
        if not is_language(lang):
            yield Problem(path, line, f"unknown language {lang}{language_hint(lang)}")
        if not text.title:
            yield Problem(path, line, f"the section in {lang} has no title")
        if not text.body.strip():
            yield Problem(path, line, f"the section in {lang} has no text")


def _read_sections(lines: list[str], start: int, path: str) -> tuple[list[Text], list[Problem]]:
    headings, problems = _headings(lines, start, path)
    texts: list[Text] = []
    stops = [*(heading.line - 1 for heading in headings[1:]), len(lines)]
    for heading, stop in zip(headings, stops, strict=False):
        if heading.lang:
            body, first = trimmed_body(lines, heading.line, stop)
            texts.append(replace(heading, body=body, body_line=first + 1))
    if not headings and not problems:
        problems.append(
            Problem(
                path,
                start or 1,
                "no text; add a section such as `# en: Title`; `en` is its language",
            )
        )
    return texts, problems


def _headings(lines: list[str], start: int, path: str) -> tuple[list[Text], list[Problem]]:
    """Return texts without bodies, and the problems of lines outside sections and code blocks.

    Text without a heading has no language.
    """
    problems: list[Problem] = []
    headings: list[Text] = []
    fence = ""
    for number, line in enumerate(lines[start:], start + 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        elif head := _SECTION.fullmatch(line.rstrip()):
            headings.append(Text(head[1].lower(), head[2].strip(), "", number))
        elif (miswritten := _MISWRITTEN.fullmatch(line.rstrip())) and (
            miswritten[1] == "#"
            or (
                miswritten[2].lower() in LANGUAGES
                and ("#" in miswritten[1] or _stands_alone(lines, number - 1))
            )
        ):
            lang = miswritten[2].lower()
            message = f"write `# {lang}: Title`; a section begins with one # and a space"
            problems.append(Problem(path, number, message))
            headings.append(Text(lang, miswritten[3].strip(), "", number))
        elif _HASH.match(line):
            message = (
                "questions are lines of the game's questions.tsv (ruling, language, question);"
                " move them there"
                if line.startswith("# asked-as")
                else "a section's heading is `# en: Title`, with the language; in a text use `##`"
            )
            problems.append(Problem(path, number, message))
        elif not headings and line.strip():
            message = (
                "text before the first section; begin it with a heading such as `# en: Title`;"
                " `en` is its language"
            )
            problems.append(Problem(path, number, message))
            headings.append(Text("", "", "", number))
    if fence:
        message = f"a code block opened with {fence} is never closed"
        problems.append(Problem(path, len(lines), message))
    return headings, problems


def _stands_alone(lines: list[str], index: int) -> bool:
    """Whether the lines around a line are blank or `---`."""
    around = (*lines[max(index - 1, 0) : index], *lines[index + 1 : index + 2])
    return not "".join(around).strip(" \t-")


def trimmed_body(lines: list[str], start: int, stop: int) -> tuple[str, int]:
    """Return a body without blank lines around it, and the index of its first line."""
    while start < stop and not lines[start].strip():
        start += 1
    while stop > start and not lines[stop - 1].strip():
        stop -= 1
    # Two spaces at the end of a line are a line break of Markdown.
    kept = (line if line.endswith("  ") else line.rstrip() for line in lines[start:stop])
    return "\n".join(kept), start
