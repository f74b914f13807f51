"""A whole build beside other site generators over the same number of pages.

    python -m tests.benchmarks.build --sizes 0,2500 --repeats 3

Size 0 is the records as they are; others are recombined from them. The programs take turns, so that
a load of the machine meets them alike. Prints medians, and kb's times divided by those of the peer
(processor; clock). The peers are the programs on the path; the row of a missing one says so.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.corpus import make_corpus
from tests.benchmarks.measure import PROJECT, Failed, Run, kb, print_table, run
from tests.benchmarks.peers import PEERS, pages_of

COLUMNS = ("build", "rulings", "pages", "files", "MB", "processor, s", "clock, s", "kb / it")


class Builder(NamedTuple):
    """A program that builds `output` in `folder`."""

    name: str
    command: Sequence[str | Path]
    folder: Path
    output: Path
    env: Mapping[str, str]


def main(words: Sequence[str] | None = None) -> None:
    """Measure what is asked for; print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.build")
    parser.add_argument("--sizes", default="0", help="numbers of rulings (default: 0, as they are)")
    parser.add_argument("--repeats", type=int, default=3, help="builds by each (default: 3)")
    parser.add_argument("--records", type=Path, default=PROJECT / "rulings", metavar="DIR")
    parser.add_argument("--interface", default="", metavar="LANGS", help="as of kb build")
    options = parser.parse_args(words)
    rows: list[Sequence[object]] = []
    with tempfile.TemporaryDirectory(prefix="kb-benchmark-") as folder:
        for size in map(int, options.sizes.split(",")):
            work = Path(folder) / str(size)
            records = options.records.resolve()
            rulings = make_corpus(work / "rulings", size, records) if size else records
            rows += measure(work, rulings, options.repeats, options.interface)
    print_table(COLUMNS, rows)


def measure(
    work: Path, rulings: Path, repeats: int, interface: str = ""
) -> Iterator[Sequence[object]]:
    """Yield the rows of one base. Raises Failed if kb's build fails."""
    builders, missing = [_kb(work, rulings, interface)], []
    run(builders[0].command, builders[0].folder, builders[0].env)
    pages = list(pages_of(builders[0].output, rulings))
    for peer in PEERS:
        version = peer.installed_version()
        if version:
            root = work / peer.name
            peer.write_sources(root, pages)
            name = f"{peer.name} {version}"
            builders.append(Builder(name, peer.build, root, root / "output", {}))
        else:
            missing.append((peer.name, "not installed", *[""] * (len(COLUMNS) - 2)))
    runs: dict[str, list[Run]] = {builder.name: [] for builder in builders}
    failures: dict[str, Failed] = {}
    for _ in range(repeats):
        for builder in builders:
            for folder in (builder.output, work / "data"):
                shutil.rmtree(folder, ignore_errors=True)
            try:
                runs[builder.name].append(run(builder.command, builder.folder, builder.env))
            except Failed as error:
                failures[builder.name] = error
    ours = _medians(runs[builders[0].name])
    count = sum(1 for _ in rulings.glob("*/*/*.md"))
    for builder in builders:
        if builder.name in failures:
            yield (builder.name, failures[builder.name], *[""] * (len(COLUMNS) - 2))
            continue
        files = [path for path in builder.output.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files) / 1e6
        made = sum(path.suffix == ".html" for path in files)
        times = _medians(runs[builder.name])
        yield (
            builder.name,
            f"{count:,}",
            f"{made:,}",
            f"{len(files):,}",
            f"{size:.1f}",
            f"{times.processor:.2f}",
            f"{times.seconds:.2f}",
            f"{ours.processor / times.processor:.2f}; {ours.seconds / times.seconds:.2f}",
        )
    yield from missing


def _kb(work: Path, rulings: Path, interface: str) -> Builder:
    work.mkdir(parents=True, exist_ok=True)
    words = ["--rulings", rulings, "--output", work / "site"]
    words += ["--interface", interface] if interface else []
    env = {"KB_DATA": str(work / "data"), "PYTHONPATH": str(PROJECT)}
    return Builder("kb build", kb("build", *words), work, work / "site", env)


def _medians(runs: Sequence[Run]) -> Run:
    return Run(*(statistics.median(values) for values in zip(*runs, strict=True)))


if __name__ == "__main__":
    main()
