"""Search a build that is published in PostgreSQL, with a copy of its form table."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Engine

from kb.core.files import user_cache, write_file
from kb.core.problems import NotBuilt
from kb.language import FormTable
from kb.postgres.connection import (
    build_engine,
    current_build,
    file_digest,
    read_file,
    reading_engine,
)
from kb.search.engines.database import DatabaseIndex
from kb.search.searcher import Searcher
from kb.store.queries import Store

# The form table among a build's files, at an address that no server serves.
FORMS = "/forms.sqlite"
# Copies of form tables that are kept.
_KEPT = 4


def open_published(url: str, build: int | None = None) -> Searcher:
    """Return a searcher of the build with a number, or of the current build.

    Raises NotBuilt without that build, KbError without a server.
    """
    engine = open_build(url, build)
    try:
        return Searcher.over(open_forms(engine), DatabaseIndex(Store(engine)))
    except BaseException:
        engine.dispose()
        raise


def open_build(url: str, build: int | None = None) -> Engine:
    """Return an engine that reads the build with a number, or the current build."""
    engine = reading_engine(url)
    return build_engine(engine, current_build(engine) if build is None else build)


def open_forms(engine: Engine) -> FormTable:
    """Open the form table of a build, copied to the user's cache under its hash.

    Raises NotBuilt when the build has none.
    """
    digest = file_digest(engine, FORMS)
    place = user_cache() / "published" / f"forms-{digest}.sqlite"
    if not place.is_file() or hashlib.sha256(place.read_bytes()).hexdigest() != digest:
        stored = read_file(engine, FORMS)
        if stored is None:
            raise NotBuilt("the build in the database has no table of forms")
        _keep(place, stored[1])
    return FormTable(place)


def _keep(place: Path, data: bytes) -> None:
    """Write a copy, and remove the oldest copies."""
    place.parent.mkdir(parents=True, exist_ok=True)
    write_file(place, data)
    tables = place.parent.glob("forms-*.sqlite")
    for old in sorted(tables, key=lambda path: path.stat().st_mtime, reverse=True)[_KEPT:]:
        with suppress(OSError):
            old.unlink()
