"""The SELECTs of the records, over a plain read-only connection.

Reading needs neither SQLModel nor pydantic.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from kb.core.problems import NotBuilt
from kb.records.fields import COLUMNS, Citation, Header
from kb.records.validity import Validity
from kb.store.connection import Connection, Rows, SqliteConnection

LAYOUT = 8
_CHUNK = 500


@dataclass(frozen=True)
class StoredText:
    """A ruling's text in one language; `body` is Markdown with card marks."""

    lang: str
    title: str
    body: str


@dataclass(frozen=True, kw_only=True)
class StoredRuling(Header):
    """A ruling as the store holds it: the fields of its header, and those of the other tables.

    Relations name ids of the same game, `related` both ways; `cards` are labels, those it is about
    first. It is valid from the day `begins` up to, not including, `ends`.
    """

    id: str
    game: str
    texts: tuple[StoredText, ...]
    asked_as: dict[str, tuple[str, ...]]
    cards: tuple[str, ...]
    superseded_by: tuple[str, ...]
    examples: tuple[str, ...]
    path: str
    begins: str
    ends: str

    def stood(self, day: str) -> bool:
        """Whether the ruling stood on a day, as 20030601."""
        return Validity(self.begins, self.ends).holds(day)

    @property
    def key(self) -> str:
        """`game/id`."""
        return f"{self.game}/{self.id}"

    def text(self, lang: str) -> StoredText | None:
        """The text in a language, if there is one."""
        return next((text for text in self.texts if text.lang == lang), None)


@dataclass(frozen=True)
class StoredCard:
    """A card; `label` is `Name (X)` or the bare name."""

    game: str
    name: str
    version: str
    label: str
    sets: tuple[str, ...]
    type: str
    side: str
    subtypes: str
    other_names: tuple[str, ...]
    keywords: tuple[str, ...]


@dataclass(frozen=True)
class StoredTerm:
    """A term: its names by language, the preferred one first, and its meanings."""

    id: str
    names: dict[str, tuple[str, ...]]
    meanings: dict[str, str]


@lru_cache(maxsize=4096)
def _texts(data: str) -> tuple[str, ...]:
    """A list of texts in JSON. Thousands of cards have few different ones."""
    return tuple(json.loads(data))


class Store:
    """A store opened for reading. Use one a thread; closes itself as a context manager."""

    def __init__(self, place: Path | Connection) -> None:
        """`place`: the store's file, or a connection, which the store then closes.

        Raises NotBuilt when there is no store or it is of another layout or damaged.
        """
        self._db: Connection = SqliteConnection(place) if isinstance(place, Path) else place
        if self._db.layout != LAYOUT:
            self._db.close()
            raise NotBuilt("the store is of another version")

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._db.close()

    def _all(self, sql: str, values: Iterable[object] = ()) -> Rows:
        return self._db.all(sql, tuple(values))

    def counts(self) -> dict[str, int]:
        """How many rows of each kind: games, rulings, cards, sources, terms."""
        names = {
            "games": "game",
            "rulings": "ruling",
            "cards": "card",
            "sources": "source",
            "terms": "term",
        }
        return {
            name: int(self._all(f"SELECT count(*) FROM {table}")[0][0])
            for name, table in names.items()
        }

    def games(self) -> dict[str, dict[str, str]]:
        """The games' names by language, by id."""
        return {
            row[0]: json.loads(row[1])
            for row in self._all("SELECT id, names FROM game ORDER BY id")
        }

    def languages(self) -> dict[str, tuple[str, ...]]:
        """The languages of each game, its own first."""
        return {
            row[0]: tuple(json.loads(row[1]))
            for row in self._all("SELECT id, languages FROM game ORDER BY id")
        }

    def keys(self, ruling_id: str) -> list[str]:
        """The keys `game/id` of the rulings with an id (or a former id), in every game."""
        rows = self._all("SELECT key FROM ruling WHERE id = ? ORDER BY key", (ruling_id,))
        rows = rows or self._all(
            "SELECT ruling_key FROM former WHERE id = ? ORDER BY ruling_key", (ruling_id,)
        )
        return [row[0] for row in rows]

    def rulings(self, keys: Iterable[str] | None = None) -> Iterator[StoredRuling]:
        """Yield the rulings with the given keys in that order, or all by key.

        Unknown keys are left out.
        """
        all_keys = (
            [row[0] for row in self._all("SELECT key FROM ruling ORDER BY key")]
            if keys is None
            else list(keys)
        )
        for start in range(0, len(all_keys), _CHUNK):
            chunk = all_keys[start : start + _CHUNK]
            by_key = {ruling.key: ruling for ruling in self._some(chunk)}
            yield from (by_key[key] for key in chunk if key in by_key)

    def ruling(self, key: str) -> StoredRuling | None:
        """The ruling with the key `game/id`, if there is one."""
        return next(self.rulings([key]), None)

    def _some(self, keys: list[str]) -> Iterator[StoredRuling]:
        marks = ",".join("?" * len(keys))
        columns = ", ".join(field.name for field in COLUMNS)
        heads = self._all(
            f"SELECT key, id, game_id, path, begins, ends, {columns} FROM ruling"
            f" WHERE key IN ({marks})",
            keys,
        )
        texts: dict[str, list[StoredText]] = {}
        for key, lang, title, body in self._all(
            f"SELECT ruling_key, lang, title, body FROM text WHERE ruling_key IN ({marks}) ORDER BY"
            " ruling_key, position",
            keys,
        ):
            texts.setdefault(key, []).append(StoredText(lang, title, body))
        asked_as: dict[str, dict[str, tuple[str, ...]]] = {}
        for key, lang, question in self._all(
            f"SELECT ruling_key, lang, text FROM question WHERE ruling_key IN ({marks})"
            " ORDER BY ruling_key, position",
            keys,
        ):
            by_language = asked_as.setdefault(key, {})
            by_language[lang] = (*by_language.get(lang, ()), question)
        lists: dict[tuple[str, str], list[str]] = {}
        for sql in (
            "SELECT ruling_key, 'topics', topic_id FROM ruling_topic WHERE ruling_key IN ({}) ORDER"
            " BY position",
            "SELECT ruling_key, 'sources', source_id || '#' || provision FROM citation"
            " WHERE ruling_key IN ({}) ORDER BY position",
            "SELECT ruling_key, CASE about WHEN 1 THEN 'about' ELSE 'mentioned' END, label FROM"
            " mention"
            " WHERE ruling_key IN ({}) ORDER BY position",
            "SELECT ruling_key, name, target FROM relation WHERE ruling_key IN ({}) ORDER BY name,"
            " position",
        ):
            for key, name, value in self._all(sql.format(marks), keys):
                lists.setdefault((key, name), []).append(value)
        for key, ruling_id, game, path, begins, ends, *values in heads:
            fields: dict[str, Any] = {name: tuple(lists.get((key, name), ())) for name in _LISTS}
            about, mentioned = fields["about"], fields.pop("mentioned")
            sources = tuple(map(Citation.from_json, fields.pop("sources")))
            yield StoredRuling(
                id=ruling_id,
                game=game,
                path=path,
                begins=begins,
                ends=ends,
                cards=(*about, *mentioned),
                sources=sources,
                texts=tuple(texts.get(key, ())),
                asked_as=asked_as.get(key, {}),
                **fields,
                **_header_values(values),
            )

    def cards(self, game: str | None = None) -> Iterator[StoredCard]:
        """The cards of a game, or of all, in the order of their catalogues."""
        sql = (
            "SELECT game_id, name, version, label, sets, type, side, subtypes, other_names,"
            " keywords FROM card"
        )
        rows = (
            self._all(f"{sql} WHERE game_id = ? ORDER BY position", (game,))
            if game
            else self._all(f"{sql} ORDER BY game_id, position")
        )
        for game_id, name, version, label, sets, kind, side, subtypes, other, keywords in rows:
            yield StoredCard(
                game_id,
                name,
                version,
                label,
                _texts(sets),
                kind,
                side,
                subtypes,
                _texts(other),
                _texts(keywords),
            )

    def card_names(self) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
        """The game, name, label and other names of every card, in the order of `cards`."""
        sql = "SELECT game_id, name, label, other_names FROM card ORDER BY game_id, position"
        for game_id, name, label, other in self._all(sql):
            yield game_id, name, label, _texts(other)

    def terms(self, game: str) -> list[StoredTerm]:
        """The terms of a game, in their order."""
        rows = self._all(
            "SELECT id, names, meanings FROM term WHERE game_id = ? ORDER BY position", (game,)
        )
        return [
            StoredTerm(
                row[0],
                {lang: tuple(names) for lang, names in json.loads(row[1]).items()},
                json.loads(row[2]),
            )
            for row in rows
        ]

    def rulings_on(self, game: str, labels: Iterable[str]) -> tuple[list[str], list[str]]:
        """Return the ids of rulings about any of these cards, and of those that mention them."""
        names = list(labels)
        rows = self._all(
            "SELECT r.id, max(m.about) FROM mention m JOIN ruling r ON r.key = m.ruling_key"
            f" WHERE m.game_id = ? AND m.label IN ({','.join('?' * len(names))}) GROUP BY r.id"
            " ORDER BY r.id",
            (game, *names),
        )
        return [row[0] for row in rows if int(row[1])], [row[0] for row in rows if not int(row[1])]

    def not_cards(self, game: str) -> tuple[str, ...]:
        """The words that look like a card's name in a game and are not."""
        rows = self._all("SELECT not_cards FROM game WHERE id = ?", (game,))
        return tuple(json.loads(rows[0][0])) if rows else ()

    def provisions(self) -> dict[str, tuple[str, ...]]:
        """Return the provisions of each source, `document#provision`, by source id, in order."""
        rows = self._all("SELECT id, provisions FROM source ORDER BY game_id, position")
        return {
            row[0]: tuple(f"{row[0]}#{provision}" for provision in json.loads(row[1]))
            for row in rows
        }


def _header_values(row: list[Any]) -> dict[str, Any]:
    return {
        field.name: value if field.shape == "single" else field.from_json(json.loads(value))
        for field, value in zip(COLUMNS, row, strict=True)
    }


_LISTS = (
    "topics",
    "about",
    "mentioned",
    "sources",
    "supersedes",
    "superseded_by",
    "related",
    "example_of",
    "examples",
    "overrides",
)
