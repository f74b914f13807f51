"""Pages that are open, and what the build under way has for them before it is published."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.core import urls
from kb.server.site_files import SiteFile, SiteFiles, is_safe_path

# A page asks for the state again after so many seconds at most; without that nobody looks at it.
OPEN = 5.0
# Pages that are shown early, those that asked last.
_MOST = 20


def page_file(path: str) -> str:
    """The file of a page at a path of the site."""
    file = path.removeprefix("/")
    return file + urls.HOME if not file or file.endswith("/") else file


class OpenPages:
    """The pages of the site that somebody looks at."""

    def __init__(self) -> None:
        self._asked: dict[str, float] = {}

    def note(self, path: str) -> None:
        """Note that the page at a path has asked for the state."""
        file = page_file(path)
        if is_safe_path(file):
            self._asked.pop(file, None)
            self._asked[file] = time.monotonic()
        for known in list(self._asked)[:-_MOST]:
            del self._asked[known]

    def files(self) -> list[str]:
        """The files of the pages that are open now."""
        now = time.monotonic()
        return [file for file, asked in list(self._asked.items()) if now - asked < OPEN]


@dataclass(frozen=True)
class _Early:
    """Files of the build that will have a revision; None for those that it will not have."""

    revision: int = 0
    files: Mapping[str, SiteFile | None] = field(default_factory=dict)


class EarlyFiles:
    """The files of a site, those of the build under way where they are known."""

    def __init__(self, files: SiteFiles) -> None:
        self._files = files
        self._early = _Early()

    def show(self, revision: int, files: Mapping[str, bytes | None]) -> None:
        """Serve files of the build that will have a revision, until `clear` is called."""
        self._early = _Early(
            revision,
            {
                path: None if data is None else SiteFile.from_bytes(path, data)
                for path, data in files.items()
            },
        )

    def clear(self) -> None:
        """Serve the files of the last build alone."""
        self._early = _Early()

    def revision(self, path: str) -> int | None:
        """The revision of a file that is shown early, None for any other."""
        early = self._early
        return early.revision if path in early.files else None

    def cached(self, path: str) -> SiteFile | None:
        early = self._early.files
        return early[path] if path in early else self._files.cached(path)

    def get(self, path: str) -> SiteFile | None:
        early = self._early.files
        return early[path] if path in early else self._files.get(path)
