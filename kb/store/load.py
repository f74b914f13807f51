"""Writes a library into a new store; everything in it comes from the records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, SQLModel, create_engine, insert

from kb.records.library import Library
from kb.records.model import Game
from kb.store.model import StoredCard, StoredRuling, stored_game, stored_ruling
from kb.store.tables import (
    HEADER_COLUMNS,
    LAYOUT,
    STORE_TABLES,
    AboutRow,
    CardRow,
    CitationRow,
    FormerRow,
    GameRow,
    MentionRow,
    RulingRow,
    RulingTopicRow,
    SourceRow,
    TermRow,
    TextRow,
    TopicRow,
)

Row = dict[str, Any]
# Rows of a table that are sent at once.
_CHUNK = 20_000


def build_store(library: Library, path: Path) -> None:
    """Write the good records into a new SQLite file at `path`, which must not exist yet."""
    engine = create_file_engine(path)
    try:
        SQLModel.metadata.create_all(engine, tables=STORE_TABLES)
        with Session(engine) as session:
            for table, rows in _tables(library):
                add_rows(session, table, rows)
            session.commit()
    except DBAPIError as error:
        # A full disk is reported as by whoever writes without SQLAlchemy.
        raise error.orig or error from None
    finally:
        engine.dispose()


def create_file_engine(path: Path) -> Engine:
    """Return an engine that writes a store's file."""
    return create_engine(f"sqlite:///{path}", json_serializer=_json)


def add_rows(session: Session, table: Any, rows: Iterable[Row]) -> None:
    """Insert rows in bulk.

    An object for each row takes four times as long: 0.4 s for the cards of the three games, 10 s at
    20,000 rulings.
    """
    chunk: list[Row] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == _CHUNK:
            session.execute(insert(table), chunk)
            chunk = []
    if chunk:
        session.execute(insert(table), chunk)


# `json.dumps` would make an encoder for each value.
_json = json.JSONEncoder(ensure_ascii=False).encode


def _tables(library: Library) -> Iterator[tuple[type[SQLModel], Iterator[Row]]]:
    """Yield each table with its rows, referenced tables first."""
    games = library.games.values()
    rulings = [stored_ruling(ruling, library) for ruling in library.rulings.values()]
    yield (
        AboutRow,
        iter(
            [
                {"name": "layout", "value": str(LAYOUT)},
                {"name": "build", "value": library.build_id},
            ]
        ),
    )
    yield GameRow, map(_game, games)
    of_game: tuple[tuple[type[SQLModel], Callable[[Game], Iterator[Row]]], ...] = (
        (TopicRow, _topics),
        (SourceRow, _sources),
        (CardRow, _cards),
        (TermRow, _terms),
    )
    for table, rows_of_game in of_game:
        yield table, chain.from_iterable(map(rows_of_game, games))
    yield RulingRow, map(_ruling, rulings)
    of_ruling: tuple[tuple[type[SQLModel], Callable[[StoredRuling], Iterator[Row]]], ...] = (
        (FormerRow, _former),
        (TextRow, _texts),
        (RulingTopicRow, _ruling_topics),
        (CitationRow, _citations),
        (MentionRow, _mentions),
    )
    for table, rows_of_ruling in of_ruling:
        yield table, chain.from_iterable(map(rows_of_ruling, rulings))


def _game(game: Game) -> Row:
    head = game.header
    return {
        "id": game.id,
        "names": dict(head.name),
        "language": head.language,
        "languages": stored_game(game).languages,
        "authorities": head.authorities,
        "not_cards": head.not_cards,
    }


def _topics(game: Game) -> Iterator[Row]:
    for position, topic in enumerate(game.header.topics):
        titles = dict(topic.title)
        yield {"game_id": game.id, "id": topic.id, "position": position, "titles": titles}


_SOURCE_COLUMNS = {column.name for column in SourceRow.__table__.columns}  # type: ignore[attr-defined]


def _sources(game: Game) -> Iterator[Row]:
    for position, source in enumerate(game.sources):
        yield {
            **source.model_dump(include=_SOURCE_COLUMNS),
            "game_id": game.id,
            "position": position,
            "titles": dict(source.title),
        }


def _cards(game: Game) -> Iterator[Row]:
    for position, card in enumerate(stored_game(game).cards):
        yield {"game_id": game.id, "position": position, **_card(card)}


def _card(card: StoredCard) -> Row:
    return {name: value for name, value in vars(card).items() if name != "game"}


def _terms(game: Game) -> Iterator[Row]:
    for position, term in enumerate(game.terms):
        yield {
            "game_id": game.id,
            "id": term.id,
            "position": position,
            "names": dict(term.names),
            "meanings": dict(term.meaning),
        }


def _ruling(ruling: StoredRuling) -> Row:
    return {
        "key": ruling.key,
        "id": ruling.id,
        "game_id": ruling.game,
        "path": ruling.path,
        "begins": ruling.begins,
        "ends": ruling.ends,
        "since": ruling.since,
        "until": ruling.until,
        "asked_as": ruling.asked_as,
        "superseded_by": ruling.superseded_by,
        "examples": ruling.examples,
        **{field.name: field.to_json(getattr(ruling, field.name)) for field in HEADER_COLUMNS},
    }


def _former(ruling: StoredRuling) -> Iterator[Row]:
    for former in ruling.formerly:
        yield {"game_id": ruling.game, "id": former, "ruling_key": ruling.key}


def _texts(ruling: StoredRuling) -> Iterator[Row]:
    for position, text in enumerate(ruling.texts):
        yield {"ruling_key": ruling.key, "position": position, **vars(text)}


def _ruling_topics(ruling: StoredRuling) -> Iterator[Row]:
    for position, topic in enumerate(ruling.topics):
        yield {"ruling_key": ruling.key, "topic_id": topic, "position": position}


def _citations(ruling: StoredRuling) -> Iterator[Row]:
    for position, citation in enumerate(ruling.sources):
        yield {
            "ruling_key": ruling.key,
            "source_id": citation.source,
            "provision": citation.provision,
            "position": position,
        }


def _mentions(ruling: StoredRuling) -> Iterator[Row]:
    for position, label in enumerate(ruling.cards):
        yield {
            "ruling_key": ruling.key,
            "label": label,
            "game_id": ruling.game,
            "about": int(label in ruling.about),
            "position": position,
        }
