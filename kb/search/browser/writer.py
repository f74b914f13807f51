"""The browser's index, written whole: rows cut into buckets, its files."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import orjson

from kb.core import urls
from kb.language import LANGUAGES, FormTable
from kb.records.library import Library
from kb.records.model import Ruling
from kb.search.analyzer import analyzers
from kb.search.browser.rows import (
    Form,
    KnownForms,
    Meaning,
    Row,
    Terms,
    card_rows,
    columns,
    in_order,
    key_of,
    layout,
    order,
    packed_forms,
    packed_words,
    shown,
    value_names,
)
from kb.search.browser.settings import settings, version
from kb.search.jargon import patterns

BASE = "base.js"
_NAME_LENGTH = 12
# A large enough bucket ends where this many first letters change, and at three times the size
# at any new key.
_PREFIX = 3
# Characters of a bucket of terms, of words, tails and cards.
_TERMS, _WORDS, _TAILS, _CARDS = 2_500, 45_000, 8_000, 4_000
# Documents of a bucket of columns, of layouts, and of what results show.
_BLOCKS = {"d": 4096, "g": 256, "x": 5}
Rows = Iterable[Row]


def cut(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Cut sorted rows into buckets of about `size` characters, rows of one key together."""
    bucket: list[Row] = []
    length = 0
    for row in rows:
        if length > size:
            last = bucket[-1].key
            is_prefix_new = row.key[:_PREFIX] != last[:_PREFIX]
            if is_prefix_new or (length > 3 * size and row.key != last):
                yield bucket
                bucket, length = [], 0
        bucket.append(row)
        length += row.length
    if bucket:
        yield bucket


def starts(buckets: Sequence[Sequence[Row]]) -> list[str]:
    """Return where each bucket begins, shortened to what differs from the end of the one before."""
    firsts = []
    last = b""
    for bucket in buckets:
        key = bucket[0].key
        ends = range(len(key) if last else 0, 0, -1)
        shorter = [key[:end] for end in ends if order(key[:end]) > last]
        firsts.append(shorter[-1] if shorter else "")
        last = order(bucket[-1].key)
    return firsts


def script(value: object) -> str:
    """JSON that may stand in a script, in a page too."""
    text = orjson.dumps(value).decode()
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("<", "\\u003c")


def bucket_file(name: str, value: object) -> bytes:
    """A file that passes a value on under its name."""
    return f'KB_SHARD("{name}",{script(value)});\n'.encode()


def write_buckets(folder: Path, buckets: Mapping[str, object]) -> str:
    """Write each bucket by its name into a folder named by all contents; return its name."""
    files = {name: bucket_file(name, value) for name, value in buckets.items()}
    own = hashlib.sha256(b"".join(files.values())).hexdigest()[:_NAME_LENGTH]
    (folder / own).mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / own / f"{name}.js").write_bytes(data)
    return own


def write_index(library: Library, table: FormTable, folder: Path) -> str:
    """Write base.js and, in a folder that bears a name by its content, the buckets.

    Return that name. The same library and table give the same bytes.
    """
    rulings = list(library.rulings.values())
    games = {
        game.id: list(dict.fromkeys((game.language, *game.header.languages)))
        for game in library.games.values()
    }
    languages = sorted(set(chain(*games.values())))
    forms = KnownForms(table, languages)
    terms, layouts = _analysed(library, rulings, table)
    index = _Buckets()
    _add_words(index, forms, terms, languages)
    index.cut("c", card_rows(list(library.games.values()), rulings), _CARDS, _by_key)
    blocks: dict[str, Callable[[int, int], object]] = {
        "d": lambda start, end: columns(rulings[start:end], library.spans, library.games),
        "g": lambda start, end: layouts[start:end],
        "x": lambda start, end: [shown(ruling) for ruling in rulings[start:end]],
    }
    for kind, values in blocks.items():
        for start in range(0, len(rulings), _BLOCKS[kind]):
            index.add(kind, values(start, start + _BLOCKS[kind]))
    spoken = Counter(text.lang for ruling in rulings for text in ruling.texts)
    name = write_buckets(folder, index.values)
    base = {
        "version": version(),
        "folder": name,
        "starts": index.starts,
        "blocks": _BLOCKS,
        "count": len(rulings),
        "documents": dict(sorted(spoken.items())),
        "games": games,
        "order": sorted(languages, key=_place),
        "address": urls.ruling("{game}", "{id}"),
        "cardAddress": urls.card("{game}", "{id}"),
        "jargon": {lang: patterns(lang) for lang in sorted({*languages, "en"})},
        **settings(languages),
    }
    (folder / BASE).write_bytes(bucket_file("base", base))
    return name


class _Buckets:
    """The contents of buckets by name, and where those of a kind begin."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.starts: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, value: object) -> None:
        """Add the next bucket of a kind."""
        self.values[f"{kind}{self._counts[kind]}"] = value
        self._counts[kind] += 1

    def cut(self, kind: str, rows: Rows, size: int, join: Callable[[list[Row]], object]) -> None:
        """Add sorted rows as buckets of about `size` characters."""
        buckets = list(cut(rows, size))
        self.starts[kind] = "\n".join(starts(buckets))
        for bucket in buckets:
            self.add(kind, join(bucket))


def _analysed(
    library: Library, rulings: Sequence[Ruling], table: FormTable
) -> tuple[Terms, list[str]]:
    """What the texts of all documents add: terms, and the layout of each document."""
    analyzer_of = analyzers(library.games, table)
    terms, layouts = Terms(), []
    for number, ruling in enumerate(rulings):
        analyzer = analyzer_of(ruling.game)
        segments = analyzer.segments(ruling)
        values = value_names(ruling, library.games[ruling.game])
        terms.add(number, segments, values, analyzer.distinct_terms(segments))
        layouts.append(layout(segments))
    return terms, layouts


def _add_words(index: _Buckets, forms: KnownForms, terms: Terms, languages: Sequence[str]) -> None:
    """Add terms with the forms of their words, other forms, known words, tails."""

    def is_present(lemma: str) -> bool:
        return lemma in terms.frequencies or lemma in forms.words

    def joined_terms(bucket: list[Row]) -> object:
        meanings = {
            lemma: Meaning(terms.frequencies[lemma], forms.words.get(lemma, {}))
            for row in bucket
            for lemma in row.value.lemmas
        }
        known = chain(*(row.value.forms for row in bucket))
        packed = packed_forms(known, is_present, meanings)
        rest = {name: [count, *words] for name, (count, words) in meanings.items()}
        return [packed, dict(chain(*(row.value.postings for row in bucket))) | rest]

    index.cut("t", _term_rows(forms, terms), _TERMS, joined_terms)
    for lang in languages:
        index.cut(f"w-{lang}-", forms.known_words(lang), _WORDS, _packed_words)
    index.cut("s", forms.tails(), _TAILS, _lines)


class _Term(NamedTuple):
    """What lies at one key: forms that are folded so, postings by name, lemmas."""

    forms: Sequence[Form]
    postings: Sequence[tuple[str, str]]
    lemmas: Sequence[str]


def _term_rows(forms: KnownForms, terms: Terms) -> Iterator[Row]:
    """The terms by their keys."""
    postings: dict[str, list[tuple[str, str]]] = defaultdict(list)
    lemmas: dict[str, list[str]] = defaultdict(list)
    for name, posting in sorted(terms.postings()):
        postings[key_of(name)].append((name, posting))
    for lemma in sorted({*terms.frequencies, *forms.words}):
        lemmas[key_of(lemma)].append(lemma)
    for key in in_order({*postings, *lemmas, *forms.by_folded}):
        term = _Term(forms.by_folded.get(key, ()), postings.get(key, ()), lemmas.get(key, ()))
        numbers = sum(len(name) + len(posting) + 8 for name, posting in term.postings)
        yield Row(key, term, numbers + 3 * len(term.forms) + 8 * len(term.lemmas))


def _place(lang: str) -> tuple[int, str]:
    known = list(LANGUAGES)
    return known.index(lang) if lang in known else len(known), lang


def _by_key(bucket: list[Row]) -> object:
    return {row.key: row.value for row in bucket}


def _packed_words(bucket: list[Row]) -> str:
    return packed_words(row.value for row in bucket)


def _lines(bucket: list[Row]) -> str:
    return "\n".join(row.value for row in bucket)
