"""The tables of the store, which is derived: a new layout is a new build.

Lists that are never searched by their items (a card's sets, a source's provisions) are JSON text.
"""

from __future__ import annotations

from typing import Any

from pydantic import create_model
from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from kb.records.fields import COLUMNS


class GameRow(SQLModel, table=True):
    """A game; `languages` has its own first; lists and names are JSON."""

    __tablename__ = "game"
    id: str = Field(primary_key=True)
    names: str
    language: str
    languages: str
    authorities: str
    not_cards: str


class TopicRow(SQLModel, table=True):
    """A topic of a game in the order of game.yaml; `titles` by language: JSON."""

    __tablename__ = "topic"
    game_id: str = Field(primary_key=True, foreign_key="game.id")
    id: str = Field(primary_key=True)
    position: int
    titles: str


class SourceRow(SQLModel, table=True):
    """A source document or rulebook; titles, `overrides` and `provisions` are JSON."""

    __tablename__ = "source"
    game_id: str = Field(primary_key=True, foreign_key="game.id")
    id: str = Field(primary_key=True)
    position: int
    kind: str
    titles: str
    language: str
    author: str
    translator: str
    publisher: str
    authority: str
    published: str | None
    edition: str
    url: str
    licence: str
    overrides: str
    provisions: str


class CardRow(SQLModel, table=True):
    """A card in the order of cards.tsv; `sets`, `other_names` and `keywords`: JSON."""

    __tablename__ = "card"
    game_id: str = Field(primary_key=True, foreign_key="game.id")
    label: str = Field(primary_key=True)
    position: int
    name: str = Field(index=True)
    version: str
    sets: str
    type: str
    side: str
    subtypes: str
    other_names: str
    keywords: str


class TermRow(SQLModel, table=True):
    """A term; `names` and `meanings` by language: JSON."""

    __tablename__ = "term"
    game_id: str = Field(primary_key=True, foreign_key="game.id")
    id: str = Field(primary_key=True)
    position: int
    names: str
    meanings: str


class RulingBase(SQLModel):
    """A ruling; `key` is `game/id`.

    It is valid from the day `begins` up to, not including, `ends` (20030601).

    Its other columns are `kb.records.fields.COLUMNS`; lists and values by language are JSON.
    """

    __tablename__ = "ruling"
    key: str = Field(primary_key=True)
    id: str = Field(index=True)
    game_id: str = Field(foreign_key="game.id", index=True)
    path: str
    begins: str
    ends: str


def _ruling_row() -> type[RulingBase]:
    columns: dict[str, Any] = {
        field.name: (str | None if field.nullable else str, ...) for field in COLUMNS
    }
    return create_model("RulingRow", __base__=RulingBase, __cls_kwargs__={"table": True}, **columns)


RulingRow = _ruling_row()


class FormerRow(SQLModel, table=True):
    """An id that a ruling once had."""

    __tablename__ = "former"
    game_id: str = Field(primary_key=True)
    id: str = Field(primary_key=True)
    ruling_key: str = Field(foreign_key="ruling.key")


class TextRow(SQLModel, table=True):
    """A ruling in one language; position 0 is the original."""

    __tablename__ = "text"
    ruling_key: str = Field(primary_key=True, foreign_key="ruling.key")
    lang: str = Field(primary_key=True)
    position: int
    title: str
    body: str


class QuestionRow(SQLModel, table=True):
    """A question that people ask and a ruling answers; `position` counts through all languages."""

    __tablename__ = "question"
    ruling_key: str = Field(primary_key=True, foreign_key="ruling.key")
    position: int = Field(primary_key=True)
    lang: str
    text: str


class RulingTopicRow(SQLModel, table=True):
    """A ruling under a topic."""

    __tablename__ = "ruling_topic"
    ruling_key: str = Field(primary_key=True, foreign_key="ruling.key")
    topic_id: str = Field(primary_key=True)
    position: int


class CitationRow(SQLModel, table=True):
    """Where a ruling stands in a source."""

    __tablename__ = "citation"
    ruling_key: str = Field(primary_key=True, foreign_key="ruling.key")
    source_id: str = Field(primary_key=True)
    provision: str = Field(primary_key=True)
    position: int


class MentionRow(SQLModel, table=True):
    """A card, by label, that a ruling is about (1) or mentions (0)."""

    __tablename__ = "mention"
    __table_args__ = (Index("ix_mention_card", "game_id", "label"),)
    ruling_key: str = Field(primary_key=True, foreign_key="ruling.key")
    label: str = Field(primary_key=True)
    game_id: str
    about: int
    position: int


class RelationRow(SQLModel, table=True):
    """A relation of a ruling.

    `name` is supersedes, superseded_by, related, example_of, examples or overrides (then a source).
    """

    __tablename__ = "relation"
    ruling_key: str = Field(primary_key=True, foreign_key="ruling.key")
    name: str = Field(primary_key=True)
    target: str = Field(primary_key=True)
    position: int
