"""The command line, whose exit codes are not checked."""

from __future__ import annotations

import pytest

from tests.command_line import RunCommand, call_kb


@pytest.fixture(scope="session")
def kb() -> RunCommand:
    """Call `kb` in this process, whatever its exit code."""
    return call_kb
