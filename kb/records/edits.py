"""Replace lines of a text, and keep every byte of the others."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from io import StringIO
from typing import NamedTuple

from kb.core.decoding import unix_lines


class Edit(NamedTuple):
    """New lines, without line ends, in place of the lines from index `start` up to `stop`."""

    start: int
    stop: int
    lines: Sequence[str] = ()


def rows(text: str) -> list[str]:
    """Return the lines of a text with their line ends."""
    return list(StringIO(text, newline=""))


def common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many entries two lists share at their beginning and, of the rest, at their end."""
    shortest = min(len(old), len(new))
    head = next((at for at in range(shortest) if old[at] != new[at]), shortest)
    rest = shortest - head
    return head, next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap; edits of one place apply in their order.

    New lines end as most lines of the text do, and so does the last line if it did before.
    """
    old = rows(text)
    ends = [row[len(row.rstrip("\r\n")) :] for row in old]
    newline = max(("\n", "\r\n", "\r"), key=ends.count)
    if ends and not ends[-1]:
        old[-1] += newline
    new: list[str] = []
    done = 0
    for start, stop, lines in sorted(edits, key=lambda edit: edit[:2]):
        new += [*old[done:start], *(line + newline for line in lines)]
        done = stop
    whole = "".join([*new, *old[done:]])
    return whole if not ends or ends[-1] else whole.removesuffix(newline)


def replace_text(text: str, new: str) -> str:
    """Return the new text of a file; lines above and below the change keep their line ends."""
    old, lines = (unix_lines(each).removesuffix("\n").split("\n") for each in (text, new))
    head, tail = common_ends(old, lines)
    whole = edited(text, [Edit(head, len(old) - tail, lines[head : len(lines) - tail])])
    return whole if new.endswith(("\r", "\n")) else whole.rstrip("\r\n")


def entry_edits(
    spans: Sequence[tuple[int, int]],
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    lines: Sequence[str],
) -> Iterator[Edit]:
    """Yield the edits of a list: entries that stay keep their lines.

    `spans`: where each old entry starts and stops; `lines`: each new entry as it is written.
    """
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if what != "equal":
            place = spans[i1 - 1][1] if i1 else spans[0][0]
            yield Edit(place, place, lines[j1:j2])
            yield from (Edit(*span) for span in spans[i1:i2])
