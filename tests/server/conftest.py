"""The built small game behind the application, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tests.serving import site


@pytest.fixture(scope="session")
def built(small_base: Path) -> Path:
    """The small game in rulings/, site/ and data/; not to be changed."""
    return small_base


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
    """A client of the built base's server."""
    with TestClient(site(built / "site"), base_url="http://127.0.0.1") as client:
        yield client
