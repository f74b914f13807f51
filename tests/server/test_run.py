"""`kb serve` as a process: its address, its end, its errors, and several worker processes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kb.core.plugins import SERVER
from kb.core.problems import KbError
from kb.server.run import SHUTDOWN_TIMEOUT, Settings, listening_socket, serve
from tests.command_line import RunCommand
from tests.serving import paths_of

Start = Callable[..., tuple[str, subprocess.Popen[str]]]
posix = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture()
def start(built: Path) -> Iterator[Start]:
    """Start a program that prints its address on standard error; return address and process."""
    running: list[subprocess.Popen[str]] = []

    def begin(*words: str, program: str = "") -> tuple[str, subprocess.Popen[str]]:
        command = ["-c", program] if program else ["-m", "kb", "serve", "--port", "0", *words]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=built,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**clean, "KB_DATA": str(built / "data")},
            start_new_session=True,
        )
        running.append(process)
        assert process.stderr
        line = process.stderr.readline()
        found = re.match(r"(http://127\.0\.0\.1:\d+)/", line)
        assert found, line + process.stderr.read()
        return found[1], process

    yield begin
    for process in running:
        if process.poll() is None:
            # Its workers too: they hold the pipes open.
            with suppress(AttributeError, ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        process.communicate()


def fetch(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=120) as answer:
        return answer.read()


@posix
def test_watching_ends_with_its_builder(start: Start, fresh: Path) -> None:
    names = ("--rulings", str(fresh / "rulings"), "--output", str(fresh / "site"))
    address, process = start("--watch", *names)
    assert b"<!DOCTYPE html>" in fetch(f"{address}/")
    assert json.loads(fetch(f"{address}/api/v1/search?q=pilot"))["total"] >= 3
    state = json.loads(fetch(f"{address}/live/state"))
    assert state["problems"] == []
    with _clients(address, f"/live/state?after={state['tag']}") as clients:
        process.send_signal(signal.SIGINT)
        signalled = time.monotonic()
        # The pipes are shared with the process that builds: they close when both have ended.
        out, err = process.communicate(timeout=120)
        assert time.monotonic() - signalled < SHUTDOWN_TIMEOUT + 5
        # The open poll is answered.
        assert b"200 OK" in clients[-1].recv(1000)
    assert process.returncode == 0 and out == "" and err.endswith("stopped\n")
    assert "Traceback" not in err


@contextmanager
def _clients(address: str, poll: str) -> Iterator[list[socket.socket]]:
    """Connections that are idle, in a header, in a body, read nothing, or wait for news."""
    place = urlsplit(address)
    host = f"Host: {place.netloc}\r\n"
    sent = [
        "",
        f"GET / HTTP/1.1\r\n{host}\r\n",
        f"GET / HTTP/1.1\r\n{host}",
        f"POST /read HTTP/1.1\r\n{host}Content-Length: 900\r\n\r\n{{",
        f"GET /rulings.jsonl HTTP/1.1\r\n{host}\r\n" * 200,
        f"GET {poll} HTTP/1.1\r\n{host}\r\n",
    ]
    with ExitStack() as opened:
        connections = []
        for text in sent:
            connection = socket.create_connection((place.hostname, place.port), timeout=120)
            connections.append(opened.enter_context(connection))
            connection.sendall(text.encode())
        # What was sent before has been read when this is answered.
        fetch(f"{address}/healthz")
        yield connections


# Serves a site whose files take a second.
SLOW = """
import os, sys, time
from pathlib import Path
from kb.pipeline.paths import Paths
from kb.server import run
from kb.server.app import create_app
from kb.pipeline.builds import FolderBuilds
from kb.server.pages import FolderFiles

class Slow(FolderFiles):
    def get(self, path):
        os.write(2, b"begun\\n")
        time.sleep(1)
        return super().get(path)

builds = FolderBuilds(Paths(Path("rulings"), Path("data")))
with run.listening_socket("127.0.0.1", 0) as listener:
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/", file=sys.stderr, flush=True)
    run.run_app(create_app(Slow(Path("site")), builds), listener)
"""


@posix
def test_an_answer_is_finished_but_no_client_keeps_the_server_running(start: Start) -> None:
    address, process = start(program=SLOW)
    with _clients(address, "/"), ThreadPoolExecutor(1) as threads:
        page = threads.submit(fetch, f"{address}/demo/")
        # Three files for the clients, one for the thread.
        assert process.stderr and [process.stderr.readline() for _ in range(4)] == ["begun\n"] * 4
        process.send_signal(signal.SIGTERM)
        signalled = time.monotonic()
        assert b"<!DOCTYPE html>" in page.result()
        assert process.wait(timeout=120) == 0
        assert time.monotonic() - signalled < SHUTDOWN_TIMEOUT + 5
    with pytest.raises(urllib.error.URLError):
        fetch(f"{address}/")


@posix
def test_several_processes(start: Start) -> None:
    address, process = start("--workers", "2")
    for _ in range(20):
        assert b"<title>" in fetch(f"{address}/demo/")
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "Traceback" not in err and err.endswith("stopped\n")


def test_small_answers_are_sent_at_once() -> None:
    """Without TCP_NODELAY each answer waits 40 ms."""
    with listening_socket("127.0.0.1", 0) as listener:
        socket.create_connection(listener.getsockname()).close()
        with listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_no_site_no_port_no_host(built: Path, tmp_path: Path) -> None:
    site, paths = built / "site", paths_of(built)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for settings, message in (
            (Settings(tmp_path, paths), "kb build"),
            (Settings(site, paths, port=taken.getsockname()[1]), "--port"),
            (Settings(site, paths, host="192.0.2.1", port=0), r"192\.0\.2\.1.*--host"),
        ):
            with pytest.raises(KbError, match=message):
                serve(settings, print)


# Runs kb several times where some modules cannot be imported.
WITHOUT = """
import contextlib, io, json, sys
from kb.commands.main import main

sys.modules.update(dict.fromkeys(sys.argv.pop().split()))
for words in json.loads(sys.argv.pop()):
    sys.argv = ["kb", *words.split()]
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            assert not end.code, words
"""


def test_a_missing_extra_is_named(built: Path, kb: RunCommand) -> None:
    for module in SERVER.modules:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            done = kb("serve", "--port", "0", cwd=built, code=1, KB_DATA=str(built / "data"))
        assert f"{module}, which is not installed: run pip install '.[server]'" in done.stderr


def test_other_commands_work_without_the_server(fresh: Path) -> None:
    words = "check|build --output site|search pilot|show one-pilot|card Łowca|export --output"
    words = f"{words} {os.devnull}|serve --help"
    modules = " ".join((*SERVER.modules, "starlette", "anyio"))
    subprocess.run(
        [sys.executable, "-c", WITHOUT, json.dumps(words.split("|")), modules],
        cwd=fresh,
        check=True,
        env={**os.environ, "KB_DATA": str(fresh / "data")},
    )
