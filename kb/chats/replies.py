"""The words of every reply, for all chats: what it says in the language of its recipient.

`telegram` and `discord` only read requests and put these replies into the format of their service.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from kb.assistants.tools import OpenBase, deck_rulings, get_card, search_rulings
from kb.core import urls
from kb.core.problems import KbError
from kb.decks.answer import by_reason
from kb.decks.parse import BrokenXml
from kb.language import fold
from kb.search.query import MAX_LENGTH
from kb.serialize.answers import MAX_DECK
from kb.serialize.assistant_answers import (
    AnsweredRuling,
    CardAnswer,
    DeckRulings,
    SearchAnswer,
)
from kb.serialize.ruling import CitedSource, text_in
from kb.site.i18n import (
    AUTHORITIES,
    CHAT,
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


@dataclass(frozen=True)
class Recipient:
    """The person who gets a reply.

    `lang` is the language of rulings, "" if unknown; `words` are the interface's messages in it, in
    English if the interface has no such language.
    """

    lang: str
    words: Catalog

    def count(self, forms: tuple[str, str], number: int) -> str:
        """Return a message with a number, in the plural form of that number."""
        return self.words.translations.ngettext(*forms, number) % {"num": number}


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
class RulingReply:
    """A ruling in the recipient's language.

    `facts` are game, kind, authority, standing and date; `links` has sources and newer rulings by
    the heading of each group.
    """

    key: str
    title: str
    address: str
    answer: str
    facts: tuple[str, ...]
    links: Mapping[str, Sequence[Link]]


@dataclass(frozen=True)
class DeckEntry:
    """A card of a deck, or a trait of its cards, and the rulings on it."""

    name: str
    rulings: tuple[Link, ...]


@dataclass(frozen=True)
class Reply:
    """A reply in the recipient's language, unescaped.

    `note` says how exact it is, or that nothing was found; `remarks` follow. `unknown` has lines of
    the recipient's own text. `is_private`: only the recipient should see it.
    """

    note: str = ""
    rulings: tuple[RulingReply, ...] = ()
    links: tuple[Link, ...] = ()
    entries: tuple[DeckEntry, ...] = ()
    remarks: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    is_private: bool = False


def busy_reply(recipient: Recipient) -> Reply:
    """Return the reply for an answer that is late, or a server without a build."""
    return Reply(note=recipient.words(CHAT["busy"]), is_private=True)


def ruling_reply(
    base: OpenBase, recipient: Recipient, query: str, game: str = "", limit: int = MAX_RULINGS
) -> Reply:
    """Answer a question in words; `game` is an id or a name."""
    words, query = recipient.words, one_line(query)
    game_id, refusal = _game_or_refusal(base, recipient, game, query, "noask")
    if refusal:
        return refusal
    answer = search_rulings(base, query, game_id, recipient.lang, limit=limit)
    meant = (f"{words(SEARCH['meant'])} {answer.suggestion}",) if answer.suggestion else ()
    if answer.match == "none":
        return Reply(note=words(CHAT["nothing"]), remarks=meant, is_private=True)
    notes = {"most": SEARCH["relaxed"], "near": SEARCH["near"]}
    is_guess = answer.match == "near"
    shown = answer.rulings[:MAX_GUESSES] if is_guess else answer.rulings
    return Reply(
        note=words(notes[answer.match]) if answer.match in notes else "",
        rulings=_rulings(base, recipient, shown, is_guess),
        links=_all_results(base, recipient, query, game_id, answer, len(shown)),
        remarks=meant,
    )


def card_reply(base: OpenBase, recipient: Recipient, name: str, game: str = "") -> Reply:
    """Answer with the rulings on a card, errata and rulings about it first."""
    words, name = recipient.words, one_line(name)
    game_id, refusal = _game_or_refusal(base, recipient, game, name, "noname")
    if refusal:
        return refusal
    answer = get_card(base, name, game_id, recipient.lang, limit=MAX_RULINGS)
    if not answer.cards:
        return Reply(note=words(CHAT["nocard"]), is_private=True)
    is_exact = answer.named_by in ("name", "other name", "form")
    # If a text may mean several cards, none of them has its rulings shown.
    rulings = answer.rulings if is_exact or len(answer.cards) == 1 else []
    notes = []
    if not is_exact:
        notes.append(words(CHAT["similar"]))
    elif len(answer.cards) > 1:
        notes.append(words(CHAT["several"]))
    if not answer.rulings:
        notes.append(words(SEARCH["nocard"]))
    return Reply(
        note=" ".join(notes),
        rulings=_rulings(base, recipient, rulings, not is_exact),
        links=_cards(base, recipient, answer),
        is_private=not rulings,
    )


def deck_reply(base: OpenBase, recipient: Recipient, text: str, game: str = "") -> Reply:
    """Answer a deck list with the rulings on its cards and on their types and keywords."""
    words = recipient.words
    game_id, refusal = _game_or_refusal(base, recipient, game, text.strip(), "nolist")
    if refusal:
        return refusal
    try:
        answer = deck_rulings(base, text[:MAX_DECK], game_id, recipient.lang, MAX_OF_DECK)
    except KbError as error:
        message = DECK["broken" if isinstance(error, BrokenXml) else "nogame"]
        return Reply(note=words(message), is_private=True)
    without = answer.without_rulings
    return Reply(
        note="" if answer.match != "none" else words(DECK["norulings"]),
        entries=tuple(_deck_entries(recipient, answer)),
        remarks=(recipient.count(DECK_WITHOUT, without),) if without else (),
        unknown=tuple(line.text for line in answer.unknown[:MAX_CARDS]),
        is_private=True,
    )


# The commands of every chat: each answers a text on a game, by id or name, "" for any.
Answerer = Callable[[OpenBase, Recipient, str, str], Reply]
COMMANDS: dict[str, Answerer] = {"ruling": ruling_reply, "card": card_reply, "deck": deck_reply}


def complete_cards(base: OpenBase, typed: str, game: str, limit: int) -> list[str]:
    """Return the names of cards with a word that begins with the typed text."""
    game_id = find_game(base, game) or ""
    keys = base.catalogue.complete_cards(base.store, one_line(typed), game_id, limit)
    return list(dict.fromkeys(name for _, name in keys))


def complete_games(
    base: OpenBase, recipient: Recipient, typed: str, limit: int
) -> list[tuple[str, str]]:
    """Return id and name of the games whose id or name contains the typed text."""
    folded = fold(one_line(typed))
    games = [
        (game, text_in(names, recipient.lang, "en"))
        for game, names in base.store.games().items()
        if any(folded in fold(name) for name in (game, *names.values()))
    ]
    return games[:limit]


def find_game(base: OpenBase, text: str) -> str | None:
    """Return the id of a game by its id or its name in any language, else None."""
    folded = fold(one_line(text))
    games = base.store.games()
    matches = (
        game for game, names in games.items() if folded in map(fold, (game, *names.values()))
    )
    return next(matches, None)


def game_names(base: OpenBase, recipient: Recipient) -> str:
    """Return the names of all games in one line."""
    games = base.store.games().values()
    return ", ".join(text_in(names, recipient.lang, "en") for names in games)


def one_line(text: str) -> str:
    """Return a text on one line, without control characters, no longer than a query."""
    printable = "".join(char if char.isprintable() else " " for char in text[: 4 * MAX_LENGTH])
    return " ".join(printable.split())[:MAX_LENGTH]


def _game_or_refusal(
    base: OpenBase, recipient: Recipient, game: str, text: str, no_text: str
) -> tuple[str, Reply | None]:
    """Return the id of a game, or a refusal: `no_text` without a text, else for an unknown game."""
    words, game_id = recipient.words, find_game(base, game)
    if not text:
        return "", Reply(note=words(CHAT[no_text]), is_private=True)
    if game_id or not one_line(game):
        return game_id or "", None
    note = f"{words(CHAT['nogame'])} {words(CHAT['games'])} {game_names(base, recipient)}"
    return "", Reply(note=note, is_private=True)


def _rulings(
    base: OpenBase, recipient: Recipient, rulings: Iterable[AnsweredRuling], is_guess: bool
) -> tuple[RulingReply, ...]:
    names = base.store.games()
    return tuple(
        RulingReply(
            key=ruling.id,
            title=ruling.title,
            address=ruling.address,
            answer=ruling.answer,
            facts=tuple(_facts(recipient, ruling, names[ruling.id.partition("/")[0]], is_guess)),
            links=dict(_links(base, recipient, ruling)),
        )
        for ruling in rulings
    )


def _links(
    base: OpenBase, recipient: Recipient, ruling: AnsweredRuling
) -> Iterator[tuple[str, list[Link]]]:
    if ruling.sources:
        yield recipient.words(CHAT["sources"]), list(map(_source, ruling.sources))
    if ruling.superseded_by:
        addresses = (urls.ruling(*key.split("/", 1)) for key in ruling.superseded_by)
        links = map(Link, ruling.superseded_by, map(base.address, addresses))
        yield recipient.words(FACTS["superseded_by"]), list(links)


def _facts(
    recipient: Recipient, ruling: AnsweredRuling, game_names: dict[str, str], is_guess: bool
) -> Iterable[str]:
    words = recipient.words
    if is_guess:
        yield words(CHAT["guess"])
    yield text_in(game_names, recipient.lang, "en")
    if ruling.kind != "ruling":
        yield words(KINDS[ruling.kind])
    yield words(AUTHORITIES[ruling.authority])
    yield words(STATUSES[ruling.standing])
    if ruling.in_force_since:
        until = f" – {words.date(ruling.in_force_until)}" if ruling.in_force_until else ""
        yield words.date(ruling.in_force_since) + until


def _source(source: CitedSource) -> Link:
    provision = f", {source.provision}" if source.provision else ""
    return Link(source.title + provision, source.url)


def _all_results(
    base: OpenBase, recipient: Recipient, query: str, game: str, answer: SearchAnswer, shown: int
) -> tuple[Link, ...]:
    if answer.total <= shown:
        return ()
    parameters = urlencode({"q": query, **({"game": game} if game else {})})
    address = f"{base.address(urls.SEARCH)}?{parameters}"
    if len(address) > _MAX_ADDRESS:
        address = base.address(urls.SEARCH)
    return (Link(f"{recipient.words(SEARCH['all'])} ({answer.total})", address),)


def _cards(base: OpenBase, recipient: Recipient, answer: CardAnswer) -> tuple[Link, ...]:
    """Return a link to each card's page; for a single card, with the number of its rulings."""
    cards = answer.cards
    names = base.store.games()
    if len(cards) == 1:
        card = cards[0]
        more = recipient.words(CHAT["more"]) if card.rulings > len(answer.rulings) else ""
        text = f"{card.name}: {more} ({card.rulings})" if more else card.name
        return (Link(text, card.address or ""),)
    return tuple(
        Link(f"{card.name} ({text_in(names[card.game], recipient.lang, 'en')})", card.address or "")
        for card in sorted(cards, key=lambda card: not card.rulings)[:MAX_CARDS]
    )


def _deck_entries(recipient: Recipient, answer: DeckRulings) -> Iterable[DeckEntry]:
    rulings = {ruling.id: ruling for ruling in answer.rulings}

    def links(keys: Sequence[str]) -> tuple[Link, ...]:
        shown = (rulings[key] for key in keys if key in rulings)
        return tuple(_deck_link(recipient, ruling) for ruling in shown)

    for card in answer.cards:
        guess = f" ({recipient.words(CHAT['guess'])})" if card.named_by == "near" else ""
        yield DeckEntry(f"{card.count}× {card.card}{guess}", links(card.rulings))
    named = {key for card in answer.cards for key in card.rulings}
    brought_in = by_reason(rule for rule in answer.rules if rule.id not in named)
    for because, keys in brought_in.items():
        yield DeckEntry(f"{recipient.words(DECK['because'])} {because}", links(keys))


def _deck_link(recipient: Recipient, ruling: AnsweredRuling) -> Link:
    kind = recipient.words(KINDS["errata"])
    is_marked = ruling.kind != "errata" or fold(ruling.title).startswith(fold(kind))
    return Link(ruling.title if is_marked else f"{kind}: {ruling.title}", ruling.address)


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
