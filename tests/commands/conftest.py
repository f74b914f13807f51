"""A built base of the small game, as the command line makes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command_line import RunCommand
from tests.conftest import GOOD, BuildOnce


@pytest.fixture(scope="session")
def base(build_once: BuildOnce, kb: RunCommand) -> Path:
    """The small game in rulings/ with everything built; not to be changed."""

    def fill(folder: Path) -> None:
        shutil.copytree(GOOD, folder / "rulings")
        kb("build", cwd=folder)

    return build_once("command-base", fill)


@pytest.fixture()
def fresh(base: Path, tmp_path: Path) -> Path:
    """A copy of the built base that a test may change."""
    shutil.copytree(base, tmp_path / "base")
    return tmp_path / "base"
