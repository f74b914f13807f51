"""What `kb mcp` and `kb serve --with mcp` need."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kb.plugins.mcp import EXTRA
from tests.command_line import RunCommand


@pytest.mark.parametrize("words", [("mcp",), ("serve", "--with", "mcp", "--port", "0")])
def test_a_missing_extra_is_named(
    words: tuple[str, ...], small_base: Path, kb: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    (module,) = EXTRA.modules
    monkeypatch.setitem(sys.modules, module, None)
    refused = kb(*words, cwd=small_base, code=1).stderr
    assert f"{module}, which is not installed: run pip install '.[mcp]'" in refused
