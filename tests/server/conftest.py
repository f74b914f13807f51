"""The built small game behind the application, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.serving import site


@pytest.fixture(scope="module")
def client(small_base: Path) -> Iterator[TestClient]:
    """A client of the server of the small game."""
    with TestClient(site(small_base / "site"), base_url="http://127.0.0.1") as client:
        yield client
