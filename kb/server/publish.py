"""`kb publish`: the current build and its site into PostgreSQL, for readers on any machine."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.build.paths import Paths
from kb.core import urls
from kb.core.problems import KbError, NotBuilt
from kb.postgres.index import FORMS
from kb.postgres.store import Content, Load
from kb.postgres.store import publish as load
from kb.server.static import media_type, packed


@dataclass(frozen=True)
class Published:
    """What was published: the number of the build in the database, and how many files its site has."""

    build: int
    files: int


def publish(places: Paths, url: str, site: Path | None) -> Published:
    """Loads the current build, and the site in the folder `site`, and makes them what readers see.

    Raises KbError when there is no build that can be published, or the server refuses.
    """
    from kb.search.engines.base import chosen
    from kb.search.engines.database import words

    try:
        folder = places.current
        if chosen(folder) != "database":
            raise KbError(
                "what is published is the index of the engine database; kb build --engine database makes it"
            )
    except NotBuilt as error:
        raise KbError(f"{error}; kb build --engine database makes what is published") from None
    if site is not None and not (site / urls.HOME).is_file():
        raise KbError(f"no site in {site}; kb build makes one, --site names another folder")
    files = [] if site is None else sorted(path for path in site.rglob("[!.]*") if path.is_file())
    about = {"site": _stamp(site) if site else ""}

    def contents() -> Iterator[Content]:
        yield packed_forms(folder)
        for path in files:
            yield _content(path.relative_to(site or path.parent).as_posix(), path.read_bytes())

    return Published(
        load(url, Load(folder / "kb.sqlite", about, words(folder), contents())), len(files)
    )


def packed_forms(folder: Path) -> Content:
    """The table of forms of a build, which readers fetch once."""
    forms = (folder / "forms.sqlite").read_bytes()
    return Content(
        FORMS,
        "application/vnd.sqlite3",
        len(forms),
        _hash(forms),
        True,
        gzip.compress(forms, 6, mtime=0),
    )


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _content(address: str, body: bytes) -> Content:
    media = media_type(address)
    short = packed(body, media)
    return Content(address, media, len(body), _hash(body), short is not None, short or body)


def _stamp(site: Path) -> str:
    """What the site says of the build that made it."""
    try:
        return str(json.loads((site / "build.json").read_text(encoding="utf-8"))["build"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
