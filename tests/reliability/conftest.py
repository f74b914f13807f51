"""A small base that tests break, and checks that it is whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kb.pipeline.build import BuildResult, build
from kb.pipeline.data_folder import verify_checksums
from kb.pipeline.paths import Paths
from kb.search.searcher import Searcher
from tests.archives import read_archives
from tests.conftest import GOOD, BuildOnce


class Base:
    """A folder with rulings/, site/ and .kb/, as `kb build` makes them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.site = folder, folder / "site"
        self.places = Paths(folder / "rulings", folder / ".kb" / "rulings")
        self.record = folder / "rulings" / "demo" / "pilots" / "one-pilot.md"

    def build(self, **options: Any) -> BuildResult:
        return build(self.places, self.site, **options)

    def edit(self, word: str) -> None:
        """Change a ruling so that it alone has a word."""
        text = re.sub(r"\n\nWyraz: \w+\.", "", self.record.read_text(encoding="utf-8"))
        head, mark, rest = text.partition("\n\n# en: ")
        self.record.write_text(f"{head}\n\nWyraz: {word}.{mark}{rest}", encoding="utf-8")

    def found(self, word: str) -> list[str]:
        """The rulings with a word, by the current index; raises NotBuilt where there is none."""
        with Searcher(self.places.current) as searcher:
            return [
                hit.ruling.id
                for hit in searcher.search(word).results
                if word in " ".join(text.body for text in hit.ruling.texts)
            ]

    def check_site(self) -> str:
        """Check by its own lists that the site is whole and of one build; return the build's id."""
        stamp = json.loads((self.site / "build.json").read_text(encoding="utf-8"))
        files = [path for path in self.site.rglob("*") if path.is_file()]
        assert len(files) == stamp["files"]
        archives = read_archives(self.site)
        for archived in archives.values():
            for address, content in archived.items():
                assert content == (self.site / address).read_bytes(), address
        assert sum(map(len, archives.values())) > 50
        rows = (self.site / "rulings.jsonl").read_text(encoding="utf-8").splitlines()
        assert len(rows) == stamp["rulings"]
        return str(stamp["build"])

    def check_data(self) -> None:
        """Check that store, table of forms and index are whole and of one build."""
        verify_checksums(self.places.current)
        assert self.found("pilot")

    def index_build(self) -> str:
        """The id of the build that the current index is of."""
        with closing(sqlite3.connect(self.places.current / "kb.sqlite")) as db:
            (build,) = db.execute("SELECT value FROM about WHERE name = 'build'").fetchone()
        return str(build)

    def litter(self, most: int = 2) -> list[str]:
        """What no build should leave: files and folders of its own, more than `most` builds."""
        beside = {path.name for path in self.folder.iterdir()} - {"rulings", "site", ".kb"}
        names = {path.name for path in self.places.data.iterdir()}
        names -= {"builds", "current", "lock", "CACHEDIR.TAG"}
        builds = [path.name for path in (self.places.data / "builds").iterdir()]
        left = [*beside, *names, *(name for name in builds if not name.isdigit())]
        return left + (builds if len(builds) > most else [])


@pytest.fixture(scope="session")
def _base(build_once: BuildOnce) -> Base:
    def fill(folder: Path) -> None:
        shutil.copytree(GOOD, folder / "rulings")
        base = Base(folder)
        base.edit("zerowy")
        base.build()

    return Base(build_once("reliable-base", fill))


@pytest.fixture()
def base(_base: Base, tmp_path: Path) -> Base:
    """A built base of the small game, with `zerowy` in one ruling, that a test may break."""
    shutil.copytree(_base.folder, tmp_path / "base", copy_function=shutil.copy2)
    return Base(tmp_path / "base")


def in_child(work: Callable[[], object]) -> int:
    """Do work in a forked process, and return its exit code, or minus the signal that ended it."""
    child = os.fork()
    if not child:
        try:
            os.setsid()
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


Event = Callable[[str, tuple[object, ...]], bool]


def is_killed_at(number: int, counts: Event, work: Callable[[], object]) -> bool:
    """Do work in a process that is killed before an event of Python; whether it came to that.

    `number` counts the events that `counts` names.
    """

    def until_then() -> None:
        process, left = os.getpid(), number

        def hear(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if os.getpid() == process and counts(event, arguments):
                left -= 1
                if left < 0:
                    os.kill(process, signal.SIGKILL)

        sys.addaudithook(hear)
        work()

    return in_child(until_then) == -signal.SIGKILL
