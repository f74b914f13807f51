"""Which tests a run contains, how many random examples they try, and what it says about the rest.

`pytest` runs everything that is not marked `thorough`; `pytest --all`, a marker expression or the
name of a test (`file.py::test`) run the others too.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import settings

_LEFT_OUT = pytest.StashKey[int]()
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
    config.stash[_LEFT_OUT] = 0
    profile = "thorough" if config.getoption("--all") else "fast"
    settings.load_profile(profile)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    named = any("::" in argument for argument in config.args)
    if config.getoption("--all") or config.getoption("markexpr") or named:
        return
    left_out = [item for item in items if item.get_closest_marker("thorough")]
    if left_out:
        config.stash[_LEFT_OUT] = len(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the number over to the process that prints, where pytest-xdist runs several."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash[_LEFT_OUT]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    config, output = node.config, getattr(node, "workeroutput", {})  # type: ignore[attr-defined]
    config.stash[_LEFT_OUT] = max(config.stash[_LEFT_OUT], output.get("left_out", 0))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    reports = terminalreporter.stats.get("skipped", [])
    for reason, count in Counter(map(_reason, reports)).items():
        terminalreporter.write_line(f"NOT TESTED ({count}): {reason}", red=True, bold=True)
    count = config.stash[_LEFT_OUT]
    if count:
        message = f"left out: {count} thorough tests; run them with: pytest --all"
        terminalreporter.write_line(message, yellow=True)


def _reason(report: pytest.TestReport) -> str:
    place = report.longrepr
    text = place[2] if isinstance(place, tuple) else str(place)
    return text.removeprefix("Skipped: ")
