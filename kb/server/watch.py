"""Watching the records: every change is built at once, and problems never replace the last site."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from kb.core.problems import KbError, Problem, print_message
from kb.pipeline.paths import Paths, find_templates, own_templates
from kb.records.roots import PAGES_FOLDER, SITE_FILE, site_folder
from kb.server.changes import FolderWatch

# How long the records must be quiet before a build, and the longest wait, in milliseconds.
_SETTLE = 20
_MAX_WAIT = 1600
# How long to wait for the watching thread at the end, in seconds.
_JOIN_TIMEOUT = 5
_DIED = "the build process ended unexpectedly; the next change starts it again"
# How often folders are looked at without an event, in milliseconds.
_TICK = 500
# How soon a build that failed, not because of the records, is tried again, in seconds; each time
# twice as long.
_FIRST_RETRY, _LAST_RETRY = 0.5, 30.0


@dataclass(frozen=True)
class WatchState:
    """The state of the last build.

    `revision` grows with every build that changed the site. `message` says why a build failed, when
    not by `problems` in records.
    """

    revision: int = 0
    building: bool = False
    problems: tuple[Problem, ...] = ()
    message: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the state in the shape of `/api/v1/problems`."""
        return {
            "revision": self.revision,
            "building": self.building,
            "message": self.message,
            "problems": [problem._asdict() for problem in self.problems],
        }


@dataclass(frozen=True)
class BuildOutcome:
    """The result of one build: whether the site changed, and what went wrong."""

    changed: bool
    problems: tuple[Problem, ...] = ()
    message: str = ""


class BuildProcess:
    """A process that builds, so that the server answers at full speed meanwhile.

    It stays alive between builds, to keep in memory what the next one can use again.
    """

    def __init__(self, paths: Paths, site: Path) -> None:
        self.paths = paths
        self.site = site
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._building = False
        self._is_stopped = False
        self._lock = threading.Lock()

    def build(self) -> BuildOutcome:
        """Build once; start the process if it is not running."""
        with self._lock:
            # A process that is started after the end would be waited for when this one exits.
            if self._is_stopped:
                return BuildOutcome(False, (), _DIED)
            if self._process is None or not self._process.is_alive():
                self._start()
            connection = self._connection
            self._building = True
        assert connection is not None
        try:
            connection.send(None)
            outcome: BuildOutcome = connection.recv()
        except (EOFError, OSError):
            self._end()
            return BuildOutcome(False, (), _DIED)
        finally:
            self._building = False
        return outcome

    def _start(self) -> None:
        # Spawned, not forked: the server's threads may hold locks that a copy would wait for.
        context = multiprocessing.get_context("spawn")
        self._connection, child_connection = context.Pipe()
        self._process = context.Process(
            target=_run_builds, args=(self.paths, self.site, child_connection), name="kb-build"
        )
        self._process.start()
        child_connection.close()

    def stop(self) -> None:
        """End the process for good, even during a build, which is published whole or not at all."""
        with self._lock:
            self._is_stopped = True
        self._end()

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            connection, self._connection = self._connection, None
        building = self._building
        if connection is not None and not building:
            connection.close()
        if process is not None:
            if not building:
                # It tidies up when the connection is closed.
                process.join(_JOIN_TIMEOUT)
            process.terminate()
            process.join()
        if connection is not None:
            connection.close()


def _run_builds(paths: Paths, site: Path, connection: Connection) -> None:
    """Build once for every message, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            connection.recv()
            connection.send(run_build(paths, site))


def run_build(paths: Paths, site: Path) -> BuildOutcome:
    """Run one build and return its outcome; never raises."""
    from kb.pipeline.build import build

    try:
        built = build(paths, site)
    except KbError as error:
        return BuildOutcome(False, error.problems, "" if error.problems else str(error))
    except Exception as error:
        message = f"the build failed: {type(error).__name__}: {error}"
        print_message(f"kb: {message}")
        return BuildOutcome(False, (), message)
    return BuildOutcome(not built.unchanged, built.problems)


class BuildWatcher:
    """Builds at the start, and again whenever a record or a template changes.

    Every function in `listeners` is called after a change of the records and after a build.
    """

    def __init__(self, paths: Paths, site: Path, say: Callable[[str], None]) -> None:
        self.paths = paths
        self.say = say
        self.state = WatchState()
        self.process = BuildProcess(paths, site)
        self.listeners: list[Callable[[], None]] = []
        self.folders = FolderWatch(_folders(paths))
        self._retry_at: float | None = None
        self._delay = _FIRST_RETRY
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Build, then watch in a thread."""
        try:
            self.build()
        except BaseException:
            self.process.stop()
            raise
        self._thread = threading.Thread(target=self._watch, name="kb-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching, and a build that is running."""
        self._stopping.set()
        self.process.stop()
        if self._thread is not None:
            self._thread.join(_JOIN_TIMEOUT)

    def build(self, changed: Collection[str] = ()) -> None:
        """Build once, update the state and report new problems.

        `changed`: paths that the system has reported; see `FolderWatch.remember`.
        """
        self.state = replace(self.state, building=True)
        folders = _folders(self.paths)
        if folders != self.folders.folders:
            self.folders, changed = FolderWatch(folders), ()
        self.folders.remember(changed)
        outcome = self.process.build()
        if self._stopping.is_set():
            return
        previous = self.state
        revision = previous.revision + (1 if outcome.changed else 0)
        self.state = WatchState(revision, False, outcome.problems, outcome.message)
        self._plan_retry(failed=bool(outcome.message))
        self._notify()
        if (outcome.problems, outcome.message) != (previous.problems, previous.message):
            self._report(outcome)

    def _plan_retry(self, *, failed: bool) -> None:
        """Try again what another build, a full disk or the like has prevented."""
        self._retry_at = time.monotonic() + self._delay if failed else None
        self._delay = min(2 * self._delay, _LAST_RETRY) if failed else _FIRST_RETRY

    def _report(self, outcome: BuildOutcome) -> None:
        for problem in outcome.problems:
            self.say(str(problem))
        if outcome.message:
            self.say(f"kb: {outcome.message}")
        if not outcome.problems and not outcome.message:
            self.say("kb: all problems are solved")

    def _watch(self) -> None:
        """Watch until stopped, whatever becomes of the folders meanwhile."""
        while not self._stopping.is_set():
            try:
                self._watch_folders(self.folders)
            except OSError:
                # A folder is gone; most often somebody is about to put another in its place.
                self._stopping.wait(_TICK / 1000)
                self._build_if_due(self.folders.has_changed())
            except Exception as error:
                self.say(f"kb: watching failed: {type(error).__name__}: {error}")
                self._stopping.wait(_LAST_RETRY)

    def _watch_folders(self, folders: FolderWatch) -> None:
        """Build at every change, until one of the folders is another one."""
        from watchfiles import watch

        identity = folders.identity()
        for changes in watch(
            *(folder for folder in folders.folders if folder.is_dir()),
            watch_filter=lambda _, path: folders.is_relevant(path),
            stop_event=self._stopping,
            debounce=_MAX_WAIT,
            step=_SETTLE,
            rust_timeout=_TICK,
            yield_on_timeout=True,
        ):
            paths = {path for _, path in changes}
            self._build_if_due(bool(paths) or self.folders.has_changed(), paths)
            if self.folders.folders != folders.folders or folders.identity() != identity:
                return

    def _build_if_due(self, changed: bool, paths: Collection[str] = ()) -> None:
        retry = self._retry_at is not None and time.monotonic() >= self._retry_at
        if changed or retry:
            self._notify()
            self.build(paths)

    def _notify(self) -> None:
        for listener in self.listeners:
            listener()


def _folders(paths: Paths) -> Sequence[Path]:
    """What a site is built from, whether or not it is there yet."""
    beside = site_folder(paths.rulings)
    own = (beside / SITE_FILE, beside / PAGES_FOLDER, own_templates(paths.rulings))
    return list(dict.fromkeys((paths.rulings, *own, *find_templates(paths.rulings).folders)))
