"""`kb publish`: the current build and its site into PostgreSQL, for readers on any machine."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.core import urls
from kb.core.media import compress, media_type
from kb.core.problems import KbError, NotBuilt
from kb.pipeline.own_files import own_files
from kb.pipeline.paths import Paths
from kb.postgres.connection import StoredFile
from kb.postgres.index import FORMS
from kb.postgres.load import BuildToLoad, load_build

_WRONG_ENGINE = (
    "only an index of the engine `database` can be published; run `kb build --engine database`"
)


@dataclass(frozen=True)
class Published:
    """What was published: the number of the build in the database, and the files of its site."""

    build: int
    files: int


def publish(paths: Paths, url: str, site: Path | None) -> Published:
    """Load the current build, and the site in a folder, and make them what readers see.

    Raises KbError when there is no build that can be published, or the server refuses.
    """
    from kb.search.engines.database import words

    folder = _build_folder(paths)
    if site is not None and not (site / urls.HOME).is_file():
        raise KbError(f"no site in {site}: run `kb build`, or name its folder with --site")
    files = [] if site is None else _own_files(site)

    def stored_files() -> Iterator[StoredFile]:
        yield forms_file(folder)
        for path in files:
            yield _site_file(path.relative_to(site or path.parent).as_posix(), path.read_bytes())

    about = {"site": _build_id(site) if site else ""}
    build = BuildToLoad(folder / "kb.sqlite", about, words(folder), stored_files())
    return Published(load_build(url, build), len(files))


def _build_folder(paths: Paths) -> Path:
    from kb.search.engines.choice import chosen

    try:
        folder = paths.current
        engine = chosen(folder)
    except NotBuilt as error:
        raise KbError(f"{error}; {_WRONG_ENGINE}") from None
    if engine != "database":
        raise KbError(_WRONG_ENGINE)
    return folder


def _own_files(site: Path) -> list[Path]:
    """The files of a site that its build wrote; others, such as .git, are nobody's to read."""
    own = own_files(site)
    if own is None:
        raise KbError(f"{site}: has no list of its files; run `kb build`")
    return sorted(site / path for path in own)


def forms_file(folder: Path) -> StoredFile:
    """Return the table of word forms of a build, which every reader fetches once."""
    forms = (folder / "forms.sqlite").read_bytes()
    return StoredFile(
        FORMS,
        "application/vnd.sqlite3",
        len(forms),
        _sha256(forms),
        True,
        gzip.compress(forms, 6, mtime=0),
    )


def _site_file(path: str, body: bytes) -> StoredFile:
    media = media_type(path)
    compressed = compress(body, media)
    gzipped = compressed is not None
    return StoredFile(path, media, len(body), _sha256(body), gzipped, compressed or body)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _build_id(site: Path) -> str:
    """Return the id of the build that made a site, empty where it does not say."""
    try:
        return str(json.loads((site / "build.json").read_text(encoding="utf-8"))["build"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
