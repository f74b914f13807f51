"""The site, the pack and the index of a game of which every field is an attack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import RunCommand, call_kb
from tests.conftest import BuildOnce
from tests.security.hostile import build_all


@pytest.fixture(scope="session")
def evil(build_once: BuildOnce) -> Path:
    """The folder that `build_all` fills; not to be changed."""
    return build_once("hostile-base", build_all)


@pytest.fixture(scope="session")
def kb() -> RunCommand:
    """Call `kb` in this process, whatever its exit code."""
    return call_kb
