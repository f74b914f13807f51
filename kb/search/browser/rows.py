"""The rows of the browser's index: forms, words, terms, cards and documents, as text or JSON."""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, count, groupby
from operator import sub
from typing import NamedTuple

from kb.core import urls
from kb.language import FormTable, fold
from kb.language.lookup import CORPUS, INFLECTED, SISTER, StoredRow
from kb.records.fields import VALUE_FIELDS, RulingField
from kb.records.model import Card, Game, Ruling
from kb.records.validity import Validity, ruling_date
from kb.search.cards import telling_words
from kb.search.document import Document, Segment, value_term
from kb.search.jargon import ideas_of
from kb.search.snippets import card_names, flat

# Digits to the base of 36, for lengths.
DIGITS = string.digits + string.ascii_lowercase
# Marks of words of the texts, and of forms by their origin.
_IN_TEXTS = "*"
_MARKS = {CORPUS: _IN_TEXTS, INFLECTED: "", SISTER: "~"}
# Stands for a lemma that neither rulings nor card names have.
_ABSENT = "?"
# A letter above this has two UTF-16 units, so that a browser counts it as two.
_LAST_UNIT = "\uffff"
# The digits of packed numbers; after a digit of the second half the number goes on.
PACKED_DIGITS = DIGITS + string.ascii_uppercase + "-_"
_MORE = len(PACKED_DIGITS) // 2
# The name of a row: language, mark (= word, : lemma, ! idea), and the word, lemma or idea.
_NAME = re.compile(r"([a-z]{2,3})([=:!])(.*)", re.DOTALL)


def order(key: str) -> bytes:
    """Sort strings as a browser compares them, by UTF-16 units."""
    return key.encode("utf-16-be", "surrogatepass")


class LemmaRow(NamedTuple):
    """A lemma: how many documents have it, and the folded words of the texts that may mean it."""

    documents: int
    words: Collection[str]


class Forms:
    """The rows of the form table of some languages, by folded form.

    `words`: the folded words of the texts that may mean a lemma, by `lang:lemma`; `known`: by
    language, whether the texts have a folded form.
    """

    def __init__(self, table: FormTable, languages: Iterable[str]) -> None:
        self.by_folded: dict[str, list[StoredRow]] = defaultdict(list)
        self.words: dict[str, dict[str, None]] = defaultdict(dict)
        self.known: dict[str, dict[str, bool]] = {}
        for lang in languages:
            known = self.known[lang] = {}
            for row in table.stored_rows(lang):
                _, folded, _, lemmas, origin = row
                self.by_folded[folded].append(row)
                known[folded] = origin == CORPUS or known.get(folded, False)
                if origin == CORPUS:
                    for lemma in lemmas.split():
                        self.words[f"{lang}:{lemma}"][folded] = None

    def tails(self) -> dict[str, str]:
        """Lines `tail lang:letter ...`: the texts' words without their first letter, by tail."""
        letters: dict[str, set[str]] = defaultdict(set)
        for lang, known in self.known.items():
            for folded, is_in_texts in known.items():
                if is_in_texts and len(folded) > 2:
                    letters[folded[1:]].add(f"{lang}:{folded[0]}")
        return {tail: " ".join((tail, *sorted(letters[tail]))) for tail in letters}


def packed_forms(
    rows: Iterable[StoredRow], lemmas: Mapping[str, LemmaRow], own: Iterable[str]
) -> tuple[str, dict[str, LemmaRow]]:
    """Rows of the form table as text, and the lemmas among `own` that no line of it has.

    A line is `lang[mark] stem lemma`, a tab and the endings of the lemma's forms. A lemma that
    begins with the stem has `-` in its place, or `=` for the folded stem. The line of a lemma of
    `own` goes on: the number of documents stands behind the lemma, words that are no form of the
    line behind another tab. `lemmas`: all `lang:lemma` of the rulings.
    """
    forms: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for lang, _, form, meanings, origin in rows:
        for lemma in meanings.split():
            forms[lang, origin, lemma].append(form)
    rest = {lemma: lemmas[lemma] for lemma in own}
    lines = []
    for (lang, origin, lemma), group in forms.items():
        name = f"{lang}:{lemma}"
        stem = group[0][: _shared(min(group), max(group))]
        is_known = lemma[0] == "^" or name in lemmas
        head = [f"{lang}{_MARKS[origin]}", stem, _shortened(lemma, stem) if is_known else _ABSENT]
        columns = [" ".join(sorted(form[len(stem) :] for form in group))]
        if origin == CORPUS and name in rest:
            row = rest.pop(name)
            head.append(str(row.documents))
            if others := set(row.words).difference(map(fold, group)):
                columns.append(" ".join(sorted(others)))
        lines.append("\t".join((" ".join(head), *columns)))
    return "\n".join(sorted(lines)), rest


def _shortened(lemma: str, stem: str) -> str:
    """A lemma with a sign in place of the stem that it begins with."""
    mark = lemma[0] if lemma[0] in "^~+" else ""
    word = lemma[len(mark) :]
    for sign, start in (("-", stem), ("=", fold(stem))):
        if start and word.startswith(start):
            return mark + sign + word[len(start) :]
    return lemma


def packed_words(known: Mapping[str, bool], words: Sequence[str]) -> str:
    """Sorted words as text: how many letters each shares with the word before, then the others.

    `known`: whether the texts have a word; such a word has a mark.
    """
    # A browser counts some letters as two; with them words share nothing.
    most = 0 if max("".join(words)) > _LAST_UNIT else len(DIGITS) - 1
    lines, last = [], ""
    for word in words:
        marked = word + _IN_TEXTS if known[word] else word
        shared = min(_shared(last, marked), most)
        lines.append(DIGITS[shared] + marked[shared:])
        last = marked
    return "\n".join(lines)


def _shared(word: str, other: str) -> int:
    """The length of the common beginning of two words."""
    shared = min(len(word), len(other))
    while not other.startswith(word[:shared]):
        shared -= 1
    return shared


# The fields whose values have postings; the others have columns.
_POSTED = ("card", "source")


class Terms:
    """Collects the postings of words and values, and the frequencies of lemmas.

    A posting: its documents as differences; a word has besides its number of positions in each
    document, and the positions as differences within the document. They count the words of all
    segments. `frequencies`: how many documents have each lemma.
    """

    def __init__(self) -> None:
        self.frequencies: Counter[str] = Counter()
        self._documents: dict[str, list[int]] = defaultdict(list)
        self._counts: dict[str, list[int]] = defaultdict(list)
        self._positions: dict[str, list[int]] = defaultdict(list)
        self._names = cache(_names)

    def add(self, number: int, document: Document) -> None:
        """Add the next document."""
        # The browser takes the frequency of a rule number from its posting.
        self.frequencies.update(term for term in document.terms if term[0] != "#")
        for name, value in document.values:
            if name in _POSTED:
                self._documents[value_term(name, value)].append(number)
        places: dict[str, list[int]] = defaultdict(list)
        position = 0
        for _, lang, words in document.segments:
            for word in words:
                for name in self._names(lang, word):
                    places[name].append(position)
                position += 1
        for name, positions in places.items():
            self._documents[name].append(number)
            self._counts[name].append(len(positions))
            self._positions[name] += _steps(positions)

    def postings(self) -> Iterator[tuple[str, str]]:
        """Yield each posting, packed, with its name; the number of documents comes first."""
        for name, documents in self._documents.items():
            counts, positions = self._counts.get(name, []), self._positions.get(name, [])
            yield name, packed((len(documents), *_steps(documents), *counts, *positions))


def packed(numbers: Iterable[int]) -> str:
    """Whole numbers as text: five bits a digit, the lowest first, as in source maps."""
    digits = []
    for number in numbers:
        rest = number
        while rest >= _MORE:
            digits.append(PACKED_DIGITS[_MORE + rest % _MORE])
            rest //= _MORE
        digits.append(PACKED_DIGITS[rest])
    return "".join(digits)


def _steps(numbers: Sequence[int]) -> Iterator[int]:
    return map(sub, numbers, (0, *numbers))


def _names(lang: str, word: str) -> list[str]:
    """The names of the postings of a word: its own, and those of its ideas."""
    if not lang:
        return [f"#{word}"]
    return [f"{lang}={word}", *(f"{lang}!{idea}" for idea in ideas_of(word, (lang,)))]


def key_of(name: str) -> str:
    """The sort key of a row by its name: a word stands near its lemmas, in any language."""
    match = _NAME.fullmatch(name)
    if not match:
        return name
    return f"!{match[3]}" if match[2] == "!" else fold(match[3].lstrip("^~+")) or match[3]


def layout(segments: Iterable[Segment]) -> str:
    """The lengths of a document's segments, in runs of the same field and language.

    A run is `field lang`, a space and the lengths: digits to the base of 36, or numbers in
    parentheses.
    """
    runs = []
    for (field, lang), run in groupby(segments, key=lambda segment: segment[:2]):
        lengths = (len(segment.words) for segment in run)
        digits = (DIGITS[n] if n < len(DIGITS) else f"({n})" for n in lengths)
        runs.append(f"{field}{lang} {''.join(digits)}")
    return ";".join(runs)


def columns(
    rulings: Sequence[Ruling], validities: Mapping[str, Validity], games: Mapping[str, Game]
) -> object:
    """Columns of a block of documents: distinct values, and the number of each document's value."""
    return {
        "game": _column([ruling.game for ruling in rulings]),
        "lang": _column([tuple(text.lang for text in ruling.texts) for ruling in rulings]),
        **{
            name: _column([_filtered(field, ruling) for ruling in rulings])
            for name, field in VALUE_FIELDS.items()
        },
        "date": _column([ruling_date(ruling, games[ruling.game]) for ruling in rulings]),
        "begins": _column([validities[ruling.key].begins for ruling in rulings]),
        "ends": _column([validities[ruling.key].ends for ruling in rulings]),
    }


def _filtered(field: RulingField, ruling: Ruling) -> Hashable:
    """The lower-case values of a field, which filters compare; the only one if it is no list."""
    values = tuple(value.lower() for value in field.values(ruling.header))
    return values if field.shape == "list" else next(iter(values), None)


def _column(values: Sequence[Hashable]) -> list[object]:
    different: dict[Hashable, int] = {}
    numbers = [different.setdefault(value, len(different)) for value in values]
    return [list(different), numbers]


def shown(ruling: Ruling) -> list[object]:
    """The data that a result shows: id, titles, texts, lengths of answers, names of cards.

    A ruling with a verdict has it and its conditions, too.
    """
    titles = {text.lang: text.title for text in ruling.texts}
    flattened = {text.lang: flat(text.without_notes) for text in ruling.texts}
    bodies = {lang: body for lang, (body, _) in flattened.items()}
    answers = {lang: end for lang, (_, end) in flattened.items()}
    names = card_names(ruling.cards(), [text.body for text in ruling.texts])
    head = ruling.header
    verdict = [head.verdict, head.when] if head.verdict else []
    return [ruling.id, titles, bodies, answers, names, *verdict]


def cards_by_word(
    games: Sequence[Game], rulings: Iterable[Ruling]
) -> dict[str, list[list[object]]]:
    """The cards with each word: number, game, name, count of rulings, page, other names."""
    naming: dict[tuple[str, str], set[str]] = defaultdict(set)
    for ruling in rulings:
        for label in ruling.cards():
            naming[ruling.game, label].add(ruling.id)
    by_word: dict[str, list[list[object]]] = defaultdict(list)
    numbers = count()
    for game in sorted(games, key=lambda game: game.id):
        versions: dict[str, list[Card]] = defaultdict(list)
        for card in game.cards:
            versions[card.name].append(card)
        slugs = urls.slugs(versions)
        for name, cards in versions.items():
            labels = dict.fromkeys((name, *(card.label for card in cards)))
            others = dict.fromkeys(other for card in cards for other in card.other_names)
            named = len(set().union(*(naming[game.id, label] for label in labels)))
            row = [next(numbers), game.id, name, named, slugs[name] if named else "", *others]
            called = chain.from_iterable(map(telling_words, (name, *others)))
            for word in frozenset().union(*called):
                by_word[word].append(row)
    return by_word
