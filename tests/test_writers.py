"""Only `kb.core.files` writes files of a user: the source is read for every other writer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.test_architecture import ROOT, modules, parsed

# Modules that write or delete files, and why these are no user's.
EXCEPTIONS = {
    "core/files.py": "the one place that writes files of a user",
    "pipeline/build.py": "the hash of the inputs, in staging",
    "pipeline/data_folder.py": "checksums, in staging",
    "pipeline/staging.py": "staging directories, and their swap",
    "pipeline/own_files.py": "links into staging, and deletes what is in the list of a build",
    "pipeline/publish.py": "moves a finished build in, and deletes numbered builds",
    "pipeline/inputs.py": "build.json, in staging",
    "language/answers.py": "deletes a damaged cache in the user's cache folder",
    "site/output.py": "the pages, in staging",
    "search/browser/writer.py": "the browser's index, in staging",
    "search/engines/base.py": "the name of the engine, in staging",
    "search/engines/whoosh.py": "the index, in staging",
    "importers/write.py": "deletes the plan of its own run",
    "postgres/index.py": "deletes form tables in the user's cache",
    "commands/pack.py": "a page for the browser that prints it, in a temporary directory",
    "commands/output_files.py": "a device or a pipe that the user names",
    "search/unanswered.py": "appends to the list of queries that the owner names",
    "commands/main.py": "the null device as standard output",
}
_METHODS = {"write_text", "write_bytes", "touch", "unlink", "rmdir", "rename", "symlink_to"}
_METHODS |= {"hardlink_to", "rmtree", "remove", "copyfile", "copy2", "copytree", "move", "link"}
_METHODS |= {"NamedTemporaryFile", "TemporaryFile", "mkstemp", "truncate", "removedirs", "renames"}
_OF_MODULES = {"remove", "copy", "move", "link", "truncate", "rename", "replace"}
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
        is_method = isinstance(node.func, ast.Attribute)
        # `text.replace(old, new)` has two arguments, `path.replace(target)` one.
        replaces = name == "replace" and len(values) == 1 and is_method
        of_module = owner in ("os", "shutil") and name in _OF_MODULES
        renames = name == "rename" and is_method and owner != "db"
        plain = name in _METHODS - _OF_MODULES - {"rename"} or renames
        if opens or (replaces and not node.keywords) or of_module or plain:
            yield node.lineno, ast.unparse(node)


@pytest.mark.parametrize(
    "call",
    [
        "open(path, 'w')",
        "path.open(mode='ab')",
        "io.open(path, 'r+')",
        "os.fdopen(handle, 'wb')",
        "path.write_text(text)",
        "path.write_bytes(data)",
        "new.replace(path)",
        "os.replace(new, path)",
        "os.rename(new, path)",
        "new.rename(path)",
        "shutil.copyfile(new, path)",
        "shutil.move(new, path)",
        "shutil.rmtree(path)",
        "os.remove(path)",
        "path.unlink()",
        "os.open(path, os.O_WRONLY)",
        "tempfile.NamedTemporaryFile()",
    ],
)
def test_the_search_for_writers_sees(call: str) -> None:
    assert [*writers(ast.parse(call))]


@pytest.mark.parametrize(
    "call", ["open(path)", "open(path, 'rb')", "text.replace('a', 'w')", "table.open(path)"]
)
def test_the_search_for_writers_passes(call: str) -> None:
    assert not [*writers(ast.parse(call))]


def test_files_are_written_in_one_place() -> None:
    for path in modules():
        name = path.relative_to(ROOT).as_posix()
        calls = [*writers(parsed(path))]
        if name in EXCEPTIONS:
            assert calls, f"{name} needs no exception any more"
        else:
            assert not calls, f"{name}: use kb.core.files.write_file: {calls}"
