"""Which cards does a query name? By a form, a part or a similar spelling, as cards.js."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from kb.core import urls
from kb.language import FormTable, fold, language_of, tokenize
from kb.linking.names import (
    foreign_name,
    form_meanings,
    is_latin,
    name_words,
    spellings,
)
from kb.records.values import Card
from kb.search.card_lookup import cards_by_name
from kb.search.expansion import stop_words
from kb.search.query import OR_WORDS, QUOTES
from kb.store.model import Reader

MAX_CARDS = 5
# Candidates whose rulings are counted.
_RANKED = 4 * MAX_CARDS
# A query of at most this many words names a card by a part of its name, or by its beginning.
SHORT_QUERY = 2
MIN_PREFIX = 3
# At most this many words are tried as one word of a name, as ki adi mundi, in a query of one word
# more at most: in a browser each try is one more file to load.
MAX_JOINED = 3
# At most this many words after `card:` are tried as a name.
MAX_NAME = 8
# Several words after `card:`, and the version that may follow a name.
_WORD = rf"[^\s:|(){''.join(QUOTES)}]+"
_UNQUOTED = re.compile(rf"(?:^|(?<=[\s(]))-?card: ?(?P<value>{_WORD}(?: {_WORD})+)", re.I)
_VERSION = re.compile(r" \([^\W_]+\)")


@dataclass(frozen=True)
class NamedCard:
    """The cards of a game with one name.

    `rulings`: how many rulings name them; `url`: their page, if they have one; `foreign`: their
    name in another script; `sole`: the query is the name, if unfinished, and nothing else;
    `exact`: it is the name word for word.
    """

    game: str
    name: str
    rulings: int
    url: str | None
    foreign: str = ""
    sole: bool = False
    exact: bool = False

    def shown(self, lang: str) -> str:
        """The name for readers of a language, with the original beside it."""
        reads_latin = is_latin(language_of(lang).alphabet)
        has_own = self.foreign and is_latin(self.foreign) == reads_latin
        return f"{self.foreign} ({self.name})" if has_own else self.name


@dataclass(frozen=True)
class CardEntry:
    """The cards of a game with one name: their labels, other names, and the words of each name."""

    game: str
    name: str
    labels: Sequence[str]
    other_names: Sequence[str]
    names: Collection[frozenset[str]]

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset().union(*self.names)


def card_entry(game: str, name: str, versions: Sequence[Card]) -> CardEntry:
    """The entry of the cards of a name."""
    labels = dict.fromkeys((name, *(card.label for card in versions)))
    others = dict.fromkeys(other for card in versions for other in card.other_names)
    words = {words for called in (name, *others) for words in telling_words(called)}
    return CardEntry(game, name, list(labels), list(others), words)


class CardIndex:
    """Finds the cards that queries name; the names are read for the first query."""

    def __init__(self, reader: Reader, table: FormTable) -> None:
        self.reader, self.table = reader, table

    @cached_property
    def _cards(self) -> list[CardEntry]:
        by_name = cards_by_name(self.reader)
        return [card_entry(game, name, versions) for (game, name), versions in by_name.items()]

    @cached_property
    def _by_word(self) -> dict[str, list[int]]:
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, card in enumerate(self._cards):
            for word in card.words:
                numbers[word].append(number)
        return numbers

    @cached_property
    def _pages(self) -> dict[str, dict[str, str]]:
        names: dict[str, list[str]] = defaultdict(list)
        for card in self._cards:
            names[card.game].append(card.name)
        return {game: urls.slugs(names[game]) for game in names}

    def named(
        self, words: Sequence[str], likely: Sequence[str], games: Sequence[str], answering: str = ""
    ) -> tuple[NamedCard, ...]:
        """The cards of some games that the words of a query name, at most MAX_CARDS.

        A name word for word comes first, then whole names, cards with rulings, and cards of the
        game `answering`.
        """
        typed = [
            word
            for word in self._joined(words, likely)
            if not any(fold(word) in stop_words(lang) for lang in likely)
        ]
        is_short = len(typed) <= SHORT_QUERY
        means = [self._meant(word, likely, is_short) for word in typed]
        numbers = {
            number for meant in means for word in meant for number in self._by_word.get(word, ())
        }
        all_meant = frozenset().union(*means)
        ranked = []
        as_typed = tuple(map(fold, words))
        for number in sorted(numbers):
            card = self._cards[number]
            # A long query names a card only by all words of a name.
            names = [name for name in card.names if is_short or name <= all_meant]
            if card.game not in games or not names:
                continue
            whole, matched, lacking = max(self._match(name, typed, means, likely) for name in names)
            is_all = matched == len(typed)
            if whole or (is_short and is_all):
                proper = self._are_proper(all_meant & card.words, likely)
                sole = is_all and (proper or (whole and matched > 1))
                exact = sole and name_words(card.name) == as_typed
                ranked.append(((not exact, not whole, -matched, -lacking), number, sole))
        cards = [
            (order, self._named(self._cards[at], sole, not order[0]))
            for order, at, sole in sorted(ranked)[:_RANKED]
        ]
        cards.sort(
            key=lambda pair: (
                pair[0][:2],
                pair[1].rulings == 0,
                pair[1].game != answering,
                *pair[0][2:],
            )
        )
        return tuple(card for _, card in cards[:MAX_CARDS])

    def quoted(self, text: str, languages: Sequence[str]) -> str:
        """A query with quotation marks around a card's name of several words after `card:`."""
        match = _UNQUOTED.search(text)
        if not match:
            return text
        tokens = list(tokenize(match["value"]))[:MAX_NAME]
        size = self._name_length([token.text for token in tokens], languages)
        if not size or any(token.text in OR_WORDS for token in tokens[:size]):
            return text
        start = match.start("value")
        end = start + tokens[size - 1].end
        version = _VERSION.match(text, end)
        end = version.end() if version else end
        return f'{text[:start]}"{text[start:end]}"{text[end:]}'

    def _name_length(self, words: Sequence[str], languages: Sequence[str]) -> int:
        """How many of some words, at least two, are a card's whole name in any form; else 0."""
        forms = form_meanings(self.table, languages)
        means = [{fold(word), *forms(word)} for word in words]
        numbers = {at for meant in means for word in meant for at in self._by_word.get(word, ())}
        names = {name for number in numbers for name in self._cards[number].names}
        skipped = [fold(word) in stop_words("en") for word in words]
        for size in range(len(words), 1, -1):
            whole = set().union(*means[:size])
            if any(
                name <= whole
                and not name.isdisjoint(means[size - 1])
                and all(skipped[at] or not name.isdisjoint(means[at]) for at in range(size - 1))
                for name in names
            ):
                return size
        return 0

    def _joined(self, words: Sequence[str], likely: Sequence[str]) -> Iterator[str]:
        """The words, those side by side as one if names have it: obi wan -> obiwan.

        Inflected words get the hyphen that the name has: obi wana -> obi-wana.
        """
        forms = form_meanings(self.table, likely)
        at, longest = 0, MAX_JOINED if len(words) <= MAX_JOINED + 1 else 1
        while at < len(words):
            for size in range(min(longest, len(words) - at), 0, -1):
                run = words[at : at + size]
                joined, hyphenated = "".join(run), "-".join(run)
                if size == 1 or fold(joined) in self._by_word:
                    yield joined
                    break
                if any(forms(hyphenated)):
                    yield hyphenated
                    break
            at += size

    def _match(
        self,
        name: frozenset[str],
        typed: Sequence[str],
        means: Sequence[frozenset[str]],
        likely: Sequence[str],
    ) -> tuple[bool, int, int]:
        """Whether a query has a whole name, how many of its words, and minus the missing words."""
        in_name = [
            word for word, meant in zip(typed, means, strict=True) if not name.isdisjoint(meant)
        ]
        matched = len({word for meant in means for word in meant & name})
        whole = matched == len(name) and (
            matched > 1
            or len(typed) <= SHORT_QUERY
            or any(self._are_proper([word], likely) or word[:1].isupper() for word in in_name)
        )
        return whole, matched, matched - len(name)

    def _are_proper(self, words: Iterable[str], likely: Sequence[str]) -> bool:
        """Whether the likely languages know some words only from card names."""
        return all(
            lemma[0] in "^~"
            for word in words
            for lang in likely
            for analysis in [self.table.analyse(word, lang)]
            for lemma in (*analysis.lemmas, *analysis.others)
        )

    def _meant(self, word: str, likely: Sequence[str], short: bool) -> frozenset[str]:
        """The words of names that a word of a query may be: itself and its lemmas.

        For an unknown word, words that begin with it if the query is short, else similar words.
        """
        folded = fold(word)
        meant = {folded} & self._by_word.keys() | {*form_meanings(self.table, likely)(word)}
        if meant or any(self.table.known(word, lang) for lang in likely):
            return frozenset(meant)
        if short and len(folded) >= MIN_PREFIX:
            meant = {name for name in self._by_word if name.startswith(folded)}
        if not meant:
            near = (near for lang in likely for near in self.table.similar(word, lang))
            meant = {other.word for other in near if other.word in self._by_word}
        return frozenset(meant)

    def _named(self, card: CardEntry, sole: bool, exact: bool) -> NamedCard:
        about, mentioned = self.reader.rulings_on(card.game, card.labels)
        count = len({*about, *mentioned})
        url = urls.card(card.game, self._pages[card.game][card.name]) if count else None
        foreign = foreign_name(card.name, card.other_names)
        return NamedCard(card.game, card.name, count, url, foreign, sole, exact)


def telling_words(name: str) -> list[frozenset[str]]:
    """The folded words of each spelling of a name, without English stop words if it has others."""
    every = (frozenset(name_words(spelling)) for spelling in spellings(name))
    return [words - stop_words("en") or words for words in every]
