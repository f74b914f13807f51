"""The browser that tests and benchmarks drive."""

from __future__ import annotations

import os
import shutil

# The shell has no windows and no interface, and needs half the processor time of the whole browser.
PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
MISSING = f"there is no {', '.join(PROGRAMS)} or KB_BROWSER"


def find_browser() -> str | None:
    """The browser that KB_BROWSER names, else the first one installed; None without any."""
    return os.environ.get("KB_BROWSER") or next(filter(None, map(shutil.which, PROGRAMS)), None)
