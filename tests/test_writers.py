"""Packages that handle a user's files write them by `kb.core.files` alone: atomic and locked."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.test_architecture import ROOT, modules, package, parsed

# The other packages write only into staging or the user's cache, which can be built again.
PACKAGES = {"commands", "decks", "ingest", "plugins", "records", "serialize", "server"}
EXCEPTIONS = {
    "commands/output_files.py": "a device or a pipe that the user names",
}
_METHODS = {"write_text", "write_bytes", "touch", "unlink", "rmdir", "symlink_to", "hardlink_to"}
_OF_MODULES = {"os", "shutil", "tempfile"}
_FUNCTIONS = {"copyfile", "copytree", "link", "mkstemp", "move", "remove", "rename", "replace"}
_FUNCTIONS |= {"NamedTemporaryFile", "rmtree", "truncate"}
_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}


def writers(source: ast.Module) -> Iterator[tuple[int, str]]:
    """The calls that write, move or delete files, with their lines."""
    for node in ast.walk(source):
        if isinstance(node, ast.Attribute) and node.attr in _FLAGS:
            yield node.lineno, node.attr
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        owner = getattr(getattr(node.func, "value", None), "id", "")
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        modes = [str(value.value) for value in values if isinstance(value, ast.Constant)]
        opens = name in ("open", "fdopen") and any(
            set(mode) & set("wax+") and set(mode) <= set("rwaxbt+") for mode in modes
        )
        if opens or name in _METHODS or (owner in _OF_MODULES and name in _FUNCTIONS):
            yield node.lineno, ast.unparse(node)


def test_files_of_users_are_written_in_one_place() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): [*writers(parsed(path))]
        for path in modules()
        if package(path) in PACKAGES
    }
    writing = {name: calls for name, calls in found.items() if calls}
    assert writing.keys() == EXCEPTIONS.keys(), writing
