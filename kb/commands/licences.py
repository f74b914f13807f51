"""`kb licences`: the installed packages that this program needs, and their licences."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.extras import EXTRAS

if TYPE_CHECKING:
    from importlib import metadata

_PROGRAM = "kb-rulings"
_PROJECT = Path(__file__).resolve().parent.parent.parent / "pyproject.toml"
_NAME = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
# Characters of a licence; a longer text is the whole licence.
_MAX_LICENCE = 80


@dataclass(frozen=True)
class Licence:
    """The licence of an installed package; `extra` is empty if the program always needs it."""

    package: str
    version: str
    licence: str
    extra: str = ""


def licences() -> None:
    """List the installed packages that this program needs, and their licences.

    Example:
    kb licences
    """
    for package in installed_licences():
        needed = f"  ({package.extra})" if package.extra else ""
        print(f"{package.package:<24}{package.version:<19} {package.licence}{needed}")


def installed_licences() -> list[Licence]:
    """Return the installed packages that the program needs, directly or indirectly, by name."""
    from importlib import metadata

    licences_by_package: dict[str, Licence] = {}
    for extra in ("", *EXTRAS):
        waiting = _requirements(extra)
        while waiting:
            match = _NAME.match(waiting.pop())
            name = _normalized(match[1]) if match else ""
            if not match or name in licences_by_package or name == _PROGRAM:
                continue
            try:
                package = metadata.metadata(name)
            except metadata.PackageNotFoundError:
                continue
            licence = Licence(name, package["Version"], licence_of(package), extra)
            licences_by_package[name] = licence
            asked = {part.strip() for part in (match[2] or "").split(",")}
            waiting += [row for row in metadata.requires(name) or () if _extra(row) in {"", *asked}]
    return sorted(licences_by_package.values(), key=lambda licence: licence.package)


def program_version() -> str:
    """Return the installed version of this program, else the version of the checkout."""
    from importlib import metadata

    try:
        return metadata.version(_PROGRAM)
    except metadata.PackageNotFoundError:
        pass
    try:
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
    except (OSError, ValueError, KeyError):
        return "unknown, not installed"


def licence_of(package: metadata.PackageMetadata) -> str:
    """Return the licence that a package states, preferably as an expression."""
    classifiers = [row for row in package.get_all("Classifier") or () if row.startswith("License")]
    names = [row.rpartition(" :: ")[2] for row in classifiers]
    stated = "".join(package.get_all("License") or ()).strip()
    short = stated if "\n" not in stated and len(stated) <= _MAX_LICENCE else ""
    expression = "".join(package.get_all("License-Expression") or ())
    return expression or short or "; ".join(names) or "not stated"


def _requirements(extra: str) -> list[str]:
    from importlib import metadata

    try:
        rows = metadata.requires(_PROGRAM) or []
        return [row for row in rows if _extra(row) == extra]
    except metadata.PackageNotFoundError:
        # Run from a checkout.
        project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
        rows = project["optional-dependencies"][extra] if extra else project["dependencies"]
        return [*map(str, rows)]


def _extra(requirement: str) -> str:
    match = _EXTRA.search(requirement)
    return match[1] if match else ""


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
