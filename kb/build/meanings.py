"""What words mean, as hashes: they tell whether a text has to be linked or indexed again.

A word of one ruling can change what a word of another one means, through the table of forms. So
everything that looks words up depends on their meanings, and not on the text alone.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from kb.core.hashing import bytes_hash, data_hash
from kb.language import FormTable, fold, parts, words_of
from kb.language.lookup import SISTER
from kb.records.model import Card, Game

_BYTES = 8


class _LanguageMeanings(dict[str, bytes]):
    """A hash of what a word of one language means, by word.

    It covers every row of the table that a look-up of the word can come upon: by its form, and by
    its folded form, without a possessive ending too; of a hyphenated word also by its parts.
    """

    def __init__(self, table: FormTable, lang: str) -> None:
        super().__init__()
        self._exact: dict[str, tuple[list[str], bool]] = {}
        self._folded: dict[str, list[tuple[list[str], bool]]] = defaultdict(list)
        for form, folded, lemmas, origin in table.rows(lang):
            meaning = self._exact[form] = lemmas, origin == SISTER
            self._folded[folded].append(meaning)

    def __missing__(self, word: str) -> bytes:
        low = word.lower()
        found = [
            (self._exact.get(one), self._folded.get(fold(one)), self._folded.get(fold(one[:-2])))
            for one in (low, *parts(low))
        ]
        hash_ = hashlib.blake2b(repr(found).encode("utf-8", "replace"), digest_size=_BYTES).digest()
        self[word] = hash_
        return hash_


class WordMeanings:
    """Hashes of what words mean by one table of forms."""

    def __init__(self, table: FormTable) -> None:
        self._table = table
        self._languages: dict[str, _LanguageMeanings] = {}

    def of(self, *words: Mapping[str, str]) -> str:
        """A hash of what some words mean, given by language with one space between two."""
        found: list[bytes] = []
        for several in words:
            for lang, line in several.items():
                known = self._languages.get(lang)
                if known is None:
                    known = self._languages[lang] = _LanguageMeanings(self._table, lang)
                found.append(lang.encode())
                found += map(known.__getitem__, line.split(" "))
        return bytes_hash(b" ".join(found))

    def of_texts(self, texts: Mapping[str, Iterable[str]]) -> str:
        """A hash of what the words of some texts mean, given by language."""
        words = {
            lang: " ".join(sorted({word for text in several for word in words_of(text)}))
            for lang, several in texts.items()
        }
        return self.of({lang: line for lang, line in words.items() if line})


class GameMeanings:
    """Hashes of all that linking, indexing and rendering take from a game itself."""

    def __init__(self, game: Game, meanings: WordMeanings) -> None:
        head = game.header
        self._game, self._meanings = game, meanings
        self._languages = tuple(dict.fromkeys((head.language, *head.languages, "en")))
        cards = [(one.name, one.version, one.label, one.other_names) for one in game.cards]
        terms = [(term.id, term.names) for term in game.terms]
        term_words = meanings.of_texts(
            {
                lang: [name for term in game.terms for name in term.names.get(lang, ())]
                for lang in self._languages
            }
        )
        self.link = data_hash([self._languages, cards, head.not_cards, self._names(game.cards)])
        self.index = data_hash([self._languages, terms, term_words])
        self.page = data_hash([terms, term_words, [term.meaning for term in game.terms]])
        self.card, self.topic = cache(self._card), cache(self._topic)

    def _card(self, label: str) -> str:
        """A hash of what the names of the cards with a label mean."""
        return self._names(self._game.cards_named(label))

    def _names(self, cards: Iterable[Card]) -> str:
        names = [name for one in cards for name in (one.label, one.name, *one.other_names)]
        return self._meanings.of_texts(dict.fromkeys(self._languages, names))

    def _topic(self, topic: str) -> str:
        """A hash of what a topic's titles mean."""
        titles = self._game.topics[topic].title
        return self._meanings.of_texts({lang: (title,) for lang, title in titles.items()})
