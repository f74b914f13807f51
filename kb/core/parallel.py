"""Work in processes of their own, where the machine has a second core and the system can fork."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from kb.core.problems import KbError

_PDEATHSIG = 1
T = TypeVar("T")
R = TypeVar("R")


def cpu_count() -> int:
    """How many processes are worth starting: one where the system cannot fork, and in one of those that were started."""
    if (
        multiprocessing.current_process().daemon
        or "fork" not in multiprocessing.get_all_start_methods()
    ):
        return 1
    return os.cpu_count() or 1


@contextmanager
def run_in_child(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Does `work` while the body of the `with` runs; what it gives is a function that waits for the result.

    What `work` raises is raised there, or at the end of the body.
    """
    if cpu_count() < 2:
        done = work()
        yield lambda: done
        return
    process, here = _start(lambda tell: tell(work()))
    said: list[Any] = []

    def result() -> T:
        if not said:
            said.append(_told(here))
        value: T = _raised(said[0])
        return value

    try:
        yield result
        result()
        process.join()
    finally:
        _stop(process)


def parallel_map(work: Callable[[T], R], parts: Sequence[T]) -> Iterator[R]:
    """What `work` makes of each part, in any order, in as many processes as the machine has cores.

    What it raises for any part is raised here, and the other processes end.
    """
    many = min(cpu_count(), len(parts))
    if many < 2:
        yield from map(work, parts)
        return

    def some(number: int) -> Callable[[Callable[[object], None]], None]:
        def all_of_them(tell: Callable[[object], None]) -> None:
            for part in parts[number::many]:
                tell(work(part))

        return all_of_them

    started = [_start(some(number)) for number in range(many)]
    waiting = {here: len(parts[number::many]) for number, (_, here) in enumerate(started)}
    try:
        while waiting:
            for here in wait(list(waiting)):
                assert isinstance(here, Connection)
                yield _raised(_told(here))
                waiting[here] -= 1
                if not waiting[here]:
                    del waiting[here]
        for process, _ in started:
            process.join()
    finally:
        for process, _ in started:
            _stop(process)


def map_chunks(work: Callable[[Sequence[T]], R], items: Sequence[T], size: int) -> list[R]:
    """What `work` makes of portions of so many items, in their order, on all cores; of few items, which are one portion, here."""
    if len(items) < 2 * size:
        return [work(items)] if items else []
    portions = [items[at : at + size] for at in range(0, len(items), size)]
    made = dict(parallel_map(lambda number: (number, work(portions[number])), range(len(portions))))
    return [made[number] for number in range(len(portions))]


def _start(work: Callable[[Callable[[object], None]], None]) -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    # What lies in memory is shared as long as nobody writes to it, and collecting garbage writes to everything.
    gc.freeze()
    process = context.Process(target=_run, args=(work, there, os.getpid()), daemon=True)
    process.start()
    there.close()
    return process, here


def _stop(process: BaseProcess) -> None:
    if process.is_alive():
        process.terminate()
        process.join()


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """Looks for garbage among new objects only, and seldom: a build makes many objects that stay, and going through all of them
    again and again would take a third of its time."""
    was = gc.get_threshold()
    gc.set_threshold(100_000, 50, 1_000_000)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*was)


def _ends_with_its_parent(parent: int) -> None:
    """Where the system can (Linux), a process whose parent was killed is killed too: it would go on and hold the lock."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _run(work: Callable[[Callable[[object], None]], None], there: Connection, parent: int) -> None:
    _ends_with_its_parent(parent)
    gc.set_threshold(100_000, 50, 1_000_000)
    try:
        work(lambda value: there.send((True, value)))
    except KbError as error:
        there.send((False, error))
    except OSError as error:
        there.send((False, OSError(error.errno, error.strerror, error.filename)))
    except sqlite3.Error as error:
        there.send((False, sqlite3.OperationalError(str(error))))
    except BaseException as error:
        there.send((False, RuntimeError(f"{type(error).__name__}: {error}")))
        raise


def _told(here: Connection) -> tuple[bool, Any]:
    try:
        said: tuple[bool, Any] = here.recv()
        return said
    except EOFError:
        return False, RuntimeError("a process of the build ended without a word")


def _raised(said: tuple[bool, Any]) -> Any:
    good, value = said
    if not good:
        raise value
    return value
