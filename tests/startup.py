"""What makes many tests in one process quicker: less garbage collection, libraries loaded once."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

_MANY = 300


def pytest_sessionstart(session: pytest.Session) -> None:
    """Go through the many objects of all libraries and tests less often."""
    gc.set_threshold(50_000, 20, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than processors: tests also wait for browsers, servers and databases."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish(session: pytest.Session) -> None:
    """Build the small game before many tests, without processes of its own.

    A build's processes inherit the libraries and dictionaries that this loads: every build of a
    test would load them again.
    """
    if len(session.items) < _MANY or session.config.option.collectonly:
        return
    from kb.build.paths import Paths
    from kb.build.pipeline import build

    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        patch.setattr("kb.core.parallel.cpu_count", lambda: 1)
        shutil.copytree(Path(__file__).parent / "records" / "good", folder / "rulings")
        # What is wrong with a build is for the tests to say.
        with suppress(Exception):
            build(Paths(folder / "rulings", folder / "data"), folder / "site")
