"""The words of every reply, for all chats: what it says in the language of its recipient.

`telegram` and `discord` only read requests and put these replies into the format of their service.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from kb.core import urls
from kb.core.problems import KbError
from kb.decks.answer import by_reason
from kb.decks.parse import BrokenXml
from kb.language import fold
from kb.plugins.chats.words import CHAT
from kb.search.query import MAX_LENGTH
from kb.serialize.answering import get_card, rulings_for_deck, search_rulings
from kb.serialize.answers import MAX_DECK
from kb.serialize.assistant_answers import (
    AnsweredRuling,
    CardAnswer,
    DeckRulings,
    FoundRuling,
    SearchAnswer,
)
from kb.serialize.open_base import OpenBase
from kb.serialize.ruling import text_in, verdict_in_words
from kb.site.i18n import (
    AUTHORITIES,
    DECK,
    DECK_WITHOUT,
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

_CODE = re.compile("[a-z]{2,3}")
# Maximum number of rulings in a reply, and of guesses.
MAX_RULINGS = 3
MAX_GUESSES = 2
# Maximum number of cards, and of unknown lines of a deck.
MAX_CARDS = 5
# Maximum number of rulings on a deck.
MAX_OF_DECK = 60
# A longer address of a search is shortened to that of the search page, in characters.
_MAX_ADDRESS = 500
ELLIPSIS = "…"
# The commands of every chat, with the message for one without a text.
COMMANDS = {"ruling": "noask", "card": "noname", "deck": "nolist"}


@dataclass(frozen=True)
class Recipient:
    """The person who gets a reply.

    `lang` is the language of rulings, "" if unknown; `words` are the interface's messages in it, in
    English if the interface has no such language.
    """

    lang: str
    words: Catalog


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
        return Recipient(lang, self.catalogs.get(lang, self.catalogs[SOURCE]))


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

    `note` says how exact it is, or that nothing was found; `remarks` follow. `deck` has the rulings
    on each card of a deck, and on traits of its cards; `unknown` has lines of the recipient's own
    text. `is_private`: only the recipient should see it.
    """

    note: str = ""
    rulings: tuple[RulingReply, ...] = ()
    links: tuple[Link, ...] = ()
    deck: tuple[LinkGroup, ...] = ()
    remarks: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    is_private: bool = False


def private_note(note: str) -> Reply:
    """Return a reply of one sentence for the recipient alone."""
    return Reply(note=note, is_private=True)


class Answerer:
    """Answers one person from one open build."""

    def __init__(self, base: OpenBase, recipient: Recipient) -> None:
        self._base, self._lang, self._words = base, recipient.lang, recipient.words
        self.games = base.store.games()

    def reply(
        self, command: str, text: str, game: str = "", max_rulings: int = MAX_RULINGS
    ) -> Reply:
        """Answer a command of COMMANDS on a text; `game` is an id, a name, or "" for any."""
        text = text.strip() if command == "deck" else one_line(text)
        if not text:
            return private_note(self._words(CHAT[COMMANDS[command]]))
        game_id = self._game(game)
        if one_line(game) and not game_id:
            return private_note(f"{self._words(CHAT['nogame'])} {self.games_line()}")
        if command == "card":
            return self._card(text, game_id)
        if command == "deck":
            return self._deck(text, game_id)
        return self._rulings(text, game_id, max_rulings)

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

    def _rulings(self, query: str, game: str, limit: int) -> Reply:
        """Answer a question in words."""
        words = self._words
        answer = search_rulings(self._base, query, game, self._lang, limit=limit)
        meant = (f"{words(SEARCH['meant'])} {answer.suggestion}",) if answer.suggestion else ()
        excluded = words(SEARCH["excluded"]) if answer.hidden_by == "exclusion" else ""
        if answer.match == "none":
            note = excluded or words(CHAT["nothing"])
            return Reply(note=note, remarks=meant, is_private=True)
        is_guess = answer.confidence == "none"
        shown = answer.rulings[:MAX_GUESSES] if is_guess else answer.rulings
        listed = answer.total + answer.partial
        marks = [self._mark(ruling, answer) for ruling in shown]
        return Reply(
            # An answer speaks for itself.
            note=excluded
            or ("" if answer.confidence == "answer" else words(SEARCH[answer.confidence])),
            rulings=self._shown(shown, marks),
            links=() if listed <= len(shown) else (self._search_link(query, game, listed),),
            remarks=meant,
        )

    def _mark(self, ruling: FoundRuling, answer: SearchAnswer) -> str:
        """Return what to say of a guess, and of a partial match that follows full ones."""
        if answer.confidence == "none":
            return self._words(CHAT["guess"])
        return self._words(CHAT["some"]) if answer.total and ruling.match != "all" else ""

    def _search_link(self, query: str, game: str, total: int) -> Link:
        parameters = urlencode({"q": query, **({"game": game} if game else {})})
        page = self._base.address(urls.SEARCH)
        address = f"{page}?{parameters}"
        text = f"{self._words(SEARCH['all'])} ({total})"
        return Link(text, address if len(address) <= _MAX_ADDRESS else page)

    def _card(self, name: str, game: str) -> Reply:
        """Answer with the rulings on a card, errata and rulings about it first."""
        words = self._words
        answer = get_card(self._base, name, game, self._lang, limit=MAX_RULINGS)
        if not answer.cards:
            return private_note(words(CHAT["nocard"]))
        is_exact = answer.named_by in ("name", "other name", "form")
        # If a text may mean several cards, none of them has its rulings shown.
        rulings = answer.rulings if is_exact or len(answer.cards) == 1 else []
        mark = "" if is_exact else words(CHAT["guess"])
        notes = []
        if not is_exact:
            notes.append(words(CHAT["similar"]))
        elif len(answer.cards) > 1:
            notes.append(words(CHAT["several"]))
        if not answer.rulings:
            notes.append(words(SEARCH["nocard"]))
        return Reply(
            note=" ".join(notes),
            rulings=self._shown(rulings, [mark] * len(rulings)),
            links=tuple(self._card_links(answer)),
            is_private=not rulings,
        )

    def _card_links(self, answer: CardAnswer) -> Iterator[Link]:
        """Yield a link to each card's page; for a single card, with the number of its rulings."""
        cards = answer.cards
        for card in sorted(cards, key=lambda card: not card.rulings)[:MAX_CARDS]:
            text = f"{card.name} ({self._name_of(card.game)})"
            if len(cards) == 1:
                has_more = card.rulings > len(answer.rulings)
                more = f": {self._words(CHAT['more'])} ({card.rulings})" if has_more else ""
                text = card.name + more
            yield Link(text, card.address or "")

    def _deck(self, text: str, game: str) -> Reply:
        """Answer a deck list with the rulings on its cards and on their types and keywords."""
        words = self._words
        try:
            answer = rulings_for_deck(self._base, text[:MAX_DECK], game, self._lang, MAX_OF_DECK)
        except KbError as error:
            return private_note(words(DECK["broken" if isinstance(error, BrokenXml) else "nogame"]))
        without = answer.without_rulings
        counted = words.translations.ngettext(*DECK_WITHOUT, without) % {"num": without}
        return Reply(
            note="" if answer.match != "none" else words(DECK["norulings"]),
            deck=tuple(self._deck_groups(answer)),
            remarks=(counted,) if without else (),
            unknown=tuple(line.text for line in answer.unknown[:MAX_CARDS]),
            is_private=True,
        )

    def _deck_groups(self, answer: DeckRulings) -> Iterator[LinkGroup]:
        links = {ruling.id: self._deck_link(ruling) for ruling in answer.rulings}

        def group(heading: str, keys: Iterable[str]) -> LinkGroup:
            return LinkGroup(heading, tuple(links[key] for key in keys if key in links))

        for card in (card for card in answer.cards if card.rulings):
            guess = f" ({self._words(CHAT['guess'])})" if card.named_by == "near" else ""
            yield group(f"{card.count}× {card.card}{guess}", card.rulings)
        named = {key for card in answer.cards for key in card.rulings}
        brought_in = by_reason(rule for rule in answer.rules if rule.id not in named)
        for because, keys in brought_in.items():
            yield group(f"{self._words(DECK['because'])} {because}", keys)

    def _deck_link(self, ruling: AnsweredRuling) -> Link:
        kind = self._words(KINDS["errata"])
        is_marked = ruling.kind != "errata" or fold(ruling.title).startswith(fold(kind))
        return Link(ruling.title if is_marked else f"{kind}: {ruling.title}", ruling.address)

    def _shown(
        self, rulings: Iterable[AnsweredRuling], marks: Iterable[str]
    ) -> tuple[RulingReply, ...]:
        return tuple(
            RulingReply(
                key=ruling.id,
                title=ruling.title,
                address=ruling.address,
                answer=self._answer(ruling),
                facts=" · ".join(self._facts(ruling, mark)),
                groups=tuple(self._groups(ruling)),
            )
            for ruling, mark in zip(rulings, marks, strict=True)
        )

    def _answer(self, ruling: AnsweredRuling) -> str:
        """Return the answer of a ruling, after its verdict if it has one."""
        when = {ruling.lang: ruling.when} if ruling.when else {}
        verdict = verdict_in_words(ruling.verdict, when, ruling.lang, self._words)
        return f"{verdict}. {ruling.answer}" if verdict else ruling.answer

    def _facts(self, ruling: AnsweredRuling, mark: str) -> Iterator[str]:
        words = self._words
        if mark:
            yield mark
        yield self._name_of(ruling.id.partition("/")[0])
        if ruling.kind != "ruling":
            yield words(KINDS[ruling.kind])
        yield words(AUTHORITIES[ruling.authority])
        yield words(STATUSES[ruling.standing])
        if ruling.in_force_since:
            until = f" – {words.date(ruling.in_force_until)}" if ruling.in_force_until else ""
            yield words.date(ruling.in_force_since) + until

    def _groups(self, ruling: AnsweredRuling) -> Iterator[LinkGroup]:
        if ruling.sources:
            cited = (
                Link(", ".join(filter(None, (source.title, source.provision))), source.url)
                for source in ruling.sources
            )
            yield LinkGroup(self._words(CHAT["sources"]), tuple(cited))
        if ruling.superseded_by:
            newer = (
                Link(key, self._base.address(urls.ruling(*key.split("/", 1))))
                for key in ruling.superseded_by
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
