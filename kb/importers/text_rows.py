"""The lines of a plain document, classified by marks, words, length and neighbours."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from kb.language import LANGUAGES, language_of

Shape = Literal[
    "blank",
    "left",
    "repeat",
    "heading",
    "number",
    "item",
    "question",
    "answer",
    "example",
    "note",
    "definition",
    "quote",
    "text",
]

# No provision is longer; a longer line is data, not prose.
LONGEST = 20_000
_HEADING = 100
_SHORT = 60


def any_of(*fields: str) -> str:
    """A group of what the languages' document vocabularies have in some fields."""
    alternatives = (
        getattr(language.documents, field) for field in fields for language in LANGUAGES.values()
    )
    return f"(?:{'|'.join(filter(None, alternatives))})"


_BULLET = re.compile(r"[-–—•◦▪●·*+»]\s+(?=\S)")
_SECTION = re.compile(
    r"(?:§\s*)?(\d{1,4}(?:\.\d{1,4}){1,6}[a-z]?|\d{1,4}(?=[.)]\s))[.):]*\s+(?=\S)|§\s*(\d{1,4})[.:]?\s+(?=\S)"
)
# One letter is a list's (`a)`) unless a colon follows.
_QUESTION = re.compile(
    rf"(?:{any_of('question')}\b\.?\s?(\d{{0,4}})\s?[.:)]*"
    rf"|{any_of('question_letter')}\s?(\d{{0,4}})\s?:)(?<=[.:)])\s*(?=\S)",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    rf"(?:{any_of('answer')}\b\.?\s?\d{{0,4}}\s?[.:)]+"
    rf"|{any_of('answer_letter')}\s?\d{{0,4}}\s?:)\s*(?=\S)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    rf"(?:{any_of('example')}\b[^.:]{{0,40}}[.:]|{any_of('for_example')}\b[,:]?)\s*",
    re.IGNORECASE,
)
_NOTE = re.compile(
    rf"{any_of('note')}\s*(?:{any_of('by_translator')}\s*)?[:.–—-]\s*", re.IGNORECASE
)
TRANSLATOR = re.compile(any_of("translator"), re.IGNORECASE)
_TERM = re.compile(r"([^\W\d_][^.:;!?–—(]{0,60}?(?:\s\([^()]{1,40}\))?)\s+[-–—]\s+(\S.*)")
_IS = re.compile(rf"{any_of('is_')}\b", re.IGNORECASE)
INTRODUCTION = re.compile(rf"{any_of('introduction')}\W*", re.IGNORECASE)
_WHAT_IF = re.compile(rf"(?:a\s+)?{any_of('what_if')}\b[^.!]*\?", re.IGNORECASE)
_END = re.compile(r"[.!?:;…][\s\"'”’»)\]]*$")

EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_CONTACT = re.compile(rf"\b{any_of('contact')}", re.IGNORECASE)


_BOILERPLATE = (
    ("only marks", re.compile(r"[\W_]+", re.IGNORECASE)),
    ("an address", re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)),
    (
        "a page number",
        re.compile(
            rf"(?:{any_of('page')}\s*)?\d{{1,5}}(?:\s*(?:/|{any_of('of')})\s*\d{{1,5}})?",
            re.IGNORECASE,
        ),
    ),
    ("navigation", re.compile(r"[↑←→«»<>▲▼^]+\s*[^.]{0,40}|[^.]{0,40}\s[↑←→«»▲▼]+", re.IGNORECASE)),
    (
        "a copyright notice",
        re.compile(rf"(?s:.*)(?:©|\(c\)\s?\d{{4}}|{any_of('copyright')})(?s:.*)", re.IGNORECASE),
    ),
    (
        "a site's foot",
        re.compile(r"(?:\w[\w-]*\.)+[a-z]{2,6}\b\s*[-–—|(].*\b(?:19|20)\d\d.*", re.IGNORECASE),
    ),
    ("a counter", re.compile(rf".*\b{any_of('counter')}\s*[:(-]\s*\d+.{{0,200}}", re.IGNORECASE)),
    ("a counter", re.compile(rf"\d[\d\s]*{any_of('counted')}\w*", re.IGNORECASE)),
    (
        "a date",
        re.compile(rf"(?:{any_of('dated')}\b[^:]{{0,20}}:\s*)?\d[\d./\s:-]{{5,30}}", re.IGNORECASE),
    ),
    ("a page's statistics", re.compile(rf"{any_of('statistics')}.{{0,80}}", re.IGNORECASE)),
    ("an invitation", re.compile(rf"{any_of('invitation')}.{{0,160}}(?<!\.)", re.IGNORECASE)),
    ("navigation", re.compile(rf"{any_of('navigation')}\W*", re.IGNORECASE)),
    ("the document's source", re.compile(rf"{any_of('source')}\s*:.{{0,160}}", re.IGNORECASE)),
)
_COUNTED = re.compile(r"\(\s*\d+\s*\)")


@dataclass
class Row:
    """One line: its number in the file, its text without its mark, its shape and number."""

    line: int
    raw: str
    shape: Shape = "text"
    text: str = ""
    number: str = ""
    why: str = ""
    depth: int = 0
    end: int = 0
    repeats: int = 0
    cut: int = 0

    @property
    def ended(self) -> bool:
        """Whether it ends as a sentence or an introduction does."""
        return bool(_END.search(self.text))

    @property
    def colon(self) -> bool:
        """Whether it introduces what follows."""
        return self.text.rstrip().endswith(":")


def language(text: str, default: str = "en") -> str:
    """The language of a text, by its letters and its most frequent words; else `default`."""
    lower = text[:200_000].lower()
    words = Counter(re.findall(r"[^\W\d_]+", lower))
    score: Counter[str] = Counter()
    for lang, known in LANGUAGES.items():
        letters = sum(lower.count(char) for char in known.telling_letters)
        # Every letter of a Russian word tells, and one in ten of a Polish one.
        weight = 0.25 if len(known.telling_letters) > 26 else 2
        score[lang] = int(weight * letters) + 5 * sum(words[word] for word in known.stop_words)
    best = max(sorted(score), key=lambda lang: score[lang])
    return best if score[best] else default


def foreign(text: str, lang: str) -> bool:
    """Whether a text begins in English in a document of another language: a quoted card."""
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", text[:400])][:14]
    english = sum(word in LANGUAGES["en"].stop_words for word in words)
    known = language_of(lang)
    own = sum(word in known.stop_words for word in words) + any(
        char in known.telling_letters for char in " ".join(words)
    )
    return lang != "en" and len(words) >= 6 and english >= 2 and english > own


def boilerplate(text: str) -> str:
    """Return what boilerplate a line is; empty when it may be of the document."""
    if len(text) > LONGEST:
        return f"longer than {LONGEST:,} characters"
    if len(_COUNTED.findall(text)) >= 5 and len(_COUNTED.findall(text)) * 120 > len(text):
        return "navigation"
    parts = [part.strip() for part in re.split(r"\s[|»›>]\s", text)]
    if len(parts) >= 3 and all(len(part) <= 30 for part in parts):
        return "navigation"
    word_count = len(EMAIL.sub("", text).split()) if EMAIL.search(text) else 0
    if EMAIL.search(text) and (word_count < 4 or _CONTACT.search(text)):
        return "contact details"
    return next(
        (why for why, pattern in _BOILERPLATE if len(text) <= 400 and pattern.fullmatch(text)), ""
    )


def _marked(row: Row) -> None:
    """Finds the mark that a line begins with: a list's, a number's, a question's, an answer's."""
    markdown = re.match(r"#{1,6}\s+(.+)", row.text)
    if markdown:
        row.shape, row.text = (
            "heading",
            markdown[1].rstrip().rstrip("#").rstrip() or markdown[1].strip(),
        )
        return
    match: re.Match[str] | None
    patterns: tuple[tuple[Shape, re.Pattern[str]], ...] = (
        ("question", _QUESTION),
        ("answer", _ANSWER),
        ("item", _BULLET),
    )
    for shape, pattern in patterns:
        match = pattern.match(row.text)
        if match:
            row.shape, row.text = shape, row.text[match.end() :].strip()
            row.number = next((group for group in match.groups() if group), "")
            return
    match = _SECTION.match(row.text)
    if match:
        row.shape, row.number, row.text = (
            "number",
            match[1] or match[2],
            row.text[match.end() :].strip(),
        )
    elif _NOTE.match(row.text):
        row.shape = "note"
    elif _EXAMPLE.match(row.text):
        row.shape = "example"


def _bold(text: str) -> str:
    match = re.fullmatch(r"(\*\*|__)(.+)\1", text)
    return match[2] if match else text


def rows_of(text: str) -> list[Row]:
    """Classify each line of a document by itself."""
    rows = []
    for line, raw in enumerate(text.split("\n"), 1):
        stripped = raw.strip() if len(raw) <= LONGEST else raw
        row = Row(
            line,
            raw,
            text=_bold(stripped),
            depth=len(raw) - len(raw.lstrip()) if len(raw) <= LONGEST else 0,
        )
        row.why = boilerplate(stripped) if stripped else ""
        if not stripped:
            row.shape = "blank"
        elif row.why:
            row.shape = "left"
        else:
            row.text, row.cut = EMAIL.subn("[…]", row.text)
            _marked(row)
        rows.append(row)
    for above, row in pairwise(rows):
        if (
            above.shape == "text"
            and len(above.text) <= _HEADING
            and re.fullmatch(r"={3,}|-{3,}|~{3,}", row.text)
        ):
            above.shape = "heading"
    _answers_need_questions(rows)
    _running_heads(rows)
    return rows


def _answers_need_questions(rows: Sequence[Row]) -> None:
    """`A.` and `O.` begin an answer only after a question; elsewhere they are letters of a list."""
    asked = False
    for row in rows:
        if row.shape == "question":
            asked = True
        elif row.shape == "answer" and not asked:
            row.shape, row.text = "text", EMAIL.sub("[…]", row.raw.strip())


def _running_heads(rows: Sequence[Row]) -> None:
    """A short line that stands alone between blank lines three times or more is the page's."""

    def alone(at: int) -> bool:
        return all(
            not 0 <= one < len(rows) or rows[one].shape in ("blank", "left")
            for one in (at - 1, at + 1)
        )

    standing = [
        row
        for at, row in enumerate(rows)
        if row.shape in ("text", "heading") and len(row.text) <= _SHORT and alone(at)
    ]
    count = Counter(row.text for row in standing)
    for row in standing:
        if count[row.text] >= 3:
            row.shape, row.why = "left", "repeated on every page"


def _is_wrapped(rows: Sequence[Row]) -> bool:
    """Whether the document breaks its paragraphs into lines of about one width."""
    lengths = [len(row.raw.rstrip()) for row in rows if row.shape not in ("blank", "left")]
    longest = max(lengths, default=0)
    if not 50 <= longest <= 132:
        return False
    broken = sum(
        after.shape == "text" and after.text[:1].islower() and row.shape != "blank"
        for row, after in pairwise(rows)
    )
    full = sum(length > 0.7 * longest for length in lengths)
    return full >= 0.4 * len(lengths) and broken >= 0.15 * len(lengths)


def join(rows: Sequence[Row]) -> list[Row]:
    """Join lines to paragraphs: rows with the whole text, `end` the last line of each."""
    wrapped = _is_wrapped(rows)
    width = max(
        (len(row.raw.rstrip()) for row in rows if row.shape not in ("blank", "left")), default=0
    )
    joined: list[Row] = []
    pieces: list[list[str]] = []
    before: Row | None = None
    for row in rows:
        if before and joined and _flows(row, before, joined[-1], width if wrapped else 0):
            pieces[-1].append(row.text)
            joined[-1].end = row.line
        else:
            joined.append(row)
            pieces.append([row.text])
            row.end = row.line
        before = row
    for row, texts in zip(joined, pieces, strict=True):
        row.text = " ".join(texts)
    return joined


def _flows(row: Row, before: Row, into: Row, width: int) -> bool:
    """Whether a line continues the paragraph above it.

    It is indented under a mark, or the text is broken at `width` (0: not broken).
    """
    if row.shape != "text" or into.shape in ("blank", "left", "heading") or before.shape == "blank":
        return False
    if into.shape in ("item", "number") and row.depth > into.depth + 1:
        return True
    length = len(before.raw.rstrip())
    if not width or (_END.search(before.raw) and length < 0.85 * width):
        return False
    return length > 0.6 * width or row.text[:1].islower()


def tell_apart(rows: Sequence[Row], lang: str) -> None:
    """Find headings, definitions, quoted cards and short lists among plain text.

    Blank rows give spacing only.
    """
    solid = [at for at, row in enumerate(rows) if row.shape != "blank"]
    spaced = len(rows) - len(solid) > 0.3 * len(rows)
    _definitions([rows[at] for at in solid], lang)
    for index, at in enumerate(solid):
        row = rows[at]
        after = rows[solid[index + 1]] if index + 1 < len(solid) else None
        gap = (
            at == 0 or rows[at - 1].shape in ("blank", "left"),
            at + 1 >= len(rows) or rows[at + 1].shape in ("blank", "left"),
        )
        if row.shape == "text" and foreign(row.text, lang):
            row.shape = "quote"
        elif row.shape == "text" and (
            _headlike(row, all(gap) and spaced) or _label(row, after, gap[0])
        ):
            row.shape = "heading"
        elif row.shape == "number" and after and _headlike(row, False):
            below = after.shape == "number" and after.number.startswith(row.number + ".")
            if below or (after.shape != "number" and ("." in row.number or all(gap))):
                row.shape = "heading"
    _short_lists([rows[at] for at in solid], rows)


def _headlike(row: Row, alone: bool) -> bool:
    text = row.text
    if len(text) > _HEADING or not re.match(r"[\"'„“«(\[]*[\w\[]", text) or text[:1].islower():
        return False
    if not row.ended or re.search(r"(?:\.\.\.|…|\?)[\"'”»)]*$", text):
        return True
    # A full stop or a colon ends a heading only where blank lines set it off.
    return (
        alone and (text.endswith(":") or len(text.split()) <= 3) and not re.search(r"[.!?]\s", text)
    )


def _label(row: Row, after: Row | None, first: bool) -> bool:
    """Whether a word or two with a colon begin a block, not a list of short lines."""
    followed = after is not None and (after.ended or after.shape in ("definition", "item"))
    return first and followed and row.colon and len(row.text.split()) <= 2


def _definitions(solid: Sequence[Row], lang: str) -> None:
    """Mark `term - meaning`: two such lines in a row, one below an introduction, or with `is`."""
    matches = [
        _TERM.fullmatch(row.text) if row.shape == "text" and len(row.text) < 600 else None
        for row in solid
    ]
    terms = [
        bool(match and len(match[1].split()) <= 7 and not foreign(match[0], lang))
        for match in matches
    ]
    for at, (row, match) in enumerate(zip(solid, matches, strict=True)):
        if not match or not terms[at]:
            continue
        beside = (at > 0 and terms[at - 1]) or (at + 1 < len(solid) and terms[at + 1])
        if beside or _IS.match(match[2]) or (at > 0 and solid[at - 1].colon):
            row.shape = "definition"


def _short_lists(solid: Sequence[Row], rows: Sequence[Row]) -> None:
    """Mark short lines under an introduction that ends with a colon as its list."""
    blank = {row.line for row in rows if row.shape == "blank"}
    listing = False
    for before, row in pairwise(solid):
        short = len(row.text) <= _SHORT and not row.ended
        starts = before.colon and before.shape not in {"heading", "left"}
        listing = short and (starts or listing)
        if listing and (
            row.shape == "item" or (row.shape in ("heading", "text") and row.line - 1 not in blank)
        ):
            row.shape, row.number = "item", "list"


def continues(text: str) -> bool:
    """Whether a paragraph goes on with an example: `What if ...?`."""
    return bool(_WHAT_IF.match(text))


def content_of(row: Row) -> str:
    """Return a row's text after `Example:` or `Translator's note:`; of a definition, the term."""
    if row.shape == "definition":
        match = _TERM.fullmatch(row.text)
        return match[1] if match else row.text
    pattern = {"example": _EXAMPLE, "note": _NOTE}.get(row.shape)
    match = pattern.match(row.text) if pattern else None
    return (row.text[match.end() :] if match else row.text) or row.text
