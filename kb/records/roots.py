"""Folders of records."""

from __future__ import annotations

import os
from pathlib import Path

SITE_FILE = "site.yaml"
PAGES_FOLDER = "pages"
_STATIC_FOLDER = "static"


def is_root(path: Path) -> bool:
    """Whether a folder holds at least one game (a folder with game.yaml)."""
    try:
        return path.is_dir() and any(
            (entry / "game.yaml").is_file() for entry in path.iterdir() if entry.is_dir()
        )
    except OSError:
        return False


def root_of(path: Path) -> Path | None:
    """Return the folder of records of a file or folder, absolute: itself, or the nearest above."""
    here = path.absolute() if path.is_dir() else path.absolute().parent
    if is_root(here):
        return here
    for folder in (here, *here.parents):
        if (folder / "game.yaml").is_file():
            return folder.parent
    return None


def site_folder(rulings: Path) -> Path:
    """Return the parent of the records' folder, for site.yaml, pages/, static/ and templates/."""
    folder = rulings.resolve().parent
    # As the user named it, for problems, unless it is a link.
    return rulings.parent if rulings.parent.resolve() == folder else folder


def static_folder(rulings: Path) -> Path:
    """Return the folder of files that a build copies into the site; it may be missing."""
    return site_folder(rulings) / _STATIC_FOLDER


def has_site_files(rulings: Path) -> bool:
    """Whether site.yaml or pages lie next to the records."""
    folder = site_folder(rulings)
    return os.path.lexists(folder / SITE_FILE) or any((folder / PAGES_FOLDER).glob("*.md"))
