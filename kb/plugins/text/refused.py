"""Recognises documents of other kinds, whose drafts would all be wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kb.plugins.text import vocabulary as words
from kb.plugins.text.rows import Row

_ADVICE = "write each question behind Q:, each answer behind A:"
# How a file of another format begins, its first two lines joined.
_FORMATS = {
    "HTML": r"(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body)\b",
    "RTF": r"\{\\rtf",
    "JSON": r'[\[{]\s*["\[{]',
    "LaTeX": r"\\[a-z]+[\[{]",
}
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s?[ap]\.?m\.?)?"
_DATE = rf"(?:[0-9]{{1,4}}[./-]\s?[0-9]{{1,2}}[./-]\s?[0-9]{{2,4}}|{words.TODAY})"
_DATED = rf"{_DATE},?\s(?:{words.AT}\s)?{_TIME}"
_MOMENT = rf"(?:{_DATED}|{_TIME})"
_AGO = r"(?:[0-9]+|an?)\s?(?:yr|year|mo|month|wk|week|d|day|h|hr|hour|min|minute)s?\.?\sago"
# Lines of chats, threads of forums and mails, which say who wrote and when.
_HEAD = re.compile(
    # Below the name: — 12/03/2023 14:22, and 3 years ago
    rf"(?:(?P<below>—\s{_MOMENT}|\W{{0,3}}{_AGO})"
    # Max — 12/03/2023 14:22, and Max, [12.03.2023 14:22]:, and Max » Sun Mar 12, 2023 2:22 pm
    rf"|[^\n]{{1,40}}?\s?(?:[–,]\s\W?{_DATED}|—\s\W?{_MOMENT})\]?:?"
    rf"|[^\n]{{1,60}}\s»\s[^\n]{{0,24}}{_TIME}|@\w+|posted by u/.*"
    # A name has up to three words.
    rf"|(?:(?:\S+\s){{1,3}}|[^\n]{{0,60}}\d[^\n]{{1,60}}\s){words.WROTE}:(?:\s{_MOMENT})?)"
    # An edit
    r"(?:\s\(\w+\))?",
    re.IGNORECASE,
)
# In an answer, `Final — 18:00` is no such line, unless one stands above the first question.
_ONLY_TIME = re.compile(rf"[^\n]{{0,40}}?—\s\W?{_TIME}")
_BEHIND_NAME = re.compile(rf"\s?[—–,»]\s|\s{words.WROTE}:", re.IGNORECASE)
_MESSAGE = re.compile(
    # [12/03/2023, 14:22:05] Max: text, and 12.03.23, 14:22 - Max: text, and [14:30] <Max> text
    rf"(?:\[{_MOMENT}\]|{_DATED})\W{{1,3}}[^:\n]{{1,40}}:\s"
    rf"|\W?{_MOMENT}\W{{1,3}}<[^<>\s]{{1,40}}>\s"
    # A short line with a time of day at its end.
    r"|(?:.{0,40}\s)?\W?\d{1,2}:\d\d(?:\s?[AaPp]\.?[Mm]\.?)?\W?$"
    # <Max> text
    r"|<[\w\[\]|^`-]{1,30}>\s|\[/?quote\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r">+\s?\S")
_IS_CHAT = f"a chat or a thread, in which nothing says what is a ruling; {_ADVICE}"
# So many lines, and so large a part of all lines that are not blank.
_FEWEST, _PART = 2, 0.15


def why_refused(lines: Sequence[Row], is_markdown: bool) -> str:
    """Return what kind of document has these lines, and what to do, if no rulings can be read.

    In a chat with questions and answers behind marks, what others wrote is left out: each line that
    says who wrote is an end, unless it is the one who answered last.
    """
    for name, beginning in _FORMATS.items():
        if re.match(beginning, " ".join(line.raw for line in lines[:2]), re.IGNORECASE):
            return f"{name}; open it in a program that shows it, and copy its text into a file"
    heads = [(at, head) for at, line in enumerate(lines) if (head := _HEAD.fullmatch(line.raw))]
    marks = [at for at, line in enumerate(lines) if line.kind == "question"]
    if marks:
        sure = [at for at, head in heads if at < marks[0] or not _ONLY_TIME.match(head[0])]
        if len(sure) >= _FEWEST or any(at < marks[0] for at in sure):
            _find_ends(lines, dict(heads))
        return ""
    messages = sum(bool(_HEAD.fullmatch(line.raw) or _MESSAGE.match(line.raw)) for line in lines)
    if not is_markdown:
        messages += sum(bool(_QUOTED.match(line.raw)) for line in lines)
    return _IS_CHAT if messages >= max(_FEWEST, _PART * len(lines)) else ""


def _find_ends(lines: Sequence[Row], heads: Mapping[int, re.Match[str]]) -> None:
    """Make ends of the lines that say who wrote; who answered last goes on with the answer."""
    writer = answerer = ""
    for at, line in enumerate(lines):
        if line.kind in ("question", "answer"):
            answerer = writer if line.kind == "answer" else ""
        head = heads.get(at)
        if not head or line.kind not in ("text", "item"):
            continue
        above = lines[at - 1] if at and head["below"] else line
        has_name = above is not line and above.kind == "text"
        writer = _BEHIND_NAME.split(above.raw if has_name else line.raw, maxsplit=1)[0]
        for row in (above, line) if has_name else (line,):
            row.kind = "again" if writer and writer == answerer else "end"
            row.why = "it says who wrote, or when"


def rows_left_out(text: str, why: str) -> list[Row]:
    """Return a row for each line that is not blank, with the reason why it is in no draft."""
    return [
        Row(first=number, last=number, raw=line, text=line, why=why)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
