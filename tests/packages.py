"""Packages with plug-ins as they lie in an environment, and the plug-ins of this project."""

from __future__ import annotations

import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def install(environment: Path, name: str, source: str, *entries: str) -> None:
    """Write a module and its metadata into a folder of packages.

    `entries`: the lines of its group `kb.plugins`, such as `chess = chess:PLUGIN`.
    """
    metadata = environment / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (environment / f"{name}.py").write_text(source, encoding="utf-8")
    for file, lines in (
        ("METADATA", ("Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0")),
        ("entry_points.txt", ("[kb.plugins]", *entries)),
    ):
        (metadata / file).write_text("\n".join(lines) + "\n", encoding="utf-8")


def plugin_folders() -> dict[str, Path]:
    """The folders of this project's plug-ins, by the names in pyproject.toml."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    places = project["entry-points"]["kb.plugins"].items()
    return {name: PROJECT / place.partition(":")[0].replace(".", "/") for name, place in places}


def left_out() -> list[str]:
    """The names of this project's plug-ins whose folders are missing in this copy of it."""
    return [name for name, folder in plugin_folders().items() if not folder.is_dir()]
