"""SELECTs behind lists of rulings, topics and sources, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from kb.store.queries import Store


@dataclass(frozen=True)
class RulingFilter:
    """Which rulings a list has; empty conditions let all pass.

    `source` is a document or `document#provision`, `card` a label.
    """

    game: str = ""
    topic: str = ""
    kind: str = ""
    authority: str = ""
    status: str = ""
    lang: str = ""
    source: str = ""
    card: str = ""


_RULING_COLUMNS = {"game": "game_id", "kind": "kind", "authority": "authority", "status": "status"}
_SUBQUERIES = {
    "topic": "SELECT 1 FROM ruling_topic t WHERE t.ruling_key = r.key AND t.topic_id = ?",
    "lang": "SELECT 1 FROM text t WHERE t.ruling_key = r.key AND t.lang = ?",
    "card": "SELECT 1 FROM mention m WHERE m.ruling_key = r.key AND m.label = ?",
}


def ruling_keys(
    store: Store, wanted: RulingFilter, limit: int, offset: int
) -> tuple[int, list[str]]:
    """How many rulings a list has, and the keys `game/id` of a page of it, by key."""
    conditions: list[str] = []
    values: list[object] = []
    for condition in fields(wanted):
        value = getattr(wanted, condition.name)
        if not value:
            continue
        if condition.name == "source":
            source, mark, provision = value.partition("#")
            cited = "SELECT 1 FROM citation c WHERE c.ruling_key = r.key AND c.source_id = ?"
            conditions.append(f"EXISTS ({cited}{' AND c.provision = ?' if mark else ''})")
            values += [source, provision] if mark else [source]
            continue
        conditions.append(
            f"r.{_RULING_COLUMNS[condition.name]} = ?"
            if condition.name in _RULING_COLUMNS
            else f"EXISTS ({_SUBQUERIES[condition.name]})"
        )
        values.append(value)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    total = int(store._all(f"SELECT count(*) FROM ruling r{where}", values)[0][0])
    rows = store._all(
        f"SELECT r.key FROM ruling r{where} ORDER BY r.key LIMIT ? OFFSET ?",
        (*values, limit, offset),
    )
    return total, [row[0] for row in rows]


def current_id(store: Store, game: str, former: str) -> str:
    """The id of the ruling of a game that once had another id; empty when there is none."""
    rows = store._all("SELECT ruling_key FROM former WHERE game_id = ? AND id = ?", (game, former))
    return rows[0][0].partition("/")[2] if rows else ""


def ruling_ids(store: Store, game: str) -> list[str]:
    """The ids of a game's rulings, in order."""
    return [
        row[0] for row in store._all("SELECT id FROM ruling WHERE game_id = ? ORDER BY id", (game,))
    ]


def titles_and_cards(
    store: Store, game: str, exclude: Collection[str]
) -> Iterator[tuple[str, str, dict[str, str], dict[str, bool]]]:
    """Yield id, kind, titles by language and cards of a game's rulings, by id.

    Cards are labels, those that a ruling is about (True) first. `exclude`: statuses.
    """
    titles: dict[str, dict[str, str]] = {}
    cards: dict[str, dict[str, bool]] = {}
    joined = "JOIN ruling r ON r.key = x.ruling_key WHERE r.game_id = ?"
    for key, lang, title in store._all(
        f"SELECT x.ruling_key, x.lang, x.title FROM text x {joined} ORDER BY x.position", (game,)
    ):
        titles.setdefault(key, {})[lang] = title
    for key, label, about in store._all(
        f"SELECT x.ruling_key, x.label, x.about FROM mention x {joined} ORDER BY x.position",
        (game,),
    ):
        cards.setdefault(key, {})[label] = bool(int(about))
    for key, ruling_id, kind, status in store._all(
        "SELECT key, id, kind, status FROM ruling WHERE game_id = ? ORDER BY key", (game,)
    ):
        if status not in exclude:
            yield ruling_id, kind, titles.get(key, {}), cards.get(key, {})


def ruling_counts(store: Store) -> dict[str, int]:
    """Return how many rulings each game has."""
    rows = store._all("SELECT game_id, count(*) FROM ruling GROUP BY game_id")
    return {row[0]: int(row[1]) for row in rows}


def dated_rulings(store: Store) -> list[tuple[str, str]]:
    """Return the keys of dated rulings with the later of date and first day; newest first."""
    rows = store._all(
        "SELECT key, date, effective FROM ruling WHERE date IS NOT NULL OR effective IS NOT NULL"
    )
    dated = [(row[0], max(row[1] or "", row[2] or "")) for row in rows]
    return sorted(dated, key=lambda row: (row[1], row[0]), reverse=True)


def topics(store: Store, game: str = "") -> list[dict[str, Any]]:
    """Return the topics of a game, or of all, in their order.

    Each has its game, id, titles by language and number of rulings.
    """
    where, values = (" WHERE t.game_id = ?", (game,)) if game else ("", ())
    rows = store._all(
        "SELECT t.game_id, t.id, t.titles, (SELECT count(*) FROM ruling_topic x JOIN ruling r ON"
        " r.key = x.ruling_key"
        f" WHERE x.topic_id = t.id AND r.game_id = t.game_id) FROM topic t{where} ORDER BY"
        " t.game_id, t.position",
        values,
    )
    return [
        {"game": row[0], "id": row[1], "title": json.loads(row[2]), "rulings": int(row[3])}
        for row in rows
    ]


_SOURCE_COLUMNS = (
    "kind",
    "language",
    "author",
    "translator",
    "publisher",
    "authority",
    "published",
    "edition",
    "url",
    "licence",
)


def sources(store: Store, game: str = "") -> list[dict[str, Any]]:
    """Return the documents of a game, or of all, in their order.

    `provisions` maps each to the keys of the rulings that cite it.
    """
    where, values = (" WHERE game_id = ?", (game,)) if game else ("", ())
    rows = store._all(
        f"SELECT game_id, id, titles, overrides, provisions, {', '.join(_SOURCE_COLUMNS)} FROM"
        f" source{where} ORDER BY game_id, position",
        values,
    )
    cited: dict[tuple[str, str, str], list[str]] = {}
    for owner, source, provision, key in store._all(
        "SELECT r.game_id, c.source_id, c.provision, r.key FROM citation c JOIN ruling r ON r.key ="
        " c.ruling_key"
        f"{' WHERE r.game_id = ?' if game else ''} ORDER BY r.key",
        values,
    ):
        cited.setdefault((owner, source, provision), []).append(key)
    return [
        {
            "game": row[0],
            "id": row[1],
            "title": json.loads(row[2]),
            **{
                name: value
                for name, value in zip(_SOURCE_COLUMNS, row[5:], strict=True)
                if value is not None
            },
            "overrides": json.loads(row[3]),
            "provisions": {
                provision: cited.get((row[0], row[1], provision), [])
                for provision in json.loads(row[4])
            },
        }
        for row in rows
    ]


_DOCUMENT_COLUMNS = ("author", "publisher", "published", "url")


def documents(store: Store, game: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the documents of a game with these ids, each as a `Document` of kb.serialize has it.

    `title` is by language.
    """
    if not ids:
        return []
    rows = store._all(
        f"SELECT id, titles, {', '.join(_DOCUMENT_COLUMNS)} FROM source"
        f" WHERE game_id = ? AND id IN ({','.join('?' * len(ids))})",
        (game, *ids),
    )
    return [
        {
            "id": row[0],
            "title": json.loads(row[1]),
            **dict(zip(_DOCUMENT_COLUMNS, row[2:], strict=True)),
        }
        for row in rows
    ]
