"""A server lives through jumps of the machine's clock: it measures time by another one."""

from __future__ import annotations

import ast
from pathlib import Path

import kb

PACKAGES = ("server", "editor", "postgres")
# The request log says what time it is.
ALLOWED = {("server/middleware.py", "now")}


def test_no_time_out_or_cache_reads_the_wall_clock() -> None:
    root = Path(kb.__file__).parent
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                wall = (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and (node.value.id, node.attr)
                    in {("time", "time"), ("time", "time_ns"), ("datetime", "now")}
                )
                assert not wall or (name, node.attr) in ALLOWED, f"{name}:{node.lineno}"  # type: ignore[attr-defined]
