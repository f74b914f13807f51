"""`kb check`, `kb import`, start-up and finding card names, each beside a plain loop."""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.bench import Bench, tried
from tests.benchmarks.measure import PROJECT, kb, repeated
from tests.benchmarks.peers import HERE
from tests.benchmarks.table import ANY, Figure, absent, figure

FAMILY = "other"
BARE = (sys.executable, HERE / "bare.py")
NAMES = 10_000


def measure(bench: Bench, size: int) -> Iterator[Figure]:
    """The figures of one size; those that have no size come with the first."""
    base = bench.copy(size, "check")

    def check() -> Iterator[Figure]:
        yield figure(
            FAMILY,
            "kb check",
            size,
            "kb check",
            repeated(bench.plan, kb("check", "--rulings", base.rulings), env=base.env),
            True,
        )
        loop = repeated(bench.plan, [*BARE, "headers", base.rulings])
        yield figure(
            FAMILY,
            "kb check",
            size,
            "reading the files and their headers (PyYAML in C) alone",
            loop,
        )

    yield from tried(FAMILY, "kb check", size, "kb check", check)
    if not bench.once("others"):
        return
    yield from tried(FAMILY, "kb import", ANY, "kb import vtes", lambda: _import(bench))
    yield from tried(FAMILY, "start-up", ANY, "kb --help", lambda: _start(bench))
    yield from tried(FAMILY, "finding card names", ANY, "kb", lambda: _finder(bench))


def _import(bench: Bench) -> Iterator[Figure]:
    source = bench.shared / "data" / "vtes"
    files = sorted((source / "rulings").glob("*.yaml"))
    if not files:
        yield absent(FAMILY, "kb import", ANY, "kb import vtes", f"no {source} on this machine")
        return
    drafts = bench.folder("drafts")
    name = "kb import vtes, into a new folder"
    command = kb("import", "vtes", source, "--game", "vtes", "--into", drafts)
    env = {"PYTHONPATH": str(PROJECT)}
    yield figure(
        FAMILY,
        "kb import",
        ANY,
        name,
        repeated(bench.plan, command, lambda: bench.folder("drafts"), env=env),
        True,
    )
    yield figure(
        FAMILY,
        "kb import",
        ANY,
        "yaml.safe_load of the same files alone",
        repeated(bench.plan, [*BARE, "yaml", *files]),
    )


def _start(bench: Bench) -> Iterator[Figure]:
    env = {"PYTHONPATH": str(PROJECT)}
    yield figure(
        FAMILY, "start-up", ANY, "kb --help", repeated(bench.plan, kb("--help"), env=env), True
    )
    yield figure(
        FAMILY,
        "start-up",
        ANY,
        "importing typer alone",
        repeated(bench.plan, [sys.executable, "-c", "import typer"]),
    )
    yield figure(
        FAMILY,
        "start-up",
        ANY,
        "Python that does nothing",
        repeated(bench.plan, [sys.executable, "-c", "pass"]),
    )


def _finder(bench: Bench) -> Iterator[Figure]:
    """Many names in a megabyte of rulings, in the original language of most.

    The peer finds no inflected form.
    """
    from kb.language import FormTable, tokenize
    from kb.language.forms import build_form_table
    from kb.linking.card_finder import CardFinder
    from kb.records.library import load
    from kb.records.marks import plain_text
    from kb.records.model import Card
    from kb.search.analyzer import games_vocabulary

    rulings = load(bench.records)
    [(lang, _)] = Counter(ruling.original.lang for ruling in rulings.rulings.values()).most_common(
        1
    )
    words, _, groups = games_vocabulary(rulings.games.values())
    real = [card.name for game in rulings.games.values() for card in game.cards]
    double = (f"{one} {other}" for one, other in zip(real, real[7:], strict=False))
    names = list(dict.fromkeys([*real, *double, *(f"{one} II" for one in real)]))[:NAMES]
    cards = [Card(name=name, label=name) for name in names]
    pieces = {token.text for card in cards for token in tokenize(card.name) if len(token.text) > 1}
    text = "\n".join(
        plain_text(one.body)
        for ruling in rulings.rulings.values()
        for one in ruling.texts
        if one.lang == lang
    )
    text *= 1_000_000 // len(text.encode()) + 1
    size = len(text.encode()) / 1e6
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        table_file = Path(folder) / "forms.sqlite"
        build_form_table(
            table_file,
            {lang: {*words.get(lang, ()), *map(str.lower, re.findall(r"\w+", text))}},
            {lang: pieces},
            [one for one in groups if one[0] == lang],
        )
        with FormTable(table_file) as table:
            finder = CardFinder(cards, (), lang, table)
            ours = _rates(bench, size, lambda: finder.find(text))
            start_up = _rates(bench, 1.0, lambda: CardFinder(cards, (), lang, table))
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    peer = re.compile(rf"\b(?:{either})\b")
    theirs = _rates(bench, size, lambda: peer.findall(text))
    seconds = 1 / statistics.median(start_up)
    note = f"{len(cards):,} names in any form, {lang}, ready in {seconds:.2f} s"
    yield _rate("kb", ours, True, note)
    yield _rate("one regular expression of the names", theirs, False, "names as written only")


def _rates(bench: Bench, amount: float, work: Callable[[], object]) -> list[float]:
    found = []
    for _ in range(bench.plan.repeats):
        start = time.process_time()
        work()
        found.append(amount / (time.process_time() - start))
    return found


def _rate(who: str, rates: list[float], ours: bool, note: str) -> Figure:
    middle = statistics.median(rates)
    return Figure(
        FAMILY,
        "finding card names",
        ANY,
        who,
        middle,
        "MB/s",
        None,
        len(rates),
        min(rates),
        max(rates),
        ours=ours,
        note=note,
    )
