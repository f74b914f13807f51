"""A base with the engine that is published, and the fixtures of the server tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from tests.conftest import BuildOnce
from tests.server.conftest import application, built, client, fresh  # noqa: F401


def places(folder: Path) -> Paths:
    return Paths(folder / "rulings", folder / "data")


@pytest.fixture(scope="session")
def made(good_root: Path, build_once: BuildOnce) -> Path:
    """A folder with records, a site and a build with the engine that is published."""

    def fill(folder: Path) -> None:
        shutil.copytree(good_root, folder / "rulings")
        build(places(folder), folder / "site", engine="database")

    return build_once("published-base", fill)


@pytest.fixture
def base(made: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(made, tmp_path / "base"))
