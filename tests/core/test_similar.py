from __future__ import annotations

import random
import string

from kb.core.similar import name_hint

WORDS = ["hidden", "cost", "pilot", "zone", "damage", "roll", "speeder", "catapult", "effect"]


def test_a_letter_left_out_doubled_swapped_or_wrong_is_recognized_among_many_ids() -> None:
    chance = random.Random(7)
    ids = {"-".join([*chance.sample(WORDS, 3), str(number)]) for number in range(5_000)}
    ids |= {"".join(chance.choices(string.ascii_lowercase, k=9)) for _ in range(5_000)}
    right = "sidious-reroll-secret"
    many = [*ids, right]
    for at in range(1, len(right) - 1):
        before, letter, after = right[:at], right[at], right[at + 1 :]
        swapped = after[0] + letter + after[1:]
        for wrong in ("", 2 * letter, "q"):
            assert right in name_hint(before + wrong + after, many)
        assert right in name_hint(before + swapped, many)
