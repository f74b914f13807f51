"""What makes many tests quicker: files in memory, no forks, less garbage collection."""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path

import pytest

# The file system in memory of Linux, and the room on it that a whole run needs with much to spare.
_MEMORY, _ROOM = Path("/dev/shm"), 1 << 30


def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect garbage less often, do not fork, and keep the files of tests in memory.

    The processes of a run use all cores already, and are so large that a fork of one costs as much
    as a build of the small game. Processes that tests start, and tests that say otherwise, fork.
    Every test creates and deletes hundreds of files. On a file system without a journal, where
    Linux reuses no place in the list of files for a while, that took a sixth of a run's time.
    """
    gc.set_threshold(50_000, 20, 50)
    patch = pytest.MonkeyPatch()
    patch.setattr(os, "cpu_count", lambda: 1)
    session.config.add_cleanup(patch.undo)
    if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than processors: tests also wait for browsers, servers and databases."""
    return (os.cpu_count() or 1) + 1
