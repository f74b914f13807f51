"""A built base of the small game, as the command line makes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import BuildOnce


@pytest.fixture(scope="session")
def base(build_once: BuildOnce, small_base: Path) -> Path:
    """The small game in rulings/ with everything built, where `kb` looks; not to be changed."""

    def fill(folder: Path) -> None:
        for source, target in (("rulings", "rulings"), ("site", "site"), ("data", ".kb/rulings")):
            shutil.copytree(small_base / source, folder / target)

    return build_once("command-base", fill)


@pytest.fixture()
def fresh(base: Path, tmp_path: Path) -> Path:
    """A copy of the built base that a test may change."""
    shutil.copytree(base, tmp_path / "base")
    return tmp_path / "base"
