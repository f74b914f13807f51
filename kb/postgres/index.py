"""Searching a build that is published in PostgreSQL: store and index are read there, the table of forms is fetched once."""

from __future__ import annotations

import gzip
import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from kb.core.problems import NotBuilt
from kb.language import FormTable
from kb.postgres.connection import PostgresConnection, read_file
from kb.search.engines.database import DatabaseIndex
from kb.search.engines.posting_tables import PostingRows
from kb.search.searcher import Searcher
from kb.store.queries import Store

# Where the table of forms lies among a build's files: at an address that no server gives out.
FORMS = "/forms.sqlite"


def open_published(url: str, build: int | None = None) -> Searcher:
    """A searcher over the build of a number, or the current one.

    Raises NotBuilt where nothing is published or the build is gone, KbError where there is no server.
    """
    connection = PostgresConnection(url, build)
    try:
        return Searcher.over(
            Store(connection),
            FormTable.open(forms(connection)),
            DatabaseIndex(PostingRows(connection)),
        )
    except BaseException:
        connection.close()
        raise


def forms(connection: PostgresConnection) -> Path:
    """The file of a build's table of forms, kept in the user's cache by its hash. Raises NotBuilt when the build has none."""
    rows = connection.all("SELECT sha256 FROM page WHERE path = ?", (FORMS,))
    if not rows:
        raise NotBuilt("the build in the database has no table of forms")
    digest = str(rows[0][0])
    place = _cache() / f"forms-{digest}.sqlite"
    if not place.is_file() or hashlib.sha256(place.read_bytes()).hexdigest() != digest:
        found = read_file(connection, FORMS)
        if found is None:
            raise NotBuilt("the build in the database has no table of forms")
        _keep(place, gzip.decompress(found.body) if found.gzipped else found.body)
    return place


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kb" / "published"


def _keep(place: Path, data: bytes) -> None:
    """Writes a file whole, and forgets those that nobody has opened for long."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
        file.write(data)
    Path(file.name).replace(place)
    others = sorted(
        place.parent.glob("forms-*.sqlite"), key=lambda one: one.stat().st_mtime, reverse=True
    )
    for old in others[KEPT:]:
        with suppress(OSError):
            old.unlink()


# So many tables of forms are kept.
KEPT = 4
