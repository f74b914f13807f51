"""The settings of the service."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line import RunCommand
from tests.plugins.telegram.requests import SECRET


@pytest.mark.parametrize("secret", ["", "short", "with a blank in it!", "ł" * 20, "x" * 257])
def test_a_secret_token_is_needed(secret: str, tmp_path: Path, kb: RunCommand) -> None:
    words = ("serve", "--with", "telegram", "--base-url", "https://x.org")
    refused = kb(*words, cwd=tmp_path, code=2, KB_TELEGRAM_SECRET=secret).stderr
    assert "KB_TELEGRAM_SECRET: 16 to 256 letters" in refused
    assert "openssl rand -hex 32" in refused and (not secret or secret not in refused)


def test_the_address_of_the_site_is_needed(tmp_path: Path, kb: RunCommand) -> None:
    words = ("serve", "--with", "telegram")
    refused = kb(*words, cwd=tmp_path, code=2, KB_TELEGRAM_SECRET=SECRET).stderr
    assert "telegram needs --base-url" in refused
