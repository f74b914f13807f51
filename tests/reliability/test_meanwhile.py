"""Records that change while they are read, clocks that are put back, and readers while one build takes another's place."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kb.build.integrity import verify_checksums
from kb.commands.lookup import find_ruling, search
from kb.core.problems import KbError
from kb.records.library import load
from tests.reliability.conftest import Base, Run

YEAR = 365 * 86_400


def test_records_that_change_while_they_are_read(base: Base, good_root: Path) -> None:
    """Whatever state of each file was met, reading gives a library and problems."""
    root, chance = base.places.rulings, random.Random(3)
    files = sorted(path.relative_to(good_root) for path in good_root.rglob("*") if path.is_file())

    def meddle() -> None:
        while True:
            path = root / chance.choice(files)
            match chance.randrange(5):
                case 0:
                    path.unlink(missing_ok=True)
                case 1:
                    shutil.rmtree(path.parent, ignore_errors=True)
                case 2:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(
                        (good_root / path.relative_to(root)).read_bytes()[: chance.randrange(400)]
                    )
                case _:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(good_root / path.relative_to(root), path)

    def careless() -> None:
        while True:
            try:
                meddle()
            except OSError:
                continue

    other = multiprocessing.get_context("fork").Process(target=careless, daemon=True)
    other.start()
    read = built = 0
    try:
        for _ in range(150):
            try:
                library = load(root)
            except KbError as error:
                assert "no game" in str(error) or "no such folder" in str(error)
                continue
            assert all(str(one) for one in library.problems)
            read += 1
        for _ in range(6):
            try:
                base.build(anew=True)
                built += 1
            except KbError as error:
                assert str(error)
    finally:
        other.kill()
        other.join()
    assert read
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
    return base.places.changed_since_build()


def test_clocks_that_are_put_back(base: Base) -> None:
    record, now = base.folder / "rulings" / "demo" / "pilots" / "one-pilot.md", time.time()
    current = base.places.data / "current"
    os.utime(current, (now, now))
    assert not changed(base)
    # A record from the future is no news for ever, and no reason to make everything anew at each step.
    os.utime(record, (now + YEAR, now + YEAR))
    assert not changed(base)
    # A build from the future tells nothing of what is newer than it; the next build puts that right.
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


@pytest.mark.parametrize("epoch", ["", "0", "1", "253402300799"])
def test_any_day_that_a_build_is_said_to_be_of(epoch: str, base: Base, kb: Run) -> None:
    done = kb("build", "--force", cwd=base.folder, SOURCE_DATE_EPOCH=epoch)
    assert done.returncode == 0, done.stderr
    base.check_site()


@pytest.mark.parametrize("epoch", ["x", "1.5", "9" * 30, "²", "-99999999999999"])
def test_a_day_that_is_none(epoch: str, base: Base, kb: Run) -> None:
    done = kb("build", "--force", cwd=base.folder, SOURCE_DATE_EPOCH=epoch)
    assert done.returncode == 1
    assert "SOURCE_DATE_EPOCH" in done.stderr
    assert base.found("zerowy") == ["one-pilot"]


# A process of its own, as every `kb build` is: a copy of one whose threads read would wait for locks that they held.
BUILDER = """
import sys
from pathlib import Path
from tests.reliability.conftest import Base
base = Base(Path(sys.argv[1]))
for number in range(10_000):
    base.edit(f"kolejny{number}")
    base.build(anew=number % 3 == 2)
    print(number, flush=True)
"""


def test_a_thousand_readers_while_builds_take_each_others_place(base: Base, kb: Run) -> None:
    """Every reader gets the answer of one whole build, and none is told that anything is missing."""

    def read(number: int) -> None:
        said: list[str] = []
        if number % 2:
            assert find_ruling(base.places, "one-pilot", said.append).id == "one-pilot"
        else:
            answer = search(base.places, "pilot", game=None, lang=None, limit=5, say=said.append)
            assert "one-pilot" in [hit.ruling.id for hit in answer.results]
        assert not [one for one in said if "changed since" not in one], said
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
            for _ in range(10):
                list(pool.map(read, range(100)))
                built.append(builder.stdout.readline())
            seen = [kb("search", "pilot", "--json", cwd=base.folder) for _ in range(4)]
        finally:
            builder.kill()
    assert all(one.strip().isdigit() for one in built)
    for one in seen:
        assert one.returncode == 0
        assert "building the index" not in one.stderr
