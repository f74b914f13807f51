"""Finds the marks of questions and answers: `Q:`, `**A.**`, `1. Pytanie 3:`, `A (Max):`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from kb.plugins.text import vocabulary as words
from kb.plugins.text.rows import CONTENTS, Row

_TAG = r"</?[a-zA-Z]{1,6}\s?/?>"
_SIGN = rf"(?:{_TAG}|[\W_])"
# `> [!faq]` begins a question of Obsidian.
_QUESTION = rf"(?:(?i:{words.QUESTION})|(?<=\[!)(?:faq|help)|{words.QUESTION_LETTER}|q)"
_ANSWER = rf"(?:(?i:{words.ANSWER})|{words.ANSWER_LETTER}|a(?=[\W_]*:))"
_COUNT = rf"(?i:{words.NUMBER_SIGN})?\s?(?:\(\d{{1,4}}\)|\d{{1,4}}\)?)"
_NUMBER = rf"(?P<number>[\s-]?{_COUNT}|\.\s?{_COUNT}(?=\s?[.:)\]>]|\s*$))?(?!\w)"
_EMPHASIS = rf"(?:{_TAG}|[*_`]){{0,4}}"
# `P.S.` and `A.I.` are not marks.
_CLOSING = rf"(?!\.[^\W\d_]\.){_EMPHASIS}\s?(?:[.:：)\]>]{{1,3}}(?:\s:)?|[-–—→](?=\s)){_EMPHASIS}"
# `Question (Max):`
_BRACKETS = r"\.?\s?\([^()\n]{1,40}\)"
_REMARK = rf"(?P<remark>{_BRACKETS}(?={_EMPHASIS}\s?[:：]))?"
_MARK = re.compile(
    rf"(?P<signs>{_SIGN}{{0,20}}(?:\d{{1,4}}(?:\.\d{{1,4}}){{0,3}}{_SIGN}{{1,9}})?"
    rf"(?:(?i:{words.NEW})\b{_SIGN}{{1,9}})?)"
    rf"(?:(?P<question>{_QUESTION})|(?P<answer>{_ANSWER})){_NUMBER}{_REMARK}"
    rf"(?P<closing>{_CLOSING}|[*_]{{1,3}}(?=\s|$)|(?=\t|\s\s|\s|$))\s*"
)
# Inside a paragraph, a mark stands behind the end of a sentence, or a sign between two texts.
_BREAK = rf"(?:(?<=[.!?？…\"”’»)\]*_])\s+|\s*(?:{_TAG}|[/|→;])\s*|\s{{3,}})(?P<signs>[*_]*)"
# There, a letter with a remark is none.
_INLINE_REMARK = rf"(?P<remark>(?<=[^\W\d_]{{2}}){_BRACKETS}(?=\s?[:：]))?"
_INLINE_ANSWER = re.compile(
    rf"{_BREAK}{_ANSWER}{_NUMBER}{_INLINE_REMARK}(?P<closing>{_CLOSING})\s*(?=\S)"
)
_INLINE_QUESTION = re.compile(
    rf"{_BREAK}{_QUESTION}{_NUMBER}{_INLINE_REMARK}(?P<closing>{_EMPHASIS}[.)]?[:：][*_]*)\s*(?=\S)"
)
# What asks behind a word and its remark: `Question from Max: may I?`
_ASKING = re.compile(r"((?:\s[^\W\d_][\w.]{0,20}){1,4})\s?[:：](?=\W*$|.*[?？])")
_SAID = re.compile(rf"\b{words.SAID}\b", re.IGNORECASE)
# In a list, these stand next to the letters that are like marks.
_LISTED_AFTER = {"A": "B", "a": "b", "А": "Б"}
_LISTED_BEFORE = {"В": "Б"}


@dataclass(frozen=True)
class _Mark:
    """A possible mark: its letter or word, whether signs close it, its number, its text.

    `remark`: the mark up to its colon, if it says more than these.
    """

    label: str
    is_question: bool
    is_closed: bool
    has_colon: bool
    number: str
    remark: str
    text: str

    @property
    def is_word(self) -> bool:
        return len(self.label) > 1

    @property
    def is_noted_letter(self) -> bool:
        """Whether it is a letter with a remark, as `P (points):` may be."""
        return bool(self.remark) and not self.is_word


def find_marks(lines: Sequence[Row]) -> None:
    """Set the kind and the text of the lines that begin with the mark of a question or an answer.

    `P` and `В` mark questions in a document where one of them asks, the letters of answers in a
    document that has questions. Letters with a remark do so where one asks and has an answer.
    """
    marks = [(at, mark) for at in range(len(lines)) if (mark := _mark_at(lines, at))]
    asking = {"Q", "q"} & {mark.label for _, mark in marks}
    is_answered = False
    for (at, mark), (_, below) in pairwise(marks):
        has_answer = mark.is_question and below.is_closed and not below.is_question
        if mark.is_noted_letter and has_answer and "?" in (mark.text or lines[at + 1].raw):
            asking.add(mark.label)
            is_answered = True
    marks = [
        (at, mark)
        for at, mark in marks
        if not mark.is_noted_letter or (mark.label in asking if mark.is_question else is_answered)
    ]
    letters = {"Q", "q"} | {
        mark.label
        for at, mark in marks
        if mark.is_question and any("?" in line.raw for line in lines[at : at + 3])
    }
    questions = [mark for _, mark in marks if mark.is_question]
    questions = [mark for mark in questions if mark.is_word or mark.label in letters]
    above: _Mark | None = None
    for at, mark in marks:
        if mark.is_question:
            is_mark = mark.is_word or mark.label in letters
        elif mark.is_closed:
            is_mark = bool(questions) or mark.is_word or mark.has_colon
        else:
            # `A` and `Odp` without a sign behind them answer a question without a sign.
            is_mark = above is not None and above.is_question and not above.is_closed
        if is_mark:
            above, line = mark, lines[at]
            line.kind, line.text = "question" if mark.is_question else "answer", mark.text
            line.mark_number, line.remark = mark.number, mark.remark
            line.number = line.label = ""
            line.why = line.why if line.why.startswith("longer") else ""


def _mark_at(lines: Sequence[Row], at: int) -> _Mark | None:
    raw = lines[at].raw
    match = _MARK.match(raw)
    if not match or lines[at].why == CONTENTS:
        return None
    label, closing = match["question"] or match["answer"], match["closing"].strip()
    text = balanced(match["signs"], closing, raw[match.end() :].strip())
    is_closed = bool(closing) or raw[match.end("closing") :][:1] == "\t"
    said = _ASKING.match(raw, match.start("closing"))
    is_word = match["question"] and len(label) > 1 and label[0].isupper()
    if is_word and said and not _SAID.search(said[1]):
        # The words may say what the question is about.
        is_closed, text = True, balanced(match["signs"], "", raw[match.start("question") :])
    if not is_closed:
        # A word or letter may begin a sentence, unless it has a number or stands alone.
        is_alone = not text or bool(re.search(r"\d\W*$", match[0]))
        is_label = is_alone or label in ("Q", "A")
        if (
            not is_label
            or label[0].islower()
            or text[:1] == "|"
            or text.lstrip("\"'„“«([¿*_")[:1].islower()
        ):
            return None
    if _is_listed(lines, at, label, closing):
        return None
    is_question = bool(match["question"])
    number = "".join(re.findall(r"\d", match["number"] or "")).lstrip("0")
    start = match.start("question" if is_question else "answer")
    remark = raw[start : match.end("remark")] if match["remark"] else ""
    return _Mark(label, is_question, is_closed, ":" in closing, number, remark, text)


def _is_listed(lines: Sequence[Row], at: int, label: str, closing: str) -> bool:
    """Whether a letter counts the items of a list, next to `B)` or `Б)`."""
    sign = closing.strip("*_")[:1]
    if not sign or sign not in ".)":
        return False
    after, before = _LISTED_AFTER.get(label), _LISTED_BEFORE.get(label)
    near = lines[at + 1 : at + 6] if after else lines[max(0, at - 5) : at] if before else []
    return any(re.match(rf"\W*{after or before}\{sign}", line.raw) for line in near)


def balanced(signs: str, closing: str, text: str) -> str:
    """Return a text without the end of the emphasis or the element that began before its mark."""
    if re.search(_TAG, signs):
        text = re.sub(rf"\s*(?:{_TAG})+$", "", text)
    opened = re.search(r"(\*{1,3}|_{1,3})\W{0,3}$", signs)
    if not opened or opened[1] in closing:
        return text
    return text.replace(opened[1], "", 1).rstrip()


def without_mark(text: str) -> str:
    """Return a text without the mark at its start, such as `Q1:`."""
    match = _MARK.match(text)
    if not match or match["remark"] or ":" not in match["closing"]:
        return text
    return balanced(match["signs"], match["closing"], text[match.end() :].strip())


def divided(row: Row) -> Iterator[Row]:
    """Yield a row; questions and answers in one paragraph become rows of their own."""
    place, kind, text, remark = 0, row.kind, row.text, row.remark
    while kind in ("text", "question", "answer"):
        match = (_INLINE_ANSWER if kind == "question" else _INLINE_QUESTION).search(text, place)
        if not match:
            break
        piece = text[place : match.start()].strip()
        yield replace(row, kind=kind, raw=piece, text=piece, remark=remark)
        remark = text[match.end("signs") : match.end("remark")] if match["remark"] else ""
        kind = "answer" if kind == "question" else "question"
        rest = balanced(match["signs"], match["closing"], text[match.end() :])
        text, place = rest, 0
    is_whole = text == row.text
    yield row if is_whole else replace(row, kind=kind, raw=text, text=text, remark=remark)
