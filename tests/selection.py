"""How tests run: which of them, with how many random examples, and what makes them quicker.

`pytest` runs everything that is not marked `thorough`; `pytest --all`, a marker expression or the
name of a test (`file.py::test`) run the others too.
"""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# Derandomized: a run tries the same examples every time, so that none depends on luck.
settings.register_profile("fast", max_examples=30, derandomize=True, database=None, deadline=None)
settings.register_profile("thorough", settings.get_profile("fast"), max_examples=400)


def examples(share: float) -> settings:
    """Settings of a property test with a share of the examples of the run's profile."""
    return settings(max_examples=max(5, round(settings.default.max_examples * share)))


def thorough(*values: object) -> list[Any]:
    """Values of a parameter, or tuples of several, that only a thorough run tries."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else [value]), marks=pytest.mark.thorough)
        for value in values
    ]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="run the tests marked thorough too, with more examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("thorough" if config.getoption("--all") else "fast")


def leaves_out_thorough(config: pytest.Config) -> bool:
    named = any("::" in argument for argument in config.args)
    return not (config.getoption("--all") or config.getoption("markexpr") or named)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if leaves_out_thorough(config):
        left_out = [item for item in items if item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if leaves_out_thorough(config):
        terminalreporter.write_line("left out: thorough tests; run them with: pytest --all")


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
