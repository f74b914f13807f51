"""The browser's index: the same postings and the same table of forms, cut into shards of which a query loads only its own.

Each shard is a script that calls KB_SHARD(name, data), since a page opened from a file system may load a script but not fetch;
a worker fetches the same file and parses what is between the first comma and the last parenthesis. Names carry a hash of the
content: a shard that did not change keeps its address, and one that did never mixes with an older base.

Kinds of shards, by the letter that their names begin with:
f  forms: lines of a folded form, then for each language an entry `lang[*] form lemmas...` (* the texts have it; = the same)
p  postings of the terms: documents (differences) and weights times ten; also @card: and @source: for the filters, and after
   a lemma `lang;lemma` the words of the texts that mean it, for snippets
w  places of the terms in the documents of their postings, for phrases
s  words of the texts by what follows their first letter, for slips in it
c  the folded card names that rulings have, for the card filter
d  columns of a block of documents: length, game, kind, authority, status, languages, topics, dates, rule sets
x  what a result shows: id, titles and texts
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kb import urls
from kb.index.build import folded_cards, stored_length
from kb.index.snippets import flat
from kb.index.words import Analyser
from kb.language import LANGUAGES, STOP, Table, fold, parts, tokenize
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.records.standing import dated, spans

# Characters a shard: smaller ones are more files for a query, larger ones more bytes (measured: tests/benchmarks/browser.py).
FORMS, POSTINGS, PLACES, TAILS, CARDS, TEXTS = 24_000, 24_000, 48_000, 16_000, 16_000, 8_000
BLOCK = 4096
BASE = "base.js"
_HASH = 6
Places = dict[int, list[int]]


class _Index:
    """Postings with weights and places of a whole library, and the columns of its documents."""

    def __init__(self, library: Library, table: Table) -> None:
        self.library, self.table = library, table
        self.rulings = list(library.rulings.values())
        self.spans = spans(library.games, library.rulings)
        self.weights: dict[str, dict[int, float]] = defaultdict(dict)
        self.places: dict[str, Places] = defaultdict(dict)
        self.lengths: list[int] = []
        self.cards: list[list[str]] = []
        self.words: dict[str, set[str]] = defaultdict(set)
        self.analysers = {game.id: Analyser(game, table) for game in library.games.values()}
        for number, ruling in enumerate(self.rulings):
            self._add(number, ruling, library.games[ruling.game])

    def _add(self, number: int, ruling: Ruling, game: Game) -> None:
        found = self.analysers[ruling.game].postings(ruling)
        self.lengths.append(stored_length(len(found)))
        for term, place, weight in found:
            here = self.weights[term]
            here[number] = here.get(number, 0.0) + weight
            self.places[term].setdefault(number, []).append(place)
        for text in ruling.texts:
            for token in (*tokenize(text.title), *tokenize(flat(text.body))):
                for word in (token.text, *parts(token.text)):
                    for lemma in self.table.analyse(word, text.lang).lemmas:
                        self.words[f"{text.lang}:{lemma}"].add(word.lower())
        self.cards.append(folded_cards(ruling, game))
        for name in self.cards[-1]:
            self.weights[f"@card:{name}"][number] = 1.0
        for citation in ruling.header.sources:
            for value in (citation.source, str(citation)):
                self.weights[f"@source:{value}"][number] = 1.0


def write_offline(library: Library, table: Table, folder: Path) -> None:
    """Writes base.js and the shards into `folder`, which must not exist yet. The same library gives the same bytes."""
    folder.mkdir(parents=True)
    index = _Index(library, table)
    languages = {game: list(analyser.languages) for game, analyser in index.analysers.items()}
    terms = sorted(index.weights, key=lambda term: (_order(_key(term)), term))
    names = sorted({name for held in index.cards for name in held}, key=_order)
    base = {
        "count": len(index.rulings),
        "average": sum(index.lengths) / len(index.lengths) if index.lengths else 1.0,
        "block": BLOCK,
        "languages": languages,
        "stems": {lang: {"suffixes": language.SUFFIXES, "american": lang == "en"} for lang, language in LANGUAGES.items()},
        "address": urls.ruling("{game}", "{id}"),
        "stop": {lang: sorted({fold(word) for word in words}) for lang, words in STOP.items()},
        "f": _ranges(folder, "f", _forms(table, index), FORMS, "\n".join),
        "p": _ranges(folder, "p", (row for term in terms for row in _postings(index, term)), POSTINGS, dict),
        "w": _ranges(folder, "w", (_places(index, term) for term in terms if term in index.places), PLACES, dict),
        "s": _ranges(folder, "s", _tails(table, languages), TAILS, "\n".join),
        "c": _ranges(folder, "c", ((name, name) for name in names), CARDS, list),
        "d": [_write(folder, f"d{start // BLOCK}", _columns(index, start)) for start in range(0, len(index.rulings), BLOCK)],
        "x": _texts(folder, index.rulings),
    }  # fmt: skip
    (folder / BASE).write_text(f"KB_SHARD({_script('base')},{_script(base)});\n", encoding="utf-8", newline="\n")


def _key(term: str) -> str:
    """Where a term is looked for: a form and its lemma stand near to each other, in whatever language."""
    if term[0] in "#@":
        return term
    rest = term.partition("=")[2] or term.partition(":")[2]
    return fold(rest.lstrip("^~+")) or rest


def _order(key: str) -> bytes:
    """Strings in the order of a browser, which compares UTF-16 units."""
    return key.encode("utf-16-be", "surrogatepass")


def _script(value: object) -> str:
    """JSON that may stand in a script, in a page too."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("<", "\\u003c")


def _write(folder: Path, name: str, data: object) -> str:
    """Writes one shard; gives the hash that stands in its file's name."""
    text = f"KB_SHARD({_script(name)},{_script(data)});\n"
    digest = hashlib.sha256(text.encode()).hexdigest()[:_HASH]
    (folder / f"{name}-{digest}.js").write_text(text, encoding="utf-8", newline="\n")
    return digest


def _ranges(
    folder: Path, kind: str, rows: Iterable[tuple[str, Any]], size: int, gather: Callable[[list[Any]], object]
) -> list[str]:
    """Writes sorted rows into shards of about `size` characters, rows of one key together; gives where each begins, shortened
    to what tells it from the shard before, and the hashes."""
    starts: list[str] = []
    hashes: list[str] = []
    held: list[Any] = []
    start = last = ""
    length = 0

    def flush() -> None:
        hashes.append(_write(folder, f"{kind}{len(starts)}", gather(held)))
        starts.append(start)

    for key, row in rows:
        if held and length > size and key != last:
            flush()
            held, length = [], 0
            start = next((key[:end] for end in range(1, len(key)) if _order(key[:end]) > _order(last)), key)
        held.append(row)
        length += len(row) if isinstance(row, str) else len(row[0]) + len(row[1]) * (1 if isinstance(row[1], str) else 4)
        last = key
    if held:
        flush()
    return ["\n".join(starts), "".join(hashes)]


def _postings(index: _Index, term: str) -> Iterator[tuple[str, tuple[str, object]]]:
    yield _key(term), (term, _posting(index.weights[term]))
    lang, _, lemma = term.partition(":")
    if lemma and len(lang) == 2 and index.words.get(term):
        yield _key(term), (f"{lang};{lemma}", " ".join(sorted(index.words[term])))


def _posting(weights: dict[int, float]) -> list[int]:
    """The documents, each as the difference to the one before, and then their weights times ten."""
    documents = sorted(weights)
    steps = [doc - before for doc, before in zip(documents, [0, *documents], strict=False)]
    return steps + [round(weights[doc] * 10) for doc in documents]


def _places(index: _Index, term: str) -> tuple[str, tuple[str, object]]:
    return _key(term), (term, _placed(index.places[term]))


def _placed(places: Places) -> list[int]:
    """For each document of the posting how many places there are, and these as differences."""
    made: list[int] = []
    for doc in sorted(places):
        here = sorted(set(places[doc]))
        made += [len(here), *(place - before for place, before in zip(here, [0, *here], strict=False))]
    return made


def _forms(table: Table, index: _Index) -> Iterator[tuple[str, str]]:
    """The forms of all languages by their folded form, with those of their lemmas that the rulings have."""
    entries: dict[str, list[str]] = defaultdict(list)
    for lang in _all_languages(index):
        for form, lemmas, corpus in table.rows(lang):
            held = [lemma for lemma in lemmas if f"{lang}:{lemma}" in index.weights]
            if held:
                folded = fold(form)
                shown = ("=" if form == folded else form, *("=" if lemma == folded else lemma for lemma in held))
                entries[folded].append(f"{lang}{'*' if corpus else ''} {' '.join(shown)}")
    for folded in sorted(entries, key=_order):
        yield folded, "\t".join((folded, *entries[folded]))


def _all_languages(index: _Index) -> list[str]:
    return sorted({lang for analyser in index.analysers.values() for lang in analyser.languages})


def _tails(table: Table, languages: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """The texts' words by what follows their first letter: lines of this, and the letters with their languages."""
    found: dict[str, set[str]] = defaultdict(set)
    for lang in sorted({one for group in languages.values() for one in group}):
        for form, _, corpus in table.rows(lang):
            folded = fold(form)
            if corpus and len(folded) > 2:
                found[folded[1:]].add(f"{lang}{folded[0]}")
    for tail in sorted(found, key=_order):
        yield tail, " ".join((tail, *sorted(found[tail])))


def _columns(index: _Index, start: int) -> dict[str, object]:
    """Columns of a block of documents, each as its different values and a number of one for each document."""
    part = index.rulings[start : start + BLOCK]
    games = index.library.games
    return {
        "length": _column(index.lengths[start : start + BLOCK]),
        "game": _column([ruling.game for ruling in part]),
        "kind": _column([ruling.header.kind for ruling in part]),
        "authority": _column([ruling.header.authority for ruling in part]),
        "status": _column([ruling.header.status for ruling in part]),
        "lang": _column([[text.lang for text in ruling.texts] for ruling in part]),
        "topic": _column([list(ruling.header.topics) for ruling in part]),
        "date": _column([dated(ruling, games[ruling.game]) for ruling in part]),
        "begins": _column([index.spans[ruling.key].begins for ruling in part]),
        "ends": _column([index.spans[ruling.key].ends for ruling in part]),
        "rules": _column([list(ruling.header.rules) for ruling in part]),
    }


def _column(values: Sequence[object]) -> list[object]:
    different: dict[str, int] = {}
    rows = [different.setdefault(json.dumps(value, ensure_ascii=False), len(different)) for value in values]
    return [[json.loads(value) for value in different], rows]


def _texts(folder: Path, rulings: Sequence[Ruling]) -> list[object]:
    """Writes what results show, a few rulings a shard; gives the first document of each and the hashes."""
    starts: list[int] = []
    hashes: list[str] = []
    held: list[list[Any]] = []
    length = 0
    for number, ruling in enumerate(rulings):
        if not held:
            starts.append(number)
        titles = {text.lang: text.title for text in ruling.texts}
        bodies = {text.lang: flat(text.body) for text in ruling.texts}
        held.append([ruling.id, titles, bodies])
        length += sum(map(len, (*titles.values(), *bodies.values())))
        if length > TEXTS or number == len(rulings) - 1:
            hashes.append(_write(folder, f"x{len(hashes)}", held))
            held, length = [], 0
    return [starts, "".join(hashes)]
