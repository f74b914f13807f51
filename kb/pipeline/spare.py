"""The site before the last one, kept to become the next one: in a staging directory, or saved.

Bringing it up to date costs what two builds have changed, where a copy costs all files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from kb.core.files import set_mode
from kb.core.parallel import run_in_child
from kb.pipeline.inputs import STAMP
from kb.pipeline.own_files import (
    LIST,
    Other,
    hand_over_others,
    others_in,
    own_files,
    remove_site,
)
from kb.pipeline.saved_spare import (
    MIN_FILES,
    bring_up_to_date,
    discard_spare,
    save_spare,
    take_spare,
)
from kb.pipeline.site_others import SiteOthers
from kb.pipeline.staging import staging_directory
from kb.site.output import Written, link_files

Files = Mapping[str, Written]


class SpareSite:
    """Gives each build of one site a staging directory.

    `keep`: without it each directory is a new one, which is removed after its build. `others`:
    what is no build's in the site that the next one replaces, None where that is not known.
    """

    def __init__(self, *, keep: bool) -> None:
        self.keep = keep
        self.others: list[Other] | None = None
        self._found = SiteOthers()
        self._stack = ExitStack()
        self._folder: Path | None = None
        # The files in the folder, and which folder is the site in use.
        self._files: Files = {}
        self._published: tuple[Path, int, int] | None = None
        self._tidied = True
        # What was no build's in the site in use when the directory was last tidied.
        self._others: list[Other] | None = None

    @contextmanager
    def staging(
        self, output: Path, site: Files | None, data: Path
    ) -> Iterator[tuple[Path, Callable[[], object]]]:
        """Yield the directory for a site that will be swapped with the one in `output`.

        `site`: the files of the site in `output`, where the new one begins as a copy of that; else
        the directory is empty. The copy is there when the function that is yielded returns. In
        `data` another process may have saved one.
        """
        copy: Callable[[], list[Other] | None] | None = None
        self.others = None
        if site is not None and self._is_for(output):
            copy = partial(self._update, output, site)
        else:
            folder = self._begin(output)
            if site is None:
                discard_spare(data)
            else:
                taken = take_spare(data, output, folder)
                copy = partial(others_in, output) if taken else partial(_copy_own, output, folder)
        assert self._folder
        folder, self._published = self._folder, None
        try:
            apart = copy is not None and not self.keep
            with run_in_child(copy or _nothing, apart=apart) as finish:

                def finish_copy() -> None:
                    others = finish()
                    if others is not None:
                        self.others = others

                yield folder, finish_copy
        except BaseException:
            self.close()
            raise
        if self.keep and site is not None and folder.is_dir():
            self._files, self._published, self._tidied = site, _identity(output), False
        else:
            self.close()

    @contextmanager
    def saving(self, output: Path, old: Files | None, new: Files, data: Path) -> Iterator[None]:
        """Save the directory for the next process, after the swap, while the body runs.

        `old`, `new`: the files of the site before, None where there was none, and of that in use.
        """
        if self.keep or old is None or self._folder is None or len(new) < MIN_FILES:
            yield
            return
        with run_in_child(partial(save_spare, self._folder, data, output, old, new)):
            yield

    def tidy(
        self, output: Path, site: Files, is_awaited: Callable[[], bool] = lambda: False
    ) -> None:
        """Make the directory a copy of the site in `output`, a new one where there is none.

        `site`: the files of that site. What can be done before the next build begins. `is_awaited`:
        whether somebody waits for that, which will do the rest.
        """
        if not self.keep:
            return
        try:
            if not self._is_for(output):
                self._begin(output)
                self._files, self._published, self._tidied = {}, _identity(output), True
            self._bring_up_to_date(output, site, is_awaited)
            if not is_awaited():
                self._others = self._others_in(output)
        except OSError:
            self.close()

    def _bring_up_to_date(
        self, output: Path, site: Files, is_awaited: Callable[[], bool] = lambda: False
    ) -> None:
        assert self._folder
        self._others = None
        if not self._tidied:
            hand_over_others(self._folder, output, self._found.find(self._folder))
            self._tidied = True
        self._files = bring_up_to_date(self._folder, output, self._files, site, is_awaited)

    def others_in(self, output: Path) -> list[Other] | None:
        """What is no build's in the site that will be replaced; None where nobody knows."""
        return self.others if self.others is not None or not self.keep else self._others_in(output)

    def _others_in(self, output: Path) -> list[Other]:
        return others_in(output, self._found.find(output))

    def _is_for(self, output: Path) -> bool:
        """Whether the directory has the site before the one in a folder, or that one."""
        return self._published is not None and self._published == _identity(output)

    def _begin(self, output: Path) -> Path:
        """Begin a new directory."""
        self.close()
        place = output.absolute()
        self._folder = self._stack.enter_context(staging_directory(place.parent, place.name))
        return self._folder

    def _update(self, output: Path, site: Files) -> list[Other] | None:
        """Turn the directory into a copy of the site in `output`, without what finishes it.

        Return what is no build's in `output`, None where nobody knows.
        """
        assert self._folder
        try:
            if not self._tidied or self._files is not site:
                self._bring_up_to_date(output, site)
        except OSError:
            # Somebody has deleted something in it.
            remove_site(self._folder, output)
            self._folder.mkdir(exist_ok=True)
            set_mode(self._folder, 0o755)
            return _copy_own(output, self._folder)
        others, self._others = self._others, None
        return others

    def close(self) -> None:
        """Remove the directory."""
        self._stack.close()
        self._folder = self._published = None


def _nothing() -> None:
    """Copy nothing."""


def _copy_own(output: Path, folder: Path) -> list[Other]:
    """Copy the site; return what is no build's in it, which takes as long as the copy."""
    _copy(output, folder)
    return others_in(output)


def _copy(output: Path, folder: Path) -> None:
    """Begin a site as a copy of the last one, without what says that it is finished."""
    link_files(output, folder, (own_files(output) or frozenset()) - {LIST, STAMP})


def _identity(folder: Path) -> tuple[Path, int, int] | None:
    """What tells the folder of a site from another one at the same path."""
    try:
        stat = os.stat(folder)
    except OSError:
        return None
    return folder.absolute(), stat.st_dev, stat.st_ino
