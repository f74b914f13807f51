"""How fast card names are found: 10,000 names, a megabyte of rulings. Run: pytest tests/benchmarks/finder.py -s

Beside it, in the same run, a peer: one regular expression of all names as they are written, which finds no inflected form.
Figures are printed, never asserted.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from kb.index.words import vocabulary
from kb.language import Table, build_table, tokenize
from kb.records.library import Library
from kb.records.marks import plain
from kb.records.mentions import CardFinder
from kb.records.model import Card

NAMES = 10_000
RUNS = 5


def median(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def test_finder(rulings: Library, tmp_path: Path) -> None:
    words, _, groups = vocabulary(rulings)
    real = [card.name for game in rulings.games.values() for card in game.cards]
    names = list(
        dict.fromkeys(
            [*real, *(f"{one} {other}" for one, other in zip(real, real[7:], strict=False)), *(f"{one} II" for one in real)]
        )
    )
    cards = [Card(name=name, label=name) for name in names[:NAMES]]
    pieces = {token.text for card in cards for token in tokenize(card.name) if len(token.text) > 1}
    build_table(tmp_path / "forms.sqlite", {"pl": words["pl"]}, {"pl": pieces}, [one for one in groups if one[0] == "pl"])
    text = "\n".join(plain(one.body) for ruling in rulings.rulings.values() for one in ruling.texts if one.lang == "pl")
    text *= 1_000_000 // len(text.encode()) + 1
    size = len(text.encode()) / 1e6
    with Table.open(tmp_path / "forms.sqlite") as table:
        start_up = median(lambda: CardFinder(cards, (), "pl", table))
        finder = CardFinder(cards, (), "pl", table)
        finding = median(lambda: finder.find(text))
    peer = re.compile(
        r"\b(?:" + "|".join(re.escape(card.name) for card in sorted(cards, key=lambda card: -len(card.name))) + r")\b"
    )
    naive = median(lambda: peer.findall(text))
    print(f"\n{len(cards)} names, {size:.2f} MB: start-up {start_up:.2f} s, {size / finding:.2f} MB/s")
    print(f"one regular expression of the names: {size / naive:.3f} MB/s; the finder is {naive / finding:.1f} times as fast")
