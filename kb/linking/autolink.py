"""Automatic card links: every mention of one card or one name becomes a mark."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from kb.core.memo import Memo
from kb.core.problems import Problem
from kb.language import FormTable, LanguageForms
from kb.linking.card_finder import CardFinder, CardNames, insert_marks, unmarked_mentions
from kb.records.library import Library
from kb.records.marks import write_mark
from kb.records.model import Ruling, Text

Finders = dict[tuple[str, str], CardFinder]
# Rulings that one process works at before it says so.
_PART = 250
# For so few rulings looking all of their words up takes less than going through all forms.
_FEW = 1_000
_NOTHING_KEPT = Memo(keep=False)


def finders(
    library: Library,
    table: FormTable,
    games: Collection[str] | None = None,
    memo: Memo = _NOTHING_KEPT,
    rulings: Iterable[Ruling] | None = None,
) -> Finders:
    """A finder for each language of some games of a library, of all when none are named.

    `memo`: keeps them; those that were returned before are brought up to date. `rulings`: those
    whose texts are searched, where they are few: only their words are looked up.
    """
    texts: dict[tuple[str, str], list[str]] = defaultdict(list)
    for ruling in rulings or ():
        for text in ruling.texts:
            texts[ruling.game, text.lang].append(text.body)
    by_game_and_language: Finders = {}
    for game in library.games.values():
        if game.cards and (games is None or game.id in games):
            names = memo.call((game.id, ""), CardNames, game.cards)
            for lang in game.header.languages:
                place, not_cards = (game.id, lang), game.header.not_cards
                by_game_and_language[place] = (
                    memo.state(place, _LastFinder).finder(names, not_cards, table.language(lang))
                    if rulings is None
                    else CardFinder(names, not_cards, lang, table, texts[place])
                )
    return by_game_and_language


class _LastFinder:
    """The finder of a game in one language, kept while the texts get other words."""

    def __init__(self) -> None:
        self._made_for: tuple[CardNames, Sequence[str]] | None = None
        self._key = ""
        self._finder: CardFinder | None = None

    def finder(
        self, names: CardNames, not_cards: Sequence[str], forms: LanguageForms
    ) -> CardFinder:
        """Return the finder for some names and a table of forms."""
        finder, self._finder = self._finder, None
        differing: Collection[str] | None = None
        if finder and self._made_for == (names, not_cards):
            same = forms.key == self._key
            differing = () if same else forms.table.differing(forms.lang, self._key)
        if finder is None or differing is None:
            finder = CardFinder(names, not_cards, forms.lang, forms.table)
        elif differing:
            finder.update(forms.table, forms.lang, differing)
        self._finder, self._made_for, self._key = finder, (names, not_cards), forms.key
        return finder


def autolink(library: Library, table: FormTable) -> Library:
    """The library with a mark for each card that its texts name and nobody has marked."""
    return replace(
        library,
        rulings={**library.rulings, **autolink_rulings(library, table, list(library.rulings))},
    )


def autolink_rulings(
    library: Library, table: FormTable, keys: Sequence[str], memo: Memo = _NOTHING_KEPT
) -> dict[str, Ruling]:
    """Some rulings of a library, by key, with those marks; worked at on all cores.

    `memo`: keeps the finders for the next time.
    """
    games = {library.rulings[key].game for key in keys}
    few = len(keys) <= _FEW and not memo.keep
    rulings = [library.rulings[key] for key in keys] if few else None
    by_game_and_language = finders(library, table, games, memo, rulings)

    def changed_bodies(part: Sequence[str]) -> dict[str, list[str]]:
        """The bodies of the rulings that get a mark."""
        changed: dict[str, list[str]] = {}
        for key in part:
            ruling = library.rulings[key]
            bodies = [_linked_body(ruling, text, by_game_and_language) for text in ruling.texts]
            if bodies != [text.body for text in ruling.texts]:
                changed[key] = bodies
        return changed

    from kb.core.parallel import map_chunks

    linked: dict[str, list[str]] = {}
    for bodies in map_chunks(changed_bodies, keys, _PART):
        linked |= bodies
    # The ruling itself where no text got a mark: there are many, and each is in memory once.
    return {
        key: library.rulings[key].with_bodies(linked[key])
        if key in linked
        else library.rulings[key]
        for key in keys
    }


def _linked_body(ruling: Ruling, text: Text, by_game_and_language: Finders) -> str:
    finder = by_game_and_language.get((ruling.game, text.lang))
    mentions = unmarked_mentions(text.body, finder) if finder else []
    return insert_marks(text.body, mentions) if mentions else text.body


def suggestions(library: Library, table: FormTable) -> Iterator[Problem]:
    """Yield a line for each unmarked mention, with the mark to paste or the choices."""
    by_game_and_language = finders(library, table, rulings=library.rulings.values())
    for ruling in library.rulings.values():
        for text in ruling.texts:
            finder = by_game_and_language.get((ruling.game, text.lang))
            for mention in unmarked_mentions(text.body, finder) if finder else ():
                line = text.body_line + text.body.count("\n", 0, mention.start)
                if mention.label is None:
                    choices = " or ".join(
                        f"[[{label}|{mention.surface}]]" for label in mention.candidates
                    )
                    yield Problem(
                        ruling.path,
                        line,
                        f"{mention.surface!r} may be several cards; write {choices}, or"
                        f" [[-|{mention.surface}]]",
                    )
                else:
                    mark = write_mark(mention.label, mention.surface)
                    yield Problem(ruling.path, line, f"{mention.surface!r} -> {mark}")


def ambiguous_mentions(library: Library, table: FormTable) -> Iterator[Problem]:
    """Yield the suggestions that a curator has to decide: mentions of one of several cards."""
    return (
        problem
        for problem in suggestions(library, table)
        if "may be several cards" in problem.message
    )
