"""Questions that players ask, and the `# asked-as: pl` sections that held them in records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from kb.core.problems import Problem
from kb.language import fold, words_of

# Questions whose keys are cached, because checks and indexes ask for them again.
_KEYS = 20_000
# In characters.
MIN_LENGTH, MAX_LENGTH = 2, 300
HEADING = re.compile(r"#[ \t]+asked-as[ \t]*(?::(.*))?")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_QUESTION = re.compile(r"-[ \t]+(\S.*)")


class Question(NamedTuple):
    """A question of a section, and its line."""

    text: str
    line: int


class AskedQuestion(NamedTuple):
    """A question of questions.tsv, with the id of its ruling, and its line."""

    ruling: str
    lang: str
    text: str
    line: int


@dataclass(frozen=True)
class QuestionSection:
    """The questions of a record in one language; `line` is the line of the heading."""

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
    """Read a section; `lines` follow the heading, which names `lang`, on `line`.

    Never raises for bad text.
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
        faults = line_faults(question.text, number, line_of)
        problems += [Problem(path, number, f"asked-as: {fault}") for fault in faults]
        questions.append(question)
    if not questions and not problems:
        problems.append(Problem(path, line, "asked-as: the section has no question"))
    return QuestionSection(lang, tuple(questions), line), problems


@lru_cache(maxsize=_KEYS)
def question_key(text: str) -> str:
    """Return the folded words of a question: spellings with equal keys are one question."""
    return " ".join(map(fold, words_of(text))) or text


def line_faults(text: str, line: int, line_of: dict[str, int]) -> list[str]:
    """Return the faults of a question; add its key to `line_of` its ruling."""
    faults = []
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
        faults.append(
            f"a question has {MIN_LENGTH} to {MAX_LENGTH} characters, this one has {len(text)}"
        )
    if "[[" in text or "]]" in text:
        faults.append("a card mark in a question; questions are plain text")
    first = line_of.setdefault(question_key(text), line)
    if first != line:
        faults.append(f"the question is on line {first} already")
    return faults
