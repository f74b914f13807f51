"""Turns rulings into documents of the index."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from kb.core.parallel import map_chunks
from kb.language import FormTable, fold, words_of
from kb.linking.term_finder import TermFinder
from kb.records.fields import VALUE_FIELDS
from kb.records.text import plain_text
from kb.records.validity import ruling_date
from kb.search.document import ANY_RULES, RETRIEVAL_WEIGHTS, UNDATED, Document, Field, Segment
from kb.search.vocabulary import text_tokens, tokens, word_terms
from kb.store.model import stored_ruling

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Game, Ruling
    from kb.records.validity import Validity

# Rulings that a process analyses at a time.
_CHUNK = 2_500
_NUMBER = re.compile(r"(?<!\d)\d+(?:\.\d+)+")


# Gives the terms of a word in a language; a rule number has the language "".
WordTerms = Callable[[str, str], Sequence[str]]


class Analyzer:
    """Turns the rulings of one game into documents."""

    def __init__(self, game: Game, table: FormTable, terms: WordTerms) -> None:
        self.game, self._terms_of = game, terms
        self.languages = game.languages
        self.finders = (
            {lang: TermFinder(game.terms, lang, table) for lang in self.languages}
            if game.terms
            else {}
        )
        # Many rulings share the same names and titles.
        self._segment = cache(_segment)

    def document(self, ruling: Ruling, library: Library) -> Document:
        segments, head = self.segments(ruling), ruling.header
        is_answered = head.kind == "question" and head.status != "unanswered"
        return Document(
            ruling.key,
            "ruling" if is_answered else head.kind,
            segments,
            self.terms(segments),
            ruling_values(ruling, self.game, library.validities[ruling.key]),
            stored_ruling(ruling, library),
        )

    def segments(self, ruling: Ruling) -> list[Segment]:
        """The segments of a ruling: its texts and questions, then the names around them."""
        occurring: set[str] = set()
        segments: list[Segment] = []
        for text in ruling.texts:
            answer, _, rest = plain_text(text.without_notes).partition("\n\n")
            title, answered, explained = words_of(text.title), words_of(answer), words_of(rest)
            condition = words_of(ruling.header.when.get(text.lang, ""))
            notes = [words_of(plain_text(note.text)) for note in text.notes]
            for field, words in (
                (Field.TITLE, title),
                (Field.ANSWER, answered),
                (Field.BODY, condition),
                (Field.BODY, explained),
                *((Field.NOTE, noted) for noted in notes),
            ):
                if words:
                    segments.append(Segment(field, text.lang, tokens(words)))
            finder = self.finders.get(text.lang)
            if finder:
                for words in (title, condition, answered + explained, *notes):
                    occurring.update(finder.among(words))
        for lang, lines in ruling.asked_as.items():
            segments += [_segment(Field.ASKED, lang, line) for line in lines]
        return [*segments, *self._around(ruling, sorted(occurring))]

    def _around(self, ruling: Ruling, occurring: Sequence[str]) -> Iterator[Segment]:
        """The names of cards, topics and occurring terms in each language, then provisions."""
        for lang in self.languages:
            for label, is_about in ruling.cards().items():
                yield self._segment(Field.CARD if is_about else Field.MENTION, lang, label)
                for card in self.game.cards_named(label)[:1]:
                    yield from (
                        self._segment(Field.MENTION, lang, name) for name in card.other_names
                    )
            for topic in ruling.header.topics:
                yield self._segment(Field.TOPIC, lang, self.game.topics[topic].title.get(lang, ""))
            for term in occurring:
                names = self.game.terms_by_id[term].searched(lang)
                yield from (self._segment(Field.SYNONYM, lang, name) for name in names)
        provisions = (citation.provision for citation in ruling.header.sources)
        for name in (*provisions, ruling.id):
            yield _segment(Field.PROVISION, "en", name.replace("-", " "))
        numbers = rule_numbers(ruling)
        if numbers:
            above = dict.fromkeys(number.rpartition(".")[0] for number in numbers)
            more = (number for number in above if number not in numbers)
            yield Segment(Field.NUMBER, "", (*numbers, *more))

    def terms(self, segments: Iterable[Segment]) -> dict[str, int]:
        terms: dict[str, int] = defaultdict(int)
        for field, lang, words in segments:
            weight = RETRIEVAL_WEIGHTS.get(field, 1)
            for word in words:
                for term in self._terms_of(lang, word):
                    terms[term] += weight
        return dict(terms)


def _segment(field: str, lang: str, text: str) -> Segment:
    return Segment(field, lang, text_tokens(text))


def rule_numbers(ruling: Ruling) -> list[str]:
    """The numbers of the rules that a ruling cites: 113.5."""
    numbers = (
        number
        for citation in ruling.header.sources
        for number in _NUMBER.findall(citation.provision)
    )
    return list(dict.fromkeys(numbers))


def documents(library: Library, table: FormTable) -> list[Document]:
    """The documents of a library's rulings, in the order of their keys."""

    @cache
    def terms(lang: str, word: str) -> Sequence[str]:
        return word_terms(table, word, lang) if lang else (f"#{word}",)

    analyzers = {game.id: Analyzer(game, table, terms) for game in library.games.values()}

    def analysed(rulings: Sequence[Ruling]) -> list[Document]:
        return [analyzers[ruling.game].document(ruling, library) for ruling in rulings]

    return [*chain(*map_chunks(analysed, [*library.rulings.values()], _CHUNK))]


def ruling_values(ruling: Ruling, game: Game, validity: Validity) -> tuple[tuple[str, str], ...]:
    """The values (name, value) of a ruling that filters compare."""
    head = ruling.header
    values = [
        ("game", ruling.game),
        ("id", ruling.id),
        *(("formerly", former) for former in head.formerly),
        *(("label", label) for label in ruling.cards()),
        *(("lang", text.lang) for text in ruling.texts),
        *(
            (name, value.lower())
            for name, field in VALUE_FIELDS.items()
            for value in field.values(head)
        ),
        *(
            ("source", value)
            for citation in head.sources
            for value in (citation.source, str(citation))
        ),
        *(("card", name) for name in folded_cards(ruling, game)),
        ("date", ruling_date(ruling, game) or UNDATED),
        ("begins", validity.begins),
        ("ends", validity.ends),
        *(() if head.rules else (("rules", ANY_RULES),)),
    ]
    return tuple(dict.fromkeys(values))


def folded_cards(ruling: Ruling, game: Game) -> list[str]:
    """The folded labels, names and other names of a ruling's cards, for the filter `card:`."""
    names = {
        name
        for label in ruling.cards()
        for card in game.cards_named(label)
        for name in (label, card.name, *card.other_names)
    }
    return sorted({fold(name).replace(",", " ").strip() for name in names})
