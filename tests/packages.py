"""Packages that give kb plug-ins, as they lie in an environment when they are installed."""

from __future__ import annotations

from pathlib import Path


def install(environment: Path, name: str, source: str, *entries: str) -> None:
    """Write a module and its metadata into a folder of PYTHONPATH.

    `entries`: the lines of its group `kb.plugins`, such as `chess = chess:PLUGIN`.
    """
    metadata = environment / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (environment / f"{name}.py").write_text(source, encoding="utf-8")
    for file, lines in (
        ("METADATA", ("Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0")),
        ("entry_points.txt", ("[kb.plugins]", *entries)),
    ):
        (metadata / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
