"""Differences of two lists, in bounded time whatever is in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

Opcode = tuple[str, int, int, int, int]
# Comparing takes the square of the entries that two lists share, at worst the cube. Of longer lists
# only the common beginning and end are found.
MAX_PAIRS = 100_000
_CONTEXT = 3


def bounded_opcodes(
    before: Sequence[str], after: Sequence[str], is_junk: Callable[[str], bool] | None = None
) -> list[Opcode]:
    """Return how one list becomes the other, as opcodes of difflib."""
    shortest = min(len(before), len(after))
    head = next((at for at in range(shortest) if before[at] != after[at]), shortest)
    tail = next(
        (at for at in range(shortest - head) if before[-1 - at] != after[-1 - at]), shortest - head
    )
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    here, there = Counter(old), Counter(new)
    pairs = sum(
        many * there[entry] for entry, many in here.items() if not (is_junk and is_junk(entry))
    )
    if pairs <= MAX_PAIRS:
        middle = SequenceMatcher(is_junk, old, new, autojunk=False).get_opcodes()
    else:
        middle = [("replace", 0, len(old), 0, len(new))]
    moved: list[Opcode] = [
        (what, low + head, high + head, start + head, end + head)
        for what, low, high, start, end in middle
    ]
    first: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    last: list[Opcode] = (
        [("equal", len(before) - tail, len(before), len(after) - tail, len(after))] if tail else []
    )
    return [*first, *moved, *last]


def unified_diff(
    before: Sequence[str], after: Sequence[str], old_name: str, new_name: str
) -> Iterator[str]:
    """Yield the lines of a unified diff, without line ends."""
    matcher = SequenceMatcher(None, "", "")
    # The matcher groups these opcodes in place of its own.
    matcher.opcodes = bounded_opcodes(before, after)  # type: ignore[attr-defined]
    is_first = True
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        if all(opcode[0] == "equal" for opcode in group):
            continue
        if is_first:
            yield from (f"--- {old_name}", f"+++ {new_name}")
            is_first = False
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        yield f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@"
        for what, low, high, start, end in group:
            if what == "equal":
                yield from (f" {line}" for line in before[low:high])
                continue
            yield from (f"-{line}" for line in before[low:high])
            yield from (f"+{line}" for line in after[start:end])


def _range(start: int, stop: int) -> str:
    """Lines as a unified diff counts them: from 1, and an empty range from the line before it."""
    length = stop - start
    return f"{start + 1}" if length == 1 else f"{start + bool(length)},{length}"
