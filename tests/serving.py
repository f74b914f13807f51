"""A real server in a thread, for tests that need an address, and what asks it."""

from __future__ import annotations

import faulthandler
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from kb.pipeline.builds import FolderBuilds
from kb.server.app import create_app
from kb.server.pages import FolderFiles
from kb.server.run import listening_socket, uvicorn_options
from tests.conftest import paths_of


class Running:
    """An application on a free port of the loopback interface, or on a given one."""

    def __init__(self, app: ASGIApp, port: int = 0) -> None:
        self.listener = listening_socket("127.0.0.1", port)
        # How a server ends is tested in tests/server; here it must only let go.
        options = {**uvicorn_options(), "timeout_graceful_shutdown": 0.2}
        self.server = uvicorn.Server(uvicorn.Config(app, **options))
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.listener]}, daemon=True
        )
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the server and every connection that a browser keeps open."""
        if self.thread.is_alive():
            self.server.should_exit = True
            self.thread.join(15)
            if self.thread.is_alive():
                self.server.force_exit = True
                self.thread.join(15)
            if self.thread.is_alive():
                faulthandler.dump_traceback()
        self.listener.close()


def get(address: str) -> tuple[int, str]:
    """The status and the text at an address."""
    try:
        with urllib.request.urlopen(address, timeout=120) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, long enough for the slowest machine."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "nothing happened for a minute"
        time.sleep(0.02)


def site(folder: Path, **options: Any) -> ASGIApp:
    """The application for the site in a base's folder."""
    builds = FolderBuilds(paths_of(folder.parent))
    return create_app(FolderFiles(folder), **{"builds": builds, **options})
