"""Imports run one way, each library is used in few packages, files are written in one place."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import kb
from tests.packages import plugin_folders

ROOT = Path(kb.__file__).parent
# The map of the packages; each may import itself and what stands before it.
MAP = re.findall(r"(?m)^    kb\.(\w+)", kb.__doc__ or "")
PACKAGES = [*MAP, "__main__"]
# Where the core has the name of a plug-in of this project, and why; "text" is a word as any other.
NAMES_OF_PLUGINS = {
    "commands/serve.py": "--edit stands for --with editor",
    "decks/parse.py": "lists of the game VTES",
    "records/fields.py": "a form has the labels of the fields",
}
ONLY_IN = {
    "anyio": "server",
    "click": "commands",
    "fastapi": "server",
    "jinja2": "site",
    "markdown_it": "records site",
    "mcp": "plugins",
    "mcp_types": "plugins",
    "morfeusz2": "language",
    "nacl": "plugins",
    "nh3": "site",
    "psycopg": "plugins",
    "pymorphy3": "language",
    "rich": "commands",
    "simplemma": "language",
    "snowballstemmer": "language",
    "sqlalchemy": "store search",
    "sqlmodel": "store search",
    "starlette": "server",
    "Stemmer": "language",
    "uvicorn": "server",
    "watchfiles": "server",
    "whoosh": "search",
    "yaml": "records ingest",
}


# Packages that handle a user's files write them by `kb.core.files` alone: atomic and locked. The
# others write only into staging or the user's cache, which can be built again.
WRITE_BY_CORE = {"commands", "decks", "ingest", "plugins", "records", "serialize", "server"}
WRITES = re.compile(
    r"\.(?:write_text|write_bytes|touch|unlink|rmdir|symlink_to|hardlink_to)\("
    r"|os\.(?:link|remove|rename|replace|truncate|O_)|shutil\.(?:copyfile|copytree|copy|move|rmtree)\("
    r"|mkstemp|NamedTemporaryFile|open\((?:[^()]*, ?)?\"[rbt]*[wax+]"
)
# A device or a pipe that the user names.
MAY_WRITE = {"commands/output_files.py", "server/unanswered.py"}


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
            if top in ONLY_IN and here != "plugins":
                assert here in ONLY_IN[top].split(), f"{path} imports {name}"


def test_the_core_names_no_plugin() -> None:
    names = {name for name in plugin_folders() if name != "text"}
    found = set()
    for path in modules():
        if package(path) != "plugins":
            words = set(re.findall("[a-z]+", path.read_text(encoding="utf-8").lower()))
            found |= {path.relative_to(ROOT).as_posix()} if words & names else set()
    assert found == NAMES_OF_PLUGINS.keys()


def test_files_of_users_are_written_in_one_place() -> None:
    writing = {
        path.relative_to(ROOT).as_posix()
        for path in modules()
        if package(path) in WRITE_BY_CORE and WRITES.search(path.read_text(encoding="utf-8"))
    }
    assert writing == MAY_WRITE


def test_modules_and_functions_stay_small() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 560, f"{path}: at most 560 lines a module"
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.body[0].lineno
                assert lines <= 70, f"{path}, {node.name}: at most 70 lines a function"


@pytest.mark.parametrize("words", [["--version"], ["search", "pilot"]])
def test_a_search_loads_no_plugin_and_no_large_library(words: list[str], small_base: Path) -> None:
    """Importing pydantic takes half as long as a search, the classes of records a tenth."""
    modules = loaded(words, KB_RULINGS=f"{small_base}/rulings")
    assert "kb.commands.main" in modules
    assert not {"pydantic", "rich", "sqlmodel", "sqlalchemy", "kb.records.model"} & modules
    assert not {"anyio", "fastapi", "starlette", "uvicorn", "watchfiles"} & modules
    assert not [name for name in modules if name.startswith("kb.plugins")]


def loaded(words: list[str], **environment: str) -> set[str]:
    """The modules that a command loads."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "kb", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT.parent,
        env=os.environ | environment,
    )
    return {line.rpartition("|")[2].strip() for line in run.stderr.splitlines()}
