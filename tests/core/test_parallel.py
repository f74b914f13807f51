"""Work in several processes: order, errors, and where none is forked."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence

import pytest

from kb.core import parallel
from kb.core.problems import KbError


@pytest.mark.parametrize("cores", [1, 3])
def test_chunks_keep_their_order_and_errors(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "cpu_count", lambda: cores)
    for count in (0, 1, 19, 20, 137):
        chunks = parallel.map_chunks(lambda items: [-item for item in items], range(count), 10)
        assert [item for chunk in chunks for item in chunk] == [-item for item in range(count)]

    def fail(items: Sequence[int]) -> None:
        if 57 in items:
            raise KbError("fifty-seven")

    with pytest.raises(KbError, match="fifty-seven"):
        parallel.map_chunks(fail, range(100), 10)
    processes = set(parallel.map_chunks(lambda some: os.getpid(), list(range(100)), 10))
    assert (processes == {os.getpid()}) is (cores == 1)


def test_a_killed_process_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    with pytest.raises(RuntimeError, match="without an answer"):
        list(parallel.parallel_map(lambda _: os.kill(os.getpid(), signal.SIGKILL), range(9)))


def test_a_process_with_threads_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    release = threading.Event()
    thread = threading.Thread(target=release.wait)
    thread.start()
    try:
        assert {*parallel.parallel_map(lambda _: os.getpid(), range(3))} == {os.getpid()}
    finally:
        release.set()
        thread.join()
