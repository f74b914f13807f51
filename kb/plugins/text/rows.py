"""Divides a plain document into rows: paragraphs, list items and headings, without their signs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Literal

from kb.ingest.common import LONGEST_RULING
from kb.plugins.text import vocabulary as words

Kind = Literal[
    "text",
    "heading",
    "question",
    "answer",
    "item",
    "example",
    "note",
    "definition",
    "cell",
    "end",
    "again",
]
# Joins the two parts of a word that is divided at the end of a line.
Rejoin = Callable[[str, str], str]

# The level of a heading without a mark, below the six of Markdown.
PLAIN_LEVEL = 7
MAX_HEADING = 100


@dataclass(eq=False, kw_only=True)
class Row:
    """A paragraph, a list item or a heading.

    `first` and `last`: its lines. `text`: without the signs at its start, which `raw` has. `level`:
    of a heading. `number`: the paragraph's number in the document. `label`: a definition's term, or
    the words such as `Example:` at the start of a text. `column`: where it begins. `width`: the
    length of its last line. `is_listed`: it belongs to the introduction above it. `why`: the reason
    why it is in no draft. `mark_number`: of a question or an answer, as in `Q3:`. `remark`: a mark
    that says more, as in `Q (Max):`. The kind `cell` is such a remark or one of a table's other
    columns, which stands below the answer. Behind the kind `end`, only the mark of an answer, or a
    line of who answered, of the kind `again`, goes on with the question above.
    """

    first: int
    last: int
    raw: str
    text: str
    kind: Kind = "text"
    level: int = 0
    number: str = ""
    label: str = ""
    column: int = 0
    width: int = 0
    is_listed: bool = False
    why: str = ""
    mark_number: str = ""
    remark: str = ""

    @property
    def is_ended(self) -> bool:
        """Whether it ends with a full stop, a colon or the like."""
        return bool(_END.search(self.text))

    @property
    def asks(self) -> bool:
        """Whether it ends with a question mark."""
        return bool(QUESTION_END.search(self.text))

    @property
    def is_bold(self) -> bool:
        return bool(_BOLD.fullmatch(self.raw))

    @property
    def is_entry(self) -> bool:
        """Whether it stands in a list, by its sign or its number."""
        return self.kind == "item" or bool(self.number or _COUNTED.match(self.text))

    @property
    def count(self) -> int:
        """Its number in a list, as in `3.` or `(3)`; 0 without one, and for a provision's."""
        counted = _COUNTED.match(self.text)
        number = counted[1] if counted else self.number
        return int(number) if number.isdigit() else 0

    @property
    def is_continued(self) -> bool:
        """Whether it begins in lower case, as what goes on with the text above it does."""
        return self.kind in ("text", "item") and self.text[:1].islower()

    @property
    def is_introduction(self) -> bool:
        return self.text.endswith(":")

    def is_below(self, above: Row) -> bool:
        """Whether no blank line stands between another row and this one."""
        return above.last + 1 >= self.first


_pattern = partial(re.compile, flags=re.IGNORECASE)
EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
# The mark of a footnote, `[1]` or `[^1]`, may follow a sentence.
_FOOTNOTE = r"(?:\[\^?\d{1,3}\])*"
# Signs and remarks in brackets may follow a question: `May I? [NEW]`, `May I?¹ (p. 12) 🤔`.
QUESTION_END = re.compile(r"[?？][.…]*(?:[^\w?？(\[.…]|[_¹²³⁰-⁹]|[(\[][^?？()\[\]\n]{1,40}[)\]])*$")
_END = re.compile(rf"[.!?:;…？][\s\"'”’»)\]*_]*{_FOOTNOTE}$")
_BOLD = re.compile(r"(\*\*|__)((?:(?!\1).)+)\1")
_UNDERLINE = re.compile(r"={3,}|-{3,}|~{3,}")
_DIVIDER = re.compile(r"([-=_*~—#])(?:\s?\1){2,}")
# Signs that a line below a title has more or less than it.
_UNDERLINE_OFF = 2
# `# 1` is a number, `- 3` and `+ 2` have a sign.
_HEADING = re.compile(r"(#{1,6})\s+(?=[^\W\d]|[^\w\s])|(#{2,6})\s+(?=\S)")
# A heading of a wiki: `== Part one ==`.
_WIKI_HEADING = re.compile(r"(={2,6})\s*([^\s=].*?)\s*\1")
# Of a text in Markdown that folds, the title and the tags around it.
_SUMMARY = re.compile(r"(?:<details[^<>]*>\s*)?<summary>(.*\w.*)</summary>", re.IGNORECASE)
_DETAILS = re.compile(r"</?details[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ITEM = re.compile(r"(?:[•◦▪●·»]|[-–—*+](?=\s+[^\W\d]|\s+[^\w\s]))\s+(?=\S)")
# 12.03.2004 and 2004.03.12 are no numbers of paragraphs.
_NO_DATE = r"(?!\d{1,2}\.\d{1,2}\.(?:19|20)\d\d\b|(?:19|20)\d\d\.\d)"
_NUMBER = re.compile(
    rf"{_NO_DATE}"
    r"(?:§\s*)?(\d{1,4}(?:\.\d{1,4}){1,6}[a-z]?|\d{1,3}(?=[.)]\s))[.):]*\s+(?=\S)"
    r"|§\s*(\d{1,4})[.:]?\s+(?=\S)"
)
# `(4) May I?` and `#4 May I?`, whose number stays in the text, and the first entry of a list that
# begins beside the mark of an answer.
_COUNTED = re.compile(r"(?:[(\[#№]\s?(?=\d{1,3}\b)|(?=\d{1,3}[.)]\s))(\d{1,3})")
# The label of an example or a note stays in its text.
_LABELS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("note", _pattern(rf"{words.NOTE}\s*(?:{words.BY_TRANSLATOR}\s*)?[:.–—-]\s")),
    ("example", _pattern(rf"{words.EXAMPLE}\b[^.:]{{0,40}}[.:]|{words.FOR_EXAMPLE}\b[,:]?")),
)
# Markdown has lines of signs that divide a table or enclose code.
_ONLY_MARKS = {
    False: _pattern(r"[\W_]+|[\W_]{3,}\w{1,2}[\W_]{3,}"),
    True: _pattern(r"(?:[-*_=]\s?){3,}"),
}
CONTENTS, ONLY_MARKS = "a line of a table of contents", "only marks"
_PAGE = (
    # A link within the document, or dots before the number of a page.
    (CONTENTS, _pattern(r"(?:[-*+\d.)]+\s+)?\[[^\]]*\]\(#[^()]*\)|.*(?:\.\s?){4}\d{1,4}")),
    ("a comment", _pattern(r"<!--.*-->")),
    ("an address", _pattern(r"(?:https?://|www\.)\S+")),
    (
        "a page number",
        _pattern(rf"(?:{words.PAGE}\s*)?\d{{1,5}}(?:\s*(?:/|{words.OF})\s*\d{{1,5}})?"),
    ),
    ("a copyright notice", _pattern(rf".{{0,200}}(?:©|{words.COPYRIGHT}).{{0,200}}")),
)
_DIVIDED = re.compile(r"\b([^\W\d_]{1,40})-\n([^\W\d_]+)")


def read_lines(text: str, is_markdown: bool) -> list[Row]:
    """Return a row for each line that is not blank."""
    return [
        _line(number, line, is_markdown)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]


def find_underlined(lines: Sequence[Row], is_markdown: bool) -> None:
    """Make headings of the lines with a line of signs below them.

    Below a mark, another line of signs is the end of an answer. There, in a plain text, a title
    stands between two such lines, or is as long as its line and stands apart, or directly above a
    question where the first title has a line too.
    """
    is_marked = has_title = False
    for before, above, row, below in zip(
        [*lines[:1], *lines], lines, lines[1:], [*lines[2:], *lines[-1:]], strict=False
    ):
        is_marked |= above.kind in ("question", "answer")
        is_title = above.kind == "text" and not above.why and len(above.text) <= MAX_HEADING
        if is_marked and not is_markdown and before.kind != "end":
            has_answer = before.kind != "question" and before.text
            is_close = has_title and below.kind == "question" and below.is_below(row)
            is_title &= bool(has_answer) and not above.is_ended
            is_title &= not above.is_below(before) or is_close
            off = 0 if above.is_below(before) else _UNDERLINE_OFF
            is_title &= abs(len(row.raw) - len(above.text)) <= off
        if is_title and row.is_below(above) and _UNDERLINE.fullmatch(row.raw):
            above.kind, above.level = "heading", 1 if row.raw[0] == "=" else 2
            has_title |= not is_marked
        elif is_marked and above.kind != "question" and above.text and row.why == ONLY_MARKS:
            row.kind = "end" if _DIVIDER.fullmatch(row.raw) else row.kind


def _line(number: int, line: str, is_markdown: bool) -> Row:
    why = _page_furniture(line.strip(), is_markdown)
    text = EMAIL.sub("[…]", line.strip()) if not why else line.strip()
    row = Row(
        first=number,
        last=number,
        # Two spaces at the end of a line of Markdown are a line break.
        raw=f"{text}  " if is_markdown and line.endswith("  ") else text,
        text=text,
        column=len(line) - len(line.lstrip()),
        width=len(line.rstrip()),
        why=why,
    )
    if why:
        return row
    if is_markdown and _DETAILS.fullmatch(text):
        row.kind, row.why = "end", ONLY_MARKS
    elif is_markdown and (match := _SUMMARY.fullmatch(text)):
        row.kind, row.level, row.text = "heading", PLAIN_LEVEL - 1, _TAG.sub("", match[1]).strip()
    elif match := _HEADING.match(text):
        row.kind, row.level = "heading", len(match[1] or match[2])
        row.text = text[match.end() :].rstrip("# ") or text
    elif match := _WIKI_HEADING.fullmatch(text):
        row.kind, row.level, row.text = "heading", len(match[1]), match[2]
    elif match := _BOLD.fullmatch(text):
        row.text = match[2]
    elif match := _ITEM.match(text):
        row.kind, row.text = "item", text[match.end() :]
    elif match := _NUMBER.match(text):
        row.number, row.text = match[1] or match[2], text[match.end() :]
    for kind, pattern in _LABELS:
        if row.kind == "text" and not row.number and (match := pattern.match(row.text)):
            row.kind, row.label = kind, match[0]
    return row


def _page_furniture(text: str, is_markdown: bool) -> str:
    """Return why a line is not part of the document, such as `a page number`; else nothing."""
    if len(text) > LONGEST_RULING:
        return f"longer than {LONGEST_RULING:,} characters"
    if EMAIL.search(text) and len(EMAIL.sub("", text).split()) < 4:
        return "contact details"
    if _ONLY_MARKS[is_markdown].fullmatch(text):
        return ONLY_MARKS
    return next((why for why, pattern in _PAGE if pattern.fullmatch(text)), "")


def joined(lines: Sequence[Row], is_markdown: bool, rejoin: Rejoin) -> list[Row]:
    """Join the lines of wrapped paragraphs; in plain text, lines that are shorter stay apart."""
    width = _width(lines)
    rows: list[Row] = []
    groups: list[list[str]] = []
    for line in lines:
        if rows and _continues(line, rows[-1], groups[-1][-1], is_markdown, width):
            groups[-1].append(line.raw)
            rows[-1].last, rows[-1].width = line.last, line.width
        else:
            rows.append(line)
            groups.append([line.raw])
    for row, (first, *tail) in zip(rows, groups, strict=True):
        is_quoted = first[0] == ">" and row.kind in ("question", "answer")
        pieces = [line.lstrip("> ") if is_quoted else line for line in tail]
        row.text = _merged([row.text, *pieces], is_markdown, rejoin)
        row.raw = _merged([row.raw, *pieces], is_markdown, rejoin)
    return rows


def _width(lines: Sequence[Row]) -> int:
    """Return the width at which a document wraps its paragraphs; 0 if it does not."""
    widths = [line.width for line in lines if not line.why]
    longest = max(widths, default=0)
    wrapped = sum(
        line.text[:1].islower() and line.kind == "text" and line.is_below(above)
        for above, line in pairwise(lines)
    )
    full = sum(width > 0.7 * longest for width in widths)
    wraps = full >= 0.4 * len(widths) and wrapped >= 0.15 * len(widths)
    return longest if wraps and 50 <= longest <= 132 else 0


def _continues(line: Row, row: Row, last: str, is_markdown: bool, width: int) -> bool:
    """Whether a line belongs to the row above it, whose last line is given."""
    is_plain = line.kind == "text" and not line.number and not line.why
    is_title = row.kind == "heading" or (row.kind == "question" and (row.level or row.is_bold))
    if not is_plain or is_title or row.why or not line.is_below(row):
        return False
    if QUESTION_END.search(last) and (row.kind == "question" or is_markdown):
        return False
    if line.asks and (line.is_bold or line.is_entry) and (row.kind == "answer" or row.is_entry):
        return False
    is_divided = re.search(r"[^\W\d_]-$", last) or (line.asks and not _END.search(last))
    if (line.text[0].islower() and is_divided) or (not row.text and row.first == row.last):
        return True
    has_sign = row.kind in ("item", "question", "answer") or row.number or row.column
    if is_markdown or (has_sign and line.column > row.column + 1 and not last.endswith(":")):
        return True
    if not width or (row.width < 0.85 * width and _END.search(last)):
        return False
    return row.width > 0.6 * width or line.text[:1].islower()


def _merged(pieces: Sequence[str], is_markdown: bool, rejoin: Rejoin) -> str:
    text = _DIVIDED.sub(lambda match: rejoin(match[1], match[2]), "\n".join(filter(None, pieces)))
    return text if is_markdown else text.replace("\n", " ")
