"""The browser that tests and benchmarks drive, and its scripts without one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

# The shell has no windows and no interface, and needs half the processor time of the whole browser.
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
MISSING = f"there is no {', '.join(PROGRAMS)} or KB_BROWSER"


def find_browser() -> str | None:
    """The browser that KB_BROWSER names, else the first one installed; None without any."""
    return os.environ.get("KB_BROWSER") or next(filter(None, map(shutil.which, PROGRAMS)), None)


def run_node(*words: str | Path) -> Any:
    """What a script prints as JSON when Node runs it; without Node the test is skipped."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no node: the browser's scripts were NOT tried")
    done = subprocess.run([node, *words], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
