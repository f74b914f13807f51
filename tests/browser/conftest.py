"""A real browser: chromium, google-chrome or KB_BROWSER; where KB_REQUIRE_BROWSER is set, a missing one fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --virtual-time-budget=60000 --dump-dom"
).split()
Dom = Callable[[str], str]


@pytest.fixture(scope="session")
def dom(tmp_path_factory: pytest.TempPathFactory) -> Dom:
    """Opens an address and gives the page as it stands after its scripts."""
    program = os.environ.get("KB_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        if os.environ.get("KB_REQUIRE_BROWSER"):
            pytest.fail("KB_REQUIRE_BROWSER is set and there is no chromium, google-chrome or KB_BROWSER")
        pytest.skip("no chromium, google-chrome or KB_BROWSER: the pages were NOT tried in a browser")
    profile = tmp_path_factory.mktemp("browser")

    def run(address: str) -> str:
        flags = [*FLAGS, f"--user-data-dir={profile}"]
        return subprocess.run([program, *flags, address], capture_output=True, text=True, timeout=120, check=True).stdout

    return run


def element(page: str, name: str) -> str:
    """The text of the element with an id."""
    found = re.search(rf'id="{name}"[^>]*>([^<]*)<', page)
    assert found, f"no element {name} in the page"
    return unescape(found[1])


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, rulings_root: Path) -> Path:
    """The project's rulings, built: the site in site/, what searching needs in data/."""
    from kb.commands.build import build
    from kb.commands.places import Places

    folder = tmp_path_factory.mktemp("built")
    build(Places(rulings_root, folder / "data"), folder / "site")
    return folder
