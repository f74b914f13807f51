"""The command line: called in this process, or run as a process of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

Result = subprocess.CompletedProcess[str]
RunCommand = Callable[..., Result]


def call_kb(*words: str, cwd: Path, text: str | None = None, **environment: str) -> Result:
    """Call `kb` in this process; the environment's own KB_* settings are not seen."""
    from kb.commands.main import main

    stdin, stdout, stderr = _stream((text or "").encode()), _stream(), _stream()
    with pytest.MonkeyPatch.context() as patch, _clean_environment(environment):
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["kb", *words])
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(sys, "stdout", stdout)
        patch.setattr(sys, "stderr", stderr)
        try:
            main()
            code: object = 0
        except SystemExit as end:
            code = end.code or 0
    assert isinstance(code, int)
    return Result(["kb", *words], code, _written(stdout), _written(stderr))


def run_kb(
    *words: str,
    cwd: Path,
    text: str | None = None,
    before: Callable[[], None] | None = None,
    **environment: str,
) -> Result:
    """Run `kb` as a process; `before` is called in that process before it starts."""
    with _clean_environment(environment):
        result = subprocess.run(
            [sys.executable, "-m", "kb", *words],
            cwd=cwd,
            capture_output=True,
            text=True,
            encoding="utf-8",
            input=text or "",
            preexec_fn=before,
            check=False,
        )
    assert "Traceback" not in result.stderr, result.stderr
    return result


def checked(run: RunCommand) -> RunCommand:
    """`run`, with an option `code`: the expected exit code, 0 by default, None for any."""

    def run_and_check(*words: str, code: int | None = 0, **options: object) -> Result:
        result = run(*words, **options)
        if code is not None:
            assert result.returncode == code, (result.stdout, result.stderr)
        return result

    return run_and_check


@contextmanager
def _clean_environment(changes: dict[str, str]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # Click folds its messages at the width of the terminal.
        patch.setenv("COLUMNS", "200")
        for name in [name for name in os.environ if name.startswith("KB_")]:
            patch.delenv(name)
        for name, value in changes.items():
            patch.setenv(name, value)
        yield


def _stream(content: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    content = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return str(content.decode("utf-8")).replace("\r\n", "\n")
