"""The programs that kb is measured beside, each with its version, or absent with the reason.

Python packages get a virtual environment of their own, npm's a folder, Debian's are installed where
apt-get may be used. What cannot be had is never dropped: whoever asks gets an `Absent`, and its row
of the table says why.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

# Versions to try in turn where the newest cannot be installed.
OLDER = {"@11ty/eleventy": ("3.1.2", "3.0.0", "2.0.1")}
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Found:
    """A program that is there: what it is called with its version, and how it is started."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Absent:
    """A program that is not there."""

    name: str
    why: str


Peer = Found | Absent


@dataclass
class Tools:
    """The folder of installed programs.

    With `install` off nothing is installed, and all but what is there is absent.
    """

    folder: Path
    install: bool = True
    known: dict[str, Peer] = field(default_factory=dict)

    def python(self, name: str, packages: Sequence[str], module: str = "") -> Peer:
        """A package of PyPI, by its name.

        With a module it is started as `python -m module`, else as that Python.
        """
        return self._once(name, lambda: self._python(name, packages, module))

    def npm(self, name: str, package: str, script: str = "") -> Peer:
        """A package of npm.

        Started as node with one of its scripts, or without one as node in that folder.
        """
        return self._once(name, lambda: self._npm(name, package, script))

    def debian(self, name: str, package: str, program: str, version: str = "--version") -> Peer:
        """A program of the machine, or of Debian."""
        return self._once(name, lambda: self._debian(name, package, program, version))

    @property
    def node(self) -> Path:
        """The folder in which npm's packages are."""
        return self.folder / "node"

    def _once(self, name: str, find: object) -> Peer:
        if name not in self.known:
            self.known[name] = find()  # type: ignore[operator]
        return self.known[name]

    def _python(self, name: str, packages: Sequence[str], module: str) -> Peer:
        home = self.folder / "python"
        python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
        asked = [
            str(python),
            "-c",
            "from importlib.metadata import version;"
            f" print(version({packages[0].partition('[')[0]!r}))",
        ]
        version = _told(asked) if python.is_file() else ""
        if not version:
            if not self.install:
                return Absent(name, "not installed")
            wrong = "" if python.is_file() else _done([sys.executable, "-m", "venv", str(home)])
            wrong = wrong or _done(
                [
                    str(python),
                    "-m",
                    "pip",
                    "install",
                    "-q",
                    "--disable-pip-version-check",
                    *packages,
                ]
            )
            version = "" if wrong else _told(asked)
            if not version:
                return Absent(name, f"pip: {wrong or 'no version'}")
        return Found(f"{name} {version}", (str(python), *(("-m", module) if module else ())))

    def _npm(self, name: str, package: str, script: str) -> Peer:
        node, npm = shutil.which("node"), shutil.which("npm")
        if not node or not npm:
            return Absent(name, "no node and npm on this machine")
        read = [
            node,
            "-p",
            f"JSON.parse(require('fs').readFileSync('node_modules/{package}/package.json')).version",
        ]
        version = _told(read, self.node) if self.node.is_dir() else ""
        if not version:
            if not self.install:
                return Absent(name, "not installed")
            self.node.mkdir(parents=True, exist_ok=True)
            if not (self.node / "package.json").is_file():
                (self.node / "package.json").write_text('{"private": true}\n', encoding="utf-8")
            wrong = ""
            for wanted in (package, *(f"{package}@{one}" for one in OLDER.get(package, ()))):
                wrong = _done(
                    [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", wanted],
                    self.node,
                )
                if not wrong:
                    break
            version = "" if wrong else _told(read, self.node)
            if not version:
                return Absent(name, f"npm: {wrong or 'no version'}")
        return Found(
            f"{name} {version}",
            (node, *((str(self.node / "node_modules" / package / script),) if script else ())),
        )

    def _debian(self, name: str, package: str, program: str, version: str) -> Peer:
        if not shutil.which(program):
            if not self.install:
                return Absent(name, "not installed")
            apt = shutil.which("apt-get")
            if not apt or os.geteuid() != 0:
                return Absent(
                    name,
                    f"no {program} here, and it cannot be installed without root and apt-get",
                )
            wrong = _done([apt, "install", "-y", "-qq", "--no-install-recommends", package])
            if wrong:
                wrong = _done([apt, "update", "-qq"]) or _done(
                    [apt, "install", "-y", "-qq", "--no-install-recommends", package]
                )
            if wrong:
                return Absent(name, f"apt-get: {wrong}")
        words = (_told([program, version]) or "?").splitlines()[0].split()
        number = next((word.lstrip("v") for word in words if word.lstrip("v")[:1].isdigit()), "?")
        return Found(f"{name} {number.partition('+')[0]}", (program,))


def _told(command: Sequence[str], cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command, cwd=cwd, capture_output=True, text=True, timeout=120, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()


def _done(command: Sequence[str], cwd: Path | None = None) -> str:
    """Runs an installer; what went wrong, in its last words, or nothing."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)[:200]
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return (
        "" if done.returncode == 0 else " ".join(said[-2:])[-200:] or f"exit code {done.returncode}"
    )
