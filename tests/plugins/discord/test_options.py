"""The setting of the service, and `kb discord commands`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kb.plugins.chats.replies import Recipients
from kb.plugins.discord import EXTRA
from kb.plugins.discord.interactions import commands
from tests.command_line import RunCommand
from tests.plugins.discord.requests import KEY

PUBLIC_KEY = KEY.verify_key.encode().hex()
SITE = ("--base-url", "https://x.org")


@pytest.mark.parametrize(
    ("words", "settings", "message"),
    [
        (("--with", "discord"), {"KB_DISCORD_PUBLIC_KEY": PUBLIC_KEY}, "needs --base-url"),
        (("--with", "discord,discord", *SITE), {}, "KB_DISCORD_PUBLIC_KEY: 64 hexadecimal digits"),
        (("--with", "discord", *SITE), {"KB_DISCORD_PUBLIC_KEY": "abc"}, "64 hexadecimal digits"),
    ],
)
def test_what_it_needs_is_said(
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


def test_an_unknown_action_is_refused(tmp_path: Path, kb: RunCommand) -> None:
    assert "'menu' is not 'commands'" in kb("discord", "menu", cwd=tmp_path, code=2).stderr
