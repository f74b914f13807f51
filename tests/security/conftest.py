"""The site, the pack and the index of a game of which every field is an attack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.hostile import build_all


@pytest.fixture(scope="session")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `build_all` makes it."""
    return build_all(tmp_path_factory.mktemp("evil"))
