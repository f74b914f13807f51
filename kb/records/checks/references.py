"""Do the names in a ruling exist: entries of its game's files, cards, provisions, rulings?

Each check is a generator of Problem.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from kb.core.problems import Problem
from kb.core.similar import choices, did_you_mean, name_hint, similar_names
from kb.language import fold
from kb.records.fields import HEADER_FIELDS, Reference
from kb.records.model import Game, Ruling
from kb.records.syntax import Place, curly_error
from kb.records.text import broken_marks, find_marks

VERSION = re.compile(r"[A-Z]{1,2}")
# A problem lists all known names when there are at most this many.
_MAX_KNOWN_SHOWN = 10

Rulings = Mapping[str, Ruling]
Unread = Mapping[str, str]
P = TypeVar("P")
_RENAMED = "; if its file was renamed, write the new id here, and the old one there under formerly"


def unknown_names(names: Iterable[str], known: Collection[str]) -> Iterator[tuple[int, str, str]]:
    """Yield the place of each name that is not known, the name, and the end of a message on it."""
    for index, name in enumerate(names):
        if name not in known:
            yield index, name, name_hint(name, known)


def missing_rulings(
    named: Iterable[tuple[str, P]], game: str, ids: Collection[str], rulings: Rulings
) -> Iterator[tuple[str, P, str]]:
    """Yield each id of `named` that is not among `ids`, with its first place and a message.

    `named`: the ids of rulings in a file of the game, with their places.
    """
    places: dict[str, list[P]] = {}
    for name, place in named:
        if name not in ids:
            places.setdefault(name, []).append(place)
    for name, own in places.items():
        slug = name.rpartition("/")[2]
        count = f" ({len(own)} places)" if len(own) > 1 else ""
        of_game = [ruling for ruling in rulings.values() if ruling.game == game]
        now = [ruling.id for ruling in of_game if name in ruling.header.formerly]
        hint = f"; its id is now {now[0]}" if now else name_hint(slug, ids) or _RENAMED
        yield name, own[0], f"no ruling {name} in {game}{count}{hint}"


def check_references(
    ruling: Ruling, game: Game, rulings: Rulings, unread: Unread
) -> Iterator[Problem]:
    """Yield every problem of the names in a ruling's header and texts."""
    yield from _check_entries(ruling, game)
    yield from _check_cards(ruling, game, rulings)
    yield from _check_citations(ruling, game)
    yield from _check_relations(ruling, rulings, unread)


def _check_entries(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """Topics, rule sets, editions and documents are entries of the game's files."""
    known: dict[Reference, tuple[Collection[str], str, str]] = {
        "topic": (game.topics, "a topic of ", "game.yaml"),
        "rule": ([entry.id for entry in game.header.rule_sets], "a rule set of ", "game.yaml"),
        "edition": ([entry.id for entry in game.header.editions], "an edition of ", "game.yaml"),
        "document": (game.sources_by_id, "in ", "sources.yaml"),
    }
    for field in HEADER_FIELDS:
        names, what, file = known.get(field.of, ((), "", ""))
        values = field.values(ruling.header) if file else ()
        for index, value, hint in unknown_names(values, names):
            is_short = len(names) <= _MAX_KNOWN_SHOWN
            end = hint or (f" ({', '.join(names) or 'none'})" if is_short else "")
            message = f"{field.key}: {value} is not {what}{file}{end}"
            yield ruling.problem(message, field.key, index)._replace(cause=game.file(file))


def _check_cards(ruling: Ruling, game: Game, rulings: Rulings) -> Iterator[Problem]:
    """Cards of the header and of card marks are in cards.tsv; card marks are whole."""
    cause = game.file("cards.tsv")
    for index, label in enumerate(ruling.header.about):
        error = _card_error(label, game)
        if error:
            error = curly_error(label) or error
            yield ruling.problem(f"about: {error}", "about", index)._replace(cause=cause)
    for text in ruling.texts:
        for mark in text.marks:
            error = _card_error(mark.label, game) if mark.is_card else ""
            if error and mark.label == mark.surface and not game.cards_named(mark.label):
                error = _unknown_word(mark.label, game)
            if error and f"{ruling.game}/{mark.label}" in rulings:
                error = f"{mark.label!r} is a ruling, not a card; name it in the header (related)"
            if error:
                yield Problem(ruling.path, text.line_at(mark.start), error, cause)
        for start in broken_marks(text.body):
            message = (
                "a broken card mark; write [[Card]] or [[Card|other words]] on one line, with no"
                " backslashes, and no blanks at the ends of the words"
            )
            yield Problem(ruling.path, text.line_at(start), message)
        if find_marks(text.title) or any(broken_marks(text.title)):
            message = "a card mark in a title; titles are plain text"
            yield Problem(ruling.path, text.line, message)


def _card_error(label: str, game: Game) -> str:
    """Say why a label names neither one card nor all versions of one; empty if it does."""
    cards = game.cards_named(label)
    if not cards:
        if others := " or ".join(_called(label, game)):
            return f"{label!r} is another name of a card; write {others}"
        return f"{label!r} is not in cards.tsv{did_you_mean(_similar_cards(label, game))}"
    if len(cards) > 1 and not all(VERSION.fullmatch(card.version) for card in cards):
        labels = [card.label for card in cards if card.version]
        other = ", or give the other one a version in cards.tsv" if len(labels) < len(cards) else ""
        return f"{label!r} is the name of {len(cards)} cards; write {choices(labels)}{other}"
    return ""


def _called(word: str, game: Game) -> dict[str, None]:
    """The names of the cards that have a word as another name."""
    folded = word.lower()
    return {card.name: None for card in game.cards if folded in map(str.lower, card.other_names)}


def _similar_cards(name: str, game: Game) -> list[str]:
    """The labels most similar to a name, whatever their case and diacritics."""
    labels = {fold(label): label for label in game.card_labels}
    return [labels[folded] for folded in similar_names(fold(name), labels)]


def _unknown_word(word: str, game: Game) -> str:
    """Say that a marked word is not a card, with the mark of the card that it may be a form of."""
    marks = [f"[[{name}|{word}]]" for name in _called(word, game) or _similar_cards(word, game)]
    return f"{word!r} is not in cards.tsv{did_you_mean(marks)}"


def _check_citations(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """Cited documents and their provisions are in sources.yaml; no citation is given twice."""
    for index, citation in enumerate(ruling.header.sources):
        source = game.sources_by_id.get(citation.source)
        if source is None:
            hint = name_hint(citation.source, game.sources_by_id)
            message = f"sources: {citation.source} is not in sources.yaml{hint}"
            problem = ruling.problem(message, "sources", index)
            yield problem._replace(cause=game.file("sources.yaml"))
        elif citation.provision not in source.listed:
            hint = name_hint(citation.provision, source.provisions) or "; add it to sources.yaml"
            message = f"sources: {citation} is not a provision of that document{hint}"
            yield ruling.problem(message, "sources", index)
    if len(set(ruling.header.sources)) < len(ruling.header.sources):
        yield ruling.problem("sources: a citation is given twice", "sources")


def _check_relations(ruling: Ruling, rulings: Rulings, unread: Unread) -> Iterator[Problem]:
    """Related rulings are other rulings of the same game."""
    missing: list[tuple[str, Place]] = []
    for other, place in ruling.named_rulings():
        if other == ruling.id:
            yield ruling.problem(f"{place[0]}: a ruling cannot name itself", *place)
        elif f"{ruling.game}/{other}" not in rulings:
            missing.append((other, place))
    ids = [each.id for each in rulings.values() if each.game == ruling.game] if missing else []
    for other, place, message in missing_rulings(missing, ruling.game, ids, rulings):
        cause = unread.get(f"{ruling.game}/{other}", "")
        yield ruling.problem(f"{place[0]}: {message}", *place)._replace(cause=cause)
