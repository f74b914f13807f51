"""Work in other processes, where a second core is there and a process can be forked safely.

The work shares what lies in memory, which is too much to be sent to a fresh process. A fork is
safe on Linux in a process without other threads: one that holds a lock is missing in the copy,
which then waits for ever. Everywhere else the work is done in this process.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import sqlite3
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from kb.core.problems import KbError

_PDEATHSIG = 1
T = TypeVar("T")
R = TypeVar("R")
# Parts that a process is given at a time where each has many, so that it never waits for one.
_AHEAD, _MANY = 2, 8
# Parts for each process that take longer than what others do at the same time.
_LONG = 50


def cpu_count() -> int:
    """How many processes are worth starting here; 1 where none can be forked safely."""
    safe = (
        sys.platform == "linux"
        and threading.active_count() == 1
        and not multiprocessing.current_process().daemon
    )
    return os.cpu_count() or 1 if safe else 1


@contextmanager
def run_in_child(work: Callable[[], T], *, apart: bool = True) -> Iterator[Callable[[], T]]:
    """Do `work` in a process of its own while the body runs; yield a function that awaits it.

    What `work` raises is raised by that function, or at the end of the body. Without `apart` it is
    done in this process when it is awaited: little work takes no longer than starting a process.
    """
    if not apart or cpu_count() < 2:
        in_turn = cache(work)
        yield in_turn
        in_turn()
        return
    child = _start(lambda channel: channel.send((True, work())))
    _beside[child.channel] = child

    def result() -> T:
        value: T = _unwrap(_answer(child))
        return value

    try:
        yield result
        result()
        child.process.join()
    finally:
        _beside.pop(child.channel, None)
        _stop(child.process)


def parallel_map(work: Callable[[T], R], parts: Sequence[T]) -> Iterator[R]:
    """Yield what `work` returns for each part, in any order, from as many processes as cores.

    Those of `run_in_child` that have no answer yet count: more processes than cores take no less
    time and more memory. For many parts nothing is started until there is a core for it; a few are
    not kept waiting. What `work` raises for any part is raised here, and the other processes end.
    """
    count = min(cpu_count(), len(parts))
    if count < 2:
        # Not with map(), for which a StopIteration out of `work` would be the end of the parts.
        for part in parts:
            yield work(part)
        return

    def work_through(channel: Connection) -> None:
        while (number := channel.recv()) is not None:
            channel.send((True, work(parts[number])))

    rest = deque(range(len(parts)))
    workers: dict[Connection, BaseProcess] = {}
    missing = len(parts)
    least = 0 if missing > _LONG * count else 1
    try:
        while missing:
            while rest and len(workers) < max(least, count - len(_beside)):
                child = _start(work_through)
                workers[child.channel] = child.process
                for _ in range(_AHEAD if len(rest) > _MANY * count else 1):
                    child.channel.send(rest.popleft())
            for channel in wait([*workers, *_beside]):
                assert isinstance(channel, Connection)
                if channel in _beside:
                    _answer(_beside[channel])
                    continue
                yield _unwrap(_receive(channel))
                missing -= 1
                if rest:
                    # Of a process that has been killed the next message tells.
                    with suppress(ConnectionError):
                        channel.send(rest.popleft())
        for channel, process in workers.items():
            with suppress(ConnectionError):
                channel.send(None)
            process.join()
    finally:
        for process in workers.values():
            _stop(process)


def map_chunks(work: Callable[[Sequence[T]], R], items: Sequence[T], size: int) -> list[R]:
    """What `work` returns for chunks of `size` items, in order; a single chunk is done here."""
    if len(items) < 2 * size:
        return [work(items)] if items else []
    chunks = [items[start : start + size] for start in range(0, len(items), size)]
    numbers = range(len(chunks))
    results = dict(parallel_map(lambda number: (number, work(chunks[number])), numbers))
    return [results[number] for number in numbers]


# Whether the work succeeded, and what it returned or raised.
_Message = tuple[bool, Any]


@dataclass(eq=False)
class _Child:
    """A process, the channel to it, and its answer once that is received."""

    process: BaseProcess
    channel: Connection
    answer: _Message | None = None


# The processes of `run_in_child` that have not answered yet.
_beside: dict[Connection, _Child] = {}


def _answer(child: _Child) -> _Message:
    """Receive the only message of a process."""
    if child.answer is None:
        child.answer = _receive(child.channel)
        _beside.pop(child.channel, None)
    return child.answer


def _start(work: Callable[[Connection], None]) -> _Child:
    context = multiprocessing.get_context("fork")
    channel, other = context.Pipe()
    # Memory is shared as long as nobody writes to it, and collecting garbage writes to all of it.
    gc.freeze()
    process = context.Process(target=_run, args=(work, other, os.getpid()), daemon=True)
    process.start()
    other.close()
    return _Child(process, channel)


def _stop(process: BaseProcess) -> None:
    if process.is_alive():
        process.terminate()
        process.join()


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """Relax the garbage collector.

    A build creates many objects that stay, and going through them again and again would take a
    third of its time.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(100_000, 50, 1_000_000)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


def _end_with_parent(parent: int) -> None:
    """Have the system kill this process with its parent, of which it holds open files."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _run(work: Callable[[Connection], None], channel: Connection, parent: int) -> None:
    _end_with_parent(parent)
    gc.set_threshold(100_000, 50, 1_000_000)
    try:
        work(channel)
    except KbError as error:
        channel.send((False, error))
    except OSError as error:
        channel.send((False, OSError(error.errno, error.strerror, error.filename)))
    except sqlite3.Error as error:
        channel.send((False, sqlite3.OperationalError(str(error))))
    except BaseException as error:
        channel.send((False, RuntimeError(f"{type(error).__name__}: {error}")))
        raise


def _receive(receiver: Connection) -> _Message:
    try:
        message: _Message = receiver.recv()
        return message
    except (EOFError, ConnectionError):
        return False, RuntimeError("a process of the build ended without an answer")


def _unwrap(message: _Message) -> Any:
    succeeded, value = message
    if not succeeded:
        raise value
    return value
