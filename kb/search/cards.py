"""The cards that a query or a typed name means: any form, part or similar spelling of a name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, get_args

from kb.core import urls
from kb.language import FormTable, fold, language_of, words_of
from kb.language.fold import clean_typed, fold_all
from kb.linking.card_names import CardMatch, CardNames, foreign_name, form_meanings, is_latin
from kb.search.expansion import stop_words
from kb.store.model import Reader, StoredCard

if TYPE_CHECKING:
    from kb.language import FormTable

MAX_CARDS = 5
# In a query of so many words or fewer a part of a name is enough, or letters that it begins with.
SHORT_QUERY = 2
MIN_PREFIX = 3
# The cards of a base by game and name.
CardsByName = dict[tuple[str, str], list[StoredCard]]


@dataclass(frozen=True)
class NamedCard:
    """All cards of one name of a game.

    `rulings`: how many name them; `url`: their page where there is one; `foreign`: what readers
    of another script call them.
    """

    game: str
    name: str
    rulings: int
    url: str | None
    foreign: str = ""

    def shown(self, lang: str) -> str:
        """The name for readers of a language, with the original beside it."""
        reads_latin = is_latin(language_of(lang).alphabet)
        has_own = self.foreign and is_latin(self.foreign) == reads_latin
        return f"{self.foreign} ({self.name})" if has_own else self.name


@dataclass
class _Card:
    """A name of a game's cards: the labels that rulings use, and the sets of words that name it."""

    game: str
    name: str
    labels: list[str] = field(default_factory=list)
    names: set[frozenset[str]] = field(default_factory=set)
    foreign: str = ""


class CardIndex:
    """The names of all cards of a base, read when a query first needs them."""

    def __init__(self, reader: Reader, table: FormTable) -> None:
        self.reader, self.table = reader, table

    @cached_property
    def _cards(self) -> list[_Card]:
        cards: dict[tuple[str, str], _Card] = {}
        stored = list(self.reader.cards())
        words_of_names = _words_of_names(
            name for one in stored for name in (one.name, *one.other_names)
        )
        for one in stored:
            card = cards.get((one.game, one.name))
            if card is None:
                names = {words_of_names[one.name]}
                card = cards[one.game, one.name] = _Card(one.game, one.name, [one.name], names)
            card.labels.append(one.label)
            card.foreign = card.foreign or foreign_name(one.name, one.other_names)
            card.names.update(words_of_names[other] for other in one.other_names)
        return list(cards.values())

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for number, card in enumerate(self._cards):
            for word in frozenset().union(*card.names):
                found[word].append(number)
        return found

    @cached_property
    def _pages(self) -> dict[str, dict[str, str]]:
        names: dict[str, list[str]] = defaultdict(list)
        for card in self._cards:
            names[card.game].append(card.name)
        return {game: urls.slugs(several) for game, several in names.items()}

    def load(self) -> None:
        """Read the names now."""
        _ = self._by_word, self._pages

    def named(
        self, words: Sequence[str], likely: Sequence[str], games: Sequence[str], answering: str = ""
    ) -> tuple[NamedCard, ...]:
        """The cards of some games that the words of a query name, at most five.

        First those whose name it has whole, those with rulings, those of the game that answers.
        """
        typed = [
            word for word in words if not any(fold(word) in stop_words(lang) for lang in likely)
        ]
        is_short = len(typed) <= SHORT_QUERY
        means = [self._meant(word, likely, is_short) for word in typed]
        numbers = {
            number for some in means for word in some for number in self._by_word.get(word, ())
        }
        meant = frozenset().union(*means)
        ranked = []
        for number in sorted(numbers):
            card = self._cards[number]
            # A long query names a card by all words of a name alone.
            names = [name for name in card.names if is_short or name <= meant]
            if card.game not in games or not names:
                continue
            whole, matched, lacking = max(self._match(name, typed, means, likely) for name in names)
            if whole or (is_short and matched == len(typed)):
                ranked.append(((not whole, -matched, -lacking), number))
        ranked = sorted(ranked)[: 4 * MAX_CARDS]
        found = [(sure, self._named(self._cards[number])) for sure, number in ranked]
        found.sort(
            key=lambda pair: (
                pair[0][0],
                pair[1].rulings == 0,
                pair[1].game != answering,
                *pair[0][1:],
            )
        )
        return tuple(card for _, card in found[:MAX_CARDS])

    def _match(
        self,
        name: frozenset[str],
        typed: Sequence[str],
        means: Sequence[frozenset[str]],
        likely: Sequence[str],
    ) -> tuple[bool, int, int]:
        """Whether a query has a whole name, how many of its words, and minus how many it lacks."""
        having = [
            word for word, meant in zip(typed, means, strict=True) if not name.isdisjoint(meant)
        ]
        matched = len({word for meant in means for word in meant & name})
        whole = matched == len(name) and (
            matched > 1
            or len(typed) <= SHORT_QUERY
            or any(self._is_name(word, likely) for word in having)
        )
        return whole, matched, matched - len(name)

    def _is_name(self, word: str, likely: Sequence[str]) -> bool:
        """Whether a word is nothing but a part of card names in a query's languages."""
        lemmas = [lemma for lang in likely for lemma in self.table.analyse(word, lang).lemmas]
        return all(lemma[0] in "^~" for lemma in lemmas) or word[:1].isupper()

    def _meant(self, word: str, likely: Sequence[str], short: bool) -> frozenset[str]:
        """The words of names that a word of a query stands for.

        Itself, its lemmas, else what it begins or nearly is.
        """
        folded = fold(word)
        found = {folded} & self._by_word.keys()
        for lang in likely:
            for lemma in self.table.analyse(word, lang).lemmas:
                if lemma[0] == "^":
                    found.add(lemma[1:])
        if found or any(self.table.known(word, lang) for lang in likely):
            return frozenset(found)
        if short and len(folded) >= MIN_PREFIX:
            found = {name for name in self._by_word if name.startswith(folded)}
        if not found:
            near = (near for lang in likely for near in self.table.similar(word, lang))
            found = {other.word for other in near if other.word in self._by_word}
        return frozenset(found)

    def _named(self, card: _Card) -> NamedCard:
        about, mentioned = self.reader.rulings_on(card.game, dict.fromkeys(card.labels))
        count = len({*about, *mentioned})
        url = urls.card(card.game, self._pages[card.game][card.name]) if count else None
        return NamedCard(card.game, card.name, count, url, card.foreign)


def _words_of_names(names: Iterable[str]) -> dict[str, frozenset[str]]:
    """The folded words of each name but the small ones."""
    small = stop_words("en")
    words_of_names = {name: words_of(name) for name in dict.fromkeys(names)}
    folded = fold_all(word for words in words_of_names.values() for word in words)
    found = {}
    for name, words in words_of_names.items():
        several = frozenset([folded[word] for word in words])
        found[name] = several.difference(small) or several
    return found


def cards_by_name(store: Reader, game: str | None = None) -> CardsByName:
    """Group the cards of a game, or of all games, by name, in catalogue order."""
    cards: CardsByName = {}
    for card in store.cards(game):
        cards.setdefault((card.game, card.name), []).append(card)
    return cards


def named_versions(wanted: str, versions: list[StoredCard]) -> list[StoredCard]:
    """Return the one version whose label a text is, else all of them."""
    folded = fold(clean_typed(wanted))
    named = [
        card
        for card in versions
        if card.version and folded in (fold(card.label), fold(f"{card.name} {card.version}"))
    ]
    return named or versions


def best_card_matches(
    wanted: str, cards: CardsByName, store: Reader, table: FormTable
) -> tuple[CardMatch, list[tuple[str, str]]]:
    """Return the best kind of match, and game and name of the cards that match so.

    Kinds, best first: name or label without case and diacritics, other name, inflected name,
    beginning or words of a name, similar spelling.
    """
    wanted, languages = clean_typed(wanted), store.languages()
    matches: dict[CardMatch, list[tuple[str, str]]] = defaultdict(list)
    for game, names in _names_by_game(cards).items():
        meanings = form_meanings(table, languages.get(game, ()))
        kind, named = names.best(wanted, meanings)
        matches[kind] += [(game, name) for name in named]
    best = next(kind for kind in get_args(CardMatch) if matches[kind] or kind == "none")
    return best, matches[best]


def did_you_mean(wanted: str, cards: CardsByName) -> str:
    """Return a sentence with the cards whose names are most similar, empty where none is."""
    names = CardNames([card for versions in cards.values() for card in versions])
    similar = dict.fromkeys(names.name_of[card] for card in names.suggestions(wanted))
    return f" Did you mean {', '.join(similar)}?" if similar else ""


def _names_by_game(cards: CardsByName) -> dict[str, CardNames]:
    by_game: dict[str, list[StoredCard]] = defaultdict(list)
    for (game, _), versions in cards.items():
        by_game[game] += versions
    return {game: CardNames(several) for game, several in by_game.items()}
