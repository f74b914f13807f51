"""Files of rulings read in several processes, for a build that has no earlier one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from kb.core import parallel
from kb.core.problems import posix_path
from kb.pipeline.cache import Row
from kb.pipeline.parsed import CachedFiles, ParsedRuling, file_blob, parsed_ruling, read_row
from kb.records.reread import good_rulings

# Files that one process reads at a time; where there are fewer, reading them here is as quick.
_CHUNK = 500


def read_files(root: Path, checksums: Mapping[str, str]) -> CachedFiles | None:
    """The rulings below `root` that are good by themselves; None for few files or one core.

    `checksums`: those of the files that were taken just now, by path below `root`. A file that has
    another one now, or has a problem, is left to whoever reads the records one after another.
    """
    paths = [path for path in checksums if path.endswith(".md") and path.count("/") == 2]
    if parallel.cpu_count() < 2 or len(paths) < 2 * _CHUNK:
        return None
    chunks = [paths[start : start + _CHUNK] for start in range(0, len(paths), _CHUNK)]
    above = posix_path(root / "_").removesuffix("_")
    rows: dict[str, Row] = {}
    by_path: dict[str, list[ParsedRuling]] = {}
    for blobs in parallel.parallel_map(partial(_read_chunk, root, checksums), chunks):
        for path, blob in blobs.items():
            rows[path] = Row(checksums[path], blob)
            by_path[path] = read_row(rows[path], above + path)
    return CachedFiles({"file": rows}, by_path, are_checked=False)


def _read_chunk(root: Path, checksums: Mapping[str, str], paths: Sequence[str]) -> dict[str, bytes]:
    """What the rows of the stage `file` have of those files that have no problem."""
    blobs = {}
    for path in paths:
        rulings = _read_file(root / path, path, checksums[path])
        if rulings:
            blobs[path] = file_blob(rulings)
    return blobs


def _read_file(file: Path, path: str, checksum: str) -> list[ParsedRuling]:
    """The rulings of a file; none where it has a problem or is no plain file."""
    try:
        data = b"" if file.is_symlink() else file.read_bytes()
    except OSError:
        return []
    if hashlib.sha256(data).hexdigest() != checksum:
        return []
    game, topic, _ = path.split("/")
    return [*map(parsed_ruling, good_rulings(data, posix_path(file), game, topic))]
