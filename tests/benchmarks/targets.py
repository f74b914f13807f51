"""What the project wants to hold, as ratios within one run: each where its figures are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tests.benchmarks import build, search
from tests.benchmarks.table import Figure, number

RIVALS = ("Eleventy", "Pelican", "MkDocs", "Sphinx")


@dataclass(frozen=True)
class Figures:
    """The figures of a run, by what they are of."""

    all: list[Figure]

    def value(self, family: str, what: str, size: int, who: str) -> float | None:
        """The value of the first figure whose owner begins so."""
        return next((one.value for one in self._of(family, what, size, who)), None)

    def memory(self, what: str, size: int) -> float | None:
        """The peak memory of kb's figure, in MB."""
        return next((one.memory for one in self._of(build.FAMILY, what, size, "kb build")), None)

    def _of(self, family: str, what: str, size: int, who: str) -> Iterator[Figure]:
        for one in self.all:
            if (
                (one.family, one.what, one.size) == (family, what, size)
                and one.who.startswith(who)
                and one.value is not None
            ):
                yield one


def targets(figures: Iterable[Figure]) -> list[dict[str, Any]]:
    """Each target whose figures are there.

    What is wanted of how many rulings, what was measured, whether it is met.
    """
    known = Figures(list(figures))
    sizes = sorted({one.size for one in known.all if one.family == build.FAMILY})
    every = sorted({one.size for one in known.all if one.size > 0})
    return [
        *(found for size in sizes for found in _site(known, size)),
        *(found for less, more in pairwise(sizes) for found in _growth(known, less, more)),
        *(found for size in every for found in _search(known, size)),
    ]


def _site(known: Figures, size: int) -> Iterator[dict[str, Any]]:
    of = lambda what, who: known.value(build.FAMILY, what, size, who)  # noqa: E731
    whole = of(build.COLD, build.WHOLE)
    yield from _most(
        "the site alone, cold, to Hugo",
        size,
        of(build.COLD, build.ALONE),
        of(build.COLD, "Hugo"),
        1.5,
    )
    yield from _most("the whole build, cold, to Hugo", size, whole, of(build.COLD, "Hugo"), 2.5)
    for rival in RIVALS:
        yield from _most(
            f"the whole build, cold, to {rival}", size, whole, of(build.COLD, rival), 1.0
        )
    yield from _most("one ruling changed, to cold", size, of(build.RULING, "kb build"), whole, 0.1)
    yield from _most("nothing changed, to cold", size, of(build.NOTHING, "kb build"), whole, 0.02)


def _growth(known: Figures, less: int, more: int) -> Iterator[dict[str, Any]]:
    whole = [known.value(build.FAMILY, build.COLD, size, build.WHOLE) for size in (less, more)]
    yield from _most(
        f"the whole build, cold, to that of {less:,}",
        more,
        whole[1],
        whole[0],
        0.9 * more / less if less else 0.0,
    )
    memory = [known.memory(build.COLD, size) for size in (less, more)]
    if memory[0] and memory[1]:
        each = (memory[1] - memory[0]) * 1024 / (more - less)
        yield _target(
            f"memory a ruling more than {less:,}", more, "5 KB", f"{number(each)} KB", each <= 5
        )


def _search(known: Figures, size: int) -> Iterator[dict[str, Any]]:
    of = lambda what, who: known.value(search.FAMILY, what, size, who)  # noqa: E731
    ours = of(search.INDEX, "kb, whoosh")
    yield from _most(
        "making the index, to Whoosh as shipped",
        size,
        ours,
        of(search.INDEX, "Whoosh as shipped"),
        0.5,
    )
    for what in (search.WARM, search.COLD):
        yield from _most(
            f"{what}, database, to FTS5",
            size,
            of(what, "kb, database"),
            of(what, "SQLite FTS5"),
            2.0,
        )


def _most(
    name: str, size: int, ours: float | None, theirs: float | None, most: float
) -> Iterator[dict[str, Any]]:
    if ours and theirs:
        yield _target(
            name, size, f"at most {number(most)}", number(ours / theirs), ours / theirs <= most
        )


def _target(name: str, size: int, wanted: str, measured: str, met: bool) -> dict[str, Any]:
    return {"target": name, "size": size, "wanted": wanted, "measured": measured, "met": met}
