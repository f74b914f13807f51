"""The rows of the store, made from the records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from kb.core.problems import posix_path
from kb.records.fields import COLUMNS
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.records.validity import Validity

Row = dict[str, Any]


# `json.dumps` would make an encoder for each value.
_json = json.JSONEncoder(ensure_ascii=False).encode


def game_rows(games: Iterable[Game]) -> Iterator[tuple[str, Iterable[Row]]]:
    """The rows of games and of what belongs to them, by table."""
    all_games = list(games)
    yield "game", (_game(game) for game in all_games)
    for table, rows_of in (
        ("topic", _topics),
        ("source", _sources),
        ("card", _cards),
        ("term", _terms),
    ):
        yield table, (row for game in all_games for row in rows_of(game))


def ruling_rows(library: Library, changed: Iterable[Ruling]) -> Iterator[tuple[str, Iterable[Row]]]:
    """The rows of some rulings of a library, by table."""
    rulings = list(changed)
    standing = library.spans
    above = posix_path(library.root / "_").removesuffix("_")
    yield "ruling", (_ruling(ruling, above, standing[ruling.key]) for ruling in rulings)
    yield (
        "former",
        (
            {"game_id": r.game, "id": former, "ruling_key": r.key}
            for r in rulings
            for former in r.header.formerly
        ),
    )
    yield "text", (row for ruling in rulings for row in _texts(ruling))
    yield "question", (row for ruling in rulings for row in _questions(ruling))
    yield (
        "ruling_topic",
        (
            row
            for r in rulings
            for row in _positioned(r, "topic_id", dict.fromkeys(r.header.topics))
        ),
    )
    yield "citation", (row for ruling in rulings for row in _citations(ruling))
    yield "mention", (row for ruling in rulings for row in _mentions(ruling))
    yield "relation", (row for ruling in rulings for row in _relations(ruling, library))


def insert(db: sqlite3.Connection, tables: Iterable[tuple[str, Iterable[Row]]]) -> None:
    """Writes rows into their tables."""
    for table, rows in tables:
        remaining = iter(rows)
        first = next(remaining, None)
        if first is not None:
            marks = ", ".join("?" * len(first))
            # Values by their places are bound in half the time of values by name.
            db.executemany(
                f"INSERT INTO {table} ({', '.join(first)}) VALUES ({marks})",
                map(itemgetter(*first), chain((first,), remaining)),
            )


def update_store(
    path: Path, library: Library, games: Collection[str], keys: Collection[str]
) -> None:
    """Update a copy of an earlier store: changed games, and changed rulings by key.

    Raises sqlite3.Error when the store cannot be used.
    """
    with closing(sqlite3.connect(path)) as db, db:
        rulings = [(key,) for key in keys]
        for table in (
            "former",
            "text",
            "question",
            "ruling_topic",
            "citation",
            "mention",
            "relation",
        ):
            db.executemany(f"DELETE FROM {table} WHERE ruling_key = ?", rulings)
        db.executemany("DELETE FROM ruling WHERE key = ?", rulings)
        for table in ("topic", "source", "card", "term"):
            db.executemany(f"DELETE FROM {table} WHERE game_id = ?", [(game,) for game in games])
        db.executemany("DELETE FROM game WHERE id = ?", [(game,) for game in games])
        insert(db, game_rows(game for key, game in library.games.items() if key in games))
        insert(
            db,
            ruling_rows(
                library, [library.rulings[key] for key in sorted(keys) if key in library.rulings]
            ),
        )


def _game(game: Game) -> Row:
    head = game.header
    languages = list(dict.fromkeys((head.language, *head.languages)))
    return {
        "id": game.id,
        "names": _json(head.name),
        "language": head.language,
        "languages": _json(languages),
        "authorities": _json(head.authorities),
        "not_cards": _json(head.not_cards),
    }


def _topics(game: Game) -> Iterator[Row]:
    for position, topic in enumerate(game.header.topics):
        yield {
            "game_id": game.id,
            "id": topic.id,
            "position": position,
            "titles": _json(topic.title),
        }


def _sources(game: Game) -> Iterator[Row]:
    for position, source in enumerate(game.sources):
        plain = source.model_dump(
            include={
                "id",
                "kind",
                "language",
                "author",
                "translator",
                "publisher",
                "authority",
                "published",
            }
        )
        yield {
            **plain,
            **source.model_dump(include={"edition", "url", "licence"}),
            "game_id": game.id,
            "position": position,
            "titles": _json(source.title),
            "overrides": _json(source.overrides),
            "provisions": _json(source.provisions),
        }


def _cards(game: Game) -> Iterator[Row]:
    for position, card in enumerate(game.cards):
        yield {
            "game_id": game.id,
            "label": card.label,
            "position": position,
            "name": card.name,
            "version": card.version,
            "sets": _json(card.sets),
            "type": card.type,
            "side": card.side,
            "subtypes": card.subtypes,
            "other_names": _json(card.other_names),
            "keywords": _json(card.keywords),
        }


def _terms(game: Game) -> Iterator[Row]:
    for position, term in enumerate(game.terms):
        yield {
            "game_id": game.id,
            "id": term.id,
            "position": position,
            "names": _json(term.names),
            "meanings": _json(term.meaning),
        }


def _ruling(ruling: Ruling, above: str, validity: Validity) -> Row:
    header = ruling.header.__dict__
    columns = {field.name: field.to_json(header[field.name]) for field in COLUMNS}
    return {
        "key": ruling.key,
        "id": ruling.id,
        "game_id": ruling.game,
        "path": ruling.path.removeprefix(above),
        "begins": validity.begins,
        "ends": validity.ends,
        **{
            name: _json(value) if isinstance(value, (list, dict)) else value
            for name, value in columns.items()
        },
    }


def _texts(ruling: Ruling) -> Iterator[Row]:
    for position, text in enumerate(ruling.texts):
        yield {
            "ruling_key": ruling.key,
            "lang": text.lang,
            "position": position,
            "title": text.title,
            "body": text.body,
        }


def _questions(ruling: Ruling) -> Iterator[Row]:
    questions = ((lang, text) for lang, texts in ruling.asked_as.items() for text in texts)
    for position, (lang, text) in enumerate(questions):
        yield {"ruling_key": ruling.key, "position": position, "lang": lang, "text": text}


def _positioned(ruling: Ruling, column: str, values: Iterable[str]) -> Iterator[Row]:
    for position, value in enumerate(values):
        yield {"ruling_key": ruling.key, column: value, "position": position}


def _citations(ruling: Ruling) -> Iterator[Row]:
    for position, citation in enumerate(ruling.header.sources):
        yield {
            "ruling_key": ruling.key,
            "source_id": citation.source,
            "provision": citation.provision,
            "position": position,
        }


def _mentions(ruling: Ruling) -> Iterator[Row]:
    for position, (label, about) in enumerate(ruling.cards().items()):
        yield {
            "ruling_key": ruling.key,
            "label": label,
            "game_id": ruling.game,
            "about": int(about),
            "position": position,
        }


def _relations(ruling: Ruling, library: Library) -> Iterator[Row]:
    ties = {**library.related(ruling), "overrides": tuple(dict.fromkeys(ruling.header.overrides))}
    for name, targets in ties.items():
        for position, target in enumerate(targets):
            yield {"ruling_key": ruling.key, "name": name, "target": target, "position": position}
