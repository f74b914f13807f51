"""Rulings -> documents for the index: segments, terms, and values for filters.

Also gives the words of a whole library for the table of forms.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from kb.language import LANGUAGES, FormTable, fold, words_of
from kb.linking.term_finder import TermFinder
from kb.records.marks import plain_text
from kb.search.document import (
    ANSWER,
    ANY_RULES,
    ASKED,
    BODY,
    CARD,
    MENTION,
    NUMBER,
    PROVISION,
    REPEATED,
    SYNONYM,
    TITLE,
    TOPIC,
    UNDATED,
    Document,
    Segment,
)
from kb.search.vocabulary import tokens

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Game, Ruling
    from kb.records.validity import Validity

Vocabulary = dict[str, set[str]]
_NUMBER = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


def vocabulary(library: Library) -> tuple[Vocabulary, Vocabulary, list[tuple[str, list[str]]]]:
    """What the table of forms is made for.

    Words of texts, terms and topics by language; words of card names by the languages of their
    game; and the single-word names of a term, which belong together.
    """
    words, names, groups = games_vocabulary(library.games.values())
    for ruling in library.rulings.values():
        for lang, several in words_by_text(ruling):
            words.setdefault(lang, set()).update(several)
    return words, names, groups


def words_by_text(ruling: Ruling) -> Iterator[tuple[str, list[str]]]:
    """The words of each title, text and question of a ruling, with their language."""
    for text in ruling.texts:
        yield text.lang, words_of(text.title)
        yield text.lang, words_of(plain_text(text.body))
    for lang, lines in ruling.asked_as.items():
        for line in lines:
            yield lang, words_of(line)


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


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of the folded words of one language. Each different word is analysed once."""

    def __init__(self, table: FormTable, lang: str) -> None:
        super().__init__()
        self._table, self._lang = table, lang

    def __missing__(self, word: str) -> tuple[str, ...]:
        self[word] = terms = word_terms(self._table, word, self._lang)
        return terms


def word_terms(table: FormTable, word: str, lang: str) -> tuple[str, ...]:
    """The terms of a word: one for each lemma that it can belong to."""
    return tuple(f"{lang}:{lemma}" for lemma in table.analyse(word, lang).lemmas)


class Analyzers(dict[str, "Analyzer"]):
    """The analyzers of some games, each made when it is first asked for."""

    def __init__(self, games: Mapping[str, Game], table: FormTable) -> None:
        super().__init__()
        self._games, self._table = games, table

    def __missing__(self, game: str) -> Analyzer:
        self[game] = analyzer = Analyzer(self._games[game], self._table)
        return analyzer


class Analyzer:
    """Turns the rulings of one game into segments and terms."""

    def __init__(self, game: Game, table: FormTable) -> None:
        self.game, self.table = game, table
        self.languages = tuple(dict.fromkeys((game.language, *game.header.languages)))
        self.finders = (
            {lang: TermFinder(game.terms, lang, table) for lang in self.languages}
            if game.terms
            else {}
        )
        self._terms: dict[str, _Terms] = {}
        # The same names and titles stand around many rulings.
        self._line = cache(self._segment)

    def segments(self, ruling: Ruling) -> Iterator[Segment]:
        """The segments of a ruling.

        Titles, texts, questions, cards, topics, provisions, synonyms.
        """
        occurring: set[str] = set()
        for text in ruling.texts:
            answer, _, rest = plain_text(text.body).partition("\n\n")
            title, answered, explained = words_of(text.title), words_of(answer), words_of(rest)
            for field, words in ((TITLE, title), (ANSWER, answered), (BODY, explained)):
                if words:
                    yield Segment(field, text.lang, tuple(tokens(words)))
            finder = self.finders.get(text.lang)
            if finder:
                occurring.update(finder.among(title), finder.among(answered + explained))
        for lang, lines in ruling.asked_as.items():
            for line in lines:
                yield self._segment(ASKED, lang, line)
        yield from self._around(ruling, sorted(occurring))

    def _segment(self, field: str, lang: str, text: str) -> Segment:
        return Segment(field, lang, tuple(tokens(words_of(text))))

    def _around(self, ruling: Ruling, occurring: Iterable[str]) -> Iterator[Segment]:
        """What stands around the texts, by language.

        Cards, topics, other names of the terms that occur, provisions.
        """
        labels = ruling.cards()
        for lang in self.languages:
            for label in labels:
                yield self._line(CARD if labels[label] else MENTION, lang, label)
                for card in self.game.cards_named(label)[:1]:
                    for other in card.other_names:
                        yield self._line(MENTION, lang, other)
            for topic in ruling.header.topics:
                yield self._line(TOPIC, lang, self.game.topics[topic].title.get(lang, ""))
            for term in occurring:
                for name in self.game.terms_by_id[term].names.get(lang, ()):
                    yield self._line(SYNONYM, lang, name)
        for name in (*(citation.provision for citation in ruling.header.sources), ruling.id):
            yield self._line(PROVISION, "en", name.replace("-", " "))
        numbers = rule_numbers(ruling)
        if numbers:
            above = dict.fromkeys(number.rpartition(".")[0] for number in numbers)
            yield Segment(NUMBER, "", (*numbers, *(one for one in above if one not in numbers)))

    def terms(self, segments: Iterable[Segment]) -> Iterator[str]:
        """The terms of segments, each as often as it counts."""
        for field, lang, words in segments:
            repeated = REPEATED.get(field, 1)
            if field == NUMBER:
                terms = [f"#{number}" for number in words]
            else:
                known = self._terms_in(lang)
                terms = [term for word in words for term in known[word]]
            yield from terms * repeated

    def distinct_terms(self, segments: Iterable[Segment]) -> frozenset[str]:
        """The terms of the words of segments, without those of rule numbers."""
        words: dict[str, set[str]] = defaultdict(set)
        for field, lang, several in segments:
            if field != NUMBER:
                words[lang].update(several)
        return frozenset(
            term
            for lang, different in words.items()
            for several in map(self._terms_in(lang).__getitem__, different)
            for term in several
        )

    def _terms_in(self, lang: str) -> _Terms:
        if lang not in self._terms:
            self._terms[lang] = _Terms(self.table, lang)
        return self._terms[lang]


def rule_numbers(ruling: Ruling) -> list[str]:
    """The numbers of the rules that a ruling cites: 113.5."""
    numbers = (
        number
        for citation in ruling.header.sources
        for number in _NUMBER.findall(citation.provision)
    )
    return list(dict.fromkeys(numbers))


def documents(
    library: Library, table: FormTable, keys: Iterable[str] | None = None
) -> Iterator[Document]:
    """The library's good rulings, or those with some keys, analysed, in the order of their keys."""
    analyzers = Analyzers(library.games, table)
    for key in sorted(library.rulings if keys is None else keys):
        ruling = library.rulings[key]
        game = library.games[ruling.game]
        yield document(ruling, game, analyzers[game.id], library.spans[key])


def document(ruling: Ruling, game: Game, analyzer: Analyzer, span: Validity) -> Document:
    """A ruling analysed; `span`: the days on which it stands."""
    segments = tuple(analyzer.segments(ruling))
    terms = tuple(analyzer.terms(segments))
    values = ruling_values(ruling, game, span)
    return Document(ruling.key, ruling.header.kind, segments, terms, values)


def ruling_values(ruling: Ruling, game: Game, span: Validity) -> tuple[tuple[str, str], ...]:
    """The values (name, value) that filters ask for."""
    from kb.records.validity import ruling_date

    head = ruling.header
    values = [
        ("game", ruling.game),
        ("kind", head.kind),
        ("authority", head.authority),
        ("status", head.status),
        *(("lang", text.lang) for text in ruling.texts),
        *(("topic", topic) for topic in head.topics),
        *(
            ("source", value)
            for citation in head.sources
            for value in (citation.source, str(citation))
        ),
        *(("card", name) for name in folded_cards(ruling, game)),
        ("date", ruling_date(ruling, game) or UNDATED),
        ("begins", span.begins),
        ("ends", span.ends),
        *(("rules", rules) for rules in head.rules or (ANY_RULES,)),
    ]
    return tuple(dict.fromkeys(values))


def folded_cards(ruling: Ruling, game: Game) -> list[str]:
    """Folded labels, names and other names of a ruling's cards, for the filter."""
    names = {
        name
        for label in ruling.cards()
        for card in game.cards_named(label)
        for name in (label, card.name, *card.other_names)
    }
    return sorted({fold(name).replace(",", " ").strip() for name in names})


def surroundings(ruling: Ruling, game: Game, span: Validity) -> tuple[object, ...]:
    """All that a document holds besides its ruling's own texts and header and the game's terms."""
    from kb.records.validity import ruling_date

    cards = [
        (label, [(card.name, card.other_names) for card in game.cards_named(label)])
        for label in ruling.cards()
    ]
    topics = [sorted(game.topics[topic].title.items()) for topic in ruling.header.topics]
    return cards, topics, ruling_date(ruling, game), span.begins, span.ends
