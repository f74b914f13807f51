"""No regular expression takes more than its share of time.

Twice the text, about twice the work, whatever the text is.
"""

from __future__ import annotations

import re
import time

import pytest

from tests.security.patterns import Attack, Pattern, attacks, patterns

# Where the program gives a pattern no longer text than so, more than that is not asked of it.
LONGEST = {"decks/parse.py:PATTERNS": 200}
# Shorter ones first: some patterns never come to an end of the longer ones. A square takes some ten
# milliseconds at the last of these lengths; what is done at once needs no second look.
LENGTHS, AT_ONCE = (20, 200, 1_000, 4_000), 0.001
# Twice the text takes twice the time; a square takes four times as long.
MOST = 3.2
PARTS = 4
# From this length on, a square that is done sooner than so many seconds is judged at the next
# length: a bound in the pattern ({0,300}) makes it grow like a square up to the bound, and no
# further.
BOUNDED, SOON = 1_000, 0.005


def _seconds(pattern: Pattern, text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        pattern.run(text)
        best = min(best, time.process_time() - start)
        if best > 0.2:
            break
    return best


def _growth(pattern: Pattern, attack: Attack, length: int, measurements: int) -> float:
    """How much longer twice the text takes; the least measurement, as a busy machine only adds."""
    least = float("inf")
    for _ in range(measurements):
        half = _seconds(pattern, attack.of(length // 2))
        least = min(least, _seconds(pattern, attack.of(length)) / half)
        if least <= MOST:
            break
    return least


def _worst(pattern: Pattern, measurements: int = 5) -> tuple[float, Attack | None]:
    """The greatest growth of any attack; the first that is too great ends the search."""
    longest = LONGEST.get(pattern.place, LENGTHS[-1])
    worst: tuple[float, Attack | None] = (0.0, None)
    for attack in attacks(pattern.compiled):
        for length in (one for one in LENGTHS if one <= longest):
            seconds = _seconds(pattern, attack.of(length))
            if seconds > AT_ONCE:
                growth = _growth(pattern, attack, length, measurements)
                if growth > MOST and BOUNDED <= length < longest and seconds < SOON:
                    continue
                worst = max(worst, (growth, attack), key=lambda one: one[0])
                if worst[0] > MOST:
                    return worst
    return worst


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_time_grows_with_the_text_and_no_faster(part: int) -> None:
    bad = []
    for pattern in patterns()[part::PARTS]:
        growth, attack = _worst(pattern)
        if growth > MOST:
            bad.append(f"{pattern}: twice as long, {growth:.1f} times the time: {attack}")
    assert not bad


@pytest.mark.thorough
@pytest.mark.parametrize("bad", [r"(a+)+$", r"\s+$", r"<[^>]*>x"])
def test_bad_patterns_are_found_out(bad: str) -> None:
    assert _worst(Pattern("none", re.compile(bad), "search"), measurements=1)[0] > MOST


def test_every_expression_is_looked_at() -> None:
    found = {(one.place.partition(":")[0], one.compiled.pattern) for one in patterns()}
    modules = {"records/syntax.py", "ingest/common.py", "language/tokens.py", "search/query.py"}
    assert len(found) > 100 and modules <= {place for place, _ in found}
