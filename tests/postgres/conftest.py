"""A base with the engine that is published, and the fixtures of the server tests."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from tests.conftest import BuildOnce
from tests.server.conftest import application, built, client, fresh  # noqa: F401

Answer = TypeVar("Answer")


def places(folder: Path) -> Paths:
    return Paths(folder / "rulings", folder / "data")


@pytest.fixture(scope="session")
def made(good_root: Path, build_once: BuildOnce) -> Path:
    """A folder with records, a site and a build with the engine that is published."""

    def fill(folder: Path) -> None:
        shutil.copytree(good_root, folder / "rulings")
        build(places(folder), folder / "site", engine="database")

    return build_once("published-base", fill)


@pytest.fixture(scope="session")
def changed(good_root: Path, build_once: BuildOnce) -> Path:
    """The same with another title of demo/one-pilot: "Drugi tytuł"."""

    def fill(folder: Path) -> None:
        shutil.copytree(good_root, folder / "rulings")
        record = folder / "rulings" / "demo" / "pilots" / "one-pilot.md"
        text = re.sub("# pl: .*", "# pl: Drugi tytuł", record.read_text(encoding="utf-8"))
        record.write_text(text, encoding="utf-8")
        build(places(folder), folder / "site", engine="database")

    return build_once("changed-base", fill)


def until(ask: Callable[[], Answer], is_wanted: Callable[[Answer], bool]) -> Answer:
    """Ask until an answer is wanted, for a minute at most; the last answer."""
    end = time.monotonic() + 60
    while not is_wanted(answer := ask()) and time.monotonic() < end:
        time.sleep(0.02)
    return answer
