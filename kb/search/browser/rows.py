"""The rows of the browser's index: forms, words, terms, cards and documents, as text or JSON."""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain, groupby
from operator import sub

from kb.core import urls
from kb.language import FormTable, fold
from kb.language.lookup import CORPUS, SISTER
from kb.records.fields import VALUE_FIELDS, RulingField
from kb.records.model import Game, Ruling
from kb.records.validity import Validity, ruling_date
from kb.records.values import Card
from kb.search.cards import card_entry
from kb.search.document import Document, Segment, value_term
from kb.search.jargon import ideas_of
from kb.search.snippets import card_surfaces, flat

# Digits to the base of 36, for lengths and numbers.
DIGITS = string.digits + string.ascii_lowercase
# The digits of packed numbers; after a digit of the second half the number goes on.
PACKED_DIGITS = DIGITS + string.ascii_uppercase + "-_"
_MORE = len(PACKED_DIGITS) // 2
# The forms of a lemma stand together if they share so many first letters.
_PREFIX = 3


def order(key: str) -> bytes:
    """Sort strings as a browser compares them, by UTF-16 units."""
    return key.encode("utf-16-be", "surrogatepass")


def base36(number: int) -> str:
    """A whole number to the base of 36."""
    rest, digit = divmod(number, len(DIGITS))
    return (base36(rest) if rest else "") + DIGITS[digit]


def own_key(lemma: str) -> str:
    """The prefix by which a lemma itself is found."""
    word = bare(lemma)
    return (fold(word) or word)[:_PREFIX]


def bare(lemma: str) -> str:
    """A lemma without the mark of its kind."""
    return lemma.lstrip("^~+")


class Forms:
    """The lemmas of some languages with all their forms, by the first letters of these.

    `frequencies`: how many documents have each `lang:lemma`; `cards`: the numbers of the cards with
    each word in their names. `entries` by prefix, lemma and language (`lang~`: forms of a sister):
    the forms, and whether the texts have them.
    """

    def __init__(
        self,
        table: FormTable,
        languages: Iterable[str],
        frequencies: Mapping[str, int],
        cards: Mapping[str, Sequence[int]],
    ) -> None:
        self.entries: dict[str, dict[str, dict[str, dict[str, bool]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(dict))
        )
        self._frequencies, self._cards = frequencies, cards
        # The folded words of the texts that may mean a lemma, by `lang:lemma`.
        self._words: dict[str, set[str]] = defaultdict(set, {name: set() for name in frequencies})
        for lang in languages:
            for _, folded, form, lemmas, origin in table.stored_rows(lang):
                code = f"{lang}~" if origin == SISTER else lang
                for lemma in lemmas.split():
                    self.entries[folded[:_PREFIX]][lemma][code][form] = origin == CORPUS
                    if origin == CORPUS:
                        self._words[f"{lang}:{lemma}"].add(folded)
        for name in self._words:
            lang, _, lemma = name.partition(":")
            self.entries[own_key(lemma)][lemma].setdefault(lang, {})
        for word in cards:
            self.entries[own_key(word)].setdefault(f"^{word}", {})

    def packed(self, prefixes: Iterable[str]) -> list[str]:
        """The forms with some prefixes, as two texts: lines of endings, and a line for each lemma.

            endings line  = ending (" " ending)*
            ending        = letters [">" number]
            lemma line    = stem " " lemma [" " cards] (TAB language)*
            language      = lang["~"] " " number " " in-texts [" " documents " " words]

        `x>n` stands for `x` followed by each ending of line `n`. `number`: of a line of endings;
        `in-texts`: the endings of forms in the texts; `documents`: how many have the lemma;
        `words`: other words of the texts that may mean it. The last two stand only under the
        lemma's own prefix. Numbers of lines and cards are to the base of 36; a comma stands before
        each item of `cards`, `in-texts` and `words`. Empty columns at the end are left out.
        """
        endings = _Endings()
        lines = [
            self._line(prefix, lemma, endings)
            for prefix in prefixes
            for lemma in sorted(self.entries[prefix])
        ]
        return ["\n".join(endings.lines), "\n".join(lines)]

    def _line(self, prefix: str, lemma: str, endings: _Endings) -> str:
        meanings = self.entries[prefix][lemma]
        is_own = own_key(lemma) == prefix
        every = [*chain.from_iterable(meanings.values())]
        stem = _start(every) if every else bare(lemma)
        cards = self._cards.get(lemma[1:], ()) if is_own and lemma[0] == "^" else ()
        head = [stem, _shortened(lemma, stem), _listed(map(base36, cards))]
        columns = [head]
        for lang, forms in sorted(meanings.items()):
            rest = frozenset(form[len(stem) :] for form in forms)
            in_texts = [form for form, is_in_texts in forms.items() if is_in_texts]
            words = self._words.get(f"{lang}:{lemma}") if is_own else None
            others = (words or set()).difference(map(fold, in_texts))
            columns.append(
                [
                    lang,
                    endings.number(rest) if rest else "",
                    _listed(form[len(stem) :] for form in in_texts),
                    "" if words is None else str(self._frequencies.get(f"{lang}:{lemma}", 0)),
                    _listed(sorted(others)),
                ]
            )
        return "\t".join(" ".join(values).rstrip() for values in columns)

    def tails(self) -> dict[str, str]:
        """Lines `tail letters`: the texts' words without their first letter, by tail."""
        letters: dict[str, set[str]] = defaultdict(set)
        for word in set().union(*self._words.values()):
            if len(word) > 2:
                letters[word[1:]].add(word[0])
        return {tail: f"{tail} {''.join(sorted(firsts))}" for tail, firsts in letters.items()}


class _Endings:
    """Sets of endings, each a line that may refer to others, so that a shared part is one line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: dict[frozenset[str], str] = {}

    def number(self, endings: frozenset[str]) -> str:
        """The number of the line of some endings."""
        if endings not in self._numbers:
            parts = []
            for _, same in groupby(sorted(endings), key=lambda ending: ending[:1]):
                several = [*same]
                shared = _start(several)
                rest = frozenset(ending[len(shared) :] for ending in several)
                parts.append(shared if len(rest) == 1 else f"{shared}>{self.number(rest)}")
            self._numbers[endings] = base36(len(self.lines))
            self.lines.append(" ".join(parts))
        return self._numbers[endings]


def _listed(items: Iterable[str]) -> str:
    return "".join(f",{item}" for item in items)


def _start(words: Sequence[str]) -> str:
    """The common beginning of some words."""
    first, last = min(words), max(words)
    length = min(len(first), len(last))
    while first[:length] != last[:length]:
        length -= 1
    return first[:length]


def _shortened(lemma: str, stem: str) -> str:
    """A lemma with `-` in place of the stem that it begins with."""
    word = bare(lemma)
    mark = lemma.removesuffix(word)
    return f"{mark}-{word.removeprefix(stem)}" if word.startswith(stem or word) else lemma


# The name of a word's posting.
_WORD = re.compile("[a-z]+=(.*)", re.DOTALL)
# The fields whose values have postings; the others have columns.
_POSTED = ("card", "source", "id", "formerly")


class Terms:
    """Collects the postings of words and values, and the frequencies of lemmas.

    A posting: its positions among the words of all documents, as differences; a value's
    posting has the positions at which its documents begin. `frequencies`: how many documents have
    each lemma.
    """

    def __init__(self) -> None:
        self.frequencies: Counter[str] = Counter()
        self._positions: dict[str, list[int]] = defaultdict(list)
        self._count = 0
        self._names = cache(_names)

    def add(self, document: Document) -> None:
        """Add the next document."""
        # The browser takes the frequency of a rule number from its posting.
        self.frequencies.update(term for term in document.terms if term[0] != "#")
        for name, value in document.values:
            if name in _POSTED:
                self._positions[value_term(name, value)].append(self._count)
        for _, lang, words in document.segments:
            for word in words:
                for name in self._names(lang, word):
                    self._positions[name].append(self._count)
                self._count += 1

    def postings(self) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
        """The packed postings by name: those of words, by their first letters, and the others."""
        of_words: dict[str, dict[str, str]] = defaultdict(dict)
        others: dict[str, str] = {}
        for name, positions in self._positions.items():
            word = _WORD.match(name)
            postings = of_words[word[1][:_PREFIX]] if word else others
            postings[name] = packed(map(sub, positions, (0, *positions)))
        return of_words, others


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


def _names(lang: str, word: str) -> list[str]:
    """The names of the postings of a word: its own, and those of its ideas."""
    if not lang:
        return [f"#{word}"]
    return [f"{lang}={word}", *(f"{lang}!{idea}" for idea in ideas_of(word, (lang,)))]


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
    rulings: Sequence[Ruling],
    documents: Sequence[Document],
    validities: Mapping[str, Validity],
    games: Mapping[str, Game],
) -> object:
    """Columns of a block of documents: distinct values, and the number of each document's value."""
    return {
        "length": _column(
            [sum(len(segment.words) for segment in each.segments) for each in documents]
        ),
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
    """The lower-case values of a field, which filters compare; a single one if not a list."""
    values = tuple(value.lower() for value in field.values(ruling.header))
    return values if field.shape == "list" else next(iter(values), None)


def _column(values: Sequence[Hashable]) -> list[object]:
    different: dict[Hashable, int] = {}
    numbers = [different.setdefault(value, len(different)) for value in values]
    return [list(different), numbers]


def shown(ruling: Ruling) -> list[object]:
    """The data that a result shows: id, titles, texts, lengths of answers, names of cards.

    The verdict and its conditions follow, if the ruling has one.
    """
    titles = {text.lang: text.title for text in ruling.texts}
    flattened = {text.lang: flat(text.without_notes) for text in ruling.texts}
    bodies = {lang: body for lang, (body, _) in flattened.items()}
    answers = {lang: end for lang, (_, end) in flattened.items()}
    names = card_surfaces(ruling.cards(), [text.body for text in ruling.texts])
    head = ruling.header
    verdict = [head.verdict, head.when] if head.verdict else []
    return [ruling.id, titles, bodies, answers, names, *verdict]


def card_rows(
    games: Iterable[Game], rulings: Iterable[Ruling]
) -> tuple[list[list[object]], dict[str, list[int]]]:
    """The cards, and the numbers of those with each word in their names.

    A card: game, name, count of rulings, page, other names.
    """
    naming: dict[tuple[str, str], set[str]] = defaultdict(set)
    for ruling in rulings:
        for label in ruling.cards():
            naming[ruling.game, label].add(ruling.id)
    rows: list[list[object]] = []
    by_word: dict[str, list[int]] = defaultdict(list)
    for game in sorted(games, key=lambda game: game.id):
        versions: dict[str, list[Card]] = defaultdict(list)
        for card in game.cards:
            versions[card.name].append(card)
        slugs = urls.slugs(versions)
        for name, cards in versions.items():
            entry = card_entry(game.id, name, cards)
            named = len(set().union(*(naming[game.id, label] for label in entry.labels)))
            for word in entry.words:
                by_word[word].append(len(rows))
            rows.append([game.id, name, named, slugs[name] if named else "", *entry.other_names])
    return rows, by_word
