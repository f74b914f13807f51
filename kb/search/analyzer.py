"""A ruling as the terms that the index holds, and the words of a whole library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from kb.language import LANGUAGES, FormTable, fold, parts, words_of
from kb.linking.term_finder import TermFinder
from kb.records.library import Library
from kb.records.marks import plain_text, ruling_cards
from kb.records.model import Game, Ruling
from kb.search.document import Terms, TermStream
from kb.search.weights import ANSWER, BODY, CARD, NUMBER, PROVISION, SYNONYM, TITLE, TOPIC

Vocabulary = dict[str, set[str]]
_NUMBER = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


def vocabulary(library: Library) -> tuple[Vocabulary, Vocabulary, list[tuple[str, list[str]]]]:
    """What the table of forms is made for: words of texts, terms and topics by language; words of card names by the languages
    of their game; and the single-word names of a term, which belong together."""
    words, names, groups = games_vocabulary(library.games.values())
    for ruling in library.rulings.values():
        for lang, several in words_by_text(ruling):
            words.setdefault(lang, set()).update(several)
    return words, names, groups


def words_in(ruling: Ruling) -> Iterator[tuple[str, str]]:
    """Every word of a ruling's titles and texts with its language, as often as it stands there."""
    for lang, words in words_by_text(ruling):
        for word in words:
            yield lang, word


def words_by_text(ruling: Ruling) -> Iterator[tuple[str, list[str]]]:
    """The same, the words of each title and each text together."""
    for text in ruling.texts:
        yield text.lang, words_of(text.title)
        yield text.lang, words_of(plain_text(text.body))


def games_vocabulary(
    games: Iterable[Game],
) -> tuple[Vocabulary, Vocabulary, list[tuple[str, list[str]]]]:
    """The same of games without their rulings."""
    words: Vocabulary = {}
    names: Vocabulary = {}
    groups: list[tuple[str, list[str]]] = []
    for game in games:
        for lang in game.header.languages:
            known = words.setdefault(lang, set())
            for text in game_texts(game, lang):
                known.update(words_of(text))
            own = names.setdefault(lang, set())
            for card in game.cards:
                for name in (card.name, *card.other_names):
                    own.update(
                        word
                        for word in words_of(name)
                        if len(word) > 1 and word.lower() not in LANGUAGES["en"].stop_words
                    )
        for term in game.terms:
            for lang, group in term.names.items():
                single = [name for name in group if " " not in name]
                if len(single) > 1:
                    groups.append((lang, single))
    return words, names, groups


def game_texts(game: Game, lang: str) -> Iterator[str]:
    """The texts of a game itself in a language: its terms and topics."""
    for term in game.terms:
        yield from term.names.get(lang, ())
        yield term.meaning.get(lang, "")
    for topic in game.header.topics:
        yield topic.title.get(lang, "")


class _Known(dict[str, Terms]):
    """The terms of the words of one language. A base has few different words for its size: each is analysed once."""

    def __init__(self, table: FormTable, lang: str) -> None:
        super().__init__()
        self._table, self._lang = table, lang

    def __missing__(self, word: str) -> Terms:
        self[word] = found = self._terms(word)
        return found

    def _terms(self, word: str) -> Terms:
        """The terms of one word: its folded form and its lemmas; for R2-D2 also those of R2D2, R2 and D2."""
        table, lang = self._table, self._lang
        made = [
            f"{lang}={fold(word)}",
            *(f"{lang}:{lemma}" for lemma in table.analyse(word, lang).lemmas),
        ]
        for piece in parts(word):
            made += [
                f"{lang}={fold(piece)}",
                *(f"{lang}:{lemma}" for lemma in table.analyse(piece, lang).lemmas),
            ]
        return tuple(dict.fromkeys(made))


class Analyzer:
    """Turns the rulings of one game into words with their terms."""

    def __init__(self, game: Game, table: FormTable) -> None:
        self.game, self.table = game, table
        self.languages = tuple(dict.fromkeys((game.language, *game.header.languages)))
        self.finders = (
            {lang: TermFinder(game, lang, table) for lang in self.languages} if game.terms else {}
        )
        self.known = {lang: _Known(table, lang) for lang in {*self.languages, "en"}}
        # The same names and titles stand around many rulings.
        self.around = cache(self._line)

    def words(self, ruling: Ruling) -> TermStream:
        """Every word of a ruling with its terms, position and weight: titles, texts, cards, provisions, topics, synonyms."""
        made = TermStream([], [], [])
        occurring: set[str] = set()
        place = 0
        for text in ruling.texts:
            known, finder = self.known_in(text.lang), self.finders.get(text.lang)
            answer, _, rest = plain_text(text.body).partition("\n\n")
            title, answered, explained = words_of(text.title), words_of(answer), words_of(rest)
            for part, weight in ((title, TITLE), (answered, ANSWER), (explained, BODY)):
                place = made.add([known[word] for word in part], place, weight)
            if finder:
                occurring.update(finder.among(title), finder.among(answered + explained))
        for lang, line, weight in self._around(ruling, sorted(occurring)):
            place = made.add(self.around(line, lang), place, weight)
        for number in self._numbers(ruling):
            made.put((f"#{number}",), place, NUMBER)
            made.put((f"#{number.rpartition('.')[0]}",), place, NUMBER // 2)
        return made

    def known_in(self, lang: str) -> _Known:
        """The words of a language."""
        if lang not in self.known:
            self.known[lang] = _Known(self.table, lang)
        return self.known[lang]

    def _line(self, text: str, lang: str) -> list[Terms]:
        known = self.known_in(lang)
        return [known[word] for word in words_of(text)]

    def _around(self, ruling: Ruling, occurring: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """What stands around the texts, by language: cards, provisions, topics, and other names of the terms that occur."""
        labels = ruling_cards(ruling)
        for lang in self.languages:
            for label in labels:
                yield lang, label, CARD if labels[label] else CARD // 2
                for card in self.game.cards_named(label)[:1]:
                    for other in card.other_names:
                        yield lang, other, CARD // 2
            for topic in ruling.header.topics:
                yield lang, self.game.topics[topic].title.get(lang, ""), TOPIC
            for term in occurring:
                for name in self.game.terms_by_id[term].names.get(lang, ()):
                    yield lang, name, SYNONYM
        for citation in ruling.header.sources:
            yield "en", citation.provision.replace("-", " "), PROVISION
        yield "en", ruling.id.replace("-", " "), PROVISION // 2

    @staticmethod
    def _numbers(ruling: Ruling) -> Iterable[str]:
        return dict.fromkeys(
            number
            for citation in ruling.header.sources
            for number in _NUMBER.findall(citation.provision)
        )
