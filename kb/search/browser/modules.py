"""The browser's search modules, joined into one script.

They are classic scripts that register on one object, in any order: a page opened from a file
cannot load ES modules.
"""

from __future__ import annotations

from pathlib import Path

# The folder of the modules below templates/static, and the script that they make.
FOLDER = "search-core"
SCRIPT = f"{FOLDER}.js"


def joined(static: Path) -> str:
    """The modules below `static` as one script, without comments and indentation."""
    lines = (
        line.strip()
        for path in sorted((static / FOLDER).glob("*.js"))
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"
