"""Records that change while they are read, clocks that go back, readers while builds change."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kb.commands.backend import with_searcher
from kb.core.problems import KbError
from kb.pipeline.data_folder import verify_checksums
from kb.records.library import load
from tests.command_line import RunCommand, run_kb
from tests.reliability.conftest import Base

YEAR = 365 * 86_400


class Meddler:
    """Somebody who changes the records of a folder between two looks that a reader takes at it.

    It listens to the events that Python raises before a file is opened or a folder is listed, so
    that what a reader meets depends on no clock and no other process.
    """

    def __init__(self, good: Path) -> None:
        self.good, self.chance, self.root = good, random.Random(3), ""
        self.files = sorted(path.relative_to(good) for path in good.rglob("*") if path.is_file())
        sys.addaudithook(self.heard)

    @contextmanager
    def at_work(self, root: Path) -> Iterator[None]:
        self.root = str(root)
        try:
            yield
        finally:
            self.root = ""

    def heard(self, event: str, arguments: tuple[object, ...]) -> None:
        root = self.root
        if not root or event not in ("open", "os.scandir", "os.listdir"):
            return
        if str(arguments[0]).startswith(root) and not self.chance.randrange(8):
            self.root = ""
            with suppress(OSError):
                self.meddle(Path(root))
            self.root = root

    def meddle(self, root: Path) -> None:
        name = self.chance.choice(self.files)
        path, good = root / name, self.good / name
        match self.chance.randrange(5):
            case 0:
                path.unlink(missing_ok=True)
            case 1:
                shutil.rmtree(path.parent, ignore_errors=True)
            case 2:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(good.read_bytes()[: self.chance.randrange(400)])
            case _:
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(good, path)


def test_records_that_change_while_they_are_read(base: Base, good_root: Path) -> None:
    """Whatever state of each file was met, reading gives a library and problems."""
    root, meddler = base.places.rulings, Meddler(good_root)
    read = with_problems = 0
    for _ in range(60):
        shutil.copytree(good_root, root, dirs_exist_ok=True)
        try:
            with meddler.at_work(root):
                library = load(root)
        except KbError as error:
            assert "no game" in str(error) or "no such folder" in str(error)
            continue
        assert all(str(problem) for problem in library.problems)
        read += 1
        with_problems += bool(library.problems)
    assert read > 20 and with_problems > 8
    shutil.copytree(good_root, root, dirs_exist_ok=True)
    with suppress(KbError), meddler.at_work(root):
        base.build(force=True)
    # What a build took for the records of a moment may lack any of them; it is whole all the same.
    base.check_site()
    verify_checksums(base.places.current)
    base.found("pilot")
    shutil.rmtree(root)
    shutil.copytree(good_root, root)
    base.build()
    assert not load(root).problems
    assert not base.litter()
    base.check_site()


def changed(base: Base) -> bool:
    return base.places.changed_since_build() is not None


def test_clocks_that_are_put_back(base: Base) -> None:
    record, now = base.folder / "rulings" / "demo" / "pilots" / "one-pilot.md", time.time()
    current = base.places.data / "current"
    os.utime(current, (now, now))
    assert not changed(base)
    # A record from the future is not news for ever: no build at every step.
    os.utime(record, (now + YEAR, now + YEAR))
    assert not changed(base)
    # A build from the future hides what is newer; the next build puts that right.
    os.utime(current, (now + YEAR, now + YEAR))
    assert changed(base)
    base.build()
    assert not changed(base)
    # Content counts for a build, not times: an edit that bears an old time is taken in.
    base.edit("dawny")
    os.utime(record, (now - 20 * YEAR, now - 20 * YEAR))
    base.build()
    assert base.found("dawny") == ["one-pilot"]
    os.utime(record, (0, 0))
    base.build()
    base.check_site()


def test_any_day_that_a_build_is_said_to_be_of(base: Base, kb: RunCommand) -> None:
    for epoch in ("0", "253402300799"):
        done = kb("build", "--force", cwd=base.folder, SOURCE_DATE_EPOCH=epoch)
        assert done.returncode == 0, done.stderr
        base.check_site()
    for epoch in ("x", "1.5", "9" * 30, "²", "-99999999999999"):
        done = kb("build", "--force", cwd=base.folder, SOURCE_DATE_EPOCH=epoch)
        assert done.returncode == 1 and "SOURCE_DATE_EPOCH" in done.stderr, epoch
    assert base.found("zerowy") == ["one-pilot"]


# A process of its own, as every `kb build` is: a fork of one whose threads read would wait for the
# locks that they hold.
BUILDER = """
import sys
from pathlib import Path
from tests.reliability.conftest import Base
base = Base(Path(sys.argv[1]))
for number in range(10_000):
    base.edit(f"kolejny{number}")
    base.build(force=number % 3 == 2)
    print(number, flush=True)
"""


def test_many_readers_while_builds_take_each_others_place(
    base: Base, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every reader gets the answer of one whole build, and none hears that anything is missing."""

    def read(number: int) -> None:
        if number % 2:
            key = "demo/one-pilot"
            assert with_searcher(base.places, lambda searcher: searcher.reader.ruling(key))
        else:
            answer = with_searcher(base.places, lambda searcher: searcher.search("pilot"))
            assert "one-pilot" in [hit.ruling.id for hit in answer.results]
        page = (base.site / "demo" / "rulings" / "one-pilot" / "index.html").read_text(
            encoding="utf-8"
        )
        assert page.rstrip().endswith("</html>")

    root = Path(__file__).parent.parent.parent
    command = [sys.executable, "-c", BUILDER, str(base.folder)]
    with (
        subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as builder,
        ThreadPoolExecutor(8) as pool,
    ):
        try:
            assert builder.stdout
            built = [builder.stdout.readline()]
            list(pool.map(read, range(40)))
            built.append(builder.stdout.readline())
            seen = run_kb("search", "pilot", "--json", cwd=base.folder)
        finally:
            builder.kill()
    assert all(one.strip().isdigit() for one in built)
    assert not capsys.readouterr().err
    assert seen.returncode == 0 and "building the index" not in seen.stderr
