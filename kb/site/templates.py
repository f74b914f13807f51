"""The templates of a site: a base's own files override those of the package one by one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_INSTALLED = _PACKAGE / "_data" / "templates"
# The templates that came with the package, or with the checkout.
PACKAGED = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "templates"


@dataclass(frozen=True)
class Templates:
    """Folders of templates; if two folders have a file of the same name, the first folder wins."""

    folders: tuple[Path, ...]

    def __truediv__(self, name: str) -> Path:
        """Return the path of a file or folder; in the last folder if there is none."""
        paths = [folder / name for folder in self.folders]
        return next((path for path in paths if path.exists()), paths[-1])

    def status(self) -> list[tuple[str, int, int]]:
        """Paths, times and sizes, which change with the files."""
        stats = {str(path): path.stat() for folder in self.folders for path in folder.rglob("*")}
        return [(path, stat.st_mtime_ns, stat.st_size) for path, stat in sorted(stats.items())]

    def files(self, below: str) -> dict[str, Path]:
        """Return the files below a folder, with those further down, by their path from there."""
        found: dict[str, Path] = {}
        for folder in reversed(self.folders):
            start = folder / below
            for path in start.rglob("*"):
                if path.is_file():
                    found[path.relative_to(start).as_posix()] = path
        return dict(sorted(found.items()))
