"""Pages that somebody looks at, rendered before the rest of a site is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from kb.site.output import Output, encoded
from kb.site.page_writer import PageWriter
from kb.site.pages import PageSource

# The bytes of files by address, None for those that the site will not have.
Files = Mapping[str, bytes | None]


@dataclass(frozen=True)
class EarlyPages:
    """Pages wanted before a site is whole.

    `files` returns those of pages that are open, `show` takes what differs.
    """

    files: Callable[[], Collection[str]]
    show: Callable[[Files], None]


def show_early(
    early: EarlyPages,
    pages: Sequence[PageSource],
    unfinished: Collection[str],
    writer: PageWriter,
    output: Output,
) -> None:
    """Render the open pages that differ from the previous site, and hand them out.

    `unfinished`: addresses of pages that cannot be collected yet. `output` holds the files of the
    look that differ; they are handed out with the pages, which name them.
    """
    wanted = {_address(file, writer.context.interfaces) for file in early.files()} - {*unfinished}
    there = {source.address: source for source in pages if source.address in wanted}
    files: dict[str, bytes | str | None] = {}
    for address in wanted:
        old = writer.old.get(address)
        page = there[address].page() if address in there else None
        if page and writer.is_same(page, page.key(writer.shared)):
            continue
        files.update(dict.fromkeys(old.files if old else ()))
        files.update(writer.contents([page])[address] if page else ())
    if files:
        files.update(output.held or {})
        early.show(
            {address: None if data is None else encoded(data) for address, data in files.items()}
        )


def _address(file: str, languages: Collection[str]) -> str:
    """The address of the page that a file shows in one of the languages of the interface."""
    first, _, rest = file.partition("/")
    return rest if first in languages else file
