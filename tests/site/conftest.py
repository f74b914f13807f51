"""Built sites: the small game with everything that a site may have, and the project's rulings."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb.pipeline.build import build
from kb.site.settings import SiteOptions
from tests.conftest import GOOD, BuildOnce, paths_of

BASE = "https://example.org/kb"
REPORT = "https://example.org/new?title={id}&body={text}"


@pytest.fixture(scope="session")
def small(build_once: BuildOnce) -> Path:
    """The small game's site in all languages, which knows its address."""

    def fill(folder: Path) -> None:
        # Away from this repository, whose history would stand on the pages.
        shutil.copytree(GOOD, folder / "rulings")
        (folder / "site.yaml").write_text(f"report: {REPORT}\n", encoding="utf-8")
        options = SiteOptions(BASE, ("en", "cs", "pl", "ru", "sk"))
        build(paths_of(folder), folder / "site", site=options)

    return build_once("site-with-addresses", fill) / "site"


@pytest.fixture(scope="session")
def whole(real_base: Path) -> Path:
    """The site of the project's rulings, which knows no address."""
    return real_base / "site"


def read(path: Path) -> str:
    """The text of a page; the folder of a page stands for it."""
    return (path / "index.html" if path.is_dir() else path).read_text(encoding="utf-8")
