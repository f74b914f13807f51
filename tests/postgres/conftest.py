"""A base with the engine that is published, and the fixtures of the server tests."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from tests.conftest import GOOD, BuildOnce

Answer = TypeVar("Answer")


def places(folder: Path) -> Paths:
    return Paths(folder / "rulings", folder / "data")


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
    build(places(folder), folder / "site", engine="database")


def until(ask: Callable[[], Answer], is_wanted: Callable[[Answer], bool]) -> Answer:
    """Ask until an answer is wanted, for a minute at most; the last answer."""
    end = time.monotonic() + 60
    while not is_wanted(answer := ask()) and time.monotonic() < end:
        time.sleep(0.02)
    return answer
