"""No private names of third-party libraries are used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.test_architecture import ROOT, modules, parsed

# Names of the standard library that begin with an underscore and are documented.
DOCUMENTED = {"_asdict", "_exit", "_fields", "_make", "_replace"}
LIBRARY_NAMES = re.compile(r"__pydantic\w+__|jinja_\w+")


def is_private(name: str) -> bool:
    if LIBRARY_NAMES.fullmatch(name):
        return True
    return name.startswith("_") and not name.startswith("__") and name != "_"


def names_defined(tree: ast.AST) -> Iterator[str]:
    """Names of functions, classes, variables, parameters and attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("self", "cls")
        ):
            yield node.attr


def names_used(tree: ast.AST) -> Iterator[str]:
    """Names of attributes and of imports from other packages, also where a string gives them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("kb"):
            yield from (node.module or "").split(".")
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (part for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.args[1] if len(node.args) > 1 else None
            if node.func.id.endswith("attr") and isinstance(name, ast.Constant):
                yield str(name.value)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from LIBRARY_NAMES.findall(node.value)


def test_no_private_name_of_a_library_is_used() -> None:
    trees = {path.relative_to(ROOT).as_posix(): parsed(path) for path in modules()}
    own = {name for tree in trees.values() for name in names_defined(tree)} | DOCUMENTED
    uses = {
        module: {name for name in names_used(tree) if is_private(name) and name not in own}
        for module, tree in trees.items()
    }
    assert not {module: names for module, names in uses.items() if names}
