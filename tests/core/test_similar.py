"""Hints for ids that do not exist."""

from __future__ import annotations

import random
import string

from kb.core.similar import SimilarIds

WORDS = ["hidden", "cost", "pilot", "zone", "damage", "roll", "speeder", "catapult", "effect"]


def slips(text: str) -> list[str]:
    """What people type instead: a letter left out, doubled, swapped or wrong, anywhere."""
    wrong = []
    for at in range(1, len(text) - 1):
        before, letter, after = text[:at], text[at], text[at + 1 :]
        swapped = after[0] + letter + after[1:]
        wrong += [before + after, before + 2 * letter + after, before + swapped]
        wrong.append(f"{before}q{after}")
    return wrong


def test_slips_are_recognized_among_many_ids() -> None:
    chance = random.Random(7)
    ids = {"-".join([*chance.sample(WORDS, 3), str(number)]) for number in range(5_000)}
    ids |= {"".join(chance.choices(string.ascii_lowercase, k=9)) for _ in range(5_000)}
    many = SimilarIds([*ids, "sidious-reroll-secret"])
    for wrong in slips("sidious-reroll-secret"):
        assert "sidious-reroll-secret" in many.did_you_mean(wrong), wrong
