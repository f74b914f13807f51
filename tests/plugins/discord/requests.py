"""Requests in the published shapes of Discord (API v10)."""

from __future__ import annotations

from nacl.signing import SigningKey

from tests.plugins.chats.samples import Json

KEY = SigningKey(bytes(range(32)))
NOW = 1_767_225_600


def signed(body: bytes, timestamp: str = str(NOW), key: SigningKey = KEY) -> dict[str, str]:
    """Return the headers that Discord sends with a body."""
    return {
        "X-Signature-Ed25519": key.sign(timestamp.encode() + body).signature.hex(),
        "X-Signature-Timestamp": timestamp,
        "Content-Type": "application/json",
        "User-Agent": "Discord-Interactions/1.0 (+https://discord.com)",
    }


def interaction(kind: int, data: Json | None, locale: str = "en-GB") -> Json:
    """Return an interaction in a server's channel."""
    user = {"id": "53908232506183680", "username": "mason", "discriminator": "0", "avatar": None}
    return {
        "id": "786008729715212338",
        "application_id": "845027738276462632",
        "type": kind,
        "token": "A_UNIQUE_TOKEN",
        "version": 1,
        "guild_id": "290926798626357999",
        "channel_id": "645027906669510667",
        "member": {"user": user, "roles": ["539082325061836999"], "permissions": "2147483647"},
        "app_permissions": "442368",
        "guild_locale": "en-US",
        "locale": locale,
        "entitlements": [],
        "authorizing_integration_owners": {"0": "290926798626357999"},
        "context": 0,
        "attachment_size_limit": 10_485_760,
        **({"data": data} if data is not None else {}),
    }


def command(used: str, locale: str = "en-GB", focused: str = "", **options: str) -> Json:
    """Return the use of a command; with `focused`, the request to complete that option."""
    listed = [
        {"type": 3, "name": key, "value": value, **({"focused": True} if key == focused else {})}
        for key, value in options.items()
    ]
    data = {"id": "771825006014889984", "name": used, "type": 1, "options": listed}
    return interaction(4 if focused else 2, data, locale)


def form(text: str, game: str = "", locale: str = "en-GB") -> Json:
    """Return a deck's form as it is sent in."""
    field = {"type": 4, "id": 2, "custom_id": "list", "value": text}
    label = {"type": 18, "id": 1, "component": field}
    return interaction(5, {"custom_id": f"deck:{game}", "components": [label]}, locale)


def ping() -> Json:
    """Return the request with which Discord tries an address."""
    whole = interaction(1, None)
    return {key: whole[key] for key in ("id", "application_id", "type", "token", "version")}
