"""Library -> a new store file. Everything in it comes from the records; deleting it loses nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import text as sql
from sqlmodel import SQLModel, create_engine, insert

from kb.records.library import Library
from kb.records.marks import cards_of
from kb.records.model import Game, Ruling
from kb.records.standing import Span, spans
from kb.store import tables
from kb.store.queries import LAYOUT

Row = dict[str, Any]


def build_store(library: Library, path: Path) -> None:
    """Writes the library's good records into a new SQLite file at `path`, which must not exist yet."""
    engine = create_engine(f"sqlite:///{path}")
    try:
        SQLModel.metadata.create_all(engine, tables=_tables())
        with engine.begin() as connection:
            connection.execute(sql("PRAGMA foreign_keys = ON"))
            for table, rows in _rows(library):
                found = list(rows)
                if found:
                    connection.execute(insert(table), found)
            connection.execute(sql(f"PRAGMA user_version = {LAYOUT}"))
    finally:
        engine.dispose()


def _tables() -> list[Any]:
    return [value.__table__ for value in vars(tables).values() if isinstance(value, type) and hasattr(value, "__table__")]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rows(library: Library) -> Iterator[tuple[type[SQLModel], Iterable[Row]]]:
    games, rulings = library.games.values(), library.rulings.values()
    standing = spans(library.games, library.rulings)
    yield tables.GameRow, (_game(game) for game in games)
    yield tables.TopicRow, (row for game in games for row in _topics(game))
    yield tables.SourceRow, (row for game in games for row in _sources(game))
    yield tables.CardRow, (row for game in games for row in _cards(game))
    yield tables.TermRow, (row for game in games for row in _terms(game))
    yield tables.RulingRow, (_ruling(ruling, library, standing[ruling.key]) for ruling in rulings)
    yield tables.FormerRow, ({"game_id": r.game, "id": one, "ruling_key": r.key} for r in rulings for one in r.header.formerly)
    yield tables.TextRow, (row for ruling in rulings for row in _texts(ruling))
    yield (
        tables.RulingTopicRow,
        (row for ruling in rulings for row in _numbered(ruling, "topic_id", dict.fromkeys(ruling.header.topics))),
    )
    yield tables.CitationRow, (row for ruling in rulings for row in _citations(ruling))
    yield tables.MentionRow, (row for ruling in rulings for row in _mentions(ruling))
    yield tables.RelationRow, (row for ruling in rulings for row in _relations(ruling, library))


def _game(game: Game) -> Row:
    head = game.header
    languages = list(dict.fromkeys((head.language, *head.languages)))
    return {
        "id": game.id, "names": _json(head.name), "language": head.language, "languages": _json(languages),
        "authorities": _json(head.authorities), "not_cards": _json(head.not_cards),
    }  # fmt: skip


def _topics(game: Game) -> Iterator[Row]:
    for position, topic in enumerate(game.header.topics):
        yield {"game_id": game.id, "id": topic.id, "position": position, "titles": _json(topic.title)}


def _sources(game: Game) -> Iterator[Row]:
    for position, source in enumerate(game.sources):
        plain = source.model_dump(
            include={"id", "kind", "language", "author", "translator", "publisher", "authority", "published"}
        )
        yield {
            **plain, **source.model_dump(include={"edition", "url", "licence"}), "game_id": game.id, "position": position,
            "titles": _json(source.title), "overrides": _json(source.overrides), "provisions": _json(source.provisions),
        }  # fmt: skip


def _cards(game: Game) -> Iterator[Row]:
    for position, card in enumerate(game.cards):
        yield {
            "game_id": game.id, "label": card.label, "position": position, "name": card.name, "version": card.version,
            "sets": _json(card.sets), "type": card.type, "side": card.side, "subtypes": card.subtypes,
            "other_names": _json(card.other_names),
        }  # fmt: skip


def _terms(game: Game) -> Iterator[Row]:
    for position, term in enumerate(game.terms):
        yield {
            "game_id": game.id,
            "id": term.id,
            "position": position,
            "names": _json(term.names),
            "meanings": _json(term.meaning),
        }


def _ruling(ruling: Ruling, library: Library, span: Span) -> Row:
    head = ruling.header
    path = Path(ruling.path)
    place = path.relative_to(library.root) if path.is_relative_to(library.root) else path
    return {
        "key": ruling.key, "id": ruling.id, "game_id": ruling.game, "kind": head.kind, "authority": head.authority,
        "status": head.status, "date": head.date, "path": place.as_posix(), "effective": head.effective,
        "effective_until": head.effective_until, "begins": span.begins, "ends": span.ends, "because": head.because,
        "rules": _json(head.rules), "reviewed": head.reviewed, "asked": head.asked, "asked_of": head.asked_of,
    }  # fmt: skip


def _texts(ruling: Ruling) -> Iterator[Row]:
    for position, text in enumerate(ruling.texts):
        yield {"ruling_key": ruling.key, "lang": text.lang, "position": position, "title": text.title, "body": text.body}


def _numbered(ruling: Ruling, column: str, values: Iterable[str]) -> Iterator[Row]:
    for position, value in enumerate(values):
        yield {"ruling_key": ruling.key, column: value, "position": position}


def _citations(ruling: Ruling) -> Iterator[Row]:
    for position, citation in enumerate(ruling.header.sources):
        yield {"ruling_key": ruling.key, "source_id": citation.source, "provision": citation.provision, "position": position}


def _mentions(ruling: Ruling) -> Iterator[Row]:
    for position, (label, about) in enumerate(cards_of(ruling).items()):
        yield {"ruling_key": ruling.key, "label": label, "game_id": ruling.game, "about": int(about), "position": position}


def _relations(ruling: Ruling, library: Library) -> Iterator[Row]:
    ties = {**library.related(ruling), "overrides": tuple(dict.fromkeys(ruling.header.overrides))}
    for name, targets in ties.items():
        for position, target in enumerate(targets):
            yield {"ruling_key": ruling.key, "name": name, "target": target, "position": position}
