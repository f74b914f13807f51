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
    """The modules below `static` as one script."""
    return "".join(
        path.read_text(encoding="utf-8") for path in sorted((static / FOLDER).glob("*.js"))
    )
