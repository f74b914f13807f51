"""Watching the records: what is saved is built at once, the last good site stays, and problems are shown, not a traceback."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kb.build.paths import Paths, find_templates
from kb.core.problems import KbError, Problem

# How long to wait for more to be saved before building, in milliseconds.
_SETTLED = 150
_ENDED = "the process that builds ended without a word; it is started again with the next change"


@dataclass(frozen=True)
class State:
    """Where a watched base stands. `revision` grows with every build that changed something; `message` tells of a failure that is
    no record's problem."""

    revision: int = 0
    building: bool = False
    problems: tuple[Problem, ...] = ()
    message: str = ""

    def shape(self) -> dict[str, Any]:
        """The state as data."""
        wrong = [
            {"path": one.path, "line": one.line, "message": one.message} for one in self.problems
        ]
        return {
            "revision": self.revision,
            "building": self.building,
            "message": self.message,
            "problems": wrong,
        }


@dataclass(frozen=True)
class Outcome:
    """What came of one build."""

    changed: bool
    problems: tuple[Problem, ...] = ()
    message: str = ""


class Builder:
    """Builds in a process of its own, which keeps what it has loaded: the server goes on answering at full speed."""

    def __init__(self, places: Paths, site: Path) -> None:
        self.places, self.site = places, site
        self._process: Any = None
        self._here: Connection | None = None

    def build(self) -> Outcome:
        """Builds once."""
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._here is not None
        try:
            self._here.send("build")
            told = self._here.recv()
        except (EOFError, OSError):
            self.stop()
            return Outcome(False, (), _ENDED)
        return told if isinstance(told, Outcome) else Outcome(False, (), _ENDED)

    def _start(self) -> None:
        # Not forked: threads of the server may hold locks that a copy would wait for in vain.
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(
            target=_builds, args=(self.places, self.site, there), name="kb-build"
        )
        self._process.start()
        there.close()

    def stop(self) -> None:
        """Ends the process, in the midst of a build too: a build takes its place whole or not at all."""
        process, self._process = self._process, None
        if self._here is not None:
            self._here.close()
        if process is not None:
            process.terminate()
            process.join()


def _builds(places: Paths, site: Path, there: Connection) -> None:
    """The process that builds, until its pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while there.recv():
            there.send(outcome(places, site))


def outcome(places: Paths, site: Path) -> Outcome:
    """Builds once; a failure is told, never raised."""
    from kb.build.pipeline import build

    try:
        built = build(places, site)
    except KbError as error:
        return Outcome(False, error.problems, "" if error.problems else str(error))
    except Exception as error:
        print(f"kb: the build failed: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return Outcome(False, (), f"the build failed: {type(error).__name__}: {error}")
    return Outcome(not built.unchanged, built.problems)


class BuildWatcher:
    """A base that is watched: builds once when it begins, and again whenever a record or a template changes."""

    def __init__(self, places: Paths, site: Path, say: Callable[[str], None]) -> None:
        self.places, self.site, self.say = places, site, say
        self.state = State()
        self.builder = Builder(places, site)
        self.heard: list[Callable[[], None]] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Builds, and starts watching."""
        try:
            self.build()
        except BaseException:
            self.builder.stop()
            raise
        self._thread = threading.Thread(target=self._watch, name="kb-watch", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stops watching, and a build that is at work."""
        self._stop.set()
        self.builder.stop()
        if self._thread is not None:
            self._thread.join(5)

    def build(self) -> None:
        """Builds once and takes in what came of it."""
        self.state = replace(self.state, building=True)
        done = self.builder.build()
        if self._stop.is_set():
            return
        revision = self.state.revision + (1 if done.changed else 0)
        before, self.state = self.state, State(revision, False, done.problems, done.message)
        self._tell()
        if (done.problems, done.message) != (before.problems, before.message):
            for problem in done.problems:
                self.say(str(problem))
            if done.message:
                self.say(f"kb: {done.message}")
            if not done.problems and not done.message:
                self.say("kb: no problems any more")

    def _watch(self) -> None:
        from watchfiles import watch

        for _ in watch(
            *self._folders(),
            watch_filter=self._counts,
            stop_event=self._stop,
            debounce=1600,
            step=_SETTLED,
        ):
            self._tell()
            self.build()

    def _tell(self) -> None:
        for hear in self.heard:
            hear()

    def _folders(self) -> Sequence[Path]:
        templates = find_templates(self.places.rulings)
        return [self.places.rulings, *([templates] if templates.is_dir() else [])]

    def _counts(self, change: object, path: str) -> bool:
        """Whether a change is one of a record or a template: not of what editors keep beside while they save."""
        for root in self._folders():
            if Path(path).is_relative_to(root.absolute()):
                parts = Path(path).relative_to(root.absolute()).parts
                return not any(
                    part.startswith((".", "#")) or part.endswith(("~", ".swp", ".bak", ".orig"))
                    for part in parts
                )
        return True
