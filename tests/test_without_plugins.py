"""The core needs no plug-in: a copy of the project without them passes its tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PROJECT

FOLDERS = sorted(path.parent.name for path in (PROJECT / "kb" / "plugins").glob("*/__init__.py"))
# What a copy consists of, and the tests that run in it.
COPIED = "kb templates rulings tests .github pyproject.toml README.md LICENSE".split()
TESTS = ("tests/commands", "tests/help", "tests/test_architecture.py")


@pytest.mark.thorough
def test_the_core_needs_no_plugin(tmp_path: Path) -> None:
    for name in COPIED:
        source = PROJECT / name
        if source.is_dir():
            skipped = shutil.ignore_patterns("__pycache__", "_data")
            shutil.copytree(source, tmp_path / name, ignore=skipped)
        else:
            shutil.copy(source, tmp_path / name)
    for folder in FOLDERS:
        for place in (tmp_path / "kb" / "plugins", tmp_path / "tests" / "plugins"):
            shutil.rmtree(place / folder)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *TESTS, "-n", "0", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**clean, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
