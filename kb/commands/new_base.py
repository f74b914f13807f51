"""`kb new base`: a starting repository with one small game, a site.yaml and a workflow."""

from __future__ import annotations

from pathlib import Path

from kb.core.files import write_new_files
from kb.core.problems import KbError, posix_path

STARTER = Path(__file__).resolve().parent / "starter"
# Names that begin with a dot have this instead: some tools leave hidden files out of packages.
_DOT = "dot-"


def new_base(folder: Path) -> list[Path]:
    """Write the files of a new base into a folder, which is new or empty; return their paths.

    What a run that was killed has left is completed. Raises KbError for a folder that has other
    files, or cannot be written.
    """
    contents = {
        folder.joinpath(*map(_visible, source.relative_to(STARTER).parts)): source.read_bytes()
        for source in sorted(path for path in STARTER.rglob("*") if path.is_file())
    }
    try:
        write_new_files(folder, contents)
        return list(contents)
    except FileExistsError:
        raise KbError(f"{posix_path(folder)}: not empty; choose an empty or new folder") from None
    except OSError as error:
        raise KbError(f"{error.filename or folder}: {error.strerror or error}") from error


def _visible(part: str) -> str:
    return f".{part.removeprefix(_DOT)}" if part.startswith(_DOT) else part
