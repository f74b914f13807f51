"""The format of Telegram: reads updates, and puts replies into messages and inline results.

`replies` writes the words. The format: Bot API 10.1, 2026. The HTTP answer to an
update names the one method to call; nothing else is sent, and the method's result is not returned.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from pydantic import AliasPath, BaseModel, Field

from kb.core.json import Json
from kb.plugins.chats.replies import (
    COMMANDS,
    Answerer,
    Link,
    LinkGroup,
    Reply,
    RulingReply,
    cut,
    fitting,
    length,
    private_note,
)
from kb.plugins.chats.words import CHAT
from kb.site.i18n import DECK, Catalog

MAX_TEXT = 4_096
MAX_RESULTS = 10
# Telegram may repeat the results of the same inline query for this time, in seconds.
CACHE_TIME = 60
_HELP = ("start", "help")
_HTML: Json = {"parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
# Lengths of escaped texts, in units of UTF-16.
_MAX_NOTE = 500
_MAX_ANSWER = 700
_MAX_LINE = 300
_MAX_LABEL = 200


class Sent(BaseModel):
    """What a user sent, with the language of the user, whose identity is not read."""

    locale: str = Field("", validation_alias=AliasPath("from", "language_code"))


class Message(Sent):
    """A message that may be a command, and the chat that gets the reply."""

    message_id: int
    chat_id: int = Field(validation_alias=AliasPath("chat", "id"))
    chat_type: str = Field("private", validation_alias=AliasPath("chat", "type"))
    text: str = ""
    message_thread_id: int | None = None
    is_topic_message: bool = False
    via_bot: Json | None = None


class InlineQuery(Sent):
    """A question typed after the bot's name in any chat."""

    id: str
    query: str = ""


class Update(BaseModel):
    """A request of Telegram; updates of other kinds have neither member."""

    message: Message | None = None
    inline_query: InlineQuery | None = None

    @property
    def locale(self) -> str:
        sent = self.message or self.inline_query
        return sent.locale if sent else ""


def is_for_us(update: Update) -> bool:
    """Return whether an update is a command, a private message or an inline query."""
    if update.inline_query is not None:
        return True
    message = update.message
    if message is None or not message.text or message.via_bot is not None:
        return False
    return message.chat_type == "private" or _command(message.text)[0] in (*COMMANDS, *_HELP)


def respond(update: Update, words: Catalog, answerer: Answerer | None) -> Json:
    """Return the method that answers an update; without an answerer, that the server is busy."""
    if update.inline_query is not None:
        return _inline_answer(update.inline_query, words, answerer)
    assert update.message is not None
    if answerer is None:
        return _send(update.message, html_text(private_note(words(CHAT["busy"])), words))
    command, text = _command(update.message.text)
    if command and command not in COMMANDS:
        return _send(update.message, _help(words, answerer))
    game, text = _leading_game(answerer, text)
    reply = answerer.reply(command or "ruling", text, game)
    return _send(update.message, html_text(reply, words))


def html_text(reply: Reply, words: Catalog) -> str:
    """Return a reply in Telegram's HTML, shortened to MAX_TEXT units."""
    parts = [cut(reply.note, _MAX_NOTE, escape)] if reply.note else []
    parts += [_ruling_html(ruling) for ruling in reply.rulings]
    parts += [_deck_html(group) for group in reply.deck]
    rest = [_link(link) for link in reply.links]
    rest += [cut(remark, _MAX_LINE, escape) for remark in reply.remarks]
    if reply.unknown:
        # In code, no name or command becomes a link.
        lines = (f"<code>{cut(line, _MAX_LABEL, escape)}</code>" for line in reply.unknown)
        rest.append("\n".join([f"{escape(words(DECK['unknown']))}:", *lines]))
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


def _deck_html(group: LinkGroup) -> str:
    heading = f"<b>{cut(group.heading, _MAX_LINE, escape)}</b>"
    return "\n".join([heading, *(f"– {_link(link)}" for link in group.links)])


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


def _inline_answer(query: InlineQuery, words: Catalog, answerer: Answerer | None) -> Json:
    results: list[Json] = []
    if answerer and query.query.strip():
        game, text = _leading_game(answerer, query.query)
        results += _results(answerer.reply("ruling", text, game, MAX_RESULTS), words)
    return {
        "method": "answerInlineQuery",
        "inline_query_id": query.id,
        "results": results,
        "cache_time": CACHE_TIME if answerer else 0,
        # The results are in the language of this user.
        "is_personal": True,
    }


def _results(reply: Reply, words: Catalog) -> Iterator[Json]:
    if not reply.rulings:
        yield _article("none", reply.note, " ".join(reply.remarks), html_text(reply, words))
    for number, ruling in enumerate(reply.rulings):
        # The chosen result becomes a message of its own, which needs the note too.
        text = html_text(Reply(note=reply.note, rulings=(ruling,)), words)
        description = f"{ruling.facts}\n{ruling.answer}"
        yield {
            **_article(str(number), ruling.title, description, text),
            "url": ruling.address,
        }


def _article(result_id: str, title: str, description: str, text: str) -> Json:
    return {
        "type": "article",
        "id": result_id,
        "title": cut(title, _MAX_LABEL),
        "description": cut(description, _MAX_LINE),
        "input_message_content": {"message_text": text, **_HTML},
    }
