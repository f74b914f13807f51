"""`kb serve`: the application on a port, in one process or several, until it is stopped."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.supervisors import Multiprocess

from kb.core import urls
from kb.core.problems import KbError, WrongUsage
from kb.pipeline.builds import FolderBuilds, open_builds
from kb.pipeline.paths import Paths, find_templates
from kb.server.app import create_app
from kb.server.pages import FolderFiles, SiteStorage
from kb.server.services import find_service
from kb.server.unanswered import UnansweredLog
from kb.site.templates import PACKAGED, Templates

Say = Callable[[str], None]
# Per process; below the usual limit of 1,024 open files, since files of the site are opened too.
MAX_CONNECTIONS = 600
# Longest time for requests to end after a stop signal, in seconds.
SHUTDOWN_TIMEOUT = 3


@dataclass(frozen=True)
class Settings:
    """The options of `kb serve`; without `paths`, rulings and index are in `database`.

    `services`: the names of services, of which those that need it have `watch` set.
    """

    site: Path
    paths: Paths | None
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    watch: bool = False
    database: str = field(default="", repr=False)
    base_url: str = ""
    unanswered: Path | None = None
    services: tuple[str, ...] = ()

    @property
    def has_site(self) -> bool:
        return (self.site / urls.HOME).is_file()


def serve(settings: Settings, say: Say) -> None:
    """Serve until interrupted or terminated.

    Raises KbError for a missing site or an unusable address.
    """
    _check(settings)
    with listening_socket(settings.host, settings.port) as listener:
        host = settings.host if ":" not in settings.host else f"[{settings.host}]"
        address = f"http://{host}:{listener.getsockname()[1]}/"
        say(f"{address} (press Ctrl-C to stop)")
        if settings.database and not settings.has_site:
            say(f"no site in {settings.site}: the server has the API, and no pages")
        for service in map(find_service, settings.services):
            if service.notice:
                say(f"{address}{service.notice}")
        if settings.workers > 1:
            _run_workers(settings, listener)
        else:
            if settings.watch:
                say("starting: the site is being built, and a page that you open waits for it")
            app = application(settings, say)
            if settings.watch:
                say("ready")
            run_app(app, listener)
        say("stopped")


def _check(settings: Settings) -> None:
    for name in settings.services:
        _check_service(name, settings)
    if settings.database:
        open_builds(settings.database)
    if settings.unanswered:
        UnansweredLog(settings.unanswered, print).check()
    if not (settings.has_site or settings.database or settings.watch):
        raise KbError(
            f"no site in {settings.site}: run `kb build`, or name its folder with --output"
        )


def _check_service(name: str, settings: Settings) -> None:
    service = find_service(name)
    if service.extra:
        service.extra.require()
    if service.needs_base_url and not settings.base_url:
        raise WrongUsage(
            f"{name} needs --base-url, the address of the site, because it needs absolute links"
        )
    service.check(settings.host)


def application(settings: Settings, say: Say = print) -> ASGIApp:
    """Create the application that the settings describe; watched records are built first."""
    paths, live, stop = settings.paths, None, None
    files: SiteStorage | None = FolderFiles(settings.site) if paths or settings.has_site else None
    if paths and settings.watch:
        # All that makes pages is loaded for this alone.
        from kb.server.live_pages import LivePages
        from kb.server.watch import BuildWatcher

        watcher = BuildWatcher(paths, settings.site, say)
        watcher.start()
        files, stop = watcher.live, watcher.stop
        live = LivePages(watcher.live, lambda: watcher.state)
    return create_app(
        files,
        FolderBuilds(paths) if paths else open_builds(settings.database),
        live=live,
        services=[find_service(name) for name in settings.services],
        templates=find_templates(paths.rulings) if paths else Templates((PACKAGED,)),
        base_url=settings.base_url,
        on_stop=stop,
        unanswered=UnansweredLog(settings.unanswered, say) if settings.unanswered else None,
    )


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises WrongUsage for an unusable address."""
    is_ipv6 = ":" in host
    try:
        listener = socket.create_server(
            (host, port),
            family=socket.AF_INET6 if is_ipv6 else socket.AF_INET,
            backlog=1024,
            dualstack_ipv6=is_ipv6 and socket.has_dualstack_ipv6(),
        )
    except OSError as error:
        advice = "choose another port with --port (0 picks a free one)"
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            advice = "choose another address with --host"
        raise WrongUsage(f"{host}:{port}: {error.strerror or error}; {advice}") from error
    # Headers and body are two writes; the second would wait 40 ms for the client's delayed
    # acknowledgement. Connections inherit the options.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Ends connections of machines that are gone, such as phones that have left the network.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return listener


def uvicorn_options() -> dict[str, Any]:
    """Return the options of uvicorn: limits, and no access log, because that has queries."""
    return {
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "lifespan": "on",
        "ws": "none",
        "http": "h11",
        "timeout_graceful_shutdown": SHUTDOWN_TIMEOUT,
        "timeout_keep_alive": 30,
        "limit_concurrency": MAX_CONNECTIONS,
        "backlog": 1024,
        "h11_max_incomplete_event_size": 32_768,
        "proxy_headers": False,
    }


def run_app(app: ASGIApp, listener: socket.socket) -> None:
    """Run an application in this process until it is stopped by a signal."""
    server = uvicorn.Server(uvicorn.Config(app, **uvicorn_options()))
    with _quiet_exit():
        server.run(sockets=[listener])


def _run_workers(settings: Settings, listener: socket.socket) -> None:
    config = uvicorn.Config(
        partial(application, settings),
        factory=True,
        workers=settings.workers,
        # A busy machine may take longer than uvicorn's 5 seconds to start one.
        timeout_worker_healthcheck=60,
        **uvicorn_options(),
    )
    listener.set_inheritable(True)
    with _quiet_exit():
        Multiprocess(config, sockets=[listener]).run()


@contextmanager
def _quiet_exit() -> Iterator[None]:
    """Let SIGINT and SIGTERM end with exit code 0: uvicorn raises them again after it stopped."""
    previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)) if os.name == "posix" else None
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as error:
        if isinstance(error, SystemExit) and error.code:
            raise KbError("the server could not be started") from error
    finally:
        if previous is not None:
            signal.signal(signal.SIGTERM, previous)
