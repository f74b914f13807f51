"""Questions that players ask, as lines of questions.tsv."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from kb.language import fold, words_of

# Questions whose keys are cached, because checks and indexes ask for them again.
_KEYS = 20_000
# In characters.
MIN_LENGTH, MAX_LENGTH = 2, 300


class AskedQuestion(NamedTuple):
    """A question of questions.tsv, with the id of its ruling, and its line."""

    ruling: str
    lang: str
    text: str
    line: int


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
