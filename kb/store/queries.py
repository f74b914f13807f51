"""Read rulings, cards and terms from an SQLite file or from PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlmodel import Session, col, create_engine, select

from kb.core.problems import NotBuilt, Unavailable
from kb.records.model import Term
from kb.records.text import Text
from kb.records.values import Card, Citation
from kb.store.model import Reader, StoredRuling
from kb.store.tables import (
    FIELD_COLUMNS,
    LAYOUT,
    PLAIN_COLUMNS,
    AboutRow,
    CardRow,
    FormerRow,
    GameRow,
    MentionRow,
    RulingRow,
    TermRow,
)

# Values of one statement at most.
_CHUNK = 500


class Store(Reader):
    """A store opened for reading; threads may share it. A context manager.

    Every method raises NotBuilt when the store cannot be read, Unavailable when its server cannot.
    """

    def __init__(self, place: Path | Engine) -> None:
        """Open a store's file, or use an existing engine.

        Raises NotBuilt for a store that is missing, damaged or of another layout.
        """
        self._engine = place if isinstance(place, Engine) else open_file(place)
        try:
            if self.about().get("layout") != str(LAYOUT):
                raise NotBuilt("the store is of another version")
        except NotBuilt:
            self.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._engine.dispose()

    @property
    def dialect(self) -> str:
        """The kind of database: sqlite or postgresql."""
        return self._engine.dialect.name

    def all(self, statement: Any) -> Sequence[Any]:
        """Return the rows of a SELECT; see `read_all`."""
        return read_all(self._engine, statement)

    def all_with(self, statement: Any, column: Any, values: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows of a SELECT whose column has one of many values."""
        remaining = iter(values)
        while chunk := list(islice(remaining, _CHUNK)):
            yield from self.all(statement.where(col(column).in_(chunk)))

    def about(self) -> dict[str, str]:
        return dict(self.all(select(AboutRow.name, AboutRow.value)))

    def games(self) -> dict[str, dict[str, str]]:
        """Return the games' names by language, by id."""
        return {game.id: game.names for game in self._games()}

    def languages(self) -> dict[str, tuple[str, ...]]:
        return {game.id: tuple(game.languages) for game in self._games()}

    def not_cards(self, game: str) -> tuple[str, ...]:
        return next((tuple(row.not_cards) for row in self._games() if row.id == game), ())

    def _games(self) -> Sequence[GameRow]:
        return self.all(select(GameRow).order_by(GameRow.id))

    def keys(self, ruling_id: str, game: str = "") -> list[str]:
        keys = select(RulingRow.key).where(RulingRow.id == ruling_id)
        former = select(FormerRow.ruling_key).where(FormerRow.id == ruling_id)
        if game:
            keys = keys.where(RulingRow.game_id == game)
            former = former.where(FormerRow.game_id == game)
        return sorted(self.all(keys) or self.all(former))

    def rulings(self, keys: Iterable[str]) -> Iterator[StoredRuling]:
        keys = list(keys)
        rows = {row.key: row for row in self.all_with(select(RulingRow), RulingRow.key, keys)}
        return (_ruling(rows[key]) for key in keys if key in rows)

    def ruling(self, key: str) -> StoredRuling | None:
        return next(self.rulings([key]), None)

    def ruling_ids(self, game: str) -> list[str]:
        ids = select(RulingRow.id).where(RulingRow.game_id == game)
        return list(self.all(ids.order_by(RulingRow.id)))

    def rulings_on(self, game: str, labels: Iterable[str]) -> tuple[list[str], list[str]]:
        rows = self.all(
            select(RulingRow.id, func.max(MentionRow.about))
            .join(MentionRow)
            .where(MentionRow.game_id == game, col(MentionRow.label).in_(list(labels)))
            .group_by(RulingRow.id)
            .order_by(RulingRow.id)
        )
        ids_about = [ruling_id for ruling_id, about in rows if about]
        return ids_about, [ruling_id for ruling_id, about in rows if not about]

    def cards(self, game: str) -> Iterator[Card]:
        for row in self.all(select_of_game(CardRow, game)):
            facts = row.model_dump(exclude={"game_id", "position"})
            lists = {name: tuple(value) for name, value in facts.items() if isinstance(value, list)}
            yield Card(**{**facts, **lists})

    def terms(self, game: str) -> list[Term]:
        """Return the terms of a game, with their names, in the order of terms.yaml."""
        rows = self.all(select_of_game(TermRow, game))
        return [Term.model_construct(id=row.id, names=row.names) for row in rows]


def select_of_game(table: Any, game: str | None) -> Any:
    """Return a SELECT of the entries of a game, or of all games, in the order of their files."""
    rows = select(table).order_by(table.game_id, table.position)
    return rows.where(table.game_id == game) if game else rows


def _ruling(row: Any) -> StoredRuling:
    return StoredRuling(
        game=row.game_id,
        texts=tuple(Text(text.lang, text.title, text.body) for text in row.texts),
        about=tuple(mention.label for mention in row.mentions if mention.about),
        cards=tuple(mention.label for mention in row.mentions),
        topics=tuple(topic.topic_id for topic in row.topics),
        sources=tuple(Citation(source.source_id, source.provision) for source in row.sources),
        **{name: getattr(row, name) for name in PLAIN_COLUMNS},
        **{field.name: field.from_json(getattr(row, field.name)) for field in FIELD_COLUMNS},
    )


def open_file(path: Path) -> Engine:
    """Return an engine that reads a store's file. Raises NotBuilt when there is none."""
    if not path.is_file():
        raise NotBuilt(f"no store at {path}")
    return create_engine(f"sqlite:///{path.absolute().as_uri()}?mode=ro&uri=true")


def read_all(engine: Engine, statement: Any) -> Sequence[Any]:
    """Return the rows of a SELECT: objects, values, or tuples of several columns.

    Raises NotBuilt when the build is damaged or gone, Unavailable when its server does not answer
    in time.
    """
    try:
        with Session(engine) as session:
            rows: Sequence[Any] = session.exec(statement).all()
            return rows
    except SQLAlchemyError as error:
        reason = first_line(error)
        if engine.dialect.name == "sqlite":
            raise NotBuilt(f"the store cannot be read ({reason})") from None
        if isinstance(error, OperationalError):
            raise Unavailable(f"the database cannot be read ({reason})") from None
        raise NotBuilt(f"the build is gone from the database ({reason})") from None


def first_line(error: SQLAlchemyError) -> str:
    """Return the first line of a database's message, without the statement."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
