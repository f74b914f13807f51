"""The options of `kb serve` for chats, and `kb discord commands`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from kb.chats.discord import commands
from kb.chats.replies import Recipients
from kb.commands.serve import _read_secret
from tests.chats.requests import KEY, SECRET
from tests.command_line import RunCommand

PUBLIC_KEY = KEY.verify_key.encode().hex()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--discord", PUBLIC_KEY), "chats open only whole addresses"),
        (("--discord", "abc", "--base-url", "https://x.org"), "64 hexadecimal digits"),
        (("--telegram", "--base-url", "https://x.org"), "openssl rand -hex 32"),
        (
            ("--telegram", "--telegram-secret", "none", "--base-url", "https://x.org"),
            "No such file",
        ),
    ],
)
def test_what_a_chat_needs_is_said(
    tmp_path: Path, kb: RunCommand, words: tuple[str, ...], message: str
) -> None:
    result = kb("serve", *words, cwd=tmp_path, code=2, KB_TELEGRAM_SECRET="")
    assert message in " ".join(result.stderr.split())


def test_the_secret_token_comes_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_TELEGRAM_SECRET", SECRET)
    assert _read_secret(None) == SECRET
    file = tmp_path / "secret"
    file.write_text("another-secret-token\n", encoding="utf-8")
    assert _read_secret(file) == "another-secret-token"
    for text in ("short", "with a blank in it!", "ł" * 20, "x" * 257):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(typer.BadParameter):
            _read_secret(file)


def test_the_commands_are_printed(kb: RunCommand, good_root: Path, recipients: Recipients) -> None:
    shown = kb("discord", "commands", "--rulings", ".", cwd=good_root).stdout
    assert json.loads(shown) == commands(recipients)
