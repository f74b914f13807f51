"""Imports run one way, each library is used in few packages, modules stay small."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import kb

ROOT = Path(kb.__file__).parent
# The map of the packages; each may import itself and what stands before it.
MAP = re.findall(r"(?m)^    kb\.(\w+)", kb.__doc__ or "")
PACKAGES = [*MAP, "__main__"]
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
ONLY_IN |= {name: {"assistants"} for name in ("mcp", "mcp_types")}
ONLY_IN |= {"fastapi": {"server", "editor"}}
ONLY_IN |= {"nacl": {"chats"}}
ONLY_IN |= {name: {"server", "editor", "assistants", "chats"} for name in ("anyio", "starlette")}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "_data" not in path.parts)


def module_name(path: Path) -> str:
    parts = ("kb", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path, for_types: bool = True) -> set[str]:
    """What a module imports anywhere, `for_types` what it imports for type checkers alone too."""
    names: set[str] = set()
    nodes: list[ast.AST] = [parsed(path)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.expr):
            continue
        guarded = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        nodes += node.orelse if guarded and not for_types else ast.iter_child_nodes(node)
    return names


def package(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def test_the_map_names_the_packages() -> None:
    assert sorted(MAP) == sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))


def test_no_modules_import_each_other() -> None:
    paths = {module_name(path): path for path in modules()}
    graph = {
        name: {
            other if other in paths else other.rpartition(".")[0]
            for other in imported(path, for_types=False)
        }
        & paths.keys() - {name}
        for name, path in paths.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a cycle of imports: {' <- '.join(error.args[1])}")


def test_imports_run_one_way() -> None:
    for path in modules():
        here = package(path)
        if here == "__init__":
            continue
        for name in imported(path):
            top, *rest = name.split(".")
            if top == "kb" and rest:
                other = rest[0]
                assert PACKAGES.index(other) <= PACKAGES.index(here), f"{path} imports {name}"
            if top in ONLY_IN:
                assert here.partition(".")[0] in ONLY_IN[top], f"{path} imports {name}"


def test_modules_and_functions_stay_small() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 620, f"{path}: about 450 lines a module"
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.body[0].lineno
                assert lines <= 80, f"{path}, {node.name}: about 50 lines a function"


def test_lines_of_templates_fit() -> None:
    """As ruff holds it for code. `{##}` at the end of a line continues it without a line break."""
    for path in sorted((ROOT.parent / "templates").rglob("*.html")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert len(line) <= 100, f"{path}:{number}: lines have at most 100 columns"


@pytest.mark.parametrize(
    ("command", "never"),
    [
        (
            ["check"],
            {"sqlmodel", "sqlalchemy", "whoosh", "jinja2", "morfeusz2", "simplemma", "pymorphy3"},
        ),
        (["--help"], {"sqlmodel", "sqlalchemy", "whoosh", "jinja2", "pydantic", "yaml"}),
        (["--version"], {"pydantic", "rich", "kb.cli.reading", "kb.cli.serving"}),
        (["export", "--output", "/dev/null"], {"sqlmodel", "whoosh", "jinja2", "numpy"}),
    ],
)
def test_commands_load_only_what_they_need(
    command: list[str], never: set[str], good_root: Path
) -> None:
    own = command[0].startswith("--")
    words = [*command, *([] if own else ["--rulings", str(good_root)])]
    assert not never & loaded(words)


@pytest.mark.parametrize(
    "words", [["search", "--limit", "5", "pilot"], ["search", "--json", "-l", "pl", "pilot"]]
)
def test_a_search_loads_only_what_it_needs(words: list[str], small_base: Path) -> None:
    modules = loaded(
        [*words, "--rulings", str(small_base / "rulings")], KB_DATA=str(small_base / "data")
    )
    assert "whoosh" in modules
    never = {"sqlmodel", "sqlalchemy", "jinja2", "yaml", "numpy", "filelock", "multiprocessing"}
    never |= {"kb.records.model", "kb.records.library", "kb.pipeline.build", "morfeusz2"}
    never |= {"pydantic", "markdown_it", "kb.cli.publishing", "kb.cli.serving", "kb.cli.curating"}
    never |= {"kb.search.analyzer", "kb.linking", "whoosh.searching", "ssl", "http", "email"}
    if "--json" in words:
        never |= {"rich"}
    assert not never & modules


def test_a_build_that_changes_nothing_loads_only_what_it_needs(
    small_base: Path, tmp_path: Path
) -> None:
    for name in ("rulings", "site", "data"):
        shutil.copytree(small_base / name, tmp_path / name)
    words = ["build", "--rulings", str(tmp_path / "rulings"), "--output", str(tmp_path / "site")]
    modules = loaded(words, KB_DATA=str(tmp_path / "data"))
    assert "kb.pipeline.build" in modules
    never = {"jinja2", "markdown_it", "pydantic", "yaml", "rich", "whoosh", "sqlmodel", "numpy"}
    never |= {"filelock", "kb.pipeline.assembly", "kb.language", "kb.site.site_build"}
    assert not never & modules


def loaded(words: list[str], **environment: str) -> set[str]:
    """The modules that a command loads."""
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
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT.parent,
        env=os.environ | environment,
    )
    return set(run.stderr.split())
