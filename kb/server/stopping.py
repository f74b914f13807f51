"""Limits of the time that the server takes to stop.

uvicorn ends requests after its own limit, but Python then waits for busy threads.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

# Longest time for requests to end after a stop signal, in seconds.
SHUTDOWN_TIMEOUT = 3
# Time until the process ends although a thread is busy, as in a database, in seconds.
DEADLINE = 4.5
_stopping = threading.Event()


def is_stopping() -> bool:
    """Return whether a stop signal has come: long polls then end."""
    return _stopping.is_set()


def limit_stopping() -> None:
    """End the process DEADLINE seconds after a stop signal, if it has not ended by then.

    Call it once the server runs: the server's own signal handlers stay in force.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        previous = signal.getsignal(number)

        def stop(received: int, frame: FrameType | None, previous: object = previous) -> None:
            if not _stopping.is_set():
                _stopping.set()
                # Unlike sys.exit, os._exit does not wait for threads.
                timer = threading.Timer(DEADLINE, os._exit, (0,))
                timer.daemon = True
                timer.start()
            if callable(previous):
                previous(received, frame)

        signal.signal(number, stop)
