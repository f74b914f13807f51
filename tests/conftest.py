"""What several tests share: the small game, and the project's own records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.records.library import Library, load

# Builds bear their date; a day of its own keeps snapshots what they are.
os.environ["SOURCE_DATE_EPOCH"] = "1767225600"
HERE = Path(__file__).parent
PROJECT = HERE.parent
GOOD = HERE / "records" / "good"
SHARED = PROJECT.parent / "shared"


@pytest.fixture(scope="session")
def good_root() -> Path:
    """The folder of the small game."""
    return GOOD


@pytest.fixture(scope="session")
def good() -> Library:
    """The small game, read."""
    return load(GOOD)


@pytest.fixture(scope="session")
def rulings_root() -> Path:
    """The folder of the project's own rulings."""
    return PROJECT / "rulings"


@pytest.fixture(scope="session")
def rulings(rulings_root: Path) -> Library:
    """The project's own rulings, read."""
    return load(rulings_root)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the source documents and catalogues, beside the checkout; tests that need it are skipped without."""
    if not (SHARED / "sources" / "outline.tsv").is_file():
        pytest.skip("the source documents are not beside the checkout (../shared)")
    return SHARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server: that of KB_TEST_DATABASE, where databases may be made, or one for these tests."""
    named = os.environ.get("KB_TEST_DATABASE")
    if named:
        yield named
        return
    from tests.cluster import cluster

    with cluster() as made:
        yield made.url


@pytest.fixture
def database(postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty database; what readers keep of it goes with the test."""
    from tests.cluster import new_database

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return new_database(postgres)
