"""The end of the server in time, whatever its clients and threads wait for.

uvicorn's own limit ends requests, but Python then waits for threads that are busy.
"""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

# How long requests may take to end after a signal to stop, in seconds.
SHUTDOWN_TIMEOUT = 3
# When the process ends although a thread is busy: in a database, in a name look-up.
DEADLINE = 4.5
_stopping = threading.Event()


def is_stopping() -> bool:
    """Return whether a signal to stop has come; long polls end then."""
    return _stopping.is_set()


def limit_stopping() -> None:
    """End the process DEADLINE seconds after a signal that stops it, if it has not ended by then.

    To be called while the server runs: it keeps the server's own reactions to the signals.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        previous = signal.getsignal(number)

        def stop(received: int, frame: FrameType | None, previous: object = previous) -> None:
            if not _stopping.is_set():
                _stopping.set()
                # Without waiting for threads, as sys.exit would.
                timer = threading.Timer(DEADLINE, os._exit, (0,))
                timer.daemon = True
                timer.start()
            if callable(previous):
                previous(received, frame)

        signal.signal(number, stop)
