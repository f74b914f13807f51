"""The service `discord` of `kb serve`, and its setting."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from kb.plugins.discord import EXTRA
from kb.server.services import Host, RunningService, Service

if TYPE_CHECKING:
    from kb.plugins.discord.route import SignatureVerifier


def start(host: Host) -> RunningService:
    """Return the route for Discord's interactions."""
    from kb.plugins.chats.replies import Recipients
    from kb.plugins.discord.route import discord_route

    return RunningService([discord_route(host.lend, _verifier(), Recipients(host.templates))])


def _verifier() -> SignatureVerifier:
    """Return the verifier of Discord's requests. Raises WrongUsage for a bad public key."""
    from kb.plugins.discord.route import SignatureVerifier

    return SignatureVerifier(os.environ.get("KB_DISCORD_PUBLIC_KEY", "").strip())


SERVICE = Service(start, lambda host: _verifier(), EXTRA, needs_base_url=True)
