"""Which tests a run contains, and how many random examples they try.

`pytest` runs everything that is not marked `thorough`; `pytest --all`, a marker expression or the
name of a test (`file.py::test`) run the others too.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

# Derandomized: a run tries the same examples every time, so that none depends on luck.
settings.register_profile("fast", max_examples=30, derandomize=True, database=None, deadline=None)
settings.register_profile("thorough", settings.get_profile("fast"), max_examples=400)


def examples(share: float) -> settings:
    """Settings of a property test with a share of the examples of the run's profile."""
    return settings(max_examples=max(5, round(settings.default.max_examples * share)))


def thorough(*values: object) -> list[Any]:
    """Values of a parameter, or tuples of several, that only a thorough run tries."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else [value]), marks=pytest.mark.thorough)
        for value in values
    ]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="run the tests marked thorough too, with more examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("thorough" if config.getoption("--all") else "fast")


def leaves_out_thorough(config: pytest.Config) -> bool:
    named = any("::" in argument for argument in config.args)
    return not (config.getoption("--all") or config.getoption("markexpr") or named)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if leaves_out_thorough(config):
        left_out = [item for item in items if item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if leaves_out_thorough(config):
        terminalreporter.write_line("left out: thorough tests; run them with: pytest --all")
