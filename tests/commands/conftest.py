"""A built base of the small game, and the command line as a process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def kb() -> Run:
    """Runs `kb` with words in a folder; nothing is read from the environment's own settings."""

    def run(
        *words: str, cwd: Path, code: int | None = 0, text: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
        done = subprocess.run(  # noqa: PLW1510
            [sys.executable, "-m", "kb", *words],
            cwd=cwd,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=clean,
            input=text,
        )
        assert "Traceback" not in done.stderr, done.stderr
        if code is not None:
            assert done.returncode == code, (done.stdout, done.stderr)
        return done

    return run


@pytest.fixture(scope="session")
def base(good_root: Path, tmp_path_factory: pytest.TempPathFactory, kb: Run) -> Path:
    """A folder with the small game's records in rulings/ and everything built; not to be changed."""
    folder = tmp_path_factory.mktemp("base")
    shutil.copytree(good_root, folder / "rulings")
    kb("build", cwd=folder)
    return folder


@pytest.fixture()
def fresh(base: Path, tmp_path: Path) -> Path:
    """A copy of the built base that a test may change."""
    shutil.copytree(base, tmp_path / "base")
    return tmp_path / "base"
