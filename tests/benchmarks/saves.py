"""From a save to the page: `kb serve --watch` as a curator has it.

    python -m tests.benchmarks.saves --sizes 0,20000 --saves 50

Size 0 is the records as they are; others are recombined from them. Each save is measured from the
written file to a page that shows it, by the clock and by the processor time of the server and its
builds until then.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kb.core.urls import slugs as slugs_of
from kb.site.templates import PACKAGED
from tests.benchmarks.corpus import make_corpus
from tests.benchmarks.measure import PROJECT, kb, percentile, print_table
from tests.serving import get, until

# How long one save may take to be seen, in seconds.
PATIENCE = 300.0
COLUMNS = (
    *("from a save to the page", "rulings", "saves", "median, s", "95 %, s", "longest, s"),
    "processor, median, s",
)
# Seconds from saved to seen by the clock, and of the processor, by kind of save.
Times = dict[str, list[tuple[float, float]]]


def main(words: Sequence[str] | None = None) -> None:
    """Measure what is asked for; print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.saves")
    parser.add_argument("--sizes", default="0", help="numbers of rulings (default: 0, as they are)")
    parser.add_argument("--saves", type=int, default=20, help="saves of each size (default: 20)")
    parser.add_argument("--pause", type=float, default=0.5, help="seconds from a build to a save")
    parser.add_argument("--records", type=Path, default=PROJECT / "rulings", metavar="DIR")
    options = parser.parse_args(words)
    rows: list[Sequence[object]] = []
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="kb-saves-") as folder:
            root, records = Path(folder), options.records
            if size:
                make_corpus(root / "rulings", size, records)
            else:
                shutil.copytree(records, root / "rulings")
            count = sum(1 for _ in (root / "rulings").glob("*/*/*.md"))
            rows += _rows(count, measure(root, options.saves, options.pause))
    print_table(COLUMNS, rows)


def _rows(rulings: int, times: Times) -> Iterator[Sequence[object]]:
    every = [pair for pairs in times.values() for pair in pairs]
    for kind, pairs in {"any": every, **times}.items():
        clock, processor = zip(*pairs, strict=True)
        figures = (statistics.median(clock), percentile(clock, 0.95), max(clock))
        figures += (statistics.median(processor),)
        yield kind, f"{rulings:,}", len(pairs), *(f"{figure:.2f}" for figure in figures)


def measure(root: Path, count: int, pause: float) -> Times:
    """Save files below `root`, a folder with `rulings`, which a server watches.

    `pause`: seconds from a build, and from the start of the server, to the next save.
    """
    times: Times = {}
    with _serving(root) as (address, pid):
        time.sleep(pause)
        for save in saves(root / "rulings", count):
            state, busy = _state(address, save.page), _processor(pid)
            if save.text is None:
                save.path.unlink()
            else:
                save.path.parent.mkdir(parents=True, exist_ok=True)
                save.path.write_text(save.text, encoding="utf-8")
            start = time.perf_counter()
            while not _is_shown(address, save) and time.perf_counter() - start < PATIENCE:
                # As an open page does it.
                state = _state(address, save.page, state["tag"])
            seconds = time.perf_counter() - start
            kind = save.kind if seconds < PATIENCE else f"{save.kind}, not seen"
            times.setdefault(kind, []).append((seconds, _processor(pid) - busy))
            # The next save is a person's, not one during this build.
            while _state(address, save.page)["building"]:
                time.sleep(0.02)
            time.sleep(pause)
    return times


@contextmanager
def _serving(root: Path) -> Iterator[tuple[str, int]]:
    """Yield the address and the process of a server that watches the records in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [str(word) for word in kb("serve", "--watch", "--output", root / "site", "--port", port)],
        cwd=root,
        env={**os.environ, "KB_DATA": str(root / "data"), "PYTHONPATH": str(PROJECT)},
    )
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: _answers(address))
        yield address, process.pid
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()


def _answers(address: str) -> bool:
    try:
        return get(f"{address}/healthz")[0] == 200
    except OSError:
        return False


def _processor(server: int) -> float:
    """Return the seconds that a process and its children have had a processor."""
    ticks, waiting = 0, [server]
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        with suppress(OSError, ValueError, IndexError):
            # In user and system mode, those of children that have ended too.
            ticks += sum(map(int, (process / "stat").read_text().rpartition(")")[2].split()[11:15]))
            for task in (process / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return ticks / os.sysconf("SC_CLK_TCK")


def _state(address: str, page: str, after: str = "") -> dict[str, Any]:
    """Ask for the state as an open page does, with `after` when it is another one."""
    state: dict[str, Any] = json.loads(get(f"{address}/live/state?page={page}&after={after}")[1])
    return state


@dataclass(frozen=True)
class Save:
    """A change of a file, and what a page shows or lacks afterwards."""

    kind: str
    path: Path
    text: str | None
    page: str
    shown: str


KINDS = tuple(
    "word new-word title word card template title word term style-sheet new-ruling deleted".split()
)


def saves(rulings: Path, count: int, kinds: Sequence[str] = KINDS) -> Iterator[Save]:
    """Yield saves of the usual kinds in turn."""
    records = sorted((rulings / "swtcg").glob("*/*.md"))
    terms, cards = rulings / "swtcg" / "terms.yaml", rulings / "swtcg" / "cards.tsv"
    own_pages = rulings.parent / "templates"
    ordinary = _ordinary_words(records[:200], terms, cards)
    for number in range(count):
        path, kind = records[number % 20], kinds[number % len(kinds)]
        text, page = path.read_text(encoding="utf-8"), f"/swtcg/rulings/{path.stem}/"
        mark = _letters(number)
        known = " ".join(("The", *random.Random(number).sample(ordinary, 3)))
        if kind == "word":
            yield Save(kind, path, _begin(text, f"{known}."), page, f"{known}.")
        elif kind == "new-word":
            yield Save(kind, path, _begin(text, f"Quux{mark}zib."), page, f"Quux{mark}zib.")
        elif kind == "title":
            changed = text.replace("# en: ", f"# en: {known} ", 1)
            yield Save(kind, path, changed, page, known)
        elif kind == "term":
            changed = re.sub(
                r"(?m)^(    en: .*)$",
                rf"\1 no {mark}",
                terms.read_text(encoding="utf-8"),
                count=1,
            )
            yield Save(kind, terms, changed, "/swtcg/glossary/", f"no {mark}")
        elif kind == "card":
            card, changed = _other_name(cards, rulings.parent / "site", f"Quuxcard {mark}")
            yield Save(kind, cards, changed, card, f"Quuxcard {mark}")
        elif kind == "template":
            frame = _own_file(own_pages, "frame.html").replace("</body>", f"<!--{mark}-->\n</body>")
            yield Save(kind, own_pages / "frame.html", frame, page, f"<!--{mark}-->")
        elif kind == "style-sheet":
            sheet = _own_file(own_pages, "static/kb.css") + f".quux-{mark} {{}}\n"
            yield Save(kind, own_pages / "static/kb.css", sheet, page, f".quux-{mark} {{}}")
        elif kind == "new-ruling":
            new_path = path.with_name(f"new-{number}.md")
            yield Save(kind, new_path, text, f"/swtcg/rulings/new-{number}/", "<h1")
        else:
            # The ruling of the save before.
            gone = next((rulings / "swtcg").glob(f"*/new-{number - 1}.md"))
            yield Save(kind, gone, None, f"/swtcg/rulings/new-{number - 1}/", "")


def _ordinary_words(records: Sequence[Path], terms: Path, cards: Path) -> list[str]:
    """Return English words that several records have, and that become no links on a page."""
    linked = (terms.read_text(encoding="utf-8") + cards.read_text(encoding="utf-8")).casefold()
    records_with: Counter[str] = Counter()
    for path in records:
        english = path.read_text(encoding="utf-8").partition("\n# en: ")[2].partition("\n# ")[0]
        records_with.update(set(re.findall(r"\b[a-z]{4,}\b", english)))
    words = [word for word, count in records_with.items() if count > 2 and word[:4] not in linked]
    return sorted(words)


def _other_name(cards: Path, site: Path, name: str) -> tuple[str, str]:
    """Return the page of a card that rulings name, and the catalogue with another name of it."""
    lines = cards.read_text(encoding="utf-8").splitlines()
    slugs = slugs_of(line.partition("\t")[0] for line in lines[1:])
    column = lines[0].split("\t").index("other_names")
    for number, line in enumerate(lines[1:], 1):
        page = f"/swtcg/cards/{slugs[line.partition(chr(9))[0]]}/"
        if (site / page[1:] / "index.html").is_file():
            cells = line.split("\t")
            cells[column] = name
            return page, "\n".join((*lines[:number], "\t".join(cells), *lines[number + 1 :], ""))
    raise LookupError("no ruling names a card")


def _own_file(own: Path, name: str) -> str:
    """Return a template as it is: the webmaster's own, else the package's."""
    path = own / name
    return (path if path.is_file() else PACKAGED / name).read_text(encoding="utf-8")


def _letters(number: int) -> str:
    """Return a number in letters: a digit that a translation lacks is a problem of a record."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")


def _begin(text: str, words: str) -> str:
    """Return a record whose English answer begins with some words."""
    return re.sub(r"(?m)^(# en: .*\n\n)", rf"\1{words} ", text, count=1)


def _is_shown(address: str, save: Save) -> bool:
    status, page = get(address + save.page)
    if save.kind == "style-sheet":
        # The page names it by its content.
        sheet = re.search(r'href="[./]*(/static/kb\.css\?\w+)"', page)
        return sheet is not None and save.shown in get(address + sheet[1])[1]
    return status == 404 if save.text is None else status == 200 and save.shown in page


if __name__ == "__main__":
    main()
