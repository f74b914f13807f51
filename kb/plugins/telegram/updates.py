"""The format of Telegram: reads updates, and puts replies into messages.

`replies` writes the words. The format: Bot API 10.1, 2026. The HTTP answer to an
update names the one method to call; nothing else is sent, and the method's result is not returned.
"""

from __future__ import annotations

from html import escape

from pydantic import AliasPath, BaseModel, Field

from kb.core.json import Json
from kb.plugins.chats.replies import (
    COMMANDS,
    Answerer,
    Link,
    Reply,
    RulingReply,
    cut,
    fitting,
    length,
    private_note,
)
from kb.plugins.chats.words import CHAT
from kb.site.i18n import Catalog

MAX_TEXT = 4_096
_HELP = ("start", "help")
_HTML: Json = {"parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
# Lengths of escaped texts, in units of UTF-16.
_MAX_NOTE = 500
_MAX_ANSWER = 700
_MAX_LINE = 300
_MAX_LABEL = 200


class Message(BaseModel):
    """A message that may be a command, and the chat that gets the reply.

    Of the user only the language is read.
    """

    locale: str = Field("", validation_alias=AliasPath("from", "language_code"))
    message_id: int
    chat_id: int = Field(validation_alias=AliasPath("chat", "id"))
    chat_type: str = Field("private", validation_alias=AliasPath("chat", "type"))
    text: str = ""
    message_thread_id: int | None = None
    is_topic_message: bool = False
    via_bot: Json | None = None


class Update(BaseModel):
    """A request of Telegram; updates of other kinds have no message."""

    message: Message | None = None


def is_for_us(message: Message) -> bool:
    """Whether a message is a command or in a private chat."""
    if not message.text or message.via_bot is not None:
        return False
    return message.chat_type == "private" or _command(message.text)[0] in (*COMMANDS, *_HELP)


def respond(message: Message, words: Catalog, answerer: Answerer | None) -> Json:
    """Return the method that answers a message; without an answerer, that the server is busy."""
    if answerer is None:
        return _send(message, html_text(private_note(words(CHAT["busy"]))))
    command, text = _command(message.text)
    if command and command not in COMMANDS:
        return _send(message, _help(words, answerer))
    game, text = _leading_game(answerer, text)
    return _send(message, html_text(answerer.reply(command or "ruling", text, game)))


def html_text(reply: Reply) -> str:
    """Return a reply in Telegram's HTML, shortened to MAX_TEXT units."""
    parts = [cut(reply.note, _MAX_NOTE, escape)] if reply.note else []
    parts += [_ruling_html(ruling) for ruling in reply.rulings]
    rest = [_link(link) for link in reply.links]
    rest += [cut(remark, _MAX_LINE, escape) for remark in reply.remarks]
    ending = "\n\n".join(rest)
    shown = fitting(parts, "\n\n", MAX_TEXT - length(ending) - 2)
    return "\n\n".join(filter(None, [shown, ending]))


def _ruling_html(ruling: RulingReply) -> str:
    lines = [
        f"<b>{_link(Link(ruling.title, ruling.address))}</b>",
        cut(ruling.answer, _MAX_ANSWER, escape),
        f"<i>{cut(ruling.facts, _MAX_LINE, escape)}</i>",
    ]
    for group in ruling.groups:
        shown = [*map(_link, group.links[:2]), *(["…"] if len(group.links) > 2 else [])]
        lines.append(f"{escape(group.heading)}: {'; '.join(shown)}")
    return "\n".join(lines)


def _link(link: Link) -> str:
    text = cut(link.text, _MAX_LABEL, escape)
    if not link.address.startswith(("http://", "https://")):
        return text
    return f'<a href="{escape(link.address)}">{text}</a>'


def _help(words: Catalog, answerer: Answerer) -> str:
    commands = [f"/{name} – {escape(words(CHAT[name]))}" for name in (*COMMANDS, "help")]
    games = cut(answerer.games_line(), MAX_TEXT // 2, escape)
    return "\n\n".join((games, "\n".join(commands), escape(words(CHAT["kept"]))))


def _command(text: str) -> tuple[str, str]:
    """Return the command of a message, or an empty text, and the rest."""
    if not text.startswith("/"):
        return "", text
    first, *rest = text.split(maxsplit=1)
    return first[1:].partition("@")[0].lower(), rest[0] if rest else ""


def _leading_game(answerer: Answerer, text: str) -> tuple[str, str]:
    """Return the game id at the beginning of a text, or an empty text, and the rest."""
    first, *rest = text.split(maxsplit=1) or [""]
    word = first.rstrip(":")
    return (word, rest[0]) if rest and word in answerer.games else ("", text)


def _send(message: Message, text: str) -> Json:
    method: Json = {
        "method": "sendMessage",
        "chat_id": message.chat_id,
        "text": text,
        **_HTML,
    }
    if message.chat_type != "private":
        parameters = {"message_id": message.message_id, "allow_sending_without_reply": True}
        method["reply_parameters"] = parameters
    if message.is_topic_message and message.message_thread_id is not None:
        method["message_thread_id"] = message.message_thread_id
    return method
