"""kill -9 at any moment of a build leaves the old or the new one, and the next build succeeds."""

from __future__ import annotations

import multiprocessing
import os
import time
from functools import partial

import pytest

from kb.core.problems import KbError
from kb.pipeline import data_folder
from kb.pipeline.data_folder import build_lock
from tests.command_line import RunCommand
from tests.reliability.conftest import Base, is_killed_at
from tests.selection import thorough

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def changes_places(event: str, arguments: tuple[object, ...]) -> bool:
    """A rename of what is finished, an exchange, the removal of an old folder."""
    return (
        (event == "os.rename" and ".kb-new-" not in str(arguments[1]))
        or (event == "ctypes.dlsym" and arguments[1] == "renameat2")
        or event == "shutil.rmtree"
    )


@pytest.mark.parametrize("step", [4, *thorough(1)])
def test_a_build_is_killed_where_something_takes_anothers_place(step: int, base: Base) -> None:
    old, number = "zerowy", 0
    while True:
        new = f"wyraz{number}abc"
        base.edit(new)
        is_killed = is_killed_at(number, changes_places, base.build)
        base.check_data()
        base.check_site()
        if not is_killed:
            break
        found = base.found(new), base.found(old)
        assert sorted(found) == [[], ["one-pilot"]], "the index is one build's"
        base.build()
        # Killed when all was in its place but for the removal of what is old: a build that has
        # nothing to do leaves that, and the lock file of a staging directory, to the next.
        assert not [name for name in base.litter(most=3) if not name.endswith(".lock")]
        assert base.found(new) == ["one-pilot"]
        base.check_site()
        base.check_data()
        old, number = new, number + step
    assert number >= 4 and base.found(new) == ["one-pilot"]
    assert not base.litter()


def test_a_killed_build_takes_its_processes_with_it(base: Base) -> None:
    base.edit("inny")
    assert is_killed_at(30, lambda event, _: event == "open", partial(base.build, force=True))
    # None is left that would hold the lock, or write on into what the next build clears away.
    base.build()
    assert not base.litter()


def test_two_builds_at_once(base: Base, kb: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is refused while the first lives; the lock of a killed one hinders nobody."""
    monkeypatch.setattr(data_folder, "_PATIENCE", 0.3)
    base.edit("inny")
    context = multiprocessing.get_context("fork")
    locked = context.Event()

    def hold() -> None:
        with build_lock(base.places.data):
            locked.set()
            time.sleep(600)

    holder = context.Process(target=hold, daemon=True)
    holder.start()
    try:
        assert locked.wait(60)
        done = kb("build", cwd=base.folder)
        assert done.returncode == 1
        assert "another build is at work" in done.stderr
        assert "wait for it to end" in done.stderr
        with pytest.raises(KbError, match="another build"):
            base.build()
        assert base.found("zerowy") == ["one-pilot"]
        assert kb("search", "zerowy", cwd=base.folder).returncode == 0
    finally:
        holder.kill()
        holder.join()
    assert kb("build", cwd=base.folder).returncode == 0
    assert base.found("inny") == ["one-pilot"]
