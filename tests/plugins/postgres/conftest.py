"""A server of PostgreSQL, a base with the engine that is published, and `kb serve --database`."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from kb.pipeline.build import build
from kb.server.run import Settings, application
from tests.conftest import GOOD, BuildOnce, paths_of
from tests.plugins.postgres.cluster import Cluster, cluster, new_database
from tests.serving import Running


@pytest.fixture(scope="session")
def own_cluster() -> Iterator[Cluster]:
    """A server of PostgreSQL that a test may stop and start."""
    with cluster() as server:
        yield server


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> str:
    """The URL of a server where databases may be created: KB_TEST_DATABASE, or our own."""
    named = os.environ.get("KB_TEST_DATABASE")
    return named or request.getfixturevalue("own_cluster").url


@pytest.fixture
def database(postgres: str) -> str:
    """The URL of an empty database."""
    return new_database(postgres)


@pytest.fixture(scope="session")
def made(build_once: BuildOnce) -> Path:
    """A folder with records, a site and a build with the engine that is published."""
    return build_once("published-base", fill)


@pytest.fixture(scope="session")
def changed(build_once: BuildOnce) -> Path:
    """The same with another title of demo/one-pilot: "Drugi tytuł"."""
    return build_once("changed-base", partial(fill, title="Drugi tytuł"))


def fill(folder: Path, title: str = "") -> None:
    shutil.copytree(GOOD, folder / "rulings")
    record = folder / "rulings" / "demo" / "pilots" / "one-pilot.md"
    if title:
        text = record.read_text(encoding="utf-8")
        record.write_text(re.sub("# pl: .*", f"# pl: {title}", text), encoding="utf-8")
    build(paths_of(folder), folder / "site", engine="database")


def server_of(url: str, site: Path = Path("nowhere")) -> Running:
    """`kb serve --database URL --output SITE`."""
    return Running(application(Settings(site, None, database=url)))
