"""Work in a process of its own, beside the rest, where the machine has a second core and the system can fork."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from kb.problems import KbError


@contextmanager
def apart(work: Callable[[], None]) -> Iterator[None]:
    """Does `work` while the body of the `with` runs, and waits for it. What it raises is raised here."""
    if (os.cpu_count() or 1) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        work()
        yield
        return
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(work, there), daemon=True)
    process.start()
    there.close()
    try:
        yield
        failed = _told(here)
        process.join()
    finally:
        if process.is_alive():
            process.terminate()
            process.join()
    if failed is not None:
        raise failed


def _run(work: Callable[[], None], there: Connection) -> None:
    try:
        work()
        there.send(None)
    except KbError as error:
        there.send(error)
    except OSError as error:
        there.send(OSError(error.errno, error.strerror, error.filename))
    except BaseException as error:
        there.send(RuntimeError(f"{type(error).__name__}: {error}"))
        raise


def _told(here: Connection) -> BaseException | None:
    try:
        said = here.recv()
    except EOFError:
        return RuntimeError("the process that makes the index ended without a word")
    return said if isinstance(said, BaseException) else None
