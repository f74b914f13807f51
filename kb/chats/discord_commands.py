"""The commands that have to be registered with Discord, described in its languages."""

from __future__ import annotations

from typing import Any

from kb.chats.replies import Readers
from kb.search.query import MAX_LENGTH
from kb.site.i18n import CHAT, SOURCE

# The locales of Discord's clients, by the languages that the interface may have.
# A language that is no locale of theirs, such as Slovak, cannot be registered.
LOCALES = {
    code: code
    for code in "bg cs da de el fi fr hi hr hu id it ja ko lt nl no pl ro ru th tr uk vi".split()
} | {"es": "es-ES", "pt": "pt-BR", "sv": "sv-SE"}
_CHAT_INPUT = 1
_STRING = 3
# The contexts of use: servers, the bot's direct messages, and other private chats.
_EVERYWHERE = [0, 1, 2]


def commands(readers: Readers) -> list[dict[str, Any]]:
    """Return the body for `PUT /applications/{application.id}/commands`."""

    def described(message: str) -> dict[str, Any]:
        localized = {
            LOCALES[lang]: words(CHAT[message])
            for lang, words in readers.catalogs.items()
            if lang in LOCALES and lang != SOURCE
        }
        return {"description": CHAT[message], "description_localizations": localized}

    def option(name: str, **members: Any) -> dict[str, Any]:
        return {
            "type": _STRING,
            "name": name,
            **described(name),
            "max_length": MAX_LENGTH,
            **members,
        }

    def command(name: str, *options: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": _CHAT_INPUT,
            "name": name,
            **described(name),
            "contexts": _EVERYWHERE,
            "options": list(options),
        }

    game = option("game", autocomplete=True)
    return [
        command("ruling", option("query", required=True), game),
        command("card", option("name", required=True, autocomplete=True), game),
        command("deck", game),
    ]
