"""The words of every reply, for all chats: what it says in the language of its recipient.

`telegram` and `discord` only read requests and put these replies into the format of their service.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from kb.core import urls
from kb.language import fold, text_in
from kb.pipeline.open_base import OpenBase
from kb.plugins.chats.words import CHAT
from kb.records.text import Text
from kb.search.query import MAX_LENGTH
from kb.search.searcher import Answer, SearchHit
from kb.search.snippets import first_paragraph
from kb.serialize.answers import Card
from kb.serialize.ruling import answer_in_words, cited_sources, ruling_to_json
from kb.site.i18n import (
    AUTHORITIES,
    FACTS,
    KINDS,
    SEARCH,
    SOURCE,
    STATUSES,
    Catalog,
    interface_languages,
    read_words,
)
from kb.site.templates import Templates
from kb.store.model import StoredRuling

_CODE = re.compile("[a-z]{2,3}")
# Maximum number of rulings in a reply, and of guesses.
MAX_RULINGS = 3
MAX_GUESSES = 2
# Maximum number of cards.
MAX_CARDS = 5
# Maximum number of cards that are read for a text that is the beginning of many names.
_MAX_READ = 20
# A longer address of a search is shortened to the search page's, in characters.
_MAX_ADDRESS = 500
ELLIPSIS = "…"
# The commands of every chat, with the message for one without a text.
COMMANDS = {"ruling": "noask", "card": "noname"}


@dataclass(frozen=True)
class Recipient:
    """The person who gets a reply.

    `lang` is the language of rulings, "" if unknown; `catalogs` are the messages of the interface
    by language.
    """

    lang: str
    catalogs: Mapping[str, Catalog]

    @property
    def words(self) -> Catalog:
        """The messages in the recipient's language, in English if the interface lacks it."""
        return self.catalogs.get(self.lang, self.catalogs[SOURCE])


class Recipients:
    """The recipients of each language, by the locale of their client."""

    def __init__(self, templates: Templates) -> None:
        """Raises KbError for a broken catalogue."""
        self.catalogs = {
            lang: read_words(templates, lang) for lang in interface_languages(templates)
        }

    def of_locale(self, locale: str) -> Recipient:
        """Return the recipient of a client with a locale such as `pl`, `en-GB` or `pt-br`."""
        code = re.split("[-_]", locale.lower())[0]
        lang = code if _CODE.fullmatch(code) else ""
        return Recipient(lang, self.catalogs)


@dataclass(frozen=True)
class Link:
    """A text with the address that it links to, or without one."""

    text: str
    address: str = ""


@dataclass(frozen=True)
class LinkGroup:
    """Links with their heading."""

    heading: str
    links: tuple[Link, ...]


@dataclass(frozen=True)
class RulingReply:
    """A ruling in the recipient's language.

    `facts` are game, kind, authority, standing and date; `groups` are sources and newer rulings.
    """

    key: str
    title: str
    address: str
    answer: str
    facts: str
    groups: tuple[LinkGroup, ...]


@dataclass(frozen=True)
class Reply:
    """A reply in the recipient's language, unescaped.

    `note` says how exact it is, or that nothing was found; `remarks` follow. `is_private`: only the
    recipient should see it.
    """

    note: str = ""
    rulings: tuple[RulingReply, ...] = ()
    links: tuple[Link, ...] = ()
    remarks: tuple[str, ...] = ()
    is_private: bool = False


def private_note(note: str) -> Reply:
    """Return a reply of one sentence for the recipient alone."""
    return Reply(note=note, is_private=True)


def _is_guess(answer: Answer) -> bool:
    return answer.confidence == "none" or bool(answer.unknown)


class Answerer:
    """Answers one person from one open build."""

    def __init__(self, base: OpenBase, recipient: Recipient) -> None:
        self._base, self._lang, self._words = base, recipient.lang, recipient.words
        self._catalogs = recipient.catalogs
        self.games = base.store.games()

    def reply(self, command: str, text: str, game: str = "") -> Reply:
        """Answer a command of COMMANDS on a text; `game` is an id, a name, or "" for any."""
        text = one_line(text)
        if not text:
            return private_note(self._words(CHAT[COMMANDS[command]]))
        game_id = self._game(game)
        if one_line(game) and not game_id:
            return private_note(f"{self._words(CHAT['nogame'])} {self.games_line()}")
        if command == "card":
            return self._card(text, game_id)
        return self._rulings(text, game_id)

    def complete_cards(self, typed: str, game: str, limit: int) -> list[str]:
        """Return the names of cards with a word that begins with the typed text."""
        base, game_id = self._base, self._game(game)
        keys = base.catalogue.complete_cards(base.store, one_line(typed), game_id, limit)
        return list(dict.fromkeys(name for _, name in keys))

    def complete_games(self, typed: str, limit: int) -> list[tuple[str, str]]:
        """Return id and name of the games whose id or name contains the typed text."""
        folded = fold(one_line(typed))
        games = [
            (game, self._name_of(game))
            for game, names in self.games.items()
            if any(folded in fold(name) for name in (game, *names.values()))
        ]
        return games[:limit]

    def games_line(self) -> str:
        """Return the names of all games in one line."""
        return f"{self._words(CHAT['games'])} {', '.join(map(self._name_of, self.games))}"

    def _game(self, text: str) -> str:
        """Return the id of a game by its id or its name in any language, else ""."""
        folded = fold(one_line(text))
        for game, names in self.games.items():
            if folded in map(fold, (game, *names.values())):
                return game
        return ""

    def _name_of(self, game: str) -> str:
        return text_in(self.games[game], self._lang, "en")

    def _rulings(self, query: str, game: str) -> Reply:
        words = self._words
        searcher = self._base.searcher
        answer = searcher.search(query, game or None, limit=MAX_RULINGS, interface=self._lang)
        meant = (f"{words(SEARCH['meant'])} {answer.suggestion}",) if answer.suggestion else ()
        unknown = words(SEARCH["absent"]).replace("{words}", ", ".join(answer.unknown))
        remarks = (*((unknown,) if answer.unknown else ()), *meant)
        excluded = words(SEARCH["excluded"]) if answer.excluded else ""
        if answer.match == "none":
            note = excluded or words(CHAT["nothing"])
            return Reply(note=note, remarks=meant, is_private=True)
        is_guess = _is_guess(answer)
        shown = answer.results[:MAX_GUESSES] if is_guess else answer.results
        listed = answer.total + answer.partial
        return Reply(
            # An answer speaks for itself.
            note=excluded
            or ("" if answer.confidence == "answer" else words(SEARCH[answer.confidence])),
            rulings=tuple(
                self._shown(hit.ruling, self._mark(hit, answer), hit.lang) for hit in shown
            ),
            links=() if listed <= len(shown) else (self._search_link(query, game, listed),),
            remarks=remarks,
        )

    def _mark(self, hit: SearchHit, answer: Answer) -> str:
        """Return what to say of a guess, and of a partial match that follows full ones."""
        if _is_guess(answer):
            return self._words(CHAT["guess"])
        return self._words(CHAT["some"]) if answer.total and hit.match != "all" else ""

    def _search_link(self, query: str, game: str, total: int) -> Link:
        parameters = urlencode({"q": query, **({"game": game} if game else {})})
        page = self._base.address(urls.SEARCH)
        address = f"{page}?{parameters}"
        text = f"{self._words(SEARCH['all'])} ({total})"
        return Link(text, address if len(address) <= _MAX_ADDRESS else page)

    def _card(self, name: str, game: str) -> Reply:
        """Answer with the rulings on a card, errata and rulings about it first."""
        words = self._words
        named_by, named = self._base.cards_named(name, game)
        cards = [self._base.card(*card) for card in named[:_MAX_READ]]
        if not cards:
            return private_note(words(CHAT["nocard"]))
        is_exact = named_by in ("name", "other name", "form")
        keys = [f"{card.game}/{link.id}" for card in cards for link in card.about]
        keys += [f"{card.game}/{link.id}" for card in cards for link in card.mentioned]
        # If a text may mean several cards, no rulings are shown.
        is_shown = is_exact or len(cards) == 1
        rulings = self._base.store.rulings(keys[:MAX_RULINGS] if is_shown else [])
        mark = "" if is_exact else words(CHAT["guess"])
        notes = []
        if not is_exact:
            notes.append(words(CHAT["similar"]))
        elif len(cards) > 1:
            notes.append(words(CHAT["several"]))
        if not keys:
            notes.append(words(SEARCH["nocard"]))
        return Reply(
            note=" ".join(notes),
            rulings=tuple(self._shown(ruling, mark) for ruling in rulings),
            links=tuple(self._card_links(cards)),
            is_private=not (keys and is_shown),
        )

    def _card_links(self, cards: Sequence[Card]) -> Iterator[Link]:
        """Yield a link to each card's page; for a single card, with the number of its rulings."""
        for card in sorted(cards, key=lambda card: not card.url)[:MAX_CARDS]:
            text = f"{card.name} ({self._name_of(card.game)})"
            if len(cards) == 1:
                total = len(card.about) + len(card.mentioned)
                more = f": {self._words(CHAT['more'])} ({total})" if total > MAX_RULINGS else ""
                text = card.name + more
            yield Link(text, self._base.address(card.url) if card.url else "")

    def _address(self, ruling: StoredRuling) -> str:
        return self._base.address(urls.ruling(ruling.game, ruling.id))

    def _text(self, ruling: StoredRuling, lang: str = "") -> Text:
        """Return the text for the recipient, else in `lang`, English or the original language."""
        languages = (self._lang, lang, "en") if self._lang or lang else ()
        return ruling.text_for(*languages)

    def _shown(self, ruling: StoredRuling, mark: str, lang: str = "") -> RulingReply:
        text = self._text(ruling, lang)
        words = self._catalogs.get(text.lang, self._words)
        answer = first_paragraph(text)
        return RulingReply(
            key=ruling.key,
            title=text.title,
            address=self._address(ruling),
            answer=answer_in_words(answer, ruling.verdict, ruling.when, text.lang, words),
            facts=" · ".join(self._facts(ruling, mark)),
            groups=tuple(self._groups(ruling, text.lang)),
        )

    def _facts(self, ruling: StoredRuling, mark: str) -> Iterator[str]:
        words = self._words
        if mark:
            yield mark
        yield self._name_of(ruling.game)
        if ruling.kind != "ruling":
            yield words(KINDS[ruling.kind])
        yield words(AUTHORITIES[ruling.authority])
        yield words(STATUSES[ruling.standing])
        if ruling.since:
            until = f" – {words.date(ruling.until)}" if ruling.until else ""
            yield words.date(ruling.since) + until

    def _groups(self, ruling: StoredRuling, lang: str) -> Iterator[LinkGroup]:
        documents = self._base.documents(ruling)
        cited = [
            Link(", ".join(filter(None, (source.title, source.provision))), source.url)
            for source in cited_sources(ruling_to_json(ruling), documents, lang)
        ]
        if cited:
            yield LinkGroup(self._words(CHAT["sources"]), tuple(cited))
        if ruling.superseded_by:
            newer = (
                Link(f"{ruling.game}/{each}", self._base.address(urls.ruling(ruling.game, each)))
                for each in ruling.superseded_by
            )
            yield LinkGroup(self._words(FACTS["superseded_by"]), tuple(newer))


def one_line(text: str) -> str:
    """Return a text on one line, without control characters, no longer than a query."""
    printable = "".join(char if char.isprintable() else " " for char in text[: 4 * MAX_LENGTH])
    return " ".join(printable.split())[:MAX_LENGTH]


def length(text: str) -> int:
    """Return the length in UTF-16 code units: no chat counts more for a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int, escape: Callable[[str], str] = str) -> str:
    """Return an escaped text of at most `limit` units, shortened with an ellipsis.

    The text is cut before `escape`, which never shortens it, so that no escape sequence is torn.
    """
    if len(text) <= limit and length(whole := escape(text)) <= limit:
        return whole
    sizes = range(min(len(text), limit) + 1)
    longest = bisect_right(sizes, limit - 1, key=lambda size: length(escape(text[:size]))) - 1
    return escape(text[: max(longest, 0)].rstrip()) + ELLIPSIS


def fitting(parts: Sequence[str], separator: str, limit: int) -> str:
    """Join as many parts as fit into `limit` units; an ellipsis replaces the rest."""
    shown: list[str] = []
    for number, part in enumerate(parts, 1):
        following = [ELLIPSIS] if number < len(parts) else []
        if length(separator.join([*shown, part, *following])) > limit:
            return separator.join([*shown, ELLIPSIS])
        shown.append(part)
    return separator.join(shown)
