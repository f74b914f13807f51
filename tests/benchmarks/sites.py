"""Site generators over as many pages of the same text, and the limits of the machine.

The limits are a bare loop, and writing kb's bytes alone. Each peer gets one Markdown page for each
HTML page that kb writes in one language of its interface: those of rulings from the records, title
and text; the others (cards, topics, lists) from what kb's own page shows, as paragraphs and lists.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tests.benchmarks.bench import Base, Bench, tried, with_peer
from tests.benchmarks.build import COLD, FAMILY
from tests.benchmarks.generators import Generator, Page, bare, generators
from tests.benchmarks.measure import Failed, Runs, repeated
from tests.benchmarks.peers import Found
from tests.benchmarks.table import Figure, absent, figure

# How many files are held in memory while their bytes are written.
HELD = 2_000


def measure(bench: Bench, size: int) -> Iterator[Figure]:
    """The figures of one size."""
    base = bench.built(size)
    yield from tried(FAMILY, COLD, size, "writing kb's bytes alone", lambda: _limit(bench, base))
    pages = list(_pages(bench, base))
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    for one in (*(bare(many) for many in dict.fromkeys((1, cores))), *generators()):
        most = bench.slow_most if one.slow else bench.sites_most
        if size > most and not one.name.startswith("bare"):
            yield absent(
                FAMILY,
                COLD,
                size,
                one.name,
                f"run up to {most:,} rulings only; {one.note}".rstrip("; "),
            )
        else:
            yield from with_peer(
                FAMILY,
                COLD,
                size,
                one.install(bench.tools),
                partial(_generated, bench, size, one, pages),
            )


def _generated(
    bench: Bench, size: int, generator: Generator, pages: list[Page], found: Found
) -> Iterator[Figure]:
    """A generator cold, and again after one page was changed."""
    root = bench.folder(f"{size}-peer")
    output = root / "output"
    generator.lay(root, pages)

    def clean() -> None:
        for name in ("output", "resources"):
            shutil.rmtree(root / name, ignore_errors=True)

    runs = repeated(bench.plan, generator.command(found, root, output), clean, cwd=root)
    made = sum(1 for _ in output.rglob("*.html"))
    if made < len(pages):
        raise Failed(f"wrote {made:,} pages of {len(pages):,}")
    yield figure(
        FAMILY,
        COLD,
        size,
        found.name,
        runs,
        note="; ".join(filter(None, [generator.note, f"{made:,} pages"])),
    )
    shutil.rmtree(root, ignore_errors=True)


def _limit(bench: Bench, base: Base) -> Figure:
    """Seconds of writing every file of kb's site, folders made, bytes already in memory."""
    files = sorted(path for path in base.site.rglob("*") if path.is_file())
    size = sum(path.stat().st_size for path in files) / 1e6

    def once() -> float:
        output, seconds = bench.folder(f"{base.size}-limit"), 0.0
        os.sync()
        for start in range(0, len(files), HELD):
            held = [
                (output / path.relative_to(base.site), path.read_bytes())
                for path in files[start : start + HELD]
            ]
            begun = time.perf_counter()
            for path, data in held:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            seconds += time.perf_counter() - begun
        shutil.rmtree(output)
        return seconds

    note = f"{len(files):,} files, {size:,.1f} MB"
    runs = Runs([once() for _ in range(bench.plan.repeats)])
    return figure(FAMILY, COLD, base.size, "writing kb's bytes alone", runs, note=note)


def _pages(bench: Bench, base: Base) -> Iterator[Page]:
    """A page for each HTML page of kb's site."""
    records = {one.key: one for one in bench.plain(base.size)}
    for path in base.pages:
        game, room, *rest = (*path.with_suffix("").parts, "", "")
        record = records.get(f"{game}/{rest[0]}") if room == "rulings" else None
        place = "-".join(path.with_suffix("").parts).removesuffix("-index")
        place = f"{game}/{place}" if room and room != "index" else place
        if record:
            yield Page(place, record.title, record.text)
        else:
            yield replace(_shown((base.site / path).read_text(encoding="utf-8")), place=place)


def _shown(page: str) -> Page:
    """What an HTML page of kb shows, as Markdown."""
    main = re.search(r"<main[^>]*>(.*)</main>", page, re.DOTALL)
    title = re.search(r"<h1[^>]*>(.*?)</h1>", page, re.DOTALL) or re.search(
        r"<title>(.*?)</title>", page, re.DOTALL
    )
    text = re.sub(r"(?s)<(script|style|form|nav|h1)\b.*?</\1>", "", main[1] if main else "")
    lines = []
    for piece in re.split(r"(?=<(?:li|p|h2|h3|div|tr|dt|dd|section)\b)", text):
        words = _words(piece)
        if words:
            lines.append(
                "## " * piece.startswith(("<h2", "<h3")) + "- " * piece.startswith("<li") + words
            )
    body = "\n".join(line if line.startswith("- ") else f"\n{line}\n" for line in lines)
    return Page("", _words(title[1]) if title else "Rulings", body)


def _words(markup: str) -> str:
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())
    return re.sub(r"([\\`*_\[\]<>{}#|])", r"\\\1", text)
