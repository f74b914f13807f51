"""When a record was last changed, from the git history of the records where there is one."""

from __future__ import annotations

import subprocess
from pathlib import Path

_TIMEOUT = 60


def changed(root: Path) -> dict[str, str]:
    """The moment of the last commit (ISO 8601) that changed each file, by its path below `root`; empty without git.

    What is not committed yet has no moment.
    """
    command = ["git", "log", "--no-renames", "--relative", "--name-only", "--format=%x00%cI", "-z", "--", "."]
    try:
        run = subprocess.run(command, cwd=root, capture_output=True, timeout=_TIMEOUT, check=True, text=True, encoding="utf-8")
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return {}
    found: dict[str, str] = {}
    moment = ""
    for piece in run.stdout.split("\0"):
        name = piece.strip("\n")
        if len(name) == 25 and name[10] == "T":
            moment = name
        elif name:
            found.setdefault(name, moment)
    return found
