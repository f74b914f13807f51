"""Pages collected, compared with those of the previous site, rendered and written, on all cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from kb.core import urls
from kb.core.json import dumps
from kb.core.parallel import parallel_map
from kb.site.branding import NAME
from kb.site.context import PageRenderer, SiteContext
from kb.site.output import Output, Written
from kb.site.page_data import oembed
from kb.site.pages import Page, PageSource, RulingPage

# Pages that one process works on before it reports back.
_CHUNK = 100


@dataclass(frozen=True)
class WrittenPage:
    """A page of a site: the hash of its data, and its files."""

    key: str
    files: dict[str, Written]


class RulingData(NamedTuple):
    """What other parts of a site take from a ruling's page.

    `line`: the ruling as JSON on one line. `answers`: its answer in each of its languages as lists
    show it, empty where the page was not rendered.
    """

    key: str
    line: bytes
    answers: tuple[str, ...]


class PageResult(NamedTuple):
    """What became of a page; `page` is None where it is that of the previous site."""

    address: str
    page: WrittenPage | None
    ruling: RulingData | None = None


@dataclass(frozen=True)
class PageWriter:
    """Writes pages in every language of the interface, with the data beside them.

    `renderers`: one for each language. `shared`: a hash of what all pages are rendered from. `old`:
    the pages of the previous site, by address; those whose data are the same stay. `apart`: whether
    other processes may help, which takes longer where little is left to render.
    """

    output: Output
    renderers: Mapping[str, PageRenderer]
    context: SiteContext
    shared: str
    old: Mapping[str, WrittenPage]
    apart: bool = True

    def write_all(self, sources: Sequence[PageSource]) -> Iterator[list[PageResult]]:
        """Write pages, those that stay too; yield what became of some of them at a time."""
        chunks = [sources[start : start + _CHUNK] for start in range(0, len(sources), _CHUNK)]
        if not self.apart:
            return (list(map(self._write, chunk)) for chunk in chunks)
        return parallel_map(lambda chunk: list(map(self._write, chunk)), chunks)

    def _write(self, source: PageSource) -> PageResult:
        """Collect a page, and write it if it differs from that of the previous site."""
        page = source.page()
        key, known = page.key(self.shared), self.old.get(page.address)
        same = known is not None and known.key == key
        written = None if same else WrittenPage(key, self.render(page))
        if not isinstance(page.data, RulingPage):
            return PageResult(page.address, written)
        answers = () if same else tuple(text.body.listed for text in page.data.texts)
        line = dumps(page.data.exported, None).encode("utf-8", "replace")
        return PageResult(page.address, written, RulingData(page.data.key, line, answers))

    def render(self, page: Page) -> dict[str, Written]:
        """Write the files of a page."""
        output, context = Output(self.output.folder, self.output.before), self.context
        for lang in context.interfaces if page.address != urls.NOT_FOUND else ("en",):
            output.write(urls.localized(page.address, lang), self.renderers[lang].html(page))
        if hasattr(page.data, "beside"):
            data = orjson.dumps(page.data.beside(), option=orjson.OPT_APPEND_NEWLINE)
            output.write(urls.data_address(page.address), data)
        if context.base_url and isinstance(page.data, RulingPage):
            provider = context.branding.messages("en").get(NAME, NAME)
            answer = oembed(page.data, context.base_url, provider)
            output.write(urls.oembed(page.address), dumps(answer) + "\n")
        if hasattr(page.data, "markdown"):
            text = page.data.markdown(context.base_url)
            output.write(urls.markdown_address(page.address), text)
        return output.files
