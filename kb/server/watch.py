"""Watching the records: show each change at once, and build when no other follows."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from kb.core.problems import KbError, Problem, print_message
from kb.pipeline.paths import Paths, find_templates, own_templates
from kb.records.roots import PAGES_FOLDER, SITE_FILE, site_folder
from kb.server.live_site import LiveSite

# Time without a change before a build, in seconds.
_QUIET = 1.0
# Longest wait for a thread in stop(), in seconds.
_JOIN_TIMEOUT = 5
_DIED = "the build process ended unexpectedly; the next change starts it again"
# Wait before a build that failed for another reason than the records is repeated, in seconds.
_RETRY = 5.0
_TEMPORARY_PREFIXES = (".", "#")
_TEMPORARY_SUFFIXES = ("~", ".swp", ".bak", ".orig")
# Events are reported after this time without another one, and at the latest after _MAX_WAIT, in
# milliseconds.
_SETTLE = 20
_MAX_WAIT = 1600
# Interval between two looks without an event, in milliseconds.
_TICK = 100
# Interval between two comparisons of all files where the system reports no events.
_POLL = 1000


@dataclass(frozen=True)
class LiveState:
    """The state of the watched records, which open pages ask for.

    `revision` counts the changes that pages show, `builds` the changes of the built site. `message`
    is the reason of a failed build, empty where `problems` are the reason.
    """

    revision: int = 0
    building: bool = False
    problems: tuple[Problem, ...] = ()
    message: str = ""
    builds: int = 0


@dataclass(frozen=True)
class BuildOutcome:
    """The result of a build: whether the site changed, and its problems or its error message."""

    changed: bool
    problems: tuple[Problem, ...] = ()
    message: str = ""


class BuildProcess:
    """Runs each build in a process of its own, so that requests are answered at full speed."""

    def __init__(self, paths: Paths, site: Path) -> None:
        self.paths = paths
        self.site = site
        self._process: SpawnProcess | None = None
        self._is_stopped = False
        self._lock = threading.Lock()

    def build(self) -> BuildOutcome:
        # Spawned, not forked: the server's threads may hold locks that a copy would wait for.
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        arguments = (self.paths, self.site, sender)
        process = context.Process(target=_build_in_child, args=arguments, name="kb-build")
        with self._lock:
            # The server waits at its end for every child process: none starts after stop().
            if self._is_stopped:
                return BuildOutcome(False, (), _DIED)
            process.start()
            self._process = process
        sender.close()
        try:
            with receiver:
                outcome: BuildOutcome = receiver.recv()
        except (EOFError, OSError):
            outcome = BuildOutcome(False, (), _DIED)
        finally:
            process.join()
        return outcome

    def stop(self) -> None:
        """End a running build and refuse further ones; a build is published whole or not at all."""
        with self._lock:
            self._is_stopped = True
            if self._process is not None and self._process.is_alive():
                self._process.terminate()


def _build_in_child(paths: Paths, site: Path, connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outcome = run_build(paths, site)
    with suppress(OSError):
        connection.send(outcome)


def run_build(paths: Paths, site: Path) -> BuildOutcome:
    """Run one build in this process and return its outcome; never raises."""
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
    """Builds at the start and after every change of a record or a template.

    `live` shows a change before its build.
    """

    def __init__(self, paths: Paths, site: Path, say: Callable[[str], None]) -> None:
        self.paths = paths
        self.say = say
        self.state = LiveState()
        self.live = LiveSite(paths, site)
        self.process = BuildProcess(paths, site)
        self._changes = 0
        # When the next build is due, by the monotonic clock; the first one at once.
        self._due: float | None = 0.0
        self._is_built = threading.Event()
        # Guards `state`, which both threads replace.
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._builder: threading.Thread | None = None
        self._watcher = threading.Thread(target=self._watch, name="kb-watch", daemon=True)

    def start(self) -> None:
        """Watch in a thread, and wait for the first build."""
        try:
            self._watcher.start()
            # During the build: the first change then finds the records in memory.
            with suppress(KbError):
                self.live.reload()
            self._is_built.wait()
        except BaseException:
            self.process.stop()
            raise

    def stop(self) -> None:
        """Stop watching, and a build that is running."""
        self._stopping.set()
        self.process.stop()
        for thread in (self._watcher, self._builder):
            if thread is not None and thread.is_alive():
                thread.join(_JOIN_TIMEOUT)

    def _watch(self) -> None:
        while not self._stopping.is_set():
            try:
                for changed in looks(lambda: _folders(self.paths), self._stopping):
                    if changed:
                        self._show_change()
                    is_due = self._due is not None and time.monotonic() >= self._due
                    if is_due and (self._builder is None or not self._builder.is_alive()):
                        self._start_build()
            except Exception as error:
                self.say(f"kb: watching failed: {type(error).__name__}: {error}")
                # The server starts without a first build, and shows the last one.
                self._is_built.set()
                self._stopping.wait(_RETRY)

    def _show_change(self) -> None:
        self._changes += 1
        try:
            differs = self.live.reload()
        except (KbError, OSError) as error:
            if isinstance(error, KbError) and error.problems:
                # A build of records with problems would publish nothing.
                self._due = None
                self._set_state(problems=error.problems, message="")
                return
            differs = False
        with self._lock:
            self._set_state(revision=self.state.revision + differs, problems=(), message="")
        # Pages that only a build can show must not wait for quiet.
        self._due = time.monotonic() + (_QUIET if differs else 0)

    def _start_build(self) -> None:
        self._due = None
        self._builder = threading.Thread(target=self._build, name="kb-builder", daemon=True)
        self._builder.start()

    def _build(self) -> None:
        """Build once; afterwards pages are rendered with the word forms of this build."""
        with self._lock:
            changes = self._changes
            self.state = replace(self.state, building=True)
        outcome = self.process.build()
        if self._stopping.is_set():
            return
        differs = False
        if changes == self._changes:
            with suppress(KbError, OSError):
                differs = self.live.reload()
        with self._lock:
            news: dict[str, Any] = {"revision": self.state.revision + differs}
            if outcome.changed:
                news["builds"] = self.state.builds + 1
            if changes == self._changes:
                news |= {"problems": outcome.problems, "message": outcome.message}
            if outcome.message and self._due is None:
                # Another build, a full disk or the like prevented this one.
                self._due = time.monotonic() + _RETRY
            self._set_state(building=False, **news)
        self._is_built.set()

    def _set_state(self, **changes: Any) -> None:
        """Change the state; print its problems and message if they are new."""
        with self._lock:
            previous, self.state = self.state, replace(self.state, **changes)
            state = self.state
        if (state.problems, state.message) == (previous.problems, previous.message):
            return
        for problem in state.problems:
            self.say(str(problem))
        if state.message:
            self.say(f"kb: {state.message}")
        if not state.problems and not state.message:
            self.say("kb: all problems are solved")


def _folders(paths: Paths) -> Sequence[Path]:
    """Return the folders and files that a site is built from; some may not exist yet."""
    folder = site_folder(paths.rulings)
    own = (folder / SITE_FILE, folder / PAGES_FOLDER, own_templates(paths.rulings))
    return list(dict.fromkeys((paths.rulings, *own, *find_templates(paths.rulings).folders)))


def looks(find_folders: Callable[[], Sequence[Path]], stop: threading.Event) -> Iterator[bool]:
    """Yield whether anything changed, after each event and every _TICK, until `stop` is set.

    `find_folders` is called for every look; the folders and files need not exist.
    """
    from watchfiles import watch

    is_replaced, polls = False, False
    while not stop.is_set():
        watched = _identities(find_folders())
        existing = [path for path, identity in watched.items() if identity]
        try:
            for events in watch(
                *existing,
                watch_filter=None,
                stop_event=stop,
                debounce=_MAX_WAIT,
                step=_SETTLE,
                rust_timeout=_TICK,
                yield_on_timeout=True,
                force_polling=polls or None,
                poll_delay_ms=_POLL,
                ignore_permission_denied=True,
            ):
                # Here, because files may have changed before a new folder was watched.
                yield is_replaced or any(_is_edit(path, existing) for _, path in events)
                is_replaced = _identities(find_folders()) != watched
                if is_replaced:
                    break
        except FileNotFoundError:
            # Most often another folder is about to take the place of this one.
            is_replaced = True
            stop.wait(_TICK / 1000)
        except (OSError, RuntimeError):
            if polls:
                raise
            # The system allows no more watches.
            polls = True


def _identities(paths: Iterable[Path]) -> dict[Path, tuple[int, int] | None]:
    """Return device and inode of each path, which differ for a replaced folder; None if missing."""
    identities: dict[Path, tuple[int, int] | None] = {}
    for path in paths:
        identities[path] = None
        with suppress(OSError):
            status = path.stat()
            identities[path] = status.st_dev, status.st_ino
    return identities


def _is_edit(place: str, folders: Iterable[Path]) -> bool:
    """Return whether a path is not hidden, and not of a file that text editors write as well."""
    path = Path(place)
    folder = next((folder for folder in folders if path.is_relative_to(folder)), path.parent)
    return not any(
        name.startswith(_TEMPORARY_PREFIXES) or name.endswith(_TEMPORARY_SUFFIXES)
        for name in path.relative_to(folder).parts
    )
