"""Questions that players ask, and the `# asked-as: pl` sections that held them in records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from kb.core.problems import Problem
from kb.language import fold, words_of

# Questions whose keys are remembered.
_KEYS = 20_000
MIN_LENGTH, MAX_LENGTH = 2, 300
HEADING = re.compile(r"#[ \t]+asked-as[ \t]*(?::(.*))?")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_QUESTION = re.compile(r"-[ \t]+(\S.*)")


class Question(NamedTuple):
    """One question and the line of the file that it stands on."""

    text: str
    line: int


class AskedQuestion(NamedTuple):
    """A line of questions.tsv: the ruling's id, the language, the question; the line's number."""

    ruling: str
    lang: str
    text: str
    line: int


@dataclass(frozen=True)
class QuestionSection:
    """The questions of one language in their order; `line` is the heading's."""

    lang: str
    questions: tuple[Question, ...]
    line: int

    @property
    def texts(self) -> tuple[str, ...]:
        """The questions without their lines."""
        return tuple(question.text for question in self.questions)


def read_section(
    lang: str, lines: Sequence[str], line: int, path: str
) -> tuple[QuestionSection, list[Problem]]:
    """Read a section whose heading names `lang` on `line`; `lines` are those below the heading.

    What is wrong with a line is reported by its number. Never raises for bad text.
    """
    problems: list[Problem] = []
    if not _LANGUAGE.fullmatch(lang):
        message = "asked-as: name the language in the heading, as in `# asked-as: pl`"
        problems.append(Problem(path, line, message))
    questions: list[Question] = []
    line_of: dict[str, int] = {}
    for number, text in enumerate(lines, line + 1):
        if not text.strip():
            continue
        item = _QUESTION.fullmatch(text.rstrip())
        if item is None:
            message = "asked-as: one question a line is expected here, as in `- Who draws first?`"
            problems.append(Problem(path, number, message))
            continue
        question = Question(item[1].strip(), number)
        wrong = line_faults(question.text, number, line_of)
        problems += [Problem(path, number, f"asked-as: {fault}") for fault in wrong]
        questions.append(question)
    if not questions and not problems:
        problems.append(Problem(path, line, "asked-as: the section has no question"))
    return QuestionSection(lang, tuple(questions), line), problems


@lru_cache(maxsize=_KEYS)
def question_key(text: str) -> str:
    """Return what two spellings of one question share: its folded words."""
    return " ".join(map(fold, words_of(text))) or text


def line_faults(text: str, line: int, line_of: dict[str, int]) -> list[str]:
    """Return what is wrong with a question; add its key to those of its ruling, by line."""
    faults = []
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
        faults.append(
            f"a question has {MIN_LENGTH} to {MAX_LENGTH} characters, this one has {len(text)}"
        )
    if "[[" in text or "]]" in text:
        faults.append("a card mark in a question; questions are plain text")
    first = line_of.setdefault(question_key(text), line)
    if first != line:
        faults.append(f"the question stands on line {first} already")
    return faults
