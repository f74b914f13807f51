"""What words mean, as hashes: they tell whether a text has to be linked or indexed again.

A word of one ruling can change what a word of another one means, through the table of forms. So
everything that looks words up depends on their meanings, and not on the text alone.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from kb.core.json import bytes_hash, data_hash, json_bytes
from kb.language import FormTable, fold, parts, words_of
from kb.language.lookup import SISTER, RowsByFolded, StoredRow
from kb.language.tokens import owner
from kb.pipeline.cache import Row, Stage
from kb.records.model import Card, Game

_BYTES = 8
# Where more words than this mean something else, hashing again is quicker than looking for them.
_FEW = 50
# Words by language, one space between two.
Words = Mapping[str, str]


class _LanguageMeanings(dict[str, bytes]):
    """A hash of what a word of one language means, by the word in lower case.

    It covers every row of the table that a look-up of the word can come upon.
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
        names = _names(word)
        hash_ = _meaning(self._rows.get(name, ()) for name in names)
        if word not in self._looked_up[next(iter(names))]:
            for name in names:
                self._looked_up[name].append(word)
        self[word] = hash_
        return hash_


class _FewMeanings(dict[str, bytes]):
    """The same where few words are not `known`: each of these is looked up in the table."""

    def __init__(
        self, table: FormTable, lang: str, known: Mapping[str, bytes] | None = None
    ) -> None:
        super().__init__(known or {})
        self._table, self._lang = table, lang

    def __missing__(self, word: str) -> bytes:
        names = _names(word)
        rows = self._table.rows_of(self._lang, names)
        hash_ = self[word] = _meaning(rows.get(name, ()) for name in names)
        return hash_


def _names(word: str) -> dict[str, None]:
    """The folded forms that a word is looked up by.

    Without a possessive ending too; of a hyphenated word also its parts.
    """
    return dict.fromkeys(
        fold(name) for part in (word, *parts(word)) for name in (part, owner(part))
    )


def _meaning(rows: Iterable[Iterable[StoredRow]]) -> bytes:
    meaning = [
        [(form, lemmas, origin == SISTER) for form, _, lemmas, origin in several]
        for several in rows
    ]
    data = repr(meaning).encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=_BYTES).digest()


class _Hashed(NamedTuple):
    """A hash of what some words mean, and the version of the meanings that it was taken at.

    `token` tells what the words were.
    """

    token: str
    version: int
    hash: str


class WordMeanings:
    """Hashes of what words mean, kept from one table of forms to the next."""

    def __init__(self) -> None:
        self._table: FormTable | None = None
        self._languages: dict[str, _LanguageMeanings | _FewMeanings] = {}
        # The words that changed with each version, by language.
        self._changed: list[Mapping[str, Collection[str]]] = []
        self._hashes: dict[str, _Hashed] = {}
        self._used: dict[str, _Hashed] = {}

    def use(self, table: FormTable) -> None:
        """Take the meanings from a table, as long as it is open."""
        self._table = table
        changed = {
            lang: known.read(table, lang)
            for lang, known in self._languages.items()
            if isinstance(known, _LanguageMeanings)
        }
        if any(changed.values()):
            self._changed.append(changed)

    def resume(self, saved: Stage, table: FormTable, words: Callable[[str], Iterable[str]]) -> None:
        """Go on from what `saved` has returned in another process, with few words to be hashed.

        `words`: those of a language that were hashed then and still are, in lower case, or more.
        Does nothing where it is not known how the table differs from the one of then.
        """
        if not saved:
            return
        keys: dict[str, str] = orjson.loads(saved["keys"].blob)
        differing = {lang: table.differing(lang, key) for lang, key in keys.items()}
        changed: dict[str, Collection[str]] = {}
        for lang, forms in differing.items():
            if forms is None:
                return
            candidates = words(lang) if forms else ()
            changed[lang] = {word for word in candidates if not forms.isdisjoint(_names(word))}
        hashes = orjson.loads(saved["meanings"].blob)
        self._hashes = {key: _Hashed(token, 0, hash_) for key, (token, hash_) in hashes.items()}
        self._changed = [changed] if any(changed.values()) else []
        self._languages = {lang: _FewMeanings(table, lang) for lang in keys}

    def take_over(self, known: Mapping[str, Mapping[str, str]]) -> None:
        """Go on from what `hashes` has returned for the same table."""
        assert self._table
        for lang, hashes in known.items():
            several = {word: bytes.fromhex(hash_) for word, hash_ in hashes.items()}
            self._languages[lang] = _FewMeanings(self._table, lang, several)

    def hashes(self) -> dict[str, dict[str, str]]:
        """The hashes of all words that were asked for, by language."""
        return {
            lang: {word: hash_.hex() for word, hash_ in several.items()}
            for lang, several in self._languages.items()
        }

    def saved(self) -> dict[str, Row]:
        """What `resume` needs of the hashes that were asked for, as rows of the build cache."""
        assert self._table
        keys = {lang: self._table.key(lang) for lang in self._languages}
        hashes = {key: [known.token, known.hash] for key, known in self._used.items()}
        return {
            "keys": Row("", json_bytes(keys)),
            "meanings": Row("", json_bytes(hashes)),
        }

    def forget_unused(self) -> None:
        """Forget the hashes that were not asked for since the last call."""
        self._hashes, self._used = self._used, {}
        if self._changed and all(
            known.version == len(self._changed) for known in self._hashes.values()
        ):
            self._changed.clear()
            self._hashes = {key: one._replace(version=0) for key, one in self._hashes.items()}

    def of_key(self, key: str, token: str, words: Callable[[], Sequence[Words]]) -> str:
        """The same as `of`, remembered for a key as long as the same words mean the same.

        `token`: what tells these words from others.
        """
        version, known = len(self._changed), self._used.get(key) or self._hashes.get(key)
        if not (known and known.token == token and self._is_same(known, words)):
            known = _Hashed(token, version, self.of(*words()))
        elif known.version != version:
            known = known._replace(version=version)
        self._used[key] = known
        return known.hash

    def _is_same(self, known: _Hashed, words: Callable[[], Sequence[Words]]) -> bool:
        """Whether none of the words has changed since they were hashed."""
        for changed in self._changed[known.version :]:
            for several in words():
                for lang, line in several.items():
                    others = changed.get(lang, ())
                    if len(others) > _FEW:
                        return False
                    low = f" {line.lower()} " if others else ""
                    if any(f" {other} " in low for other in others):
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
                hashes += map(known.__getitem__, line.lower().split(" "))
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
        titles = {topic.id: topic.title for topic in game.topics.values()}
        self.topics_hash = data_hash([self._languages, titles])

    def lines(self, lang: str) -> Iterator[str]:
        """All words of a language that the game has, in lower case, with spaces between them."""
        for words in (self.cards, self.terms, *map(self.topic, self._game.topics)):
            yield words.get(lang, "").lower()

    def _names(self, cards: Iterable[Card]) -> Words:
        names = [name for card in cards for name in (card.label, card.name, *card.other_names)]
        return words_in(dict.fromkeys(self._languages, names))

    def card(self, label: str) -> Words:
        """The words in the names of the cards with a label."""
        return self._names(self._game.cards_named(label))

    def topic(self, topic: str) -> Words:
        """The words in a topic's titles."""
        titles = self._game.topics[topic].title
        return words_in({lang: (title,) for lang, title in titles.items()})


class GameMeanings:
    """Hashes of all that linking, indexing and rendering take from a game itself."""

    def __init__(self, game: str, words: GameWords, meanings: WordMeanings) -> None:
        terms = meanings.of_key(f"{game} terms", words.terms_hash, lambda: (words.terms,))
        cards = meanings.of_key(f"{game} cards", words.cards_hash, lambda: (words.cards,))
        self.link = f"{words.cards_hash} {cards}"
        self.index = f"{words.terms_hash} {terms}"
        self.page = f"{words.meanings_hash} {terms}"
        self._game, self._words, self._meanings = game, words, meanings
        self._known: dict[str, str] = {}

    def is_same(self, other: GameMeanings) -> bool:
        """Whether another one has the same hashes, as far as it was asked for them."""

        def again(key: str) -> str:
            kind, _, name = key.partition(" ")
            return self.card(name) if kind == "card" else self.topic(name)

        hashes = (self.link, self.index, self.page) == (other.link, other.index, other.page)
        return hashes and all(again(key) == hash_ for key, hash_ in other._known.items())

    def card(self, label: str) -> str:
        """A hash of what the names of the cards with a label mean."""
        return self._hash(f"card {label}", self._words.cards_hash, self._words.card, label)

    def topic(self, topic: str) -> str:
        """A hash of what a topic's titles mean."""
        return self._hash(f"topic {topic}", self._words.topics_hash, self._words.topic, topic)

    def _hash(self, key: str, token: str, words: Callable[[str], Words], name: str) -> str:
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._meanings.of_key(
                f"{self._game} {key}", token, lambda: (words(name),)
            )
        return known
