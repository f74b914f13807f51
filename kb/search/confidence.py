"""How sure an answer is that its first ruling decides what was asked.

    certainty = STATED * stated + APART * apart + WORDS * log(number of words that matter)

`stated`: how much of the query the title and the first paragraph, or a single question of the
first ruling, state (`kb.search.ranking.Scorer.stated`), from 0 to 1. `apart`: how far the score of
the second result lies below the first's, as a part of the first's. A long question says more
than a short one with as much of it stated, so a single word is never answered, only found. If the
first ruling is the record of an open question, no ruling decides what was asked.

The factors are those of a logistic regression, divided by a constant and rounded: whether the first
ruling is right, of 134 questions that the rulings decide and 58 that they do not, by somebody who
had read only the source documents. (Of 100 undecided questions, the other 42 led to a record that
says so.) A word that no ruling of the game has makes the first ruling the closest, whatever its
certainty. On 27 November 2026, of the 134 questions 70 right rulings and 3 wrong ones are answers,
and 3 are said to be decided by none; of the 100 undecided ones 9 are answered, and 29 denied.
"""

from __future__ import annotations

from math import log
from typing import Literal

STATED, APART, WORDS = 5.0, 1.0, 2.0
# From SURE on a ruling is an answer; below UNLIKELY none of the rulings is.
SURE, UNLIKELY = 6.5, 4.8
Confidence = Literal["answer", "close", "none"]


def certainty(stated: float, scores: tuple[float, float], words: int) -> float:
    """The certainty that the first ruling decides the query; `scores`: of the first two rulings."""
    first, second = scores
    apart = (first - second) / first if first else 0.0
    return STATED * stated + APART * apart + WORDS * log(max(words, 1))
