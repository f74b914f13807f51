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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kb.core.plugins import SERVER
from kb.core.problems import KbError
from kb.server.run import SHUTDOWN_TIMEOUT, Settings, listening_socket, serve
from tests.command_line import RunCommand, checked, run_kb
from tests.conftest import paths_of
from tests.serving import get

Start = Callable[..., tuple[str, subprocess.Popen[str]]]
posix = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture()
def start(fresh: Path) -> Iterator[Start]:
    """Run `kb serve` with options; return its address and process."""
    running: list[subprocess.Popen[str]] = []

    def begin(*words: str) -> tuple[str, subprocess.Popen[str]]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "kb", "serve", "--port", "0", *words],
            cwd=fresh,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=clean,
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


@contextmanager
def _clients(address: str, poll: str) -> Iterator[socket.socket]:
    """Connections that are idle, in a header, in a body, read nothing, or wait for news.

    Yields the last.
    """
    place = urlsplit(address)
    host = f"Host: {place.netloc}\r\n"
    sent = [
        "",
        f"GET / HTTP/1.1\r\n{host}",
        f"POST /read HTTP/1.1\r\n{host}Content-Length: 900\r\n\r\n{{",
        f"GET /rulings.jsonl HTTP/1.1\r\n{host}\r\n" * 200,
        f"GET {poll} HTTP/1.1\r\n{host}\r\n",
    ]
    with ExitStack() as opened:
        for text in sent:
            connection = socket.create_connection((place.hostname, place.port), timeout=120)
            opened.enter_context(connection)
            connection.sendall(text.encode())
        # What was sent before has been read when this is answered.
        get(f"{address}/healthz")
        yield connection


@posix
def test_watching_ends_with_its_builder_whatever_clients_do(start: Start) -> None:
    address, process = start("--watch")
    assert "<!DOCTYPE html>" in get(f"{address}/")[1]
    assert json.loads(get(f"{address}/api/v1/search?q=pilot")[1])["total"] >= 3
    state = json.loads(get(f"{address}/live/state")[1])
    assert state["problems"] == []
    with _clients(address, f"/live/state?after={state['tag']}") as waiting:
        process.send_signal(signal.SIGINT)
        signalled = time.monotonic()
        # The pipes are shared with the process that builds: they close when both have ended.
        out, err = process.communicate(timeout=120)
        assert time.monotonic() - signalled < SHUTDOWN_TIMEOUT + 5
        # The open poll is answered.
        assert b"200 OK" in waiting.recv(1000)
    assert process.returncode == 0 and out == "" and err.endswith("stopped\n")
    assert "Traceback" not in err


@posix
def test_several_processes(start: Start) -> None:
    address, process = start("--workers", "2")
    for _ in range(20):
        assert "<title>" in get(f"{address}/demo/")[1]
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "Traceback" not in err and err.endswith("stopped\n")


def test_small_answers_are_sent_at_once() -> None:
    """Without TCP_NODELAY each answer waits 40 ms."""
    with listening_socket("127.0.0.1", 0) as listener:
        socket.create_connection(listener.getsockname()).close()
        with listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_no_site_no_port_no_host(small_base: Path, tmp_path: Path) -> None:
    site, paths = small_base / "site", paths_of(small_base)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        for settings, message in (
            (Settings(tmp_path, paths), "kb build"),
            (Settings(site, paths, port=taken.getsockname()[1]), "--port"),
            (Settings(site, paths, host="192.0.2.1", port=0), r"192\.0\.2\.1.*--host"),
        ):
            with pytest.raises(KbError, match=message):
                serve(settings, print)


def test_a_missing_extra_is_named(small_base: Path, kb: RunCommand) -> None:
    for module in SERVER.modules:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(sys.modules, module, None)
            done = kb("serve", "--port", "0", cwd=small_base, code=1)
        assert f"{module}, which is not installed: run pip install '.[server]'" in done.stderr


def test_other_commands_work_without_the_server(fresh: Path) -> None:
    """Python imports `sitecustomize` first, which makes these modules missing."""
    modules = [*SERVER.modules, "starlette", "anyio"]
    text = f"import sys\nsys.modules.update(dict.fromkeys({modules}))\n"
    (fresh / "sitecustomize.py").write_text(text, encoding="utf-8")
    for words in ("build", "serve --help"):
        checked(run_kb)(*words.split(), cwd=fresh, PYTHONPATH=str(fresh))
