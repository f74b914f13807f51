"""What the shards hold: postings and places of terms, forms of words, columns and texts of documents."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import sub

from kb.language import FormTable, fold
from kb.language.lookup import CORPUS, INFLECTED, SISTER
from kb.records.model import Game, Ruling
from kb.records.validity import Validity, ruling_date
from kb.search.analyzer import Analyzer
from kb.search.browser.shards import Row, order
from kb.search.indexing import folded_cards, stored_length
from kb.search.postings import ONCE
from kb.search.snippets import flat


@dataclass(frozen=True)
class Contribution:
    """What one document adds to the index: for each term its weight in tenths, for those of the texts also their places (the
    first, then differences), and how long it is, in terms as Whoosh takes it."""

    weights: dict[str, int]
    places: dict[str, list[int]]
    length: int


def contribution(ruling: Ruling, game: Game, analyser: Analyzer) -> Contribution:
    """What a ruling adds to the index."""
    weights: dict[str, int] = {}
    standing: dict[str, list[int]] = {}
    found = analyser.words(ruling)
    for terms, place, weight in zip(*found, strict=True):
        for term in terms:
            if term in weights:
                weights[term] += weight
                standing[term].append(place)
            else:
                weights[term] = weight
                standing[term] = [place]
    length = sum(map(len, found.terms))
    weights.update((f"@card:{name}", ONCE) for name in folded_cards(ruling, game))
    for citation in ruling.header.sources:
        weights[f"@source:{citation.source}"] = weights[f"@source:{citation}"] = ONCE
    return Contribution(
        weights, {term: _steps(places) for term, places in standing.items()}, stored_length(length)
    )


def _steps(places: list[int]) -> list[int]:
    if len(places) == 1:
        return places
    here = sorted(set(places))
    return [here[0], *map(sub, here[1:], here)]


def _mark(name: str) -> int:
    """Where the language of a name ends: `pl=form`, `pl:lemma`, `pl;words of a lemma`."""
    return 2 if name[2:3] in "=:;" else 3


def key_of(term: str) -> str:
    """Where a term is looked for: a form and its lemma stand near to each other, in whatever language."""
    if term[0] in "#@":
        return term
    rest = term[_mark(term) + 1 :]
    return fold(rest.lstrip("^~+")) or rest


def is_lemma(term: str) -> bool:
    """Whether a term is the lemma of a word: `pl:jednostka`."""
    return term[0] not in "#@" and term[_mark(term)] == ":"


def is_words(name: str) -> bool:
    """Whether a row is that of the words that mean a lemma: `pl;jednostka`."""
    return name[0] not in "#@" and name[_mark(name)] == ";"


def place_of(name: str) -> tuple[bytes, str, int]:
    """Where the row of a term stands among all; the words of a lemma (`pl;lemma`) follow its postings."""
    if is_words(name):
        return order(key_of(name)), name.replace(";", ":", 1), 1
    return order(key_of(name)), name, 0


class Posting:
    """The documents of a term in order, with their weights and, for terms of the texts, their places: how many each document
    has (`counts`), and all of them one document after the other."""

    def __init__(self, row: Sequence[int] = (), places: Sequence[int] = ()) -> None:
        half = len(row) // 2
        self.documents = list(accumulate(row[:half]))
        self.weights = list(row[half:])
        self.counts = list(places[:half])
        self.places = list(places[half:])

    def move(self, numbers: Sequence[int]) -> None:
        """Gives the documents new numbers, in the same order; those that are gone have been removed before."""
        self.documents = [numbers[doc] for doc in self.documents]

    def remove(self, document: int) -> None:
        """Takes a document out."""
        at = bisect_left(self.documents, document)
        del self.documents[at], self.weights[at]
        if self.counts:
            start = sum(self.counts[:at])
            del self.places[start : start + self.counts.pop(at)]

    def insert(self, document: int, weight: int, places: Sequence[int] | None) -> None:
        """Puts a document in that is not there."""
        at = bisect_left(self.documents, document)
        self.documents.insert(at, document)
        self.weights.insert(at, weight)
        if places is not None:
            start = sum(self.counts[:at])
            self.counts.insert(at, len(places))
            self.places[start:start] = places

    def extend(
        self,
        documents: Sequence[int],
        weights: Sequence[int],
        counts: Sequence[int],
        places: Sequence[int],
    ) -> None:
        """Adds documents that come after those that are there."""
        self.documents += documents
        self.weights += weights
        self.counts += counts
        self.places += places

    def row(self) -> list[int]:
        """The documents, each as the difference to the one before, and then their weights."""
        return [*map(sub, self.documents, (0, *self.documents)), *self.weights]

    def standing(self) -> list[int]:
        """The row of the places."""
        return self.counts + self.places


# What follows the language of a form in the browser's index.
_ORIGINS = {SISTER: "~", INFLECTED: "", CORPUS: "*"}


def words_by_lemma(table: FormTable, languages: Iterable[str]) -> dict[str, str]:
    """The words of the texts that may mean a lemma, by `lang;lemma`."""
    found: dict[str, list[str]] = defaultdict(list)
    for lang in languages:
        for form, _, lemmas in table.of_texts(lang):
            for lemma in lemmas:
                found[f"{lang};{lemma}"].append(form)
    return {name: " ".join(forms) for name, forms in found.items()}


def forms(table: FormTable, languages: Iterable[str], terms: set[str]) -> Iterator[Row]:
    """The forms of all languages by their folded form, with those of their lemmas that the rulings have."""
    entries: dict[str, list[str]] = defaultdict(list)
    for lang in languages:
        start = f"{lang}:"
        known = {term.removeprefix(start) for term in terms if term.startswith(start)}
        for form, folded, lemmas, origin in table.rows(lang):
            held = [lemma for lemma in lemmas if lemma in known]
            if held:
                shown = (
                    "=" if form == folded else form,
                    *("=" if lemma == folded else lemma for lemma in held),
                )
                entries[folded].append(f"{lang}{_ORIGINS[origin]} {' '.join(shown)}")
    for folded in sorted(entries, key=order):
        line = "\t".join((folded, *entries[folded]))
        yield folded, line, len(line)


def tails(table: FormTable, languages: Iterable[str]) -> Iterator[Row]:
    """The texts' words by what follows their first letter: lines of this, and the letters with their languages."""
    found: dict[str, set[str]] = defaultdict(set)
    for lang in languages:
        for _, folded, _ in table.of_texts(lang):
            if len(folded) > 2:
                found[folded[1:]].add(f"{lang}:{folded[0]}")
    for tail in sorted(found, key=order):
        line = " ".join((tail, *sorted(found[tail])))
        yield tail, line, len(line)


def columns(
    rulings: Sequence[Ruling],
    lengths: Sequence[int],
    spans: Mapping[str, Validity],
    games: Mapping[str, Game],
) -> object:
    """Columns of a block of documents, each as its different values and a number of one for each document."""
    return {
        "length": _column(lengths),
        "game": _column([ruling.game for ruling in rulings]),
        "kind": _column([ruling.header.kind for ruling in rulings]),
        "authority": _column([ruling.header.authority for ruling in rulings]),
        "status": _column([ruling.header.status for ruling in rulings]),
        "lang": _column([tuple(text.lang for text in ruling.texts) for ruling in rulings]),
        "topic": _column([ruling.header.topics for ruling in rulings]),
        "date": _column([ruling_date(ruling, games[ruling.game]) for ruling in rulings]),
        "begins": _column([spans[ruling.key].begins for ruling in rulings]),
        "ends": _column([spans[ruling.key].ends for ruling in rulings]),
        "rules": _column([ruling.header.rules for ruling in rulings]),
    }


def _column(values: Sequence[Hashable]) -> list[object]:
    different: dict[Hashable, int] = {}
    rows = [different.setdefault(value, len(different)) for value in values]
    return [list(different), rows]


def shown(ruling: Ruling) -> Row:
    """What a result shows."""
    titles = {text.lang: text.title for text in ruling.texts}
    bodies = {text.lang: flat(text.body) for text in ruling.texts}
    length = sum(map(len, (*titles.values(), *bodies.values())))
    return ruling.key, [ruling.id, titles, bodies], length


def dumped(value: object) -> str:
    """JSON for the file beside the index."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
