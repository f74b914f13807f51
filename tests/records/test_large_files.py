"""Files of junk are not read whole."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from pathlib import Path

from kb.records.syntax import MAX_BYTES
from tests.conftest import GOOD


def test_a_sparse_file_and_junk_are_not_read_whole(tmp_path: Path) -> None:
    """In a process with little memory: 10 GB that take no room, and 90 MB of junk."""
    shutil.copytree(GOOD, tmp_path / "rulings")
    game = tmp_path / "rulings" / "demo"
    for path in (game / "pilots" / "huge.md", game / "cards.tsv"):
        with path.open("wb") as file:
            file.truncate(10_000_000_000)
    for number in range(6):
        with (game / "pilots" / f"junk{number}.md").open("wb") as file:
            file.write(b"\x00\xff" * (MAX_BYTES // 2 - 10))
    (tmp_path / "loose").mkdir()
    shutil.move(game / "pilots" / "junk0.md", tmp_path / "loose")
    with (tmp_path / "loose" / "huge.md").open("wb") as file:
        file.truncate(10_000_000_000)

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))

    for folder in ("rulings", "loose"):
        run = subprocess.run(
            [sys.executable, "-m", "kb", "check", str(tmp_path / folder)],
            check=False,
            capture_output=True,
            text=True,
            preexec_fn=little_memory,
        )
        assert run.returncode == 1, run.stderr
        assert "Traceback" not in run.stderr
        assert "huge.md:1: larger than 16 MB" in run.stdout
