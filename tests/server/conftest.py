"""The built small game behind the application, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from kb.build.paths import Paths
from kb.build.pipeline import build
from tests.serving import site


@pytest.fixture(scope="session")
def built(good_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small game in rulings/, its site in site/ and its build in data/; not to be changed."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(good_root, folder / "rulings")
    build(Paths(folder / "rulings", folder / "data"), folder / "site")
    return folder


@pytest.fixture()
def fresh(built: Path, tmp_path: Path) -> Path:
    """A copy of the built base that a test may change."""
    shutil.copytree(built, tmp_path / "base")
    return tmp_path / "base"


@pytest.fixture(scope="module")
def application(built: Path) -> ASGIApp:
    """The server of the built base."""
    return site(built / "site")


@pytest.fixture(scope="module")
def client(built: Path) -> Iterator[TestClient]:
    """A client of the server of the built base."""
    with TestClient(site(built / "site"), base_url="http://127.0.0.1") as client:
        yield client
