"""The tables of the store. A new layout needs no migration, only a new build.

Lists that no query searches by item (a card's sets, a ruling's questions) are columns of JSON.
"""
# Without `from __future__ import annotations`: SQLModel reads the types of relationships.

from typing import Any, ClassVar

from pydantic import create_model
from sqlalchemy import JSON, Dialect, Index, String, Table, TypeDecorator
from sqlalchemy.types import TypeEngine
from sqlmodel import Field, Relationship, SQLModel

from kb.records.fields import FIELDS

LAYOUT = 12
# Fields of a ruling that are not columns of its table: keys, rows of other tables, and its address.
_OTHER_FIELDS = "id game about topics sources title text notes cards url".split()


class Text(TypeDecorator[str]):
    """A text that every database compares by bytes and accepts with any character."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of a column; PostgreSQL sorts by locale without a collation."""
        return String(collation="C" if dialect.name == "postgresql" else None)

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace the characters that databases refuse: NUL and lone surrogates."""
        return value and value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _key(**options: Any) -> Any:
    """Return the field of a text to search or sort by."""
    return Field(sa_type=Text, **options)


def _json() -> Any:
    return Field(sa_type=JSON)


def _in_order_of_position(row: str) -> Any:
    return Relationship(sa_relationship_kwargs={"order_by": f"{row}.position", "lazy": "selectin"})


class AboutRow(SQLModel, table=True):
    """A property of the build, such as its layout."""

    __tablename__ = "about"
    name: str = _key(primary_key=True)
    value: str


class GameRow(SQLModel, table=True):
    """A game; `languages` has its own first."""

    __tablename__ = "game"
    id: str = _key(primary_key=True)
    names: dict[str, str] = _json()
    language: str
    languages: list[str] = _json()
    authorities: list[str] = _json()
    not_cards: list[str] = _json()


class TopicRow(SQLModel, table=True):
    """A topic of a game in the order of game.yaml; `titles` by language."""

    __tablename__ = "topic"
    game_id: str = _key(primary_key=True, foreign_key="game.id")
    id: str = _key(primary_key=True)
    position: int
    titles: dict[str, str] = _json()


class SourceRow(SQLModel, table=True):
    """A source document or rulebook; `titles` by language."""

    __tablename__ = "source"
    game_id: str = _key(primary_key=True, foreign_key="game.id")
    id: str = _key(primary_key=True)
    position: int
    kind: str
    titles: dict[str, str] = _json()
    language: str
    author: str
    translator: str
    publisher: str
    authority: str
    published: str | None
    edition: str
    url: str
    licence: str
    overrides: list[str] = _json()
    provisions: list[str] = _json()


class CardRow(SQLModel, table=True):
    """A card in the order of cards.tsv."""

    __tablename__ = "card"
    game_id: str = _key(primary_key=True, foreign_key="game.id")
    label: str = _key(primary_key=True)
    position: int
    name: str = _key(index=True)
    version: str
    sets: list[str] = _json()
    type: str
    side: str
    subtypes: str
    other_names: list[str] = _json()
    keywords: list[str] = _json()


class TermRow(SQLModel, table=True):
    """A term; `names` and `meanings` by language."""

    __tablename__ = "term"
    game_id: str = _key(primary_key=True, foreign_key="game.id")
    id: str = _key(primary_key=True)
    position: int
    names: dict[str, list[str]] = _json()
    meanings: dict[str, str] = _json()


class FormerRow(SQLModel, table=True):
    """An id that a ruling once had."""

    __tablename__ = "former"
    game_id: str = _key(primary_key=True)
    id: str = _key(primary_key=True)
    ruling_key: str = _key(foreign_key="ruling.key")


class TextRow(SQLModel, table=True):
    """A ruling in one language; position 0 is the original."""

    __tablename__ = "text"
    ruling_key: str = _key(primary_key=True, foreign_key="ruling.key")
    lang: str = _key(primary_key=True)
    position: int
    title: str
    body: str


class RulingTopicRow(SQLModel, table=True):
    """A ruling under a topic."""

    __tablename__ = "ruling_topic"
    ruling_key: str = _key(primary_key=True, foreign_key="ruling.key")
    topic_id: str = _key(primary_key=True)
    position: int


class CitationRow(SQLModel, table=True):
    """A provision of a source that a ruling cites."""

    __tablename__ = "citation"
    ruling_key: str = _key(primary_key=True, foreign_key="ruling.key")
    source_id: str = _key(primary_key=True)
    provision: str = _key(primary_key=True)
    position: int


class MentionRow(SQLModel, table=True):
    """A card, by label, that a ruling is about (1) or mentions (0)."""

    __tablename__ = "mention"
    __table_args__ = (Index("ix_mention_card", "game_id", "label"),)
    ruling_key: str = _key(primary_key=True, foreign_key="ruling.key")
    label: str = _key(primary_key=True)
    game_id: str = _key()
    about: int
    position: int


# The columns of a ruling that StoredRuling has unchanged, and the fields that are columns.
PLAIN_COLUMNS = ("id", "path", "begins", "ends", "since", "until")
FIELD_COLUMNS = tuple(field for field in FIELDS if field.name not in _OTHER_FIELDS)


def _field_columns() -> type[SQLModel]:
    columns: dict[str, Any] = {}
    for field in FIELD_COLUMNS:
        if field.shape == "single":
            columns[field.name] = (str | None if field.nullable else str, _key())
        else:
            columns[field.name] = (Any, _json())
    return create_model("FieldColumns", __base__=SQLModel, **columns)


class RulingRow(_field_columns(), table=True):  # type: ignore[call-arg, misc]
    """A ruling; `key` is `game/id`. For `begins`, `ends`, `since` and `until` see Validity."""

    __tablename__: ClassVar[str] = "ruling"
    key: str = _key(primary_key=True)
    id: str = _key(index=True)
    game_id: str = _key(foreign_key="game.id", index=True)
    path: str
    begins: str
    ends: str
    since: str
    until: str
    texts: list[TextRow] = _in_order_of_position("TextRow")
    topics: list[RulingTopicRow] = _in_order_of_position("RulingTopicRow")
    sources: list[CitationRow] = _in_order_of_position("CitationRow")
    mentions: list[MentionRow] = _in_order_of_position("MentionRow")


# Referenced tables first.
STORE_TABLES: list[Table] = [
    SQLModel.metadata.tables[name]
    for name in (
        "about game topic source card term ruling former text ruling_topic citation mention"
    ).split()
]
