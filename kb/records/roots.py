"""Folders of records."""

from __future__ import annotations

from pathlib import Path


def is_root(path: Path) -> bool:
    """Whether a folder holds at least one game (a folder with game.yaml)."""
    try:
        return path.is_dir() and any(
            (entry / "game.yaml").is_file() for entry in path.iterdir() if entry.is_dir()
        )
    except OSError:
        return False


def root_of(path: Path) -> Path | None:
    """The folder of records that a file or folder belongs to: it, or the nearest one above it."""
    here = path if path.is_dir() else path.parent
    if is_root(here):
        return here
    for folder in (here, *here.parents):
        if (folder / "game.yaml").is_file():
            return folder.parent
    return None
