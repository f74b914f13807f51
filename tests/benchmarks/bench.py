"""What the families share: folders, a base of each size built once, and rows of figures."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.corpus import Plain, kept_corpus, read_plain
from tests.benchmarks.measure import PROJECT, Failed, Plan, kb, run
from tests.benchmarks.peers import Absent, Found, Peer, Tools
from tests.benchmarks.table import Figure, absent

INTERFACE = ("--interface", "en")


@dataclass
class Base:
    """A copy of a corpus that may be changed, and what kb builds of it with one engine."""

    root: Path
    size: int

    @property
    def rulings(self) -> Path:
        return self.root / "rulings"

    @property
    def site(self) -> Path:
        return self.root / "site"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def env(self) -> dict[str, str]:
        """What tells kb where its data are.

        The day is fixed, so that a run over midnight changes no page.
        """
        return {
            "KB_DATA": str(self.data),
            "SOURCE_DATE_EPOCH": "1767225600",
            "PYTHONPATH": str(PROJECT),
        }

    def command(self, engine: str = "") -> list[str | Path]:
        """`kb build` of this base, with an engine or with the one that kb takes by itself."""
        chosen = ("--engine", engine) if engine else ()
        return kb("build", "--rulings", self.rulings, "--output", self.site, *INTERFACE, *chosen)

    def clear(self) -> None:
        """Deletes all that was built."""
        for folder in (self.site, self.data):
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def pages(self) -> list[Path]:
        """The HTML pages of the built site, below its root."""
        return sorted(path.relative_to(self.site) for path in self.site.rglob("*.html"))


@dataclass
class Bench:
    """One run of the benchmarks.

    `corpora`: generated corpora, not deleted; `work`: all else, deleted at the end; `records`: the
    rulings that corpora are recombined from, besides those of other games in `shared`.
    """

    corpora: Path
    work: Path
    records: Path
    shared: Path
    tools: Tools
    plan: Plan
    sites_most: int = 20_000
    slow_most: int = 1_000
    browser_most: int = 20_000
    _built: dict[tuple[int, str], Base] = field(default_factory=dict)
    _plain: dict[int, list[Plain]] = field(default_factory=dict)
    _done: set[str] = field(default_factory=set)

    def copy(self, size: int, name: str) -> Base:
        """A new copy of the corpus of a size, with nothing built."""
        base = Base(self.work / f"{size}-{name}", size)
        shutil.rmtree(base.root, ignore_errors=True)
        shutil.copytree(self._rulings(size), base.rulings)
        return base

    def built(self, size: int, engine: str = "") -> Base:
        """The corpus of a size, built with an engine, once a run of the benchmarks.

        Raises Failed.
        """
        if (size, engine) not in self._built:
            say(f"  building {size:,} rulings {engine}")
            base = self.copy(size, f"built{engine and '-'}{engine}")
            run(base.command(engine), env=base.env)
            self._built[size, engine] = base
        return self._built[size, engine]

    def keep(self, base: Base, engine: str = "") -> None:
        """Takes a base that is built and whole for the one that `built` gives."""
        self._built[base.size, engine] = base

    def forget(self, size: int) -> None:
        """Deletes what was made of a size, but for the kept corpus."""
        self._built = {key: base for key, base in self._built.items() if key[0] != size}
        self._plain.pop(size, None)
        for path in self.work.glob(f"{size}-*"):
            shutil.rmtree(path, ignore_errors=True)

    def once(self, name: str) -> bool:
        """Whether this is the first time that somebody asks for a name."""
        if name in self._done:
            return False
        self._done.add(name)
        return True

    def plain(self, size: int) -> list[Plain]:
        """The rulings of a size as other programs take them."""
        if size not in self._plain:
            self._plain = {size: read_plain(self._rulings(size))}
        return self._plain[size]

    def _rulings(self, size: int) -> Path:
        return kept_corpus(self.corpora, size, self.records, self.shared) if size else self.records

    def folder(self, name: str) -> Path:
        """A new, empty folder to work in."""
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path


def tried(
    family: str, what: str, size: int, who: str, measure: Callable[[], Iterator[Figure] | Figure]
) -> list[Figure]:
    """The figures of one measurement; a row that says why where it fails."""
    say(f"  {what}: {who}")
    try:
        found = measure()
        return [found] if isinstance(found, Figure) else list(found)
    except Failed as error:
        return [absent(family, what, size, who, str(error))]
    except Exception as error:
        return [absent(family, what, size, who, f"{type(error).__name__}: {error}"[:300])]


def with_peer(
    family: str,
    what: str,
    size: int,
    peer: Peer,
    measure: Callable[[Found], Iterator[Figure] | Figure],
) -> list[Figure]:
    """The figures of a peer, or the row that says why it is absent."""
    if isinstance(peer, Absent):
        return [absent(family, what, size, peer.name, peer.why)]
    return tried(family, what, size, peer.name, lambda: measure(peer))


def say(text: str) -> None:
    """Tells how far the run is, on standard error."""
    print(text, file=sys.stderr, flush=True)
