"""What the shards hold: postings of words, forms of words, columns and texts of documents."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import sub

from kb.core import urls
from kb.language import LanguageForms, fold, words_of
from kb.language.lookup import CORPUS, SISTER
from kb.records.marks import plain_text
from kb.records.model import Game, Ruling
from kb.records.validity import Validity, ruling_date
from kb.search.analyzer import Analyzer, folded_cards
from kb.search.browser.shards import Row, in_order, order
from kb.search.document import NUMBER, Segment
from kb.search.expansion import stop_words
from kb.search.jargon import ideas_of
from kb.search.snippets import card_names, flat

# The name of a posting: its language, whether it is a word, a lemma or an idea, and that.
_NAME = re.compile(r"([a-z]{2,3})([=:!])(.*)", re.DOTALL)
# A letter for how many letters a word shares with the one before.
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MOST_SHARED = len(_DIGITS) - 1
# A browser counts letters above this as two.
_LAST_UNIT = "\uffff"
# Stands for the lemmas of a form that no ruling has.
OTHER_LEMMA = "?"
# Marks the language of forms that the texts have.
IN_TEXTS = "*"


@dataclass(frozen=True)
class Contribution:
    """What one document adds to the index.

    `positions`: by the name of a posting, where its words stand (the first, then differences),
    counted over all segments; nothing for values of fields. `lemmas`: the terms of its words.
    """

    positions: dict[str, list[int]]
    lemmas: frozenset[str]


def contribution(
    ruling: Ruling, game: Game, analyzer: Analyzer, segments: Sequence[Segment] | None = None
) -> Contribution:
    """What a ruling adds to the index. `segments`: those of the ruling, where they are known."""
    if segments is None:
        segments = list(analyzer.segments(ruling))
    found: dict[str, list[int]] = {}
    position = 0
    for field, lang, words in segments:
        for word in words:
            for name in [f"#{word}"] if field == NUMBER else _names(word, lang):
                found.setdefault(name, []).append(position)
            position += 1
    positions = {name: _steps(places) for name, places in found.items()}
    positions.update((name, []) for name in value_names(ruling, game))
    return Contribution(positions, analyzer.distinct_terms(segments))


def value_names(ruling: Ruling, game: Game) -> list[str]:
    """The names of a ruling's postings without positions, of its cards and sources."""
    cards = (f"@card:{name}" for name in folded_cards(ruling, game))
    sources = (
        f"@source:{value}"
        for citation in ruling.header.sources
        for value in (citation.source, citation)
    )
    return list(dict.fromkeys((*cards, *sources)))


@lru_cache(maxsize=1 << 17)
def _names(word: str, lang: str) -> tuple[str, ...]:
    """The postings that a word belongs to: its own, and those of its ideas."""
    return f"{lang}={word}", *(f"{lang}!{idea}" for idea in ideas_of(word, (lang,)))


def _steps(positions: list[int]) -> list[int]:
    return [positions[0], *map(sub, positions[1:], positions)]


def layout(segments: Iterable[Segment]) -> str:
    """The segments of a document without their words: runs of field, language and lengths.

    A length is a digit to the base of 36, or a number in parentheses.
    """
    parts: list[str] = []
    last_field = last_lang = None
    for field, lang, words in segments:
        if field != last_field or lang != last_lang:
            parts.append(f";{field}{lang} ")
            last_field, last_lang = field, lang
        length = len(words)
        parts.append(_DIGITS[length] if length < len(_DIGITS) else f"({length})")
    return "".join(parts)[1:]


@lru_cache(maxsize=200_000)
def key_of(name: str) -> str:
    """Where a posting is looked for: a word and its lemma stand near, in whatever language."""
    match = _NAME.fullmatch(name)
    if not match:
        return name
    return f"!{match[3]}" if match[2] == "!" else fold(match[3].lstrip("^~+")) or match[3]


def is_lemma(name: str) -> bool:
    """Whether a name is that of a lemma: `pl:jednostka`."""
    match = _NAME.fullmatch(name)
    return match is not None and match[2] == ":"


def is_stem(lemma: str) -> bool:
    """Whether the name of a lemma is that of a stem, of a word that no dictionary has."""
    return ":~" in lemma


def place_of(name: str) -> tuple[bytes, str]:
    """Where the row of a name stands among all."""
    return order(key_of(name)), name


class Posting:
    """The documents of a word in order, with its positions in each, if it has any."""

    def __init__(self, row: Sequence[int] = (0,)) -> None:
        count = row[0]
        self.documents = list(accumulate(row[1 : 1 + count]))
        self.counts = list(row[1 + count : 1 + 2 * count]) or [0] * count
        self.positions = list(row[1 + 2 * count :])

    def renumber(self, numbers: Sequence[int]) -> None:
        """Gives the documents new numbers in the same order; those gone were removed before."""
        self.documents = [numbers[document] for document in self.documents]

    def remove(self, document: int) -> None:
        """Takes a document out."""
        at = bisect_left(self.documents, document)
        start = sum(self.counts[:at])
        del self.positions[start : start + self.counts[at]]
        del self.documents[at], self.counts[at]

    def insert(self, document: int, positions: Sequence[int]) -> None:
        """Puts a document in that is not there."""
        at = bisect_left(self.documents, document)
        start = sum(self.counts[:at])
        self.documents.insert(at, document)
        self.counts.insert(at, len(positions))
        self.positions[start:start] = positions

    def row(self) -> list[int]:
        """How many documents, the differences of their numbers, their counts and positions."""
        steps = map(sub, self.documents, (0, *self.documents))
        counts = self.counts if any(self.counts) else []
        return [len(self.documents), *steps, *counts, *self.positions]


def words_by_lemma(language: LanguageForms) -> dict[str, str]:
    """The words of the texts that may mean a lemma of a language, by `lang:lemma`."""
    lang = language.lang
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for folded, lemmas in language.table.of_texts(lang):
        for lemma in lemmas.split():
            found[f"{lang}:{lemma}"][folded] = None
    return {name: " ".join(words) for name, words in found.items()}


class Meant:
    """What forms can mean: lemmas; OTHER_LEMMA stands before what neither rulings nor cards have.

    `code`: the language, with a mark where the texts or a sister language have the forms. `length`:
    how many characters it adds to each.
    """

    __slots__ = ("code", "lang", "lemmas", "length")

    def __init__(self, lang: str, origin: int, lemmas: tuple[str, ...]) -> None:
        self.lang = lang
        self.code = lang + {SISTER: "~", CORPUS: IN_TEXTS}.get(origin, "")
        self.lemmas = lemmas
        self.length = len(" ".join(lemmas)) + 4


Form = tuple[str, Meant]
# A folded form, and the forms that are folded so.
FormRow = tuple[str, Sequence[Form]]


def packed_forms(words: Mapping[str, str], rows: Iterable[FormRow]) -> str:
    """Forms of a shard as text: a line for those of a lemma.

    The line is `lang[~*] stem lemma`, a tab, and what each form has behind the stem. The lemma is
    marked and begins with `-` for the stem, `=` for the folded stem, or stands whole; the word of
    OTHER_LEMMA is left out. A second line, with `*`, has the same of those that the texts have.
    `words`: the words of the texts that mean a lemma, by `lang:lemma`. Those that are in other
    shards stand on a line `lang! lemma`.
    """
    alike: dict[Meant, list[str]] = defaultdict(list)
    here: dict[str, set[str]] = defaultdict(set)
    for folded, several in rows:
        for form, meant in several:
            alike[meant].append(form)
            if meant.code[-1] == IN_TEXTS:
                for lemma in meant.lemmas:
                    here[f"{meant.lang}:{lemma}"].add(folded)
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for meant, forms in alike.items():
        for lemma in meant.lemmas:
            groups[meant.code, lemma] += forms
    lines = []
    for (code, lemma), forms in groups.items():
        stem = forms[0][: _shared(min(forms), max(forms))]
        ends = " ".join(sorted(form[len(stem) :] for form in forms))
        lines.append(f"{code} {stem} {_shortened(lemma, stem)}\t{ends}")
    for name in {f"{meant.lang}:{lemma}" for meant in alike for lemma in meant.lemmas}:
        elsewhere = [word for word in words.get(name, "").split() if word not in here[name]]
        if elsewhere:
            lang, _, lemma = name.partition(":")
            lines.append(f"{lang}! {lemma}\t{' '.join(elsewhere)}")
    return "\n".join(sorted(lines))


def _shared(word: str, other: str) -> int:
    """How many letters two words begin with alike."""
    for at, (letter, same) in enumerate(zip(word, other, strict=False)):
        if letter != same or letter > _LAST_UNIT:
            return at
    return min(len(word), len(other))


def _shortened(lemma: str, stem: str) -> str:
    if lemma[0] == OTHER_LEMMA:
        return OTHER_LEMMA
    mark = lemma[0] if lemma[0] in "^~+" else ""
    word = lemma[len(mark) :]
    for sign, start in (("-", stem), ("=", fold(stem))):
        if start and word.startswith(start):
            return mark + sign + word[len(start) :]
    return lemma


def packed_words(words: Iterable[str]) -> str:
    """Sorted words as text, each as how much it shares with the one before, and the rest."""
    lines, last, shared = [], "", 0
    for word in words:
        # Three neighbours share about as much as two of them: counting goes on from there.
        while word[:shared] != last[:shared]:
            shared -= 1
        most = min(len(word), len(last))
        while shared < most and word[shared] == last[shared] <= _LAST_UNIT:
            shared += 1
        start = min(shared, _MOST_SHARED)
        lines.append(_DIGITS[start] + word[start:])
        last = word
    return "\n".join(lines)


def naming_rulings(rulings: Iterable[Ruling]) -> dict[tuple[str, str], set[str]]:
    """The ids of the rulings that name a card, by game and label."""
    by_label: dict[tuple[str, str], set[str]] = defaultdict(set)
    for ruling in rulings:
        for label in ruling.cards():
            by_label[ruling.game, label].add(ruling.id)
    return dict(by_label)


def cards(games: Sequence[Game], by_label: Mapping[tuple[str, str], set[str]]) -> list[Row]:
    """All cards by the words of their names: number, game, name, rulings, page, other names.

    `by_label`: see `naming_rulings`.
    """
    found: dict[str, list[list[object]]] = defaultdict(list)
    number = 0
    for game in sorted(games, key=lambda game: game.id):
        labels: dict[str, list[str]] = defaultdict(list)
        others: dict[str, dict[str, None]] = defaultdict(dict)
        for card in game.cards:
            labels[card.name] += [card.name, card.label]
            others[card.name].update(dict.fromkeys(card.other_names))
        slugs = urls.slugs(card.name for card in game.cards)
        for name, own in labels.items():
            naming = {ruling for label in own for ruling in by_label.get((game.id, label), ())}
            slug = slugs[name] if naming else ""
            row = [number, game.id, name, len(naming), slug, *others[name]]
            number += 1
            for word in {word for one in (name, *others[name]) for word in name_words(one)}:
                found[word].append(row)
    return [
        (word, [word, found[word]], sum(len(str(row)) for row in found[word]))
        for word in in_order(found)
    ]


def name_words(name: str) -> list[str]:
    """The folded words of a card's name but the small ones."""
    words = [fold(word) for word in words_of(name)]
    return [word for word in words if word not in stop_words("en")] or words


def columns(
    rulings: Sequence[Ruling], spans: Mapping[str, Validity], games: Mapping[str, Game]
) -> object:
    """Columns of a block of documents: the different values, and each document's number of one."""
    return {
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
    numbers = [different.setdefault(value, len(different)) for value in values]
    return [list(different), numbers]


def shown(ruling: Ruling) -> Row:
    """What a result shows: id, titles, texts, lengths of answers, names of cards."""
    titles = {text.lang: text.title for text in ruling.texts}
    bodies = {text.lang: flat(text.body) for text in ruling.texts}
    answers = {
        text.lang: len(flat(plain_text(text.body).partition("\n\n")[0])) for text in ruling.texts
    }
    names = card_names(ruling.cards(), [text.body for text in ruling.texts])
    length = sum(map(len, (*titles.values(), *bodies.values())))
    return ruling.key, [ruling.id, titles, bodies, answers, names], length
