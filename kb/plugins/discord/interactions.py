"""The format of Discord: reads interactions, and puts replies into messages and choices.

`replies` writes the words. The format: Discord's developer documentation, "Receiving and
Responding" and "Message", 2026. The response is the body of the HTTP answer; nothing follows it.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import partial
from typing import Any

from pydantic import AliasPath, BaseModel, Field

from kb.core.json import Json
from kb.plugins.chats.replies import (
    Answerer,
    Link,
    Recipients,
    Reply,
    RulingReply,
    cut,
    fitting,
    length,
    private_note,
)
from kb.plugins.chats.words import CHAT
from kb.search.query import MAX_LENGTH
from kb.site.i18n import SOURCE, Catalog

MAX_CONTENT = 2_000
MAX_TITLE = 256
MAX_DESCRIPTION = 4_096
# Length of all embeds of a message together.
MAX_EMBEDS_TOTAL = 6_000
MAX_CHOICES = 25
MAX_CHOICE = 100
EPHEMERAL = 64
_MAX_FACTS = 300
_MAX_SOURCES = 500
_MAX_NOTE = 500
# Characters of markup and mentions; a backslash makes each of them plain text.
_MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_~|<>[]#@"})
_LIST = re.compile(r"(?=[-+]\s)")
# Locales of Discord's clients by language. Commands cannot be registered in other languages, such
# as Slovak.
LOCALES = {
    code: code
    for code in "bg cs da de el fi fr hi hr hu id it ja ko lt nl no pl ro ru th tr uk vi".split()
} | {"es": "es-ES", "pt": "pt-BR", "sv": "sv-SE"}
_CHAT_INPUT = 1
_STRING = 3
# The contexts of use: servers, the bot's direct messages, and other private chats.
_EVERYWHERE = [0, 1, 2]


class InteractionType(IntEnum):
    """The kinds of requests."""

    PING = 1
    COMMAND = 2
    AUTOCOMPLETE = 4


class ResponseType(IntEnum):
    """The kinds of responses."""

    PONG = 1
    MESSAGE = 4
    CHOICES = 8


class Option(BaseModel):
    """An option of a command, with the text typed so far."""

    name: str
    value: str | int | float | bool = ""
    focused: bool = False


class Interaction(BaseModel):
    """A request of Discord: a command with its options. The user's identity is not read."""

    type: InteractionType
    locale: str = ""
    command: str = Field("", validation_alias=AliasPath("data", "name"))
    options: list[Option] = Field([], validation_alias=AliasPath("data", "options"))

    def option(self, name: str) -> str:
        """Return the value of an option, or an empty text."""
        return next((str(option.value) for option in self.options if option.name == name), "")


def respond(interaction: Interaction, words: Catalog, answerer: Answerer | None) -> Json:
    """Return the response to a request; without an answerer, that the server is busy."""
    if interaction.type == InteractionType.PING:
        return {"type": ResponseType.PONG}
    if interaction.type == InteractionType.AUTOCOMPLETE:
        choices = _choices(interaction, answerer) if answerer else []
        return {"type": ResponseType.CHOICES, "data": {"choices": choices}}
    if answerer is None:
        return message(private_note(words(CHAT["busy"])), words)
    is_card = interaction.command == "card"
    command, option = ("card", "name") if is_card else ("ruling", "query")
    text, game = interaction.option(option), interaction.option("game")
    return message(answerer.reply(command, text, game), words)


def message(reply: Reply, words: Catalog) -> Json:
    """Return the response that shows a reply; it notifies nobody."""
    lines = [reply.note, *reply.remarks]
    content = [cut(line, _MAX_NOTE, escape) for line in lines if line]
    for link in reply.links:
        # Angle brackets suppress the preview of the address.
        shown = _link(link, brackets=True)
        if length("\n".join([*content, shown])) <= MAX_CONTENT:
            content.append(shown)
    share = MAX_EMBEDS_TOTAL // max(len(reply.rulings), 1)
    embeds = [_ruling_embed(ruling, words, share) for ruling in reply.rulings]
    data: Json = {
        "content": "\n".join(content),
        "embeds": embeds,
        "allowed_mentions": {"parse": []},
    }
    if reply.is_private:
        data["flags"] = EPHEMERAL
    return {"type": ResponseType.MESSAGE, "data": data}


def escape(text: str) -> str:
    """Escape a text for Discord: no markup, mentions or links."""
    escaped = text.translate(_MARKUP).replace("://", r"\:\/\/")
    return f"\\{escaped}" if _LIST.match(escaped) else escaped


def _ruling_embed(ruling: RulingReply, words: Catalog, share: int) -> Json:
    """Return the embed of a ruling, at most `share` units long."""
    fields = [_named(words(CHAT["authority"]), cut(ruling.facts, _MAX_FACTS, escape))]
    for group in ruling.groups:
        shown = fitting([_link(link) for link in group.links], "\n", _MAX_SOURCES)
        fields.append(_named(group.heading, shown))
    embed: Json = {
        "title": cut(ruling.title, MAX_TITLE, escape),
        "url": ruling.address,
        "fields": fields,
        "footer": {"text": ruling.key},
    }
    rest = min(MAX_DESCRIPTION, share - embed_length(embed))
    return {**embed, "description": cut(ruling.answer, rest, escape)}


def _named(name: str, value: str) -> Json:
    return {"name": name, "value": value}


def embed_length(embed: Json) -> int:
    """Return the length of an embed as Discord counts it, with its description."""
    fields = [text for field in embed["fields"] for text in (field["name"], field["value"])]
    footer = embed.get("footer", {}).get("text", "")
    return sum(map(length, (embed["title"], embed.get("description", ""), footer, *fields)))


def _link(link: Link, brackets: bool = False) -> str:
    text = cut(link.text, MAX_TITLE, escape)
    address = link.address.replace(")", "%29").replace(">", "%3E")
    if not address.startswith(("http://", "https://")):
        return text
    return f"[{text}](<{address}>)" if brackets else f"[{text}]({address})"


def _choices(interaction: Interaction, answerer: Answerer) -> list[Json]:
    option = next((option for option in interaction.options if option.focused), None)
    if option is None:
        return []
    typed = str(option.value)
    if option.name == "game":
        games = answerer.complete_games(typed, MAX_CHOICES)
        return [_named(cut(name, MAX_CHOICE), game) for game, name in games]
    names = answerer.complete_cards(typed, interaction.option("game"), MAX_CHOICES)
    # A longer name would exceed the limit of a value.
    return [_named(name, name) for name in names if length(name) <= MAX_CHOICE]


def commands(recipients: Recipients) -> list[Json]:
    """Return the commands to register with `PUT /applications/{application.id}/commands`."""

    def part(kind: int, name: str, **members: Any) -> Json:
        localized = {
            LOCALES[lang]: words(CHAT[name])
            for lang, words in recipients.catalogs.items()
            if lang in LOCALES and lang != SOURCE
        }
        return {
            "type": kind,
            "name": name,
            "description": CHAT[name],
            "description_localizations": localized,
            **members,
        }

    option = partial(part, _STRING, max_length=MAX_LENGTH)
    command = partial(part, _CHAT_INPUT, contexts=_EVERYWHERE)
    game = option("game", autocomplete=True)
    name = option("name", required=True, autocomplete=True)
    return [
        command("ruling", options=[option("query", required=True), game]),
        command("card", options=[name, game]),
    ]
