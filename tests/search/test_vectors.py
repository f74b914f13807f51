"""The Python functions and the browser's modules give what `vectors.json` holds."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from kb.pipeline.paths import Paths
from kb.search.browser import settings
from tests.search.vectors import FILE, vectors

STATIC = Path(__file__).parent.parent.parent / "templates" / "static"


def test_python_gives_the_vectors(small_base: Path) -> None:
    current = Paths(small_base / "rulings", small_base / "data").current
    given = json.loads(json.dumps(vectors(current)))
    expected = json.loads(FILE.read_text(encoding="utf-8"))
    assert given.keys() == expected.keys()
    for kind in expected:
        assert given[kind] == expected[kind], kind


def test_the_browser_gives_the_vectors(small_base: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if not node:
        pytest.skip("no node: the browser's modules were NOT held to the vectors")
    script = tmp_path / settings.SCRIPT
    script.write_text(settings.joined(STATIC), encoding="utf-8")
    index = small_base / "site" / "static" / "search"
    program = Path(__file__).with_name("vectors.cjs")
    done = subprocess.run(
        [node, program, script, index, FILE],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []
