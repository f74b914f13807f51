"""Differences of two lists, in bounded time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

Opcode = tuple[str, int, int, int, int]
# Pairs of equal entries in two lists. Comparing takes quadratic time, cubic at worst; above this
# limit only the common beginning and end are matched.
MAX_PAIRS = 100_000
# Unchanged lines around a change.
_CONTEXT = 3


def bounded_opcodes(
    before: Sequence[str], after: Sequence[str], is_junk: Callable[[str], bool] | None = None
) -> list[Opcode]:
    """Return the changes from one list to the other, as opcodes of difflib."""
    shortest = min(len(before), len(after))
    head = next((at for at in range(shortest) if before[at] != after[at]), shortest)
    tail = next(
        (at for at in range(shortest - head) if before[-1 - at] != after[-1 - at]), shortest - head
    )
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    counts = Counter(new)
    pairs = sum(counts[entry] for entry in old if not (is_junk and is_junk(entry)))
    if pairs <= MAX_PAIRS:
        middle = SequenceMatcher(is_junk, old, new, autojunk=False).get_opcodes()
    else:
        middle = [("replace", 0, len(old), 0, len(new))]
    moved: list[Opcode] = [
        (tag, low + head, high + head, start + head, end + head)
        for tag, low, high, start, end in middle
    ]
    first: Opcode = ("equal", 0, head, 0, head)
    last: Opcode = ("equal", len(before) - tail, len(before), len(after) - tail, len(after))
    return [*([first] if head else []), *moved, *([last] if tail else [])]


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
        for tag, low, high, start, end in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[low:high])
                continue
            yield from (f"-{line}" for line in before[low:high])
            yield from (f"+{line}" for line in after[start:end])


def _range(start: int, stop: int) -> str:
    """Return lines as a unified diff counts them, from 1; an empty range has the line before it."""
    length = stop - start
    if length == 1:
        return f"{stop}"
    return f"{start + 1},{length}" if length else f"{start},0"
