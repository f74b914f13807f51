"""The house: imports run one way, heavy packages stay in their rooms, modules stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kb

ROOT = Path(kb.__file__).parent
# Each room may import itself and what stands before it.
ROOMS = [
    "problems",
    "processes",
    "urls",
    "data",
    "language",
    "records",
    "importers",
    "store",
    "index",
    "site",
    "commands",
    "server",
    "cli",
    "__main__",
]
ONLY_IN = {
    "whoosh": {"index"},
    "sqlmodel": {"store"},
    "sqlalchemy": {"store"},
    "yaml": {"records", "importers"},
    "jinja2": {"site"},
    "typer": {"cli"},
    "rich": {"commands"},
    "psycopg": {"store"},
    "numpy": {"index"},
}
ONLY_IN |= {name: {"language"} for name in ("morfeusz2", "pymorphy3", "simplemma", "snowballstemmer", "Stemmer")} | {
    "nh3": {"site"},
    "markdown_it": {"site"},
}
ONLY_IN |= {name: {"server"} for name in ("fastapi", "starlette", "uvicorn", "anyio", "watchfiles", "prometheus_client")}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "_data" not in path.parts)


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_run_one_way(path: Path) -> None:
    here = room(path)
    if here == "__init__":
        return
    for name in imported(path):
        top, *rest = name.split(".")
        if top == "kb" and rest:
            other = rest[0]
            assert ROOMS.index(other) <= ROOMS.index(here), f"{here} imports {name}"
        if top in ONLY_IN:
            assert here in ONLY_IN[top], f"{here} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 450, "about 400 lines a module"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno <= 60, f"{node.name}: about 50 lines a function"


@pytest.mark.parametrize(
    ("command", "never"),
    [
        (["check"], {"sqlmodel", "sqlalchemy", "whoosh", "jinja2", "morfeusz2", "simplemma", "pymorphy3"}),
        (["--help"], {"sqlmodel", "sqlalchemy", "whoosh", "jinja2", "pydantic", "yaml"}),
        (["export", "--output", "/dev/null"], {"sqlmodel", "whoosh", "jinja2", "numpy"}),
    ],
)
def test_commands_load_only_what_they_need(command: list[str], never: set[str], good_root: Path) -> None:
    words = [*command, *([] if "--help" in command else ["--rulings", str(good_root)])]
    lines = ["import sys", f"sys.argv = ['kb', *{words!r}]", "from kb.cli import main", "try:", "    main()"]
    lines += ["except SystemExit:", "    pass", "print(*sys.modules, file=sys.stderr)"]
    script = "\n".join(lines)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    assert not never & set(run.stderr.split())
