"""Paths of a base: its records, its builds, its templates."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kb.core.files import user_cache
from kb.core.problems import KbError, WrongUsage
from kb.pipeline.data_folder import CURRENT, current_build
from kb.records.roots import is_root
from kb.site.templates import PACKAGED, Templates

_PACKAGE = Path(__file__).resolve().parent.parent
# At most this many files, 5 µs each, are looked at before a search.
_MOST_FILES = 5_000
_PACKED = _PACKAGE / "_data"
_HERE = Path("rulings")


@dataclass(frozen=True)
class Paths:
    """The folders of a base.

    `rulings`: its records. `data`: the builds that `kb build` derives from them.
    `is_packaged`: the records are the games shipped with kb.
    """

    rulings: Path
    data: Path
    is_packaged: bool = False

    @property
    def current(self) -> Path:
        """The folder of the current build; raises NotBuilt without a build."""
        return current_build(self.data)

    def changed_since_build(self) -> Path | None:
        """Return a record written since the current build; looks at _MOST_FILES files at most."""
        built = _written(self.data / CURRENT)
        files = (
            path
            for pattern in ("*/*.yaml", "*/*.tsv", "*/*/*.md")
            for path in self.rulings.glob(pattern)
        )
        changed = (path for path in islice(files, _MOST_FILES) if _written(path) > built)
        return next(changed, None) if built else None


def _written(path: Path) -> float:
    """The modification time of a file; 0 if it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def find_paths(rulings: Path | None = None) -> Paths:
    """The paths of a base: `rulings`, else KB_RULINGS, ./rulings, or the packaged records.

    Builds lie in `.kb/` next to the records, or in the user's cache if that folder is not writable.
    Raises KbError without records.
    """
    named = rulings or (Path(os.environ["KB_RULINGS"]) if os.environ.get("KB_RULINGS") else None)
    if named is not None:
        if not named.is_dir():
            raise WrongUsage(
                f"{named}: no such folder; --rulings names a folder of games, each with a game.yaml"
            )
        if not os.access(named, os.R_OK | os.X_OK):
            raise WrongUsage(f"{named}: this folder cannot be read; check its permissions")
        return Paths(named, _data_of(named))
    if is_root(_HERE):
        return Paths(_HERE, _data_of(_HERE))
    for root in (_PACKED / "rulings", _PACKAGE.parent / "rulings"):
        if is_root(root):
            return Paths(root, _data_of(root), is_packaged=True)
    raise KbError(f"no records found; {where_records_are()}")


def where_records_are() -> str:
    """Return advice for a folder without records, which may lie inside a base."""
    here = Path.cwd()
    base = next((folder for folder in here.parents if is_root(folder / _HERE)), None)
    if base:
        return f"this folder is inside the base {base}; run kb there"
    return "run in a folder that has rulings/, or name one with --rulings DIR"


def _data_of(root: Path) -> Path:
    whole = root.resolve()
    if os.environ.get("KB_DATA"):
        return Path(os.environ["KB_DATA"])
    local = whole.parent / ".kb" / whole.name
    if _PACKAGE not in whole.parents and (local.is_dir() or os.access(whole.parent, os.W_OK)):
        return local
    return user_cache() / f"{whole.name}-{hashlib.sha256(str(whole).encode()).hexdigest()[:12]}"


def own_templates(rulings: Path) -> Path:
    """The folder for templates next to the records; it may be missing."""
    return rulings.resolve().parent / "templates"


def find_templates(rulings: Path) -> Templates:
    """The packaged templates, overridden by the base's own."""
    folder = own_templates(rulings)
    own = (folder,) if folder.is_dir() and folder != PACKAGED.resolve() else ()
    return Templates((*own, PACKAGED))
