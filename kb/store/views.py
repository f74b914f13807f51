"""Views, full-text search and descriptions of an exported store."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from kb.core import urls
from kb.core.json import Json
from kb.records.fields import FIELDS

# The first paragraph, up to an empty line.
_ANSWER = "substr(t.body, 1, instr(t.body||char(10)||char(10), char(10)||char(10)) - 1)"
_URL = urls.ruling("'||r.game_id||'", "'||r.id||'")
_HEAD = "r.key, r.game_id, r.id, r.kind, r.authority, r.status, r.date"


def _list(columns: str, table: str) -> str:
    return (
        f"(SELECT json_group_array(value) FROM (SELECT {columns} AS value FROM {table} x"
        " WHERE x.ruling_key = r.key ORDER BY x.position))"
    )


_LISTS = ", ".join(
    (
        _list("x.topic_id", "ruling_topic"),
        _list("x.label", "mention"),
        _list("x.source_id||'#'||x.provision", "citation"),
    )
)
_VIEWS = {
    "rulings": (
        f"SELECT {_HEAD}, t.lang, t.title, {_ANSWER}, {_LISTS},"
        f" '{_URL}' FROM ruling r JOIN text t ON t.ruling_key = r.key AND t.position = 0"
    ),
    "ruling_texts": (
        "SELECT t.rowid, r.key, r.game_id, r.id, t.lang, r.kind, r.authority,"
        f" r.status, t.title, t.body, '{_URL}'"
        " FROM text t JOIN ruling r ON r.key = t.ruling_key"
    ),
    "card_rulings": (
        "SELECT m.game_id, m.label, m.about, r.key, r.kind, r.authority, r.status,"
        " t.title FROM mention m JOIN ruling r ON r.key = m.ruling_key"
        " JOIN text t ON t.ruling_key = r.key AND t.position = 0"
    ),
}
_VIEW_COLUMNS = {
    "rulings": (
        "key game id kind authority status date lang title answer topics cards sources url".split()
    ),
    "ruling_texts": "text_id key game id lang kind authority status title text url".split(),
    "card_rulings": "game card about key kind authority status title".split(),
}
_PURPOSES = {
    "rulings": "Every ruling in its original language",
    "ruling_texts": "Every ruling in every language, with full-text search",
    "card_rulings": "Cards and the rulings about them (about = 1) or that mention them (0)",
}
_COLUMNS = {
    "key": "game/id",
    "lang": "The language of the title and the text",
    "answer": "The first paragraph of the text",
    "card": "The label of a card: its name, and its version where it has one",
    "about": "1 where the ruling is about the card, 0 where it only mentions it",
    "text_id": "The row of the text",
}
_FACETS = {
    "rulings": ["game", "kind", "authority", "status", {"array": "topics"}],
    "ruling_texts": ["game", "lang", "kind", "authority", "status"],
    "card_rulings": ["game", "authority"],
}


def add_views(path: Path, about: Mapping[str, str]) -> None:
    """Add the views, a full-text index and the table `description` to a store, and fill `about`."""
    with closing(sqlite3.connect(path)) as db, db:
        for name, select in _VIEWS.items():
            db.execute(f"CREATE VIEW {name} ({', '.join(_VIEW_COLUMNS[name])}) AS {select}")
        db.execute(
            "CREATE VIRTUAL TABLE text_fts USING fts5(title, body, content='text',"
            " tokenize='unicode61 remove_diacritics 2')"
        )
        db.execute("INSERT INTO text_fts(text_fts) VALUES ('rebuild')")
        db.execute("DELETE FROM about")
        db.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        db.execute(
            "CREATE TABLE description (relation TEXT, name TEXT, description TEXT,"
            " PRIMARY KEY (relation, name))"
        )
        for view in _VIEWS:
            rows = [(view, "", _PURPOSES[view])]
            rows += [(view, column, described(column)) for column in _VIEW_COLUMNS[view]]
            db.executemany("INSERT INTO description VALUES (?, ?, ?)", rows)


def described(column: str) -> str:
    """Return the description of a column."""
    fields = {field.name: field.description for field in FIELDS}
    return _COLUMNS.get(column) or fields.get(column, "")


def datasette_metadata(about: Mapping[str, str]) -> Json:
    """Return metadata with which Datasette shows the views with facets and full-text search."""
    tables: Json = {
        name: {
            "description": _PURPOSES[name],
            "facets": _FACETS[name],
            "columns": {column: described(column) for column in _VIEW_COLUMNS[name]},
        }
        for name in _VIEWS
    }
    tables["ruling_texts"] |= {"fts_table": "text_fts", "fts_pk": "text_id"}
    return {
        "title": about["title"],
        "description": f"Build {about['build']}, {about['date']}",
        "license": about["licence"],
        "databases": {"rulings": {"tables": tables}},
    }
