"""What the benchmarks share: whole commands with their times, the machine, tables."""

from __future__ import annotations

import math
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

PROJECT = Path(__file__).resolve().parent.parent.parent


class Failed(Exception):
    """A measured command ended with an error; the message has its last words."""


class Run(NamedTuple):
    """One run of a command: seconds by the clock, and of the processor in all its processes."""

    seconds: float
    processor: float


def run(
    command: Sequence[str | Path], cwd: Path = PROJECT, env: Mapping[str, str] | None = None
) -> Run:
    """Run a command to its end. Raises Failed if it cannot start or ends with an error."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        try:
            process = subprocess.Popen(
                [str(word) for word in command],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        except OSError as error:
            raise Failed(str(error)) from error
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        lines = output.read().decode("utf-8", "replace").strip().splitlines()
    if process.returncode:
        name = Path(str(command[0])).name
        raise Failed(f"{name} ended with {process.returncode}: {' '.join(lines[-3:])[-300:]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime)


def kb(*words: str | Path) -> list[str | Path]:
    """Return a command line of this checkout's kb."""
    return [sys.executable, "-m", "kb", *words]


def percentile(values: Sequence[float], part: float) -> float:
    """Return the value that `part` of all values do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * part) - 1)]


@contextmanager
def serve_folder(root: Path) -> Iterator[str]:
    """Yield the address at which a folder is served."""

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are sent one after the other: the second would wait 40 ms for the first's
        # acknowledgement.
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print the machine and a Markdown table; all columns but the first hold numbers."""
    lines = [columns, ["---", *["--:"] * (len(columns) - 1)], *rows]
    print(f"{_machine()}\n")
    for line in lines:
        print(f"| {' | '.join(str(cell).replace('|', '/') for cell in line)} |")


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = [_processor(), f"{cores} cores", f"Python {platform.python_version()}"]
    if hasattr(os, "getloadavg"):
        parts.append(f"load {os.getloadavg()[0]:.1f}")
    with suppress(OSError, subprocess.SubprocessError):
        command = ["git", "describe", "--always", "--dirty"]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
        parts.append(f"kb {done.stdout.strip()}")
    return ", ".join([*parts, time.strftime("%Y-%m-%d")])


def _processor() -> str:
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
