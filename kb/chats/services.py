"""The services `discord` and `telegram` of `kb serve`, with their settings."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from kb.chats import EXTRA
from kb.core.problems import WrongUsage
from kb.server.services import Host, RunningService, Service

if TYPE_CHECKING:
    from kb.chats.http import SignatureVerifier

# Telegram allows 1 to 256 characters; fewer than 16 could be guessed.
_SECRET = re.compile("[A-Za-z0-9_-]{16,256}")


def _start_discord(host: Host) -> RunningService:
    from kb.chats.http import discord_route
    from kb.chats.replies import Recipients

    return RunningService([discord_route(host.lend, _verifier(), Recipients(host.templates))])


def _verifier() -> SignatureVerifier:
    """Return the verifier of Discord's requests. Raises WrongUsage for a bad public key."""
    from kb.chats.http import SignatureVerifier

    return SignatureVerifier(os.environ.get("KB_DISCORD_PUBLIC_KEY", "").strip())


def _start_telegram(host: Host) -> RunningService:
    from kb.chats.http import telegram_route
    from kb.chats.replies import Recipients

    return RunningService([telegram_route(host.lend, _secret(), Recipients(host.templates))])


def _secret() -> str:
    """Return the secret token of Telegram's requests. Raises WrongUsage for a bad one."""
    secret = os.environ.get("KB_TELEGRAM_SECRET", "").strip()
    if not _SECRET.fullmatch(secret):
        raise WrongUsage(
            "telegram needs a secret token in the environment variable KB_TELEGRAM_SECRET: 16 to"
            " 256 letters, digits, _ and -; `openssl rand -hex 32` makes one"
        )
    return secret


DISCORD = Service(_start_discord, lambda host: _verifier(), EXTRA, needs_base_url=True)
TELEGRAM = Service(_start_telegram, lambda host: _secret(), needs_base_url=True)
