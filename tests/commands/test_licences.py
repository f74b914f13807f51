"""`kb licences` names every package that the source imports, and what it says of itself."""

from __future__ import annotations

import sys
from email.message import Message
from importlib.metadata import packages_distributions
from pathlib import Path

from kb.commands.licences import installed_licences, licence_of
from tests.command_line import RunCommand
from tests.test_architecture import imported, modules


def test_every_imported_package_is_listed(tmp_path: Path, kb: RunCommand) -> None:
    lines = kb("licences", cwd=tmp_path).stdout.splitlines()
    listed = {line.split()[0] for line in lines}
    names = packages_distributions()
    tops = {name.partition(".")[0] for path in modules() for name in imported(path)}
    for top in tops - {"kb", "__future__"} - set(sys.stdlib_module_names):
        packages = {name.lower().replace("_", "-") for name in names.get(top, ())}
        assert packages & listed, top


def test_what_is_not_permissive_is_known() -> None:
    found = {licence.package: licence for licence in installed_licences()}
    assert "MPL-2.0" in found["orjson"].licence and found["orjson"].extra == ""
    assert "LGPL" in found["psycopg"].licence and found["psycopg"].extra == "postgres"
    strict = {name for name, one in found.items() if "GPL" in one.licence}
    assert strict <= {"psycopg", "psycopg-binary"}
    assert not {"pytest", "mypy", "ruff", "hypothesis"} & found.keys()


def test_where_a_package_states_its_licence() -> None:
    text = {"License": "A whole\ntext", "Classifier": "License :: OSI :: MIT License"}
    for fields, expected in (
        ({"License-Expression": "MIT", "License": "x"}, "MIT"),
        ({"License": "BSD"}, "BSD"),
        (text, "MIT License"),
        ({}, "not stated"),
    ):
        package = Message()
        for name, value in fields.items():
            package[name] = value
        assert licence_of(package) == expected  # type: ignore[arg-type]
