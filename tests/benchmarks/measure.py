"""Wall clock, processor time and peak memory of whole commands; what a machine is.

Memory is the proportional set size (PSS) of the command and all processes that it started, sampled:
what processes share counts once. The first run warms the page cache and is the one whose memory is
sampled; it counts as a run only where it is the only one.
"""

from __future__ import annotations

import math
import os
import platform
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

# The memory of a shorter run is not told: there are too few samples of it.
SHORT = 0.5
PROJECT = Path(__file__).resolve().parent.parent.parent


class Failed(Exception):
    """A command that was to be measured ended with an error, or took too long.

    The message says which.
    """


@dataclass(frozen=True)
class Plan:
    """How often each thing is measured.

    What takes longer than `patience` seconds is measured once.
    """

    repeats: int = 5
    patience: float = 120.0


@dataclass(frozen=True)
class Run:
    """One run: seconds of wall clock and of CPU, peak MB (where sampled), standard output."""

    seconds: float
    cpu: float
    peak: float | None
    output: str


@dataclass(frozen=True)
class Runs:
    """The runs that count: seconds of wall clock and of CPU, and peak MB where it is known."""

    seconds: list[float]
    cpu: list[float] = field(default_factory=list)
    peak: float | None = None
    output: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def run(
    command: Sequence[str | Path],
    cwd: Path = PROJECT,
    env: Mapping[str, str] | None = None,
    watched: bool = False,
    most: float = 7200.0,
    good: tuple[int, ...] = (0,),
) -> Run:
    """Runs a command to its end.

    Raises Failed with its last words when its exit code is none of `good`.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(one) for one in command],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        watch = Watch(process.pid) if watched else None
        late = threading.Timer(most, process.kill)
        late.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        late.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        peak = watch.stop() if watch and seconds >= SHORT else None
        words = [_text(file) for file in (out, err)]
    if process.returncode not in good:
        last = " ".join((words[1].strip() or words[0].strip()).splitlines()[-3:])
        raise Failed(
            f"{Path(str(command[0])).name} ended with {process.returncode}"
            f" after {seconds:.0f} s: {last[-300:]}"
        )
    return Run(seconds, usage.ru_utime + usage.ru_stime, peak, words[0])


def _text(file: object) -> str:
    file.seek(0)  # type: ignore[attr-defined]
    return str(file.read().decode("utf-8", "replace"))  # type: ignore[attr-defined]


def repeated(
    plan: Plan,
    command: Sequence[str | Path],
    before: Callable[[], object] = lambda: None,
    cwd: Path = PROJECT,
    env: Mapping[str, str] | None = None,
) -> Runs:
    """Runs a command as often as planned.

    `before` each run, untimed, something is put into its state and the disk is quiet.
    """

    def once(watched: bool) -> Run:
        before()
        os.sync()
        return run(command, cwd, env, watched)

    first = once(True)
    if plan.repeats == 1 or first.seconds > plan.patience:
        return Runs([first.seconds], [first.cpu], first.peak, first.output)
    runs = [once(False) for _ in range(plan.repeats)]
    return Runs(
        [one.seconds for one in runs], [one.cpu for one in runs], first.peak, runs[-1].output
    )


class Watch:
    """Samples the memory of a process and its descendants until it is stopped.

    Takes at most a twentieth of the time.
    """

    def __init__(self, pid: int) -> None:
        self._pid, self._most = pid, 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float | None:
        """The most that was seen, in MB; None where the system does not tell."""
        self._done.set()
        self._thread.join()
        return self._most / 1024 if self._most else None

    def _watch(self) -> None:
        pause = 0.0
        while not self._done.wait(pause):
            start = time.perf_counter()
            self._most = max(self._most, sum(_pss(pid) for pid in _tree(self._pid)))
            pause = max(0.02, 20 * (time.perf_counter() - start))


def _tree(pid: int) -> list[int]:
    found = [pid]
    for one in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{thread}/children", encoding="ascii") as file:
                    found += [int(child) for child in file.read().split()]
    return found


def _pss(pid: int) -> int:
    """Kilobytes."""
    with suppress(OSError, ValueError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        for line in file:
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def percentile(values: Sequence[float], part: float) -> float:
    """The value that `part` of all values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * part) - 1)]


def machine(work: Path) -> dict[str, str]:
    """What the figures depend on."""
    found = {
        "system": f"{platform.system()} {platform.release()}",
        "processor": _named("/proc/cpuinfo", "model name")
        or platform.processor()
        or platform.machine(),
        "cores": str(
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        ),
        "memory": _named("/proc/meminfo", "MemTotal"),
        "files on": _file_system(work),
        "Python": platform.python_version(),
        "SQLite": sqlite3.sqlite_version,
        "date": time.strftime("%Y-%m-%d"),
        "load before": " ".join(f"{one:.2f}" for one in os.getloadavg())
        if hasattr(os, "getloadavg")
        else "",
    }
    with suppress(OSError, subprocess.SubprocessError):
        told = subprocess.run(
            ["git", "describe", "--always", "--dirty"],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        )
        found["kb"] = told.stdout.strip()
    return found


def _named(path: str, name: str) -> str:
    with suppress(OSError), open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(name):
                return line.partition(":")[2].strip()
    return ""


def _file_system(folder: Path) -> str:
    best = ("", "")
    with suppress(OSError), open("/proc/mounts", encoding="utf-8") as file:
        for line in file:
            _, place, kind, *_ = line.split()
            if folder.resolve().is_relative_to(place) and len(place) >= len(best[0]):
                best = (place, kind)
    return best[1]


def kb(*words: str | Path) -> list[str | Path]:
    """The command line of kb, of this checkout and this interpreter."""
    return [sys.executable, "-m", "kb", *words]
