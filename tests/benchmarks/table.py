"""Figures, and how they are shown.

A Markdown table with a ratio to kb's own figure of the same run, and JSON.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Runs, percentile

# Of these more is better.
RATES = {"MB/s"}
# The size of what is measured whatever the base; 0 is the project's own rulings.
ANY = -1


@dataclass(frozen=True)
class Figure:
    """One figure: `what` was measured over `size` rulings, of whom.

    No value: it could not be had, and the note says why. `memory` is a peak in MB. The ratios of
    the same `family`, `what` and `size` are to the first figure that is `ours`.
    """

    family: str
    what: str
    size: int
    who: str
    value: float | None
    unit: str = "s"
    p95: float | None = None
    runs: int = 1
    low: float | None = None
    high: float | None = None
    memory: float | None = None
    ours: bool = False
    note: str = ""


def figure(
    family: str, what: str, size: int, who: str, runs: Runs, ours: bool = False, note: str = ""
) -> Figure:
    """A figure of whole commands, in seconds."""
    seconds = runs.seconds
    return Figure(
        family,
        what,
        size,
        who,
        runs.median,
        runs=len(seconds),
        low=min(seconds),
        high=max(seconds),
        memory=runs.peak,
        ours=ours,
        note=note,
    )


def spread(
    family: str,
    what: str,
    size: int,
    who: str,
    values: Sequence[float],
    unit: str,
    runs: int,
    ours: bool = False,
    note: str = "",
) -> Figure:
    """A figure over many values, such as one a query: median and 95th percentile.

    `runs`: how often each was measured.
    """
    return Figure(
        family,
        what,
        size,
        who,
        statistics.median(values),
        unit,
        percentile(values, 0.95),
        runs,
        min(values),
        max(values),
        ours=ours,
        note=note,
    )


def absent(family: str, what: str, size: int, who: str, why: str) -> Figure:
    """The place of a figure that could not be had."""
    return Figure(family, what, size, who, None, runs=0, note=why)


def ratio(one: Figure, figures: Iterable[Figure]) -> float | None:
    """How many times better kb is than this figure: above 1 kb is faster or smaller.

    None for kb's own figures, and where there is nothing to compare.
    """
    if one.value is None or one.who.startswith("kb"):
        return None
    for other in figures:
        if other.ours and (other.family, other.what, other.size) == (
            one.family,
            one.what,
            one.size,
        ):
            if other == one or not other.value or not one.value or other.unit != one.unit:
                return None
            return other.value / one.value if one.unit in RATES else one.value / other.value
    return None


def size_name(size: int) -> str:
    """How many rulings, as tables say it."""
    return f"{size:,}" if size > 0 else "" if size == ANY else "own"


def number(value: float | None) -> str:
    """A number with three digits that count."""
    if value is None:
        return ""
    return (
        f"{value:,.0f}"
        if abs(value) >= 100
        else f"{value:.3g}"
        if abs(value) >= 0.1 or not value
        else f"{value:.2g}"
    )


def markdown(report: dict[str, Any]) -> str:
    """The whole report: the machine, then one table."""
    figures = _sorted([Figure(**one) for one in report["figures"]])
    lines = [", ".join(f"{name} {value}" for name, value in report["machine"].items() if value), ""]
    lines += [
        "| what | rulings | of | median | p95 | runs | from – to | peak MB | kb is better by |",
        "|---|--:|---|--:|--:|--:|---|--:|--:|",
    ]
    before = None
    for one in figures:
        here = (one.family, one.what, one.size)
        first, before = here != before, here
        cells = [
            f"{one.family}: {one.what}" if first else "",
            size_name(one.size) if first else "",
            one.who,
        ]
        if one.value is None:
            cells += ["absent", "", "", "", "", one.note]
        else:
            times = ratio(one, figures)
            cells += [f"{number(one.value)} {one.unit}", number(one.p95), str(one.runs)]
            cells += [
                f"{number(one.low)} – {number(one.high)}"
                if one.runs > 1 or one.p95 is not None
                else "",
                number(one.memory),
            ]
            cells += [
                " ".join(
                    filter(
                        None,
                        [f"{number(times)}×" if times else "", f"({one.note})" if one.note else ""],
                    )
                )
            ]
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def _sorted(figures: list[Figure]) -> list[Figure]:
    """All figures of one thing together, in the order of their first measurement, then by size."""
    order = list(dict.fromkeys((one.family, one.what) for one in figures))
    return sorted(figures, key=lambda one: (order.index((one.family, one.what)), one.size))


def write_json(path: Path, report: object) -> None:
    """Writes a report, or several, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)


def as_data(figures: Iterable[Figure]) -> list[dict[str, Any]]:
    """Figures as JSON takes them."""
    return [asdict(one) for one in figures]
