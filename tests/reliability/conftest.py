"""A small base that tests break, and checks that it is whole."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kb.pipeline.build import build
from kb.pipeline.data_folder import RETIRED, verify_checksums
from kb.pipeline.paths import Paths
from kb.search.searcher import Searcher
from tests.command_line import Result, RunCommand, call_kb, run_kb
from tests.conftest import GOOD, BuildOnce

# Of root alone: what lets it write where nobody may.
_CAPABILITIES, _DROP = (1, 2), 24


class Base:
    """A folder with rulings/, site/ and .kb/, as `kb build` makes them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.site = folder, folder / "site"
        self.places = Paths(folder / "rulings", folder / ".kb" / "rulings")

    def build(self, **options: bool) -> None:
        build(self.places, self.site, **options)

    def edit(self, word: str) -> None:
        """Change a ruling so that it alone has a word."""
        path = self.folder / "rulings" / "demo" / "pilots" / "one-pilot.md"
        text = re.sub(r"\n\nWyraz: \w+\.", "", path.read_text(encoding="utf-8"))
        head, mark, rest = text.partition("\n\n# en: ")
        path.write_text(f"{head}\n\nWyraz: {word}.{mark}{rest}", encoding="utf-8")

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
        index = json.loads((self.site / "offline" / "index.json").read_text(encoding="utf-8"))
        listed = 0
        for name in index["groups"]:
            for address, digest, size in json.loads(
                (self.site / "offline" / f"{name}.json").read_text(encoding="utf-8")
            ):
                data = (self.site / address).read_bytes()
                assert len(data) == size and hashlib.sha256(data).hexdigest().startswith(digest), (
                    address
                )
                listed += 1
        assert listed > 50
        rows = (self.site / "rulings.jsonl").read_text(encoding="utf-8").splitlines()
        assert len(rows) == stamp["rulings"]
        return str(stamp["build"])

    def check_data(self) -> None:
        """Check that store, table of forms and index are whole and of one build."""
        verify_checksums(self.places.current)
        assert self.found("pilot")

    def litter(self, most: int = 2) -> list[str]:
        """What no build should leave: files and folders of its own, more than `most` builds."""
        left = [
            path.name
            for path in self.folder.iterdir()
            if path.name not in ("rulings", "site", ".kb")
        ]
        left += [
            path.name
            for path in self.places.data.iterdir()
            if path.name not in ("builds", "current", "lock", RETIRED)
        ]
        names = sorted(path.name for path in (self.places.data / "builds").iterdir())
        builds = [name for name in names if name.isdigit()]
        left += [name for name in names if name not in builds]
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


@pytest.fixture(scope="session")
def kb() -> RunCommand:
    """Call `kb`, whatever its exit code; with `before` in a process of its own."""

    def run(*words: str, **options: Any) -> Result:
        return run_kb(*words, **options) if "before" in options else call_kb(*words, **options)

    return run


def as_anybody() -> None:
    """Drop the capabilities by which root may read and write whatever the rights of a file are."""
    if os.geteuid() == 0:
        for capability in _CAPABILITIES:
            ctypes.CDLL(None).prctl(_DROP, capability, 0, 0, 0)


@pytest.fixture()
def locked_up(base: Base) -> Iterator[Callable[[Path], None]]:
    """Make a folder with all below it unwritable until the test is over."""
    done: list[tuple[Path, int]] = []

    def lock(folder: Path) -> None:
        for path in sorted([folder, *folder.rglob("*")], reverse=True):
            if not path.is_symlink():
                done.append((path, path.stat().st_mode))
                path.chmod(0o555 if path.is_dir() else 0o444)

    yield lock
    for path, mode in reversed(done):
        with suppress(OSError):
            path.chmod(mode)
