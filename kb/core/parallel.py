"""Work on all cores, in forked processes, which share the memory of this one.

A fork is safe on Linux in a process without other threads, whose locks would never be released in
the copy. Otherwise the work is done in this process.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")
_PDEATHSIG = 1
# With the default thresholds garbage collection takes a third of a build.
_GC_THRESHOLDS = (100_000, 50, 1_000_000)
# In a forked process: the function and its inputs, inherited because closures cannot be pickled.
_inherited: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []


def cpu_count() -> int:
    """Return the number of processes to start; 1 if a fork is not safe."""
    safe = sys.platform == "linux" and threading.active_count() == 1 and not _inherited
    return os.cpu_count() or 1 if safe else 1


def parallel_map(work: Callable[[T], R], parts: Sequence[T]) -> Iterator[R]:
    """Yield the result of `work` for each part, in any order, using one process per core.

    The parts are begun in their order. An error of `work` is raised here, after the parts in work.
    """
    count = min(cpu_count(), len(parts))
    if count < 2:
        for part in parts:
            yield work(part)
        return
    # Garbage collection would write to all memory, and so copy what the processes share.
    gc.freeze()
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(count, context, _begin, (os.getpid(), work, parts)) as executor:
        futures = [executor.submit(_run, number) for number in range(len(parts))]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            raise RuntimeError("a process of the build ended without an answer") from None
        finally:
            executor.shutdown(wait=False, cancel_futures=True)


def map_chunks(work: Callable[[Sequence[T]], R], items: Sequence[T], size: int) -> list[R]:
    """Return the results of `work` for chunks of `size` items, in order."""
    if len(items) < 2 * size:
        return [work(items)] if items else []
    chunks = [items[start : start + size] for start in range(0, len(items), size)]
    results = dict(parallel_map(lambda n: (n, work(chunks[n])), range(len(chunks))))
    return [results[number] for number in range(len(chunks))]


@contextmanager
def relaxed_gc() -> Iterator[None]:
    """Relax the garbage collector: a build creates many objects, and nearly all of them stay."""
    thresholds = gc.get_threshold()
    gc.set_threshold(*_GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)


def _run(number: int) -> Any:
    work, parts = _inherited[-1]
    return work(parts[number])


def _begin(parent: int, work: Callable[[T], R], parts: Sequence[T]) -> None:
    """Keep the work, and have the system kill this process, which holds files of its parent."""
    _inherited.append((work, parts))
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
