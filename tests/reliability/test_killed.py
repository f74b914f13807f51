"""kill -9 at any moment of a build: what was there or what comes is whole, and the next build goes on as if nothing had been."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from kb.build.staging import build_lock, staging_directory
from kb.core.problems import KbError
from tests.command_line import RunCommand
from tests.reliability.conftest import Base

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def _forked(work: Callable[[], None]) -> int:
    """Does work in a process of its own, as a command would; its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        work()
        code = 0
    finally:
        os._exit(code)


def _length(base: Base) -> float:
    """How long a build takes that is left alone: the second of two, when everything is loaded."""
    for word in ("pierwszyabc", "drugiabc"):
        base.edit(word)
        start = time.perf_counter()
        os.waitpid(_forked(base.build), 0)
        took = time.perf_counter() - start
    return took


def _kill(base: Base, moments: int, seed: int) -> None:
    chance = random.Random(seed)
    took = _length(base)
    before, killed, swapped = base.check_site(), 0, 0
    word = "drugiabc"
    for number in range(moments):
        new = f"wyraz{number}abc"
        base.edit(new)
        child = _forked(partial(base.build, anew=number % 2 == 0))
        # Spread over the whole run, and by chance within its share of it.
        time.sleep(took * 1.1 * (number + chance.random()) / moments)
        os.kill(child, signal.SIGKILL)
        killed += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        base.check_data()
        now = base.check_site()
        found = base.found(new), base.found(word)
        assert sorted(found) == [[], ["one-pilot"]], "the index is one build's"
        swapped += now != before
        base.build()
        # Killed when everything was in its place but the last but one, which waits for the next that has something to do.
        assert not base.litter(most=3)
        assert base.found(new) == ["one-pilot"]
        before, word = base.check_site(), new
        base.check_data()
    base.build(anew=True)
    assert not base.litter()
    assert killed > moments // 3, "the moments lie within the build"


def test_a_build_is_killed_at_fifty_moments(base: Base) -> None:
    _kill(base, 50, 2)


def test_a_killed_build_takes_its_processes_with_it(base: Base) -> None:
    base.edit("inny")
    child = _forked(lambda: base.build(anew=True))
    deadline = time.monotonic() + 30
    while not list((base.places.data / "builds").glob(".kb-new-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    # None is left that would hold the lock, or write on into what the next build clears away.
    base.build()
    assert not base.litter()


def test_what_is_at_work_is_not_cleared_away(tmp_path: Path) -> None:
    with staging_directory(tmp_path) as one:
        (one / "kept").write_text("x", encoding="utf-8")
        script = f"from pathlib import Path\nfrom kb.build.staging import staging_directory\nwith staging_directory(Path({str(tmp_path)!r})) as made: pass"
        subprocess.run([sys.executable, "-c", script], check=True)
        assert (one / "kept").is_file()
        dead = tmp_path / ".kb-new-dead"
        dead.mkdir()
        with staging_directory(tmp_path) as other:
            assert other != one
            assert not dead.exists()
            assert (one / "kept").is_file()
    assert list(tmp_path.iterdir()) == []


def test_two_builds_at_once(base: Base, kb: RunCommand) -> None:
    base.edit("inny")
    with build_lock(base.places.data):
        done = kb("build", cwd=base.folder)
        assert done.returncode == 1
        assert "another build is at work" in done.stderr
        assert "wait for it to end" in done.stderr
        assert base.found("zerowy") == ["one-pilot"]
        with pytest.raises(KbError, match="another build"):
            base.build()
        assert kb("search", "zerowy", cwd=base.folder).returncode == 0
    assert kb("build", cwd=base.folder).returncode == 0
    assert base.found("inny") == ["one-pilot"]


def test_the_lock_of_a_build_that_was_killed_hinders_nobody(base: Base) -> None:
    script = "import sys, time\nfrom pathlib import Path\nfrom kb.build.staging import build_lock\nwith build_lock(Path(sys.argv[1])):"
    script += "\n    print('held', flush=True)\n    time.sleep(600)"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(base.places.data)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        base.edit("inny")
        with pytest.raises(KbError, match="another build"):
            base.build()
        holder.kill()
    base.build()
    assert base.found("inny") == ["one-pilot"]
