"""Rulings as streams of terms with places and weights, which the shards of postings are made of.

Several terms stand at one place: `pl=jednostek` is a folded form of a Polish text, `pl:jednostka` a
lemma of it, `#113.5` a rule's number; `@game:swtcg` is a value of a field.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from kb.core.parallel import cpu_count, parallel_map
from kb.language import FormTable, fold, parts, words_of
from kb.linking.term_finder import TermFinder
from kb.records.library import Library
from kb.records.marks import plain_text, ruling_cards
from kb.records.model import Game, Ruling
from kb.search.analyzer import rule_numbers
from kb.search.document import ruling_values

if TYPE_CHECKING:
    from kb.search.browser.postings_builder import BuiltPostings

# How often a word counts by where it stands, in tenths.
TITLE, ANSWER, BODY, CARD, PROVISION, TOPIC, SYNONYM = 40, 13, 10, 20, 20, 7, 7
NUMBER = 60
# So far apart stand the words of two parts of a ruling, which no phrase spans.
GAP = 50
# Lengths that a byte can stand for: exact where they are small, in steps of some 3 % after (those
# that Whoosh keeps).
LENGTHS = tuple(round((1.033**step - 1) * 27) for step in range(256))


# The terms of one word, which always stand together: its form and its lemmas.
Terms = tuple[str, ...]


class TermStream(NamedTuple):
    """Words of a ruling in order: the terms of each, its place, and its weight in tenths."""

    terms: list[Terms]
    places: list[int]
    weights: list[int]

    def add(self, words: Sequence[Terms], place: int, weight: int) -> int:
        """Adds words after a place; gives the place after which the next ones stand."""
        self.terms.extend(words)
        self.places.extend(range(place + 1, place + len(words) + 1))
        self.weights.extend([weight] * len(words))
        return place + len(words) + GAP

    def put(self, word: Terms, place: int, weight: int) -> None:
        """Adds one word at a place."""
        self.terms.append(word)
        self.places.append(place)
        self.weights.append(weight)


@dataclass(frozen=True)
class Document:
    """A ruling for the index: `key` is `game/id`, `fields` (name, value) are for the filters."""

    key: str
    words: TermStream
    fields: tuple[tuple[str, str], ...]

    @property
    def length(self) -> int:
        """How long it is, in terms."""
        return sum(map(len, self.words.terms))


class _Known(dict[str, Terms]):
    """The terms of the words of one language.

    A base has few different words for its size: each is analysed once.
    """

    def __init__(self, table: FormTable, lang: str) -> None:
        super().__init__()
        self._table, self._lang = table, lang

    def __missing__(self, word: str) -> Terms:
        self[word] = found = self._terms(word)
        return found

    def _terms(self, word: str) -> Terms:
        """The terms of one word: its folded form and its lemmas.

        For R2-D2 also those of R2D2, R2 and D2.
        """
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


class StreamAnalyzer:
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
        """Every word of a ruling with its terms, position and weight.

        Titles, texts, cards, provisions, topics, synonyms.
        """
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
        for number in rule_numbers(ruling):
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
        """What stands around the texts, by language: cards, provisions, topics.

        Other names of the terms that occur.
        """
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


def length_step(terms: int) -> int:
    """A length as a byte: the first step of LENGTHS that is not less, at most the last."""
    return min(bisect_left(LENGTHS, terms), 255)


def stored_length(terms: int) -> int:
    """How long a document of so many terms is taken to be.

    Engines and browser keep lengths in one byte.
    """
    return LENGTHS[length_step(terms)]


# So many rulings are analysed sooner by one process than a second one is started.
_FEW = 500


def documents(
    library: Library, table: FormTable, rulings: Iterable[Ruling] | None = None
) -> Iterator[Document]:
    """The library's good rulings, or some of them, analysed."""
    analyzers = {game.id: StreamAnalyzer(game, table) for game in library.games.values()}
    for ruling in library.rulings.values() if rulings is None else rulings:
        values = ruling_values(ruling, library.games[ruling.game], library.spans[ruling.key])
        yield Document(ruling.key, analyzers[ruling.game].words(ruling), values)


def gather(library: Library, table: FormTable) -> BuiltPostings:
    """All of the library's good rulings, analysed on all cores."""
    from kb.search.browser.postings_builder import PostingsBuilder, contiguous

    rulings = list(library.rulings.values())
    sizes = [sum(len(text.body) for text in ruling.texts) for ruling in rulings]
    parts = contiguous(sizes, cpu_count() if len(rulings) > _FEW else 1)

    def some(number: int) -> tuple[int, PostingsBuilder]:
        builder = PostingsBuilder()
        for document in documents(library, table, rulings[parts[number]]):
            builder.add(document)
        return number, builder

    whole, waiting, taken = PostingsBuilder(), dict[int, "PostingsBuilder"](), 0
    for number, part in parallel_map(some, range(len(parts))):
        waiting[number] = part
        while taken in waiting:
            whole.take(waiting.pop(taken))
            taken += 1
    return whole.done()
