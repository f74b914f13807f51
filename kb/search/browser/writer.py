"""Writes the browser's index: cuts the rows into buckets, and writes these as files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import orjson

from kb.core import urls
from kb.language import FormTable, language_order
from kb.records.library import Library
from kb.search.browser.rows import (
    Forms,
    Terms,
    card_rows,
    columns,
    layout,
    order,
    shown,
)
from kb.search.browser.settings import settings, version
from kb.search.document import Document
from kb.search.jargon import patterns

BASE = "base.js"
_NAME_LENGTH = 12
# Characters of a bucket of words, of values and of tails; about those of a lemma with its forms.
# Larger buckets are fewer files and requests, and more bytes for a question.
_WORDS, _VALUES, _TAILS, _ENTRY = 4_200, 4_000, 8_000, 25
# Documents of a bucket of columns, of layouts, and of what results show; cards of a bucket.
_BLOCKS = {"d": 4096, "g": 256, "x": 12, "c": 400}


def cut(lengths: Mapping[str, int], size: int) -> Iterator[list[str]]:
    """Cut keys, in the browser's order, into buckets of about `size` characters."""
    bucket: list[str] = []
    length = 0
    for key in sorted(lengths, key=order):
        if length > size:
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


def _blocks(kind: str, items: Sequence[object]) -> Iterator[slice]:
    """Yield the places of the blocks into which items are cut."""
    size = _BLOCKS[kind]
    return (slice(start, start + size) for start in range(0, len(items), size))


def bucket_file(name: str, value: object) -> bytes:
    """A script that passes a value on under a name."""
    return f'KB_SHARD("{name}",{script(value)});\n'.encode()


def write_index(
    library: Library, table: FormTable, documents: Sequence[Document], folder: Path
) -> str:
    """Write base.js and the folder of the buckets; return the name of that folder.

    `documents`: those of the library's rulings. The same library and table give the same bytes.
    """
    rulings = list(library.rulings.values())
    games = {game.id: list(game.languages) for game in library.games.values()}
    languages = sorted(set(chain(*games.values())))
    cards, cards_by_word = card_rows(library.games.values(), rulings)
    terms = Terms()
    for document in documents:
        terms.add(document)
    forms = Forms(table, languages, terms.frequencies, cards_by_word)
    of_words, of_values = terms.postings()
    lengths = {
        prefix: _ENTRY * len(forms.entries[prefix]) + len("".join(chain(*of_words[prefix].items())))
        for prefix in forms.entries.keys() | of_words.keys()
    }

    def words(prefixes: list[str]) -> list[object]:
        postings = dict(chain.from_iterable(of_words[prefix].items() for prefix in prefixes))
        return [*forms.packed(prefixes), postings]

    tails = forms.tails()
    keys = {
        "w": list(cut(lengths, _WORDS)),
        "v": list(cut({name: len(name) + len(text) for name, text in of_values.items()}, _VALUES)),
        "s": list(cut({tail: len(line) for tail, line in tails.items()}, _TAILS)),
    }
    buckets = {
        "w": map(words, keys["w"]),
        "v": ({name: of_values[name] for name in names} for names in keys["v"]),
        "s": ("\n".join(map(tails.__getitem__, bucket)) for bucket in keys["s"]),
        "d": (
            columns(rulings[at], documents[at], library.validities, library.games)
            for at in _blocks("d", rulings)
        ),
        "g": ([layout(each.segments) for each in documents[at]] for at in _blocks("g", rulings)),
        "x": ([*map(shown, rulings[at])] for at in _blocks("x", rulings)),
        "c": (cards[at] for at in _blocks("c", cards)),
    }
    files = {
        f"{kind}{number}": bucket_file(f"{kind}{number}", bucket)
        for kind, several in buckets.items()
        for number, bucket in enumerate(several)
    }
    name = hashlib.sha256(b"".join(files.values())).hexdigest()[:_NAME_LENGTH]
    (folder / name).mkdir(parents=True, exist_ok=True)
    for file, data in files.items():
        (folder / name / f"{file}.js").write_bytes(data)
    spoken = Counter(text.lang for ruling in rulings for text in ruling.texts)
    base = {
        "version": version(),
        "folder": name,
        "starts": {kind: "\n".join(starts(several)) for kind, several in keys.items()},
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
