"""Watching the records: every change is built at once, and problems never replace the last site."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from kb.build.paths import Paths, find_templates
from kb.core.problems import KbError, Problem
from kb.records.site_config import PAGES_FOLDER, SITE_FILE, site_folder

# How long the records must be quiet before a build, and the longest wait, in milliseconds.
_SETTLE = 150
_MAX_WAIT = 1600
# How long to wait for the watching thread at the end, in seconds.
_JOIN_TIMEOUT = 5
_DIED = "the build process ended unexpectedly; the next change starts it again"
_TEMPORARY_PREFIXES = (".", "#")
_TEMPORARY_SUFFIXES = ("~", ".swp", ".bak", ".orig")


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

    It stays alive between builds, to keep what it has loaded.
    """

    def __init__(self, paths: Paths, site: Path) -> None:
        self.paths = paths
        self.site = site
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None

    def build(self) -> BuildOutcome:
        """Build once; start the process if it is not running."""
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._connection is not None
        try:
            self._connection.send("build")
            outcome = self._connection.recv()
        except (EOFError, OSError):
            self.stop()
            return BuildOutcome(False, (), _DIED)
        return outcome if isinstance(outcome, BuildOutcome) else BuildOutcome(False, (), _DIED)

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
        """End the process, even during a build: a build is published whole or not at all."""
        process, self._process = self._process, None
        if self._connection is not None:
            self._connection.close()
        if process is not None:
            process.terminate()
            process.join()


def _run_builds(paths: Paths, site: Path, connection: Connection) -> None:
    """Build once for every message, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while connection.recv():
            connection.send(run_build(paths, site))


def run_build(paths: Paths, site: Path) -> BuildOutcome:
    """Run one build and return its outcome; never raises."""
    from kb.build.pipeline import build

    try:
        built = build(paths, site)
    except KbError as error:
        return BuildOutcome(False, error.problems, "" if error.problems else str(error))
    except Exception as error:
        message = f"the build failed: {type(error).__name__}: {error}"
        print(f"kb: {message}", file=sys.stderr, flush=True)
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

    def build(self) -> None:
        """Build once, update the state and report new problems."""
        self.state = replace(self.state, building=True)
        outcome = self.process.build()
        if self._stopping.is_set():
            return
        previous = self.state
        revision = previous.revision + (1 if outcome.changed else 0)
        self.state = WatchState(revision, False, outcome.problems, outcome.message)
        self._notify()
        if (outcome.problems, outcome.message) != (previous.problems, previous.message):
            self._report(outcome)

    def _report(self, outcome: BuildOutcome) -> None:
        for problem in outcome.problems:
            self.say(str(problem))
        if outcome.message:
            self.say(f"kb: {outcome.message}")
        if not outcome.problems and not outcome.message:
            self.say("kb: all problems are solved")

    def _watch(self) -> None:
        from watchfiles import watch

        for _ in watch(
            *self._folders(),
            watch_filter=self._is_relevant,
            stop_event=self._stopping,
            debounce=_MAX_WAIT,
            step=_SETTLE,
        ):
            self._notify()
            self.build()

    def _notify(self) -> None:
        for listener in self.listeners:
            listener()

    def _folders(self) -> Sequence[Path]:
        beside = site_folder(self.paths.rulings)
        own = (beside / SITE_FILE, beside / PAGES_FOLDER)
        templates = find_templates(self.paths.rulings).folders
        return [self.paths.rulings, *(path for path in (*templates, *own) if path.exists())]

    def _is_relevant(self, change: object, path: str) -> bool:
        """Return whether a change is not just a temporary file of a text editor."""
        for folder in self._folders():
            if Path(path).is_relative_to(folder.absolute()):
                parts = Path(path).relative_to(folder.absolute()).parts
                return not any(
                    part.startswith(_TEMPORARY_PREFIXES) or part.endswith(_TEMPORARY_SUFFIXES)
                    for part in parts
                )
        return True
