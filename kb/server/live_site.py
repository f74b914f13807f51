"""The watched records in memory, read once for services and for pages on request.

The code of the build renders each page that is asked for, with the word forms of the last build.
Its search index and the pages that name files of the index come from the last build.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from kb.core import urls
from kb.core.problems import KbError, NotBuilt
from kb.language import FORMS_FILE, FormTable
from kb.linking.autolink import linked
from kb.pipeline.build import read_history
from kb.pipeline.inputs import build_date, head_revision
from kb.pipeline.paths import Paths, find_templates
from kb.records.library import Library, ReadFiles, load
from kb.records.model import Game, Ruling
from kb.records.site_config import SiteFiles, read_site_files
from kb.server.pages import FolderFiles
from kb.server.responses import SiteFile
from kb.site.overview import NAMING_PAGES
from kb.site.pages import Page
from kb.site.settings import History, SiteOptions, SiteSettings
from kb.site.site_pages import SitePages
from kb.site.templates import Templates


class LiveSite:
    """The current records, with their pages by the files of their addresses.

    `site`: the folder of the built site.
    """

    def __init__(self, paths: Paths, site: Path) -> None:
        self.paths, self.site = paths, site
        self._built = FolderFiles(site)
        # The first guards the records, the second the pages and their word forms. Take them in this
        # order.
        self._lock, self._page_lock = threading.RLock(), threading.Lock()
        self._files = ReadFiles()
        self._library: Library | None = None
        # The last records without problems.
        self._records: tuple[Library, SiteFiles] | None = None
        self._links: _Links | None = None
        self._history: tuple[str, History] = "", History()
        self._state: object = None
        self._pages: SitePages | None = None

    def library(self) -> Library:
        """Return the records, with those that have problems. Raises KbError without any."""
        with self._lock:
            if self._library is None:
                self._library = load(self.paths.rulings, known=self._files)
            return self._library

    def invalidate(self) -> None:
        """Read the changed files again at the next use."""
        with self._lock:
            self._library = None

    @contextmanager
    def forms(self) -> Iterator[FormTable | None]:
        """Lend the word forms of the last build; None before the first build."""
        with self._lock, self._page_lock:
            self._links = self._links or _current_links(self.paths, None)
            yield self._links.table if self._links else None

    def reload(self) -> bool:
        """Read the records again; return whether pages differ and can be shown.

        Raises KbError for records that have problems or cannot be read; the pages stay unchanged.
        """
        with self._lock:
            self.invalidate()
            library = self.library()
            own = read_site_files(self.paths.rulings, library.games)
            problems = (*library.problems, *own.problems)
            if problems:
                raise KbError("the records have problems", problems)
            self._records = library, own
            templates = find_templates(self.paths.rulings)
            can_be_shown = self._render_with_current_forms(templates)
            state = library.checksums, own.checksums, templates.status()
            differs, self._state = state != self._state, state
            return can_be_shown and differs

    def _render_with_current_forms(self, templates: Templates) -> bool:
        """Use the word forms of the last build; return whether there is one."""
        old = self._links
        links = _current_links(self.paths, old)
        if self._records is None or links is None:
            return False
        library, own = self._records
        revision = head_revision(self.paths.rulings)
        if self._history[0] != revision:
            self._history = revision, read_history(self.paths.rulings)
        # All texts are linked again after a build. Pages need not wait for that, because they use
        # the word forms of the build before.
        with self._page_lock if links is old else nullcontext():
            library = links.link(library)
        settings = SiteSettings(templates, SiteOptions(), own, self._history[1], build_date())
        pages = SitePages(library, links.table, settings)
        with self._page_lock:
            self._links, self._pages = links, pages
            if old and old is not links:
                old.table.close()
        return True

    def get(self, path: str) -> SiteFile | None:
        """Return a page of the records in memory, else a file of the last build."""
        try:
            data = self.rendered(path)
        except (KeyError, KbError):
            # A build reports a broken template.
            return self._built.get(path)
        return SiteFile.from_bytes(path, data)

    def rendered(self, path: str) -> bytes:
        """Return a file. Raises KeyError for one that only a build makes."""
        with self._page_lock:
            pages = self._pages
            if pages is None:
                raise KeyError(path)
            if path in pages.static:
                return pages.static[path]
            page, lang = _source(pages, path)
            if page is None:
                raise KeyError(path)
            data = page.collect()
            if path.endswith(".html"):
                return pages.html(page, data, lang)
            return dict(pages.beside(page.address, data))[path]


def names_scripts(path: str) -> bool:
    """Return whether a page, in any language, names files of the search index."""
    return path in NAMING_PAGES or path.partition("/")[2] in NAMING_PAGES


def _source(pages: SitePages, path: str) -> tuple[Page | None, str]:
    """Return the page of an HTML file or of its data, and its language."""
    folder, _, name = path.rpartition("/")
    address = path if name.endswith(".html") else f"{folder}/{urls.HOME}".removeprefix("/")
    first, _, rest = address.partition("/")
    if first != "en" and first in pages.context.languages_of(rest) and rest in pages.sources:
        return pages.sources[rest], first
    return pages.sources.get(address), "en"


class _Links:
    """Links the cards that rulings name, by the word forms of one build."""

    def __init__(self, build: Path) -> None:
        self.build = build
        self.table = FormTable(build / FORMS_FILE)
        # As they were last read, and linked.
        self._games: Mapping[str, Game] = {}
        self._rulings: Mapping[str, Ruling] = {}
        self._linked: dict[str, Ruling] = {}

    def link(self, library: Library) -> Library:
        """Return the library with its links; only new and changed rulings are searched."""
        new = [
            key
            for key, ruling in library.rulings.items()
            if self._rulings.get(key) is not ruling
            or self._games.get(ruling.game) is not library.games[ruling.game]
        ]
        links = {**self._linked, **{each.key: each for each in linked(library, self.table, new)}}
        self._linked = {key: links[key] for key in library.rulings}
        self._games, self._rulings = library.games, library.rulings
        return replace(library, rulings=self._linked)


def _current_links(paths: Paths, links: _Links | None) -> _Links | None:
    """Return `links` if they are of the current build, else new ones; None without a build."""
    try:
        build = paths.current
        return links if links and links.build == build else _Links(build)
    except NotBuilt:
        return links
