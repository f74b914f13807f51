"""The architecture: imports run one way, each library is used in few packages, modules stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kb

ROOT = Path(kb.__file__).parent
# Each package may import itself and what stands before it.
PACKAGES = [
    "core",
    "language",
    "records",
    "linking",
    "importers",
    "store",
    "serialize",
    "search",
    "site",
    "build",
    "postgres",
    "commands",
    "server",
    "editor",
    "server.run",
    "cli",
    "__main__",
]
ONLY_IN = {
    "whoosh": {"search"},
    "sqlmodel": {"store"},
    "sqlalchemy": {"store", "postgres"},
    "yaml": {"records", "importers"},
    "jinja2": {"site"},
    "typer": {"cli"},
    "rich": {"commands"},
    "psycopg": {"postgres"},
    "numpy": {"search"},
    "nh3": {"site"},
    "markdown_it": {"site"},
}
ONLY_IN |= {
    name: {"language"}
    for name in ("morfeusz2", "pymorphy3", "simplemma", "snowballstemmer", "Stemmer")
}
ONLY_IN |= {name: {"server"} for name in ("uvicorn", "watchfiles", "prometheus_client")}
ONLY_IN |= {name: {"server", "editor"} for name in ("anyio", "fastapi", "starlette")}


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


def package(path: Path) -> str:
    """The package of a module; the server's runner stands above the editor, which it mounts."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts) if parts == ("server", "run") else parts[0]


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_run_one_way(path: Path) -> None:
    here = package(path)
    if here == "__init__":
        return
    for name in imported(path):
        top, *rest = name.split(".")
        if top == "kb" and rest:
            other = rest[0]
            assert PACKAGES.index(other) <= PACKAGES.index(here), f"{here} imports {name}"
        if top in ONLY_IN:
            assert here.partition(".")[0] in ONLY_IN[top], f"{here} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_modules_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 620, "about 450 lines a module"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.body[0].lineno <= 80, (
                f"{node.name}: about 50 lines a function"
            )


@pytest.mark.parametrize(
    ("command", "never"),
    [
        (
            ["check"],
            {"sqlmodel", "sqlalchemy", "whoosh", "jinja2", "morfeusz2", "simplemma", "pymorphy3"},
        ),
        (["--help"], {"sqlmodel", "sqlalchemy", "whoosh", "jinja2", "pydantic", "yaml"}),
        (["export", "--output", "/dev/null"], {"sqlmodel", "whoosh", "jinja2", "numpy"}),
    ],
)
def test_commands_load_only_what_they_need(
    command: list[str], never: set[str], good_root: Path
) -> None:
    words = [*command, *([] if "--help" in command else ["--rulings", str(good_root)])]
    lines = [
        "import sys",
        f"sys.argv = ['kb', *{words!r}]",
        "from kb.cli import main",
        "try:",
        "    main()",
    ]
    lines += ["except SystemExit:", "    pass", "print(*sys.modules, file=sys.stderr)"]
    script = "\n".join(lines)
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    assert not never & set(run.stderr.split())
