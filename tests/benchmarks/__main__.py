"""The benchmarks, by one command: `python -m tests.benchmarks --json figures.json`.

Prints a Markdown table, every figure beside peers of the same run, and writes all as JSON after
each part, so that a run that is stopped leaves what it has. Figures are never asserted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks import browser, build, load, others, search, sites
from tests.benchmarks.bench import Bench, say
from tests.benchmarks.measure import PROJECT, Plan, machine
from tests.benchmarks.peers import Tools
from tests.benchmarks.table import Figure, absent, as_data, markdown, write_json

FAMILIES = {
    "build": build,
    "sites": sites,
    "search": search,
    "browser": browser,
    "others": others,
    "load": load,
}


def main(words: Sequence[str] | None = None) -> int:
    """Measures what is asked for; prints the table."""
    options = _options(words)
    if options.show:
        print(markdown(json.loads(options.show.read_text(encoding="utf-8"))), end="")
        return 0
    options.work.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="kb-benchmarks-", dir=options.work)).resolve()
    tools = Tools(options.tools.resolve(), install=options.peers)
    bench = Bench(
        (options.corpora or work / "corpora").resolve(),
        work,
        options.records.resolve(),
        options.shared.resolve(),
        tools,
        Plan(options.repeats, options.patience),
        options.sites_most,
        options.slow_most,
        options.browser_most,
    )
    report: dict[str, Any] = {
        "machine": machine(work),
        "command": "python -m tests.benchmarks " + _shown(options),
        "figures": [],
    }
    try:
        _measure(bench, options, report)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(markdown(report), end="")
    return 0


def _measure(bench: Bench, options: argparse.Namespace, report: dict[str, Any]) -> None:
    start, measured = time.perf_counter(), list[Figure]()
    for size in options.sizes:
        for name in options.only:
            say(f"{time.perf_counter() - start:6.0f} s: {name}, {size:,} rulings")
            try:
                for figure in FAMILIES[name].measure(bench, size):
                    measured.append(figure)
            except Exception as error:
                # The other families are measured all the same.
                measured.append(
                    absent(name, "the rest", size, name, f"{type(error).__name__}: {error}")
                )
            report["figures"] = as_data(measured)
            report["seconds"] = round(time.perf_counter() - start)
            report["peers"] = {
                name: getattr(peer, "why", "") or peer.name
                for name, peer in bench.tools.known.items()
            }
            if options.json:
                write_json(options.json, report)
        bench.forget(size)


def _shown(options: argparse.Namespace) -> str:
    """The options that decide what is measured, without folders of this machine."""
    sizes = ",".join(map(str, options.sizes))
    peers = "" if options.peers else " --no-peers"
    return f"--only {','.join(options.only)} --sizes {sizes} --repeats {options.repeats}{peers}"


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description="Measures kb beside its peers."
    )
    whole = tempfile.gettempdir()

    def sizes(text: str) -> list[int]:
        return [int(one) for one in text.split(",")]

    def families(text: str) -> list[str]:
        names = [one.strip() for one in text.split(",")]
        if set(names) - set(FAMILIES):
            raise argparse.ArgumentTypeError(f"there are {', '.join(FAMILIES)}")
        return names

    parser.add_argument(
        "--sizes",
        type=sizes,
        default=[1_000, 20_000, 100_000],
        help="rulings; 0: the project's own (default: 1000,20000,100000)",
    )
    parser.add_argument(
        "--only",
        type=families,
        default=list(FAMILIES),
        help=f"some of {','.join(FAMILIES)} (default: all)",
    )
    parser.add_argument("--repeats", type=int, default=5, help="runs of each (default: 5)")
    parser.add_argument(
        "--patience",
        type=float,
        default=120.0,
        help="what takes longer is run once (default: 120 s)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures go")
    parser.add_argument(
        "--show", type=Path, metavar="FILE", help="print the table of such a file; measure nothing"
    )
    parser.add_argument(
        "--corpora", type=Path, metavar="DIR", help="keeps the generated rulings for the next run"
    )
    parser.add_argument(
        "--tools",
        type=Path,
        metavar="DIR",
        default=Path(whole) / "kb-benchmark-tools",
        help="where peers are installed",
    )
    parser.add_argument(
        "--work",
        type=Path,
        metavar="DIR",
        default=Path(whole),
        help=f"where sites are built (default: {whole})",
    )
    parser.add_argument(
        "--records",
        type=Path,
        metavar="DIR",
        default=PROJECT / "rulings",
        help="what corpora are made of",
    )
    parser.add_argument(
        "--shared",
        type=Path,
        metavar="DIR",
        default=PROJECT.parent / "shared",
        help="rulings of other games",
    )
    parser.add_argument(
        "--no-peers",
        dest="peers",
        action="store_false",
        help="install nothing; what is not there is absent",
    )
    parser.add_argument(
        "--sites-most",
        type=int,
        default=20_000,
        metavar="N",
        help="other generators up to N rulings (default: 20,000)",
    )
    parser.add_argument(
        "--slow-most",
        type=int,
        default=1_000,
        metavar="N",
        help="Sphinx up to N rulings (default: 1,000)",
    )
    parser.add_argument(
        "--browser-most",
        type=int,
        default=20_000,
        metavar="N",
        help="browsers up to N rulings (default: 20,000)",
    )
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
