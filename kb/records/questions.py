"""The `# asked-as: pl` sections of a record: questions that people ask, in their own words."""

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
        wrong = _faults(question, line_of)
        problems += [Problem(path, number, f"asked-as: {fault}") for fault in wrong]
        questions.append(question)
    if not questions and not problems:
        problems.append(Problem(path, line, "asked-as: the section has no question"))
    return QuestionSection(lang, tuple(questions), line), problems


@lru_cache(maxsize=_KEYS)
def question_key(text: str) -> str:
    """Return what two spellings of one question share: its folded words."""
    return " ".join(map(fold, words_of(text))) or text


def _faults(question: Question, line_of: dict[str, int]) -> list[str]:
    """Return what is wrong with a question; add its key to those of the section, by line."""
    faults = []
    if not MIN_LENGTH <= len(question.text) <= MAX_LENGTH:
        faults.append(
            f"a question has {MIN_LENGTH} to {MAX_LENGTH} characters,"
            f" this one has {len(question.text)}"
        )
    if "[[" in question.text or "]]" in question.text:
        faults.append("a card mark in a question; questions are plain text")
    key = question_key(question.text)
    first = line_of.setdefault(key, question.line)
    if first != question.line:
        faults.append(f"the question stands on line {first} already")
    return faults
