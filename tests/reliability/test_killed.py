"""A killed build leaves no process and no lock; see also tests/pipeline/test_folders.py."""

from __future__ import annotations

import multiprocessing
import os
import time
from functools import partial

import pytest

from kb.core.problems import KbError
from kb.pipeline import data_folder
from kb.pipeline.data_folder import staging_build
from tests.command_line import RunCommand
from tests.reliability.conftest import Base, is_killed_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


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
        with staging_build(base.places.data):
            locked.set()
            time.sleep(600)

    holder = context.Process(target=hold, daemon=True)
    holder.start()
    try:
        assert locked.wait(60)
        done = kb("build", cwd=base.folder, code=1)
        assert "another build is running" in done.stderr
        assert "wait for it to end" in done.stderr
        with pytest.raises(KbError, match="another build"):
            base.build()
        assert base.found("zerowy") == ["one-pilot"]
        kb("search", "zerowy", cwd=base.folder)
    finally:
        holder.kill()
        holder.join()
    kb("build", cwd=base.folder)
    assert base.found("inny") == ["one-pilot"]
