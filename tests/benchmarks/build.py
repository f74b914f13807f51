"""`kb build`: cold, nothing changed, one ruling changed, one card renamed."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path

from tests.benchmarks.bench import Base, Bench, tried
from tests.benchmarks.measure import repeated, run
from tests.benchmarks.table import Figure, figure

FAMILY = "site"
COLD, NOTHING, RULING, CARD = "cold", "nothing changed", "one ruling changed", "one card renamed"
WHOLE = "kb build: store, index, browser index, site"
ALONE = "kb, site alone: read, link, render, write"
ALONE_ONE = f"{ALONE}, one process"


def measure(bench: Bench, size: int) -> Iterator[Figure]:
    """The figures of one size."""
    base = bench.copy(size, "build")
    yield from _whole(bench, base, COLD, WHOLE, base.clear)
    for who in (ALONE, ALONE_ONE):
        yield from tried(FAMILY, COLD, size, who, partial(_alone, bench, base, who))
    if not base.site.is_dir():
        return
    yield from _whole(bench, base, NOTHING, "kb build", lambda: None, f"{len(base.pages):,} pages")
    changes: list[tuple[str, Ruling | Card]] = [
        (RULING, Ruling(base.rulings)),
        (CARD, Card(base.rulings)),
    ]
    for what, change in changes:
        yield from _whole(bench, base, what, "kb build", change.make, change.note)
        change.undo()
    run(base.command(), env=base.env)
    bench.keep(base)


def _whole(
    bench: Bench, base: Base, what: str, who: str, before: Callable[[], None], note: str = ""
) -> list[Figure]:
    """`kb build` after something was done to the base."""

    def made() -> Figure:
        return figure(
            FAMILY,
            what,
            base.size,
            who,
            repeated(bench.plan, base.command(), before, env=base.env),
            True,
            note,
        )

    return tried(FAMILY, what, base.size, who, made)


def _alone(bench: Bench, base: Base, who: str) -> Iterator[Figure]:
    """The site alone; the table of forms and the browser's index are told apart."""
    runs, parts = [], []
    output = base.root / "alone"
    for _ in range(bench.plan.repeats):
        shutil.rmtree(output, ignore_errors=True)
        done = run(
            [
                sys.executable,
                "-m",
                "tests.benchmarks.ours",
                "site",
                base.rulings,
                output,
                str(who == ALONE_ONE),
            ],
            env=base.env,
        )
        parts.append(json.loads(done.output))
        runs.append(parts[-1]["read"] + parts[-1]["links"] + parts[-1]["pages"])
        if done.seconds > bench.plan.patience:
            break
    shutil.rmtree(output, ignore_errors=True)
    middle = parts[sorted(range(len(runs)), key=runs.__getitem__)[len(runs) // 2]]
    note = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in middle.items())
    low, high = min(runs), max(runs)
    yield Figure(
        FAMILY,
        COLD,
        base.size,
        who,
        sorted(runs)[len(runs) // 2],
        runs=len(runs),
        low=low,
        high=high,
        note=note,
    )


class Ruling:
    """Changes a sentence of one ruling, another way each time."""

    def __init__(self, rulings: Path) -> None:
        records = sorted(rulings.glob("*/*/*.md"))
        self._path = records[len(records) // 2]
        self._text = self._path.read_text(encoding="utf-8")
        self._number = count(1)
        self.note = ""

    def make(self) -> None:
        self._path.write_text(
            f"{self._text}\nThe same in case {next(self._number)}.\n", encoding="utf-8"
        )

    def undo(self) -> None:
        self._path.write_text(self._text, encoding="utf-8")


@dataclass(frozen=True)
class _Named:
    name: str
    paths: tuple[Path, ...]


class Card:
    """Renames a card in its catalogue and in the marks of rulings, and back, in turn.

    Of the cards without versions it takes the one that nearest to 2 in 1,000 rulings of the base
    name, but at least one.
    """

    def __init__(self, rulings: Path) -> None:
        self._texts: dict[Path, str] = {}
        self._renamed = False
        self._catalogue, self._found = self._choose(rulings)
        self._new = f"{self._found.name} Renewed"
        for path in (self._catalogue, *self._found.paths):
            self._texts[path] = path.read_text(encoding="utf-8")
        self.note = f"{len(self._found.paths)} rulings name it by a mark"

    @staticmethod
    def _choose(rulings: Path) -> tuple[Path, _Named]:
        named: dict[tuple[str, str], list[Path]] = {}
        records = sorted(rulings.glob("*/*/*.md"))
        for path in records:
            text = path.read_text(encoding="utf-8")
            labels = {found[1].strip() for found in re.finditer(r"\[\[([^\]|\n]+)", text)}
            labels |= {found[1].strip() for found in re.finditer(r"(?m)^about:\n  - (.+)$", text)}
            for label in labels:
                named.setdefault((path.parent.parent.name, label), []).append(path)
        wanted = max(1, len(records) * 2 // 1000)
        best: tuple[int, Path, _Named] | None = None
        for catalogue in sorted(rulings.glob("*/cards.tsv")):
            rows = [
                line.split("\t") for line in catalogue.read_text(encoding="utf-8").splitlines()[1:]
            ]
            names = Counter(row[0] for row in rows) - Counter(row[0] for row in rows if row[1])
            for (game, label), paths in sorted(named.items()):
                if (
                    game == catalogue.parent.name
                    and names[label] == 1
                    and label.replace(" ", "").isalpha()
                ):
                    distance = abs(len(paths) - wanted)
                    if best is None or distance < best[0]:
                        best = distance, catalogue, _Named(label, tuple(paths))
        if best is None:
            raise LookupError("no card of the corpus can be renamed")
        return best[1], best[2]

    def make(self) -> None:
        self._renamed = not self._renamed
        if not self._renamed:
            self.undo()
            return
        old, new = self._found.name, self._new
        for path, text in self._texts.items():
            if path == self._catalogue:
                changed = re.sub(rf"(?m)^{re.escape(old)}\t", f"{new}\t", text)
            else:
                changed = re.sub(rf"\[\[{re.escape(old)}\s*(?=[\]|])", f"[[{new}", text)
                changed = re.sub(rf"(?m)^(about:\n  - ){re.escape(old)}$", rf"\g<1>{new}", changed)
            path.write_text(changed, encoding="utf-8")

    def undo(self) -> None:
        for path, text in self._texts.items():
            path.write_text(text, encoding="utf-8")
