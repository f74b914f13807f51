"""Extras of the package: libraries that only some commands need."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from kb.core.problems import KbError


@dataclass(frozen=True)
class Extra:
    """An extra of `pyproject.toml`, and modules that it installs."""

    name: str
    modules: tuple[str, ...]

    def require(self) -> None:
        """Raise KbError, with the command that installs the extra, if a module is missing."""
        for module in self.modules:
            try:
                import_module(module)
            except ImportError:
                raise KbError(
                    f"this needs {module}, which is not installed: run pip install '.[{self.name}]'"
                    " in the folder of kb's source, or with the path of kb's wheel in place of the"
                    " dot"
                ) from None


SERVER = Extra("server", ("fastapi", "uvicorn", "watchfiles"))
