"""A progress bar for long work, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

ReportProgress = Callable[[str, int, int], None]


@contextmanager
def progress() -> Iterator[ReportProgress | None]:
    """Show a progress bar on standard error; yield None when that is not a terminal."""
    if sys.stderr is None or sys.stderr.closed or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # Without a thread that refreshes it: a process that has one cannot be forked safely.
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    with bar:
        tasks: dict[str, Any] = {}

        def report_progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total, refresh=True)

        yield report_progress
