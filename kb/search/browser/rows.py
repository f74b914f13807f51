"""What the browser's index stores under its keys: forms, words, terms, cards and documents."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import sub

from kb.core import urls
from kb.language import FormTable, fold, words_of
from kb.language.lookup import CORPUS, INFLECTED, SISTER, StoredRow
from kb.records.fields import VALUE_FIELDS, RulingField
from kb.records.marks import plain_text
from kb.records.model import Game, Ruling
from kb.records.validity import Validity, ruling_date
from kb.search.document import Document, Segment, value_term
from kb.search.expansion import stop_words
from kb.search.jargon import ideas_of
from kb.search.snippets import card_names, flat

# A digit says how many letters a word shares with the one before.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Marks words of the texts, and forms of a sister language.
_IN_TEXTS = "*"
_MARKS = {CORPUS: _IN_TEXTS, INFLECTED: "", SISTER: "~"}
# Stands for lemmas that neither rulings nor card names have.
_ABSENT = "?"
# A browser counts a letter above this as two.
_LAST_UNIT = "\uffff"
# The digits of packed numbers; those of the second half say that the number goes on.
PACKED_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
_MORE = len(PACKED_DIGITS) // 2
# The name of a row: its language, whether it is a word, a lemma or an idea, and that.
_NAME = re.compile(r"([a-z]{2,3})([=:!])(.*)", re.DOTALL)


def order(key: str) -> bytes:
    """Sort strings as a browser compares them, by UTF-16 units."""
    return key.encode("utf-16-be", "surrogatepass")


def in_order(keys: Iterable[str]) -> list[str]:
    """Sort strings as `order` does."""
    ordered = sorted(keys)
    # Only letters of two units stand elsewhere than in the order of Python.
    is_plain = max("".join(ordered), default="") <= "\ud7ff"
    return ordered if is_plain else sorted(ordered, key=order)


class Forms:
    """The forms of some languages, by their folded forms.

    `words`: the folded words of the texts that may mean a lemma, by `lang:lemma`; `known`: by
    language every folded form, and whether the texts have it.
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
        """What follows the first letter of the texts' words: a line with each `lang:letter`."""
        letters: dict[str, set[str]] = defaultdict(set)
        for lang, known in self.known.items():
            for folded, is_in_texts in known.items():
                if is_in_texts and len(folded) > 2:
                    letters[folded[1:]].add(f"{lang}:{folded[0]}")
        return {tail: " ".join((tail, *sorted(several))) for tail, several in letters.items()}


def packed_forms(
    forms: Iterable[StoredRow],
    is_present: Callable[[str], bool],
    meanings: dict[str, tuple[int, dict[str, None]]],
) -> str:
    """Forms as text: a line `lang[mark] stem lemma`, a tab and the endings of the lemma's forms.

    A lemma that begins with the stem has `-` in its place, or `=` for the folded stem.
    `is_present`: whether rulings have `lang:lemma`. `meanings`: of some lemmas how many documents
    have them, and the words of the texts that may mean them. Those that lines have are taken out:
    the count stands behind the lemma, and words that the line lacks behind another tab.
    """
    groups: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for lang, _, text, lemmas, origin in forms:
        for lemma in lemmas.split():
            groups[lang, origin, lemma].append(text)
    lines = []
    for (lang, origin, lemma), texts in groups.items():
        name = f"{lang}:{lemma}"
        stem = texts[0][: _shared(min(texts), max(texts))]
        is_known = lemma[0] == "^" or is_present(name)
        head = f"{lang}{_MARKS[origin]} {stem} {_shortened(lemma, stem) if is_known else _ABSENT}"
        line = " ".join(sorted(text[len(stem) :] for text in texts))
        if origin == CORPUS and name in meanings:
            count, words = meanings.pop(name)
            head += f" {count}"
            others = words.keys() - map(fold, texts)
            line += "\t" * bool(others) + " ".join(sorted(others))
        lines.append(f"{head}\t{line}")
    return "\n".join(sorted(lines))


def _shortened(lemma: str, stem: str) -> str:
    mark = lemma[0] if lemma[0] in "^~+" else ""
    word = lemma[len(mark) :]
    for sign, start in (("-", stem), ("=", fold(stem))):
        if start and word.startswith(start):
            return mark + sign + word[len(start) :]
    return lemma


def packed_words(known: Mapping[str, bool], words: Sequence[str]) -> str:
    """Sorted words as text, each as how much it shares with the one before, and the rest.

    `known`: whether the texts have a word, which then bears a mark.
    """
    # A browser counts some letters as two: such words share nothing.
    most = 0 if max("".join(words)) > _LAST_UNIT else len(DIGITS) - 1
    lines, last = [], ""
    for word in words:
        marked = word + _IN_TEXTS * known[word]
        shared = min(_shared(last, marked), most)
        lines.append(DIGITS[shared] + marked[shared:])
        last = marked
    return "\n".join(lines)


def _shared(word: str, other: str) -> int:
    """How many letters two words begin with alike."""
    shared = min(len(word), len(other))
    while not other.startswith(word[:shared]):
        shared -= 1
    return shared


# The values that the browser has postings of; others stand in columns.
_POSTED = ("card", "source")


class Terms:
    """What documents add to the index, one after another.

    `postings` by name: documents as differences, then for words how often each has it, then the
    positions, counted over all segments, as differences within each document. `frequencies`: how
    many documents have each lemma.
    """

    def __init__(self) -> None:
        self.frequencies: Counter[str] = Counter()
        self._documents: dict[str, list[int]] = defaultdict(list)
        self._counts: dict[str, list[int]] = defaultdict(list)
        self._positions: dict[str, list[int]] = defaultdict(list)
        self._names = cache(_names)

    def add(self, number: int, document: Document) -> None:
        """Add the next document."""
        # The browser counts no rule numbers.
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
        """Every posting by its name, packed, behind the number of its documents."""
        for name, documents in self._documents.items():
            counts, positions = self._counts.get(name, []), self._positions.get(name, [])
            yield name, packed((len(documents), *_steps(documents), *counts, *positions))


def packed(numbers: Iterable[int]) -> str:
    """Whole numbers as text, each by five bits from the lowest, as source maps have them."""
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
    """The names of the postings that a word belongs to: its own, and those of its ideas."""
    if not lang:
        return [f"#{word}"]
    return [f"{lang}={word}", *(f"{lang}!{idea}" for idea in ideas_of(word, (lang,)))]


def key_of(name: str) -> str:
    """Where a row is looked for: a word and its lemma stand near, in whatever language."""
    match = _NAME.fullmatch(name)
    if not match:
        return name
    return f"!{match[3]}" if match[2] == "!" else fold(match[3].lstrip("^~+")) or match[3]


def layout(segments: Iterable[Segment]) -> str:
    """The segments of a document without their words: runs of field, language and lengths.

    A length is a digit to the base of 36, or a number in parentheses.
    """
    parts: list[str] = []
    last = None
    for field, lang, words in segments:
        if (field, lang) != last:
            parts.append(f";{field}{lang} ")
            last = field, lang
        length = len(words)
        parts.append(DIGITS[length] if length < len(DIGITS) else f"({length})")
    return "".join(parts)[1:]


def columns(
    rulings: Sequence[Ruling], spans: Mapping[str, Validity], games: Mapping[str, Game]
) -> object:
    """Columns of a block of documents: the different values, and each document's number of one."""
    return {
        "game": _column([ruling.game for ruling in rulings]),
        "lang": _column([tuple(text.lang for text in ruling.texts) for ruling in rulings]),
        **{
            name: _column([_filtered(field, ruling) for ruling in rulings])
            for name, field in VALUE_FIELDS.items()
        },
        "date": _column([ruling_date(ruling, games[ruling.game]) for ruling in rulings]),
        "begins": _column([spans[ruling.key].begins for ruling in rulings]),
        "ends": _column([spans[ruling.key].ends for ruling in rulings]),
    }


def _filtered(field: RulingField, ruling: Ruling) -> Hashable:
    """The values of a field that a filter is compared with, or the only one."""
    values = tuple(value.lower() for value in field.values(ruling.header))
    return values if field.shape == "list" else next(iter(values), None)


def _column(values: Sequence[Hashable]) -> list[object]:
    different: dict[Hashable, int] = {}
    numbers = [different.setdefault(value, len(different)) for value in values]
    return [list(different), numbers]


def shown(ruling: Ruling) -> list[object]:
    """What a result shows: id, titles, texts, lengths of answers, names of cards."""
    titles = {text.lang: text.title for text in ruling.texts}
    bodies = {text.lang: flat(text.body) for text in ruling.texts}
    answers = {
        text.lang: len(flat(plain_text(text.body).partition("\n\n")[0])) for text in ruling.texts
    }
    names = card_names(ruling.cards(), [text.body for text in ruling.texts])
    return [ruling.id, titles, bodies, answers, names]


def cards_by_word(
    games: Sequence[Game], rulings: Iterable[Ruling]
) -> dict[str, list[list[object]]]:
    """The cards of each word: number, game, name, count of rulings, page, other names."""
    naming: dict[tuple[str, str], set[str]] = defaultdict(set)
    for ruling in rulings:
        for label in ruling.cards():
            naming[ruling.game, label].add(ruling.id)
    by_word: dict[str, list[list[object]]] = defaultdict(list)
    number = 0
    for game in sorted(games, key=lambda game: game.id):
        labels: dict[str, list[str]] = defaultdict(list)
        others: dict[str, dict[str, None]] = defaultdict(dict)
        for card in game.cards:
            labels[card.name] += [card.name, card.label]
            others[card.name].update(dict.fromkeys(card.other_names))
        slugs = urls.slugs(card.name for card in game.cards)
        for name, own in labels.items():
            count = len({ruling for label in own for ruling in naming[game.id, label]})
            slug = slugs[name] if count else ""
            row = [number, game.id, name, count, slug, *others[name]]
            number += 1
            for word in {word for each in (name, *others[name]) for word in _name_words(each)}:
                by_word[word].append(row)
    return by_word


def _name_words(name: str) -> list[str]:
    """The folded words of a card's name but the small ones."""
    words = [fold(word) for word in words_of(name)]
    return [word for word in words if word not in stop_words("en")] or words
