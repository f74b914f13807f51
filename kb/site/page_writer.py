"""Pages collected, compared with those of the previous site, rendered and written, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from kb.core import urls
from kb.core.json import dumps
from kb.core.parallel import parallel_map
from kb.serialize.ruling import json_line
from kb.site.branding import NAME
from kb.site.context import PageRenderer, SiteContext
from kb.site.output import Output, Written
from kb.site.page_data import oembed
from kb.site.pages import Page, PageSource, RulingPage

# Pages that one process works on before it reports back, and how many times as many are rendered
# sooner by several processes.
_CHUNK, _MANY = 50, 4
# The address of a file, and what is in it.
Content = tuple[str, bytes | str]


@dataclass(frozen=True)
class WrittenPage:
    """A page of a site: the hash of its data, its files, and what it reads (see Page)."""

    key: str
    files: dict[str, Written]
    reads: str = ""


class RulingData(NamedTuple):
    """What other parts of a site take from a ruling's page.

    `line`: the ruling as JSON on one line. `answers`: its answer in each of its languages as lists
    show it, empty where the page was not rendered.
    """

    key: str
    line: bytes
    answers: tuple[str, ...]


class PageResult(NamedTuple):
    """What became of a page, and what it adds to the site where it is a ruling's."""

    address: str
    page: WrittenPage
    ruling: RulingData | None = None


@dataclass(frozen=True)
class PageWriter:
    """Writes pages in every language of the interface, with the data beside them.

    `renderers`: one for each language. `shared`: a hash of what all pages are rendered from. `old`:
    the pages of the previous site, by address; those whose data are the same stay. `changed`: the
    names of what differs from what these read, None where that is not known. `apart`: whether other
    processes may help, which takes longer where little is left to render.
    """

    output: Output
    renderers: Mapping[str, PageRenderer]
    context: SiteContext
    shared: str
    old: Mapping[str, WrittenPage]
    changed: AbstractSet[str] | None = None
    apart: bool = True

    def write_all(self, sources: Sequence[PageSource]) -> Iterator[list[PageResult]]:
        """Write pages, those that stay too; yield what became of some of them at a time."""
        current = self._current(sources)
        yield [PageResult(address, page) for address, page in current.items()]
        rest = [source for source in sources if source.address not in current]
        chunks = [rest[start : start + _CHUNK] for start in range(0, len(rest), _CHUNK)]
        while chunks and not self.apart:
            results = self._write(chunks.pop(0))
            yield results
            if len(chunks) >= _MANY and not any(
                address in self.old and self.old[address].key == page.key
                for address, page, _ in results
            ):
                # A template or a style sheet has changed: other pages will not stay either.
                break
        yield from parallel_map(self._write, chunks)

    def _current(self, sources: Sequence[PageSource]) -> dict[str, WrittenPage]:
        """The pages of the previous site of which nothing that they read has changed."""
        if self.changed is None:
            return {}
        known = ((source.address, self.old.get(source.address)) for source in sources if source.log)
        return {
            address: page
            for address, page in known
            if page and page.reads and self.changed.isdisjoint(page.reads.split("\n"))
        }

    def _write(self, sources: Sequence[PageSource]) -> list[PageResult]:
        """Collect some pages, and write those that differ from those of the previous site.

        Each kind of work is done for all of them before the next kind. Page by page it takes a
        third longer, since the processor's caches do not hold code and data of all kinds.
        """
        pages = [source.page() for source in sources]
        keys = [page.key(self.shared) for page in pages]
        new = [page for page, key in zip(pages, keys, strict=True) if not self.is_same(page, key)]
        texts = [
            (page.address, [text.body for text in page.data.texts])
            for page in new
            if isinstance(page.data, RulingPage)
        ]
        answers = {address: tuple(body.listed for body in bodies) for address, bodies in texts}
        contents = self.contents(new)
        written = {page.address: self.write_files(page, contents[page.address]) for page in new}
        results = []
        for page, key in zip(pages, keys, strict=True):
            files = written.get(page.address)
            if files is None:
                files = self.old[page.address].files
            ruling = None
            if isinstance(page.data, RulingPage):
                line = json_line(page.data.exported)
                ruling = RulingData(page.data.key, line, answers.get(page.address, ()))
            results.append(PageResult(page.address, WrittenPage(key, files, page.reads), ruling))
        return results

    def is_same(self, page: Page, key: str) -> bool:
        """Whether the previous site has the page as it is."""
        known = self.old.get(page.address)
        return known is not None and known.key == key

    def contents(self, pages: Sequence[Page]) -> dict[str, list[Content]]:
        """The files of some pages, by the address of the page."""
        context = self.context
        contents: dict[str, list[Content]] = {page.address: [] for page in pages}
        for lang in context.interfaces:
            html = self.renderers[lang].html
            for page in pages:
                if lang == "en" or page.address != urls.NOT_FOUND:
                    address = urls.localized(page.address, lang)
                    contents[page.address].append((address, html(page)))
        for page in pages:
            contents[page.address] += self._beside(page)
        return contents

    def _beside(self, page: Page) -> Iterator[Content]:
        """The data beside a page."""
        base_url = self.context.base_url
        if hasattr(page.data, "beside"):
            data = orjson.dumps(page.data.beside(), option=orjson.OPT_APPEND_NEWLINE)
            yield urls.data_address(page.address), data
        if base_url and isinstance(page.data, RulingPage):
            provider = self.context.branding.messages("en").get(NAME, NAME)
            answer = oembed(page.data, base_url, provider)
            yield urls.oembed(page.address), dumps(answer) + "\n"
        if hasattr(page.data, "markdown"):
            yield urls.markdown_address(page.address), page.data.markdown(base_url)

    def write_files(self, page: Page, contents: Sequence[Content]) -> dict[str, Written]:
        """Write the files of a page."""
        output = Output(self.output.folder, self.output.before)
        for address, data in contents:
            output.write(address, data)
        return output.files
