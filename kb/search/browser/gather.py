"""The postings of all documents, gathered on all cores for an index that is made from nothing."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from operator import rshift, sub
from typing import NamedTuple, TypeAlias

from kb.core.parallel import cpu_count, parallel_map
from kb.search.browser import rows
from kb.search.browser.index_writer import IndexWriter
from kb.search.jargon import ideas_of

# So many rulings are analysed sooner by one process than a second one is started.
_FEW = 500
# A place is the number of a document, then in so many bits a position in it.
_BITS = 32
_POSITION = (1 << _BITS) - 1
Places: TypeAlias = "array[int]"


class Postings:
    """Postings by their names: places of words, or documents of values of fields."""

    def __init__(self) -> None:
        self.places: dict[str, Places] = {}
        self.values: dict[str, array[int]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.places or name in self.values

    def __iter__(self) -> Iterator[str]:
        return chain(self.places, self.values)

    def row(self, name: str) -> list[int]:
        """The row of a posting; see `kb.search.browser.rows.Posting.row`."""
        if name in self.places:
            return _row(self.places[name])
        documents = self.values[name]
        return [len(documents), *_steps(documents)]

    def extend(self, other: Postings) -> None:
        """Put the documents of other postings behind all of these."""
        _extend(self.places, other.places)
        _extend(self.values, other.values)


def _extend(whole: dict[str, array[int]], part: Mapping[str, array[int]]) -> None:
    for name, numbers in part.items():
        if name in whole:
            whole[name].extend(numbers)
        else:
            whole[name] = numbers


class Gathered(NamedTuple):
    """What some documents add: postings, lemmas with their frequencies, layouts of segments."""

    postings: Postings
    lemmas: Counter[str]
    layouts: list[str]


def gather(writer: IndexWriter) -> Gathered:
    """What all documents add to the index."""
    keys = [ruling.key for ruling in writer.rulings]
    size = max(1, -(-len(keys) // (cpu_count() if len(keys) > _FEW else 1)))
    starts = range(0, len(keys), size)
    parts = dict(
        parallel_map(
            lambda start: (start, _gather_some(writer, keys[start : start + size], start)), starts
        )
    )
    postings, lemmas, layouts = whole = Gathered(Postings(), Counter(), [])
    for start in starts:
        part = parts.pop(start)
        postings.extend(part.postings)
        lemmas.update(part.lemmas)
        layouts.extend(part.layouts)
    return whole


class _Words(dict[str, Callable[[int], None]]):
    """What takes a place in, for each word of a language."""

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, Places] = {}

    def __missing__(self, word: str) -> Callable[[int], None]:
        places = self.places[word] = array("Q")
        self[word] = append = places.append
        return append


def _gather_some(writer: IndexWriter, keys: Sequence[str], first: int) -> Gathered:
    """What documents add whose numbers begin with `first`."""
    words: dict[str, _Words] = defaultdict(_Words)
    values: dict[str, array[int]] = defaultdict(lambda: array("I"))
    layouts: list[str] = []
    for document, key in enumerate(keys, first):
        segments = writer.segments(key)
        place = document << _BITS
        for _, lang, several in segments:
            for append in map(words[lang].__getitem__, several):
                append(place)
                place += 1
        layouts.append(rows.layout(segments))
        for name in writer.values(key):
            values[name].append(document)
    postings, lemmas = Postings(), Counter[str]()
    postings.values = dict(values)
    for lang, own in words.items():
        if lang:
            postings.places.update((f"{lang}={word}", own.places[word]) for word in own)
            postings.places.update(_ideas(lang, own.places))
            lemmas.update(_lemmas(writer.analyzers.terms[lang].of, own.places))
        else:
            postings.places.update((f"#{number}", own.places[number]) for number in own)
    return Gathered(postings, lemmas, layouts)


def _ideas(lang: str, words: Mapping[str, Places]) -> Iterator[tuple[str, Places]]:
    """The postings of the ideas of a language's words."""
    by_idea: dict[str, list[Places]] = defaultdict(list)
    for word, places in words.items():
        for idea in ideas_of(word, (lang,)):
            by_idea[idea].append(places)
    for idea, several in by_idea.items():
        yield f"{lang}!{idea}", array("Q", sorted(chain.from_iterable(several)))


def _lemmas(terms: Mapping[str, Iterable[str]], words: Mapping[str, Places]) -> dict[str, int]:
    """How many documents have each term of a language's words."""
    by_term: dict[str, list[Places]] = defaultdict(list)
    for word, places in words.items():
        for term in terms[word]:
            by_term[term].append(places)
    return {
        term: len(set(map(rshift, chain.from_iterable(several), repeat(_BITS))))
        for term, several in by_term.items()
    }


def _row(places: Places) -> list[int]:
    """How many documents, the differences of their numbers, their counts and positions."""
    counts = Counter(map(rshift, places, repeat(_BITS)))
    positions = [*_steps(places)]
    start = 0
    for count in counts.values():
        positions[start] = places[start] & _POSITION
        start += count
    return [len(counts), *_steps(counts), *counts.values(), *positions]


def _steps(numbers: Collection[int]) -> Iterator[int]:
    """The first number, then differences."""
    return map(sub, numbers, chain((0,), numbers))
