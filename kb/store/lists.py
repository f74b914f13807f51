"""Lists of rulings, topics and sources, a page at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlmodel import col, func, select

from kb.records.fields import VALUE_FIELDS
from kb.records.validity import OUT_OF_FORCE, standing
from kb.store.queries import Store, select_of_game
from kb.store.tables import (
    CitationRow,
    MentionRow,
    RulingRow,
    RulingTopicRow,
    SourceRow,
    TextRow,
    TopicRow,
)


def ruling_keys(
    store: Store, filters: Mapping[str, str | None], limit: int, offset: int
) -> tuple[int, list[str]]:
    """Return the number of rulings in a list, and one page of their keys `game/id`, sorted.

    `filters`: values by filter, empty ones match all; `source` is a document or
    `document#provision`, `card` a label.
    """
    clauses = [_clause(name, value) for name, value in filters.items() if value]
    keys = select(RulingRow.key).where(*clauses).order_by(RulingRow.key)
    total = select(func.count()).select_from(RulingRow).where(*clauses)
    return store.all(total)[0], list(store.all(keys.limit(limit).offset(offset)))


def _clause(name: str, value: str) -> Any:
    if name == "game":
        return RulingRow.game_id == value
    if name == "topic":
        return col(RulingRow.topics).any(col(RulingTopicRow.topic_id) == value)
    if name == "lang":
        return col(RulingRow.texts).any(col(TextRow.lang) == value)
    if name == "card":
        return col(RulingRow.mentions).any(col(MentionRow.label) == value)
    if name == "source":
        source, mark, provision = value.partition("#")
        cited = col(CitationRow.source_id) == source
        return col(RulingRow.sources).any(
            cited & (CitationRow.provision == provision) if mark else cited
        )
    return getattr(RulingRow, VALUE_FIELDS[name].name) == value


def titles_and_cards(
    store: Store, game: str
) -> Iterator[tuple[str, str, dict[str, str], dict[str, bool]]]:
    """Yield id, kind, titles by language and cards of a game's rulings in force, by id.

    Cards are labels: first the cards that a ruling is about (True), then others (False).
    """
    titles: dict[str, dict[str, str]] = defaultdict(dict)
    cards: dict[str, dict[str, bool]] = defaultdict(dict)
    for key, lang, title in store.all(
        select(TextRow.ruling_key, TextRow.lang, TextRow.title)
        .join(RulingRow)
        .where(RulingRow.game_id == game)
        .order_by(col(TextRow.position))
    ):
        titles[key][lang] = title
    for key, label, about in store.all(
        select(MentionRow.ruling_key, MentionRow.label, MentionRow.about)
        .where(MentionRow.game_id == game)
        .order_by(col(MentionRow.position))
    ):
        cards[key][label] = bool(about)
    rulings = select(RulingRow).where(RulingRow.game_id == game).order_by(RulingRow.key)
    for row in store.all(rulings):
        if standing(row.status, row.begins, row.ends) not in OUT_OF_FORCE:
            yield row.id, row.kind, titles[row.key], cards[row.key]


def ruling_counts(store: Store) -> dict[str, int]:
    """Return the number of rulings of each game."""
    return dict(store.all(select(RulingRow.game_id, func.count()).group_by(RulingRow.game_id)))


def ruling_dates(store: Store) -> list[tuple[str, str | None, str]]:
    """Return the keys of all rulings with `date` and the `since` of their validity."""
    return [*store.all(select(RulingRow.key, RulingRow.date, RulingRow.since))]


def topics(store: Store, game: str = "") -> list[dict[str, Any]]:
    """Return the topics of a game, or of all games, with their numbers of rulings."""
    topics = select(RulingRow.game_id, RulingTopicRow.topic_id).join(RulingTopicRow)
    counts = Counter(store.all(topics))
    return [
        {
            "game": row.game_id,
            "id": row.id,
            "title": row.titles,
            "rulings": counts[row.game_id, row.id],
        }
        for row in store.all(select_of_game(TopicRow, game))
    ]


# The columns of a source in lists under their own names, in the order of the table.
_FACTS = [
    name
    for name in SourceRow.model_fields
    if name not in ("game_id", "id", "position", "titles", "provisions")
]


def sources(store: Store, game: str = "") -> list[dict[str, Any]]:
    """Return the documents of a game, or of all games.

    `provisions` maps each provision to the keys of the rulings that cite it.
    """
    cited: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for owner, source, provision, key in store.all(
        select(RulingRow.game_id, CitationRow.source_id, CitationRow.provision, RulingRow.key)
        .join(CitationRow)
        .order_by(RulingRow.key)
    ):
        cited[owner, source, provision].append(key)
    return [
        {
            "game": row.game_id,
            "id": row.id,
            "title": row.titles,
            **{name: getattr(row, name) for name in _FACTS if getattr(row, name) is not None},
            "provisions": {
                provision: cited[row.game_id, row.id, provision] for provision in row.provisions
            },
        }
        for row in store.all(select_of_game(SourceRow, game))
    ]


def documents(store: Store, game: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return documents of a game by id, each with the values of a `Document` of kb.serialize."""
    rows = select(SourceRow).where(SourceRow.game_id == game, col(SourceRow.id).in_(list(ids)))
    facts = {"id", "author", "publisher", "published", "url"}
    return [{"title": row.titles, **row.model_dump(include=facts)} for row in store.all(rows)]
