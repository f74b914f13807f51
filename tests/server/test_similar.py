"""Hints for ids that do not exist."""

from __future__ import annotations

import random
import string

import pytest

from kb.core.similar import SimilarIds

WORDS = ["hidden", "cost", "pilot", "zone", "damage", "roll", "speeder", "catapult", "effect"]


def slips(text: str) -> list[str]:
    """What people type instead: a letter left out, doubled, swapped or wrong, anywhere."""
    wrong = []
    for at in range(1, len(text) - 1):
        wrong += [
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
            text[:at] + "q" + text[at + 1 :],
        ]
    return wrong


@pytest.fixture(scope="module")
def many() -> SimilarIds:
    chance = random.Random(7)
    ids = {"-".join([*chance.sample(WORDS, 3), str(number)]) for number in range(5_000)}
    ids |= {"".join(chance.choices(string.ascii_lowercase, k=9)) for _ in range(5_000)}
    return SimilarIds([*ids, "sidious-reroll-secret"])


def test_slips_are_recognized_among_many_ids(many: SimilarIds) -> None:
    for wrong in slips("sidious-reroll-secret"):
        assert "sidious-reroll-secret" in many.did_you_mean(wrong), wrong


def test_no_ids_no_hint() -> None:
    assert SimilarIds([]).did_you_mean("x") == ""
    assert SimilarIds(["one-pilot"]).did_you_mean("one-pilto") == " Did you mean one-pilot?"
