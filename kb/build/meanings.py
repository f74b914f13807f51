"""What words mean, as hashes: they tell whether a text has to be linked or indexed again.

A word of one ruling can change what a word of another one means, through the table of forms. So
everything that looks words up depends on their meanings, and not on the text alone.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from kb.core.json import bytes_hash, data_hash
from kb.language import FormTable, fold, parts, words_of
from kb.language.lookup import SISTER, RowsByFolded
from kb.records.model import Card, Game

_BYTES = 8
# Where more words than this mean something else, hashing again is quicker than looking for them.
_FEW = 50
# Words by language, one space between two.
Words = Mapping[str, str]


class _LanguageMeanings(dict[str, bytes]):
    """A hash of what a word of one language means, by word.

    It covers every row of the table that a look-up of the word can come upon: by its folded form,
    without a possessive ending too; of a hyphenated word also by its parts.
    """

    def __init__(self) -> None:
        super().__init__()
        self._key = ""
        self._rows: RowsByFolded = {}
        self._looked_up: dict[str, list[str]] = defaultdict(list)

    def read(self, table: FormTable, lang: str) -> set[str]:
        """Take the rows of another table over; return the words that mean something else now."""
        key = table.key(lang)
        if key and key == self._key:
            return set()
        differing = table.differing(lang, self._key)
        self._rows, self._key = table.by_folded(lang), key
        if differing is None:
            changed = set(self)
        else:
            changed = {word for folded in differing for word in self._looked_up.get(folded, ())}
        return {word for word in changed if self.pop(word) != self[word]}

    def __missing__(self, word: str) -> bytes:
        low = word.lower()
        names = dict.fromkeys(
            folded for part in (low, *parts(low)) for folded in (fold(part), fold(part[:-2]))
        )
        rows = [
            [
                (form, lemmas, origin == SISTER)
                for form, _, lemmas, origin in self._rows.get(name, ())
            ]
            for name in names
        ]
        hash_ = hashlib.blake2b(repr(rows).encode("utf-8", "replace"), digest_size=_BYTES).digest()
        if word not in self._looked_up[next(iter(names))]:
            for name in names:
                self._looked_up[name].append(word)
        self[word] = hash_
        return hash_


class _Hashed(NamedTuple):
    """A hash of what some words mean, and the version of the meanings that it was taken at."""

    words: tuple[Words, ...]
    version: int
    hash: str


class WordMeanings:
    """Hashes of what words mean, kept from one table of forms to the next."""

    def __init__(self) -> None:
        self._table: FormTable | None = None
        self._languages: dict[str, _LanguageMeanings] = {}
        # The words that changed with each version, by language.
        self._changed: list[dict[str, set[str]]] = []
        self._hashes: dict[Hashable, _Hashed] = {}
        self._used: dict[Hashable, _Hashed] = {}

    def use(self, table: FormTable) -> None:
        """Take the meanings from a table, as long as it is open."""
        self._table = table
        changed = {lang: known.read(table, lang) for lang, known in self._languages.items()}
        if any(changed.values()):
            self._changed.append(changed)

    def forget_unused(self) -> None:
        """Forget the hashes that were not asked for since the last call."""
        self._hashes, self._used = self._used, {}
        if self._changed and all(
            known.version == len(self._changed) for known in self._hashes.values()
        ):
            self._changed.clear()
            self._hashes = {key: one._replace(version=0) for key, one in self._hashes.items()}

    def of_key(self, key: Hashable, *words: Words) -> str:
        """The same as `of`, remembered for a key as long as the same words mean the same."""
        version, known = len(self._changed), self._used.get(key) or self._hashes.get(key)
        if not (known and known.words == words and self._is_same(known)):
            known = _Hashed(words, version, self.of(*words))
        elif known.version != version:
            known = known._replace(version=version)
        self._used[key] = known
        return known.hash

    def _is_same(self, known: _Hashed) -> bool:
        """Whether none of the words has changed since they were hashed."""
        for changed in self._changed[known.version :]:
            for words in known.words:
                for lang, line in words.items():
                    others = changed.get(lang, ())
                    if len(others) > _FEW or any(f" {other} " in f" {line} " for other in others):
                        return False
        return True

    def of(self, *words: Words) -> str:
        """A hash of what some words mean."""
        hashes: list[bytes] = []
        for several in words:
            for lang, line in several.items():
                known = self._languages.get(lang)
                if known is None:
                    assert self._table
                    known = self._languages[lang] = _LanguageMeanings()
                    known.read(self._table, lang)
                hashes.append(lang.encode())
                hashes += map(known.__getitem__, line.split(" "))
        return bytes_hash(b" ".join(hashes))


def words_in(texts: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The words of some texts, each once, by language."""
    words = {
        lang: " ".join(sorted({word for text in several for word in words_of(text)}))
        for lang, several in texts.items()
    }
    return {lang: line for lang, line in words.items() if line}


class GameWords:
    """The words that a game itself has, and a hash of all else that is taken from it."""

    def __init__(self, game: Game) -> None:
        head = game.header
        self._game = game
        self._languages = tuple(dict.fromkeys((head.language, *head.languages, "en")))
        cards = [(card.name, card.version, card.label, card.other_names) for card in game.cards]
        terms = [(term.id, term.names) for term in game.terms]
        self.cards_hash = data_hash([self._languages, cards, head.not_cards])
        self.terms_hash = data_hash([self._languages, terms])
        self.meanings_hash = data_hash([terms, [term.meaning for term in game.terms]])
        self.cards = self._names(game.cards)
        self.terms = words_in(
            {
                lang: [name for term in game.terms for name in term.names.get(lang, ())]
                for lang in self._languages
            }
        )
        self.card, self.topic = cache(self._card), cache(self._topic)

    def _names(self, cards: Iterable[Card]) -> Words:
        names = [name for card in cards for name in (card.label, card.name, *card.other_names)]
        return words_in(dict.fromkeys(self._languages, names))

    def _card(self, label: str) -> Words:
        """The words in the names of the cards with a label."""
        return self._names(self._game.cards_named(label))

    def _topic(self, topic: str) -> Words:
        """The words in a topic's titles."""
        titles = self._game.topics[topic].title
        return words_in({lang: (title,) for lang, title in titles.items()})


class GameMeanings:
    """Hashes of all that linking, indexing and rendering take from a game itself."""

    def __init__(self, game: str, words: GameWords, meanings: WordMeanings) -> None:
        self._game, self._words, self._meanings = game, words, meanings
        terms = meanings.of_key((game, "terms"), words.terms)
        self.link = f"{words.cards_hash} {meanings.of_key((game, 'cards'), words.cards)}"
        self.index = f"{words.terms_hash} {terms}"
        self.page = f"{words.meanings_hash} {terms}"

    def card(self, label: str) -> str:
        """A hash of what the names of the cards with a label mean."""
        return self._meanings.of_key((self._game, "card", label), self._words.card(label))

    def topic(self, topic: str) -> str:
        """A hash of what a topic's titles mean."""
        return self._meanings.of_key((self._game, "topic", topic), self._words.topic(topic))
