"""Rulings with a link for each card that they name: the stage `link` of the build cache.

Also tells which rulings have to be stored and indexed again: those whose hashes differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from kb.build.cache import Row, Stage
from kb.build.meanings import GameMeanings, WordMeanings
from kb.build.parsed import ParsedRuling, file_rows, game_rows, parse_all
from kb.build.previous import PreviousBuild, with_bodies
from kb.core.hashing import bytes_hash, data_hash
from kb.language import FormTable, build_form_table
from kb.linking.autolink import autolink_rulings
from kb.records.library import Library
from kb.records.marks import ruling_cards
from kb.records.model import Ruling
from kb.search.analyzer import games_vocabulary
from kb.search.document import surroundings

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class LinkedLibrary:
    """A library whose texts link the cards that they name.

    `meanings`: by ruling, a hash of what its words and its game's terms mean. `stages`: the rows
    for the build cache; `store` and `index` have a row for each ruling that is there.
    """

    library: Library
    meanings: Mapping[str, str]
    stages: Mapping[str, Stage]


def link_library(
    library: Library,
    previous: PreviousBuild,
    data: Path,
    old_forms: Path | None,
    report: Progress,
) -> LinkedLibrary:
    """Build the table of forms in `data`, and link the rulings whose text or words are others.

    `old_forms`: a table whose languages can be taken over where their words are the same.
    """
    report("word forms", 0, 1)
    parsed = parse_all(library, previous.files)
    forms = data / "forms.sqlite"
    _build_forms(library, parsed, forms, old_forms)
    report("links", 0, 1)
    with FormTable.open(forms) as table:
        words = WordMeanings(table)
        games = {key: GameMeanings(game, words) for key, game in library.games.items()}
        meanings = {key: words.of(one.words, one.around) for key, one in parsed.items()}
        links = _link(library, table, parsed, games, meanings, previous.stage("link"))
    bodies = {key: orjson.loads(row.blob) for key, row in links.items()}
    linked = replace(
        library,
        rulings={key: with_bodies(library.rulings[key], bodies[key]) for key in links},
    )
    texts = {key: data_hash([parsed[key].hash, bodies[key]]) for key in links}
    return LinkedLibrary(
        linked,
        {key: f"{meanings[key]} {games[linked.rulings[key].game].page}" for key in links},
        {
            "file": file_rows(parsed, library, previous.files),
            "game": game_rows(library),
            "link": links,
            "store": _store_rows(linked, texts),
            "index": _index_rows(linked, texts, meanings, games),
        },
    )


def _build_forms(
    library: Library, parsed: Mapping[str, ParsedRuling], path: Path, old_forms: Path | None
) -> None:
    vocabulary, names, groups = games_vocabulary(library.games.values())
    for one in parsed.values():
        for lang, line in one.words.items():
            vocabulary.setdefault(lang, set()).update(line.split(" "))
    build_form_table(path, vocabulary, names, groups, old_forms)


def _link(
    library: Library,
    table: FormTable,
    parsed: Mapping[str, ParsedRuling],
    games: Mapping[str, GameMeanings],
    meanings: Mapping[str, str],
    cached: Stage,
) -> dict[str, Row]:
    """The rows of the stage `link`: bodies of texts with links, null where none has a new one."""
    hashes = {
        key: bytes_hash(f"{one.hash} {games[one.ruling.game].link} {meanings[key]}".encode())
        for key, one in parsed.items()
    }
    wanted = [
        key for key, hash_ in hashes.items() if key not in cached or cached[key].hash != hash_
    ]
    linked = autolink_rulings(library, table, wanted)
    return {
        key: Row(hash_, _bodies(linked[key], library.rulings[key]))
        if key in linked
        else cached[key]
        for key, hash_ in hashes.items()
    }


def _bodies(linked: Ruling, plain: Ruling) -> bytes:
    return orjson.dumps(None if linked is plain else [text.body for text in linked.texts])


def _store_rows(library: Library, texts: Mapping[str, str]) -> dict[str, Row]:
    """A hash of all that the rows of each ruling in the store are made from."""
    return {
        key: Row(data_hash([texts[key], library.spans[key], library.related(ruling)]))
        for key, ruling in library.rulings.items()
    }


def _index_rows(
    library: Library,
    texts: Mapping[str, str],
    meanings: Mapping[str, str],
    games: Mapping[str, GameMeanings],
) -> dict[str, Row]:
    """A hash of all that the document of each ruling in the search index is made from."""
    rows = {}
    for key, ruling in library.rulings.items():
        own = games[ruling.game]
        around = surroundings(ruling, library.games[ruling.game], library.spans[key])
        words = [
            meanings[key],
            *map(own.card, ruling_cards(ruling)),
            *map(own.topic, ruling.header.topics),
        ]
        rows[key] = Row(data_hash([texts[key], words, own.index, around]))
    return rows
