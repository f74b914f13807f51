"""The settings of the services for chats, and `kb discord commands`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kb.chats import EXTRA
from kb.chats.discord import commands
from kb.chats.replies import Recipients
from tests.chats.requests import KEY
from tests.command_line import RunCommand

PUBLIC_KEY = KEY.verify_key.encode().hex()
SITE = ("--base-url", "https://x.org")


@pytest.mark.parametrize(
    ("words", "settings", "message"),
    [
        (("--with", "discord"), {"KB_DISCORD_PUBLIC_KEY": PUBLIC_KEY}, "needs --base-url"),
        (("--with", "mcp,discord", *SITE), {}, "KB_DISCORD_PUBLIC_KEY: 64 hexadecimal digits"),
        (("--with", "discord", *SITE), {"KB_DISCORD_PUBLIC_KEY": "abc"}, "64 hexadecimal digits"),
        (("--with", "telegram", *SITE), {}, "openssl rand -hex 32"),
        *(
            (("--with", "telegram", *SITE), {"KB_TELEGRAM_SECRET": bad}, "KB_TELEGRAM_SECRET: 16")
            for bad in ("short", "with a blank in it!", "ł" * 20, "x" * 257)
        ),
    ],
)
def test_what_a_chat_needs_is_said(
    tmp_path: Path,
    kb: RunCommand,
    words: tuple[str, ...],
    settings: dict[str, str],
    message: str,
) -> None:
    result = kb("serve", *words, cwd=tmp_path, code=2, **settings)
    assert message in result.stderr


def test_the_commands_are_printed(kb: RunCommand, good_root: Path, recipients: Recipients) -> None:
    shown = kb("discord", "commands", "--rulings", ".", cwd=good_root).stdout
    assert json.loads(shown) == commands(recipients)


def test_a_missing_extra_is_named(
    tmp_path: Path, kb: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    (module,) = EXTRA.modules
    monkeypatch.setitem(sys.modules, module, None)
    refused = kb("serve", "--with", "discord", *SITE, cwd=tmp_path, code=1).stderr
    assert f"{module}, which is not installed: run pip install '.[discord]'" in refused
