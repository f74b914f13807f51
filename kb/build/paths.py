"""Where things are: the records, what is derived from them, the templates."""

from __future__ import annotations

import hashlib
import os
import re
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from kb.core.problems import KbError, NotBuilt
from kb.records.roots import is_root

_PACKAGE = Path(__file__).resolve().parent.parent
# Looking at a file's time takes some 5 µs; at most this many keep a search quick in a base of any size.
_LOOKED_AT = 5_000
# Builds are counted; a longer number is none of ours.
_DIGITS = 12
# Clocks of a file system may go so many seconds before the machine's.
_AHEAD = 2
_PACKED = _PACKAGE / "_data"
# The templates that came with the package, or with the checkout.
PACKAGED = (
    _PACKED / "templates" if (_PACKED / "templates").is_dir() else _PACKAGE.parent / "templates"
)


@dataclass(frozen=True)
class Paths:
    """`rulings`: the folder of records. `data`: what `kb build` derives from them for searching, and which build is current."""

    rulings: Path
    data: Path

    @property
    def current(self) -> Path:
        """The folder of the current build: kb.sqlite, forms.sqlite, index/. Raises NotBuilt when there is none."""
        try:
            name = (self.data / "current").read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            raise NotBuilt("nothing is built yet") from None
        folder = self.data / "builds" / name[:_DIGITS]
        if not re.fullmatch(r"[0-9]+", name) or len(name) > _DIGITS or not folder.is_dir():
            raise NotBuilt("the current build is gone")
        return folder

    def changed_since_build(self) -> bool:
        """Whether a record has been written since the current build, as far as a quick look at the first files tells.

        Times to come tell nothing of a record, and of a build that it may be older than it says: clocks are put right.
        """
        now = time.time() + _AHEAD
        built = _written(self.data / "current")
        if built is None or built > now:
            return built is not None
        files = (
            path
            for pattern in ("*/*.yaml", "*/*.tsv", "*/*/*.md")
            for path in self.rulings.glob(pattern)
        )
        return any(built < (_written(path) or 0) <= now for path in islice(files, _LOOKED_AT))


def _written(path: Path) -> float | None:
    """When a file was last written; None when it is gone."""
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def find_paths(rulings: Path | None = None) -> Paths:
    """The places of the records in `rulings`; by default KB_RULINGS, else ./rulings, else the records that came with the package.

    Derived data lies beside the records in `.kb/`, or in the user's cache when that cannot be written.
    Raises KbError without records.
    """
    named = rulings or (Path(os.environ["KB_RULINGS"]) if os.environ.get("KB_RULINGS") else None)
    if named is not None:
        if not named.is_dir():
            raise KbError(
                f"{named}: no such folder; --rulings names a folder of games, each with a game.yaml"
            )
        root = named
    elif is_root(Path("rulings")):
        root = Path("rulings")
    else:
        root = next(
            (one for one in (_PACKED / "rulings", _PACKAGE.parent / "rulings") if is_root(one)),
            None,
        ) or Path("rulings")
        if not is_root(root):
            raise KbError(
                "no records found; run in a folder that has rulings/, or name one with --rulings DIR"
            )
    return Paths(root, _data_of(root))


def _data_of(root: Path) -> Path:
    whole = root.resolve()
    if os.environ.get("KB_DATA"):
        return Path(os.environ["KB_DATA"])
    beside = whole.parent / ".kb" / whole.name
    if _PACKAGE not in whole.parents and (beside.is_dir() or os.access(whole.parent, os.W_OK)):
        return beside
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "kb" / f"{whole.name}-{hashlib.sha256(str(whole).encode()).hexdigest()[:12]}"


def find_templates(rulings: Path) -> Path:
    """The folder of templates: beside the records where there is one, else the package's, else the checkout's."""
    beside = rulings.resolve().parent / "templates"
    return beside if (beside / "base.html").is_file() else PACKAGED
