"""`kb new base`: a starting repository with one small game, a site.yaml and a workflow."""

from __future__ import annotations

from pathlib import Path

from kb.core.files import write_file
from kb.core.problems import KbError, posix_path

STARTER = Path(__file__).resolve().parent / "starter"
# Names that begin with a dot have this instead: some tools leave hidden files out of packages.
_DOT = "dot-"


def new_base(folder: Path) -> list[Path]:
    """Write the files of a new base into a folder, which is new or empty; return their paths.

    Raises KbError for a folder that has files, or cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise KbError(f"{posix_path(folder)}: not empty; choose an empty or new folder")
        written = []
        for source in sorted(path for path in STARTER.rglob("*") if path.is_file()):
            parts = [_visible(part) for part in source.relative_to(STARTER).parts]
            target = folder.joinpath(*parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            write_file(target, source.read_bytes(), exclusive=True)
            written.append(target)
        return written
    except OSError as error:
        raise KbError(f"{error.filename or folder}: {error.strerror or error}") from error


def _visible(part: str) -> str:
    return f".{part.removeprefix(_DOT)}" if part.startswith(_DOT) else part
