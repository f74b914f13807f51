"""Writes the browser's index: cuts the rows into buckets, and writes these as files."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import orjson

from kb.core import urls
from kb.language import FormTable, language_order
from kb.records.library import Library
from kb.search.browser.rows import (
    Forms,
    LemmaRow,
    Terms,
    cards_by_word,
    columns,
    key_of,
    layout,
    order,
    packed_forms,
    packed_words,
    shown,
)
from kb.search.browser.settings import settings, version
from kb.search.document import Document
from kb.search.jargon import patterns

BASE = "base.js"
_NAME_LENGTH = 12
# A bucket of its full size ends where one of this many first letters changes; at three times the
# size it ends at any key.
_PREFIX = 3
# Characters of a bucket of terms, of words, tails and cards.
_TERMS, _WORDS, _TAILS, _CARDS = 2_500, 45_000, 8_000, 4_000
# Documents of a bucket of columns, of layouts, and of what results show.
_BLOCKS = {"d": 4096, "g": 256, "x": 10}


def cut(lengths: Mapping[str, int], size: int) -> Iterator[list[str]]:
    """Cut keys, in the browser's order, into buckets of about `size` characters."""
    bucket: list[str] = []
    length = 0
    for key in sorted(lengths, key=order):
        if length > size and (key[:_PREFIX] != bucket[-1][:_PREFIX] or length > 3 * size):
            yield bucket
            bucket, length = [], 0
        bucket.append(key)
        length += lengths[key]
    if bucket:
        yield bucket


def starts(buckets: Iterable[Sequence[str]]) -> list[str]:
    """The first key of each bucket, cut as short as still sorts after the bucket before."""
    firsts = []
    last = b""
    for bucket in buckets:
        key = bucket[0]
        ends = range(len(key) if last else 0, 0, -1)
        shorter = [key[:end] for end in ends if order(key[:end]) > last]
        firsts.append(shorter[-1] if shorter else "")
        last = order(bucket[-1])
    return firsts


def script(value: object) -> str:
    """JSON that may stand in a script, in a page too."""
    text = orjson.dumps(value).decode()
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("<", "\\u003c")


def bucket_file(name: str, value: object) -> bytes:
    """A script that passes a value on under a name."""
    return f'KB_SHARD("{name}",{script(value)});\n'.encode()


def write_buckets(folder: Path, buckets: Mapping[str, object]) -> str:
    """Write the buckets into a folder that is named by their content; return that name."""
    files = {name: bucket_file(name, value) for name, value in buckets.items()}
    own = hashlib.sha256(b"".join(files.values())).hexdigest()[:_NAME_LENGTH]
    (folder / own).mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / own / f"{name}.js").write_bytes(data)
    return own


def write_index(
    library: Library, table: FormTable, documents: Sequence[Document], folder: Path
) -> str:
    """Write base.js and the folder of the buckets; return the name of that folder.

    `documents`: those of the library's rulings. The same library and table give the same bytes.
    """
    rulings = list(library.rulings.values())
    games = {game.id: list(game.languages) for game in library.games.values()}
    languages = sorted(set(chain(*games.values())))
    index = _Buckets()
    _add_words(index, Forms(table, languages), documents, languages)
    cards = cards_by_word(list(library.games.values()), rulings)
    lengths = {word: sum(len(str(row)) for row in rows) for word, rows in cards.items()}
    index.cut("c", lengths, _CARDS, lambda words: {word: cards[word] for word in words})
    blocks: dict[str, Callable[[int, int], object]] = {
        "d": lambda start, end: columns(rulings[start:end], library.validities, library.games),
        "g": lambda start, end: [layout(each.segments) for each in documents[start:end]],
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
        "order": sorted(languages, key=language_order),
        "address": urls.ruling("{game}", "{id}"),
        "cardAddress": urls.card("{game}", "{id}"),
        "jargon": {lang: patterns(lang) for lang in sorted({*languages, "en"})},
        **settings(languages),
    }
    (folder / BASE).write_bytes(bucket_file("base", base))
    return name


class _Buckets:
    """The contents of the buckets by name, and the first keys of the buckets of a kind."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.starts: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, value: object) -> None:
        """Add the next bucket of a kind."""
        self.values[f"{kind}{self._counts[kind]}"] = value
        self._counts[kind] += 1

    def cut(
        self,
        kind: str,
        lengths: Mapping[str, int],
        size: int,
        content: Callable[[list[str]], object],
    ) -> None:
        """Add the content of some keys, `lengths` characters each, as buckets of about `size`."""
        buckets = list(cut(lengths, size))
        self.starts[kind] = "\n".join(starts(buckets))
        for bucket in buckets:
            self.add(kind, content(bucket))


def _add_words(
    index: _Buckets, forms: Forms, documents: Sequence[Document], languages: Sequence[str]
) -> None:
    """Add the buckets of terms and forms, of all words of each language, and of tails."""
    terms = Terms()
    for number, document in enumerate(documents):
        terms.add(number, document)
    postings: dict[str, dict[str, str]] = defaultdict(dict)
    lengths = Counter({folded: 3 * len(rows) for folded, rows in forms.by_folded.items()})
    for name, posting in sorted(terms.postings()):
        key = key_of(name)
        postings[key][name] = posting
        lengths[key] += len(name) + len(posting) + 8
    lemmas = {
        lemma: LemmaRow(terms.frequencies[lemma], forms.words.get(lemma, {}))
        for lemma in sorted({*terms.frequencies, *forms.words})
    }
    lemmas_by_key: dict[str, list[str]] = defaultdict(list)
    for lemma in lemmas:
        key = key_of(lemma)
        lemmas_by_key[key].append(lemma)
        lengths[key] += 8

    def term_bucket(keys: list[str]) -> object:
        rows = chain(*(forms.by_folded.get(key, ()) for key in keys))
        own = chain(*(lemmas_by_key.get(key, ()) for key in keys))
        packed, rest = packed_forms(rows, lemmas, own)
        named: dict[str, object] = {}
        for key in keys:
            named |= postings.get(key, {})
        return [packed, named | {name: [row.documents, *row.words] for name, row in rest.items()}]

    index.cut("t", lengths, _TERMS, term_bucket)
    for lang in languages:
        known = forms.known[lang]
        words = {word: len(word) for word in known}
        index.cut(f"w-{lang}-", words, _WORDS, partial(packed_words, known))
    tails = forms.tails()
    lengths = Counter({tail: len(line) for tail, line in tails.items()})
    index.cut("s", lengths, _TAILS, lambda keys: "\n".join(tails[key] for key in keys))
