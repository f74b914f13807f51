"""`kb serve`: the application on a port, in one process or several, until it is told to stop."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from kb.build.paths import Paths
from kb.core import urls
from kb.core.problems import KbError
from kb.editor.routes import EditorRoutes
from kb.server.app import Served, make_app
from kb.server.metrics import SHARED
from kb.server.middleware import Log
from kb.server.overlay import STATE, Overlay
from kb.server.pool import Folders
from kb.server.published import PublishedBuilds, PublishedFiles
from kb.server.static import Folder
from kb.server.watch import BuildWatcher

LOOPBACK = ("127.0.0.1", "::1", "localhost")
# How long running requests may take once the server is told to stop, in seconds.
GRACE = 10
SHORTEST_TOKEN = 12
_SETTINGS = "KB_SERVE_SETTINGS"
Say = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """What whoever runs the server chooses."""

    site: str
    rulings: str
    data: str
    host: str = "127.0.0.1"
    port: int = 8000
    log: str = "none"
    workers: int = 1
    searches: int = 4
    watch: bool = False
    edit: bool = False
    token: str = ""
    database: str = ""

    @property
    def places(self) -> Paths:
        return Paths(Path(self.rulings), Path(self.data))


def serve(settings: Settings, say: Say) -> None:
    """Serves until interrupted or terminated. Raises KbError without a site, or where it cannot listen."""
    if settings.edit and settings.host not in LOOPBACK and not settings.token:
        raise KbError(
            f"--edit at {settings.host} needs --token: everybody who can reach this address could write"
        )
    if settings.token and len(settings.token) < SHORTEST_TOKEN:
        raise KbError(
            f"--token needs {SHORTEST_TOKEN} characters or more; `openssl rand -hex 16` makes one"
        )
    nowhere = not settings.watch and not settings.edit and not settings.database
    if nowhere and not (Path(settings.site) / urls.HOME).is_file():
        raise KbError(
            f"no site in {settings.site}; `kb build` makes one, --output names another folder"
        )
    with listening(settings.host, settings.port) as listener:
        served = described(settings, say) if settings.workers == 1 else None
        host = settings.host if ":" not in settings.host else f"[{settings.host}]"
        say(f"http://{host}:{listener.getsockname()[1]}/ (Ctrl-C ends it)")
        if served is None:
            _several(settings, listener)
        else:
            try:
                _one(make_app(served), listener)
            finally:
                served.end()
        say("stopped")


def application(settings: Settings, say: Say = print) -> ASGIApp:
    """The application that the settings describe."""
    return make_app(described(settings, say))


def described(settings: Settings, say: Say) -> Served:
    """What the settings ask for; a base that is watched is built before it is served."""
    if settings.database:
        files, builds = PublishedFiles(settings.database), PublishedBuilds(settings.database)
        return Served(files, builds, searches=settings.searches, log=Log(settings.log))
    site = Path(settings.site)
    served = Served(
        Folder(site), Folders(settings.places), searches=settings.searches, log=Log(settings.log)
    )
    return _watched(served, settings, site, say) if settings.watch or settings.edit else served


def _watched(served: Served, settings: Settings, site: Path, say: Say) -> Served:
    live = BuildWatcher(settings.places, site, say)
    workshop = Overlay(settings.places.rulings, lambda: live.state, edits=settings.edit)
    routes = workshop.routes()
    if settings.edit:
        desk = EditorRoutes(settings.places, workshop, settings.token)
        live.heard.append(desk.editor.shelves.changed)
        routes += desk.routes()
    live.begin()
    return replace(
        served,
        dress=workshop.dress,
        routes=routes,
        state=lambda: live.state,
        end=live.end,
        quiet=frozenset({STATE}),
        local_only=settings.edit and not settings.token,
    )


def from_environment() -> ASGIApp:
    """The application of a process among several, whose settings its parent has left in the environment."""
    return application(Settings(**json.loads(os.environ[_SETTINGS])))


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens already: whoever reads the address that is printed can connect. Raises KbError when it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named TCP, so that asyncio sends small answers at once: headers and body are two writes, and held back the second would wait
    # for the client's delayed acknowledgement (40 ms).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError as error:
        listener.close()
        told = f"{host}:{port}: {error.strerror or error}"
        raise KbError(f"{told}; --port names another port, 0 takes a free one") from error
    return listener


def options() -> dict[str, Any]:
    """How the HTTP server is set up: its own log is off (ours has a line a request), its bounds are on."""
    return {
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "lifespan": "on",
        "ws": "none",
        "http": "h11",
        "timeout_graceful_shutdown": GRACE,
        "timeout_keep_alive": 30,
        "limit_concurrency": 1_000,
        "backlog": 1024,
        "h11_max_incomplete_event_size": 32_768,
        "proxy_headers": False,
    }


def _one(app: ASGIApp, listener: socket.socket) -> None:
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, **options()))
    with _ends_quietly():
        server.run(sockets=[listener])


def _several(settings: Settings, listener: socket.socket) -> None:
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    with tempfile.TemporaryDirectory(prefix="kb-serve-") as shared:
        os.environ[SHARED] = shared
        os.environ[_SETTINGS] = json.dumps(asdict(replace(settings, workers=1)))
        config = uvicorn.Config(
            "kb.server.run:from_environment", factory=True, workers=settings.workers, **options()
        )
        listener.set_inheritable(True)
        with _ends_quietly():
            Multiprocess(config, sockets=[listener]).run()


@contextmanager
def _ends_quietly() -> Iterator[None]:
    """Lets the server end by SIGINT or SIGTERM with exit code 0: uvicorn raises a signal again once it has stopped."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)) if os.name == "posix" else None
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code:
            raise KbError("the server could not be started") from ended
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)
