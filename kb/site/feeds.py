"""Feed, site map, OpenSearch description and app manifest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from kb.core import urls
from kb.core.json import data_hash, dumps
from kb.records.model import Ruling
from kb.records.text import shown_blocks
from kb.site.branding import SHORT_NAME, Branding
from kb.site.i18n import MANIFEST, SOURCE, Catalog

FEED_LENGTH = 50


def manifest(words: Catalog, branding: Branding) -> str:
    """The manifest of the installable site in one language; addresses are relative to it."""
    here = urls.localized(urls.MANIFEST, words.lang)
    root = urls.relative(".", here)
    icons = [{"src": f"{root}/static/icon.svg", "sizes": "any", "type": "image/svg+xml"}]
    for name, size, more in (
        ("icon-192", 192, {}),
        ("icon-512", 512, {}),
        ("icon-mask-512", 512, {"purpose": "maskable"}),
    ):
        icon = {"src": f"{root}/static/{name}.png", "sizes": f"{size}x{size}"}
        icons.append({**icon, "type": "image/png", **more})
    data = {
        **{name: words(text) for name, text in MANIFEST.items()},
        "short_name": branding.short_name(words.lang) or words(SHORT_NAME),
        "lang": words.lang,
        "start_url": "index.html",
        "scope": f"{root}/",
        "display": "standalone",
        "background_color": "#fbfaf7",
        "theme_color": branding.accent,
        "icons": icons,
        "shortcuts": [{"name": words("Search"), "url": urls.SEARCH}],
    }
    return dumps(data) + "\n"


def opensearch(words: Catalog, base_url: str) -> str:
    """The OpenSearch description, by which a browser's address bar searches the site."""
    page = escape(urls.absolute(urls.localized(urls.SEARCH, words.lang), base_url))
    icon = escape(urls.absolute("static/icon.svg", base_url))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">\n'
        f"<ShortName>{escape(words('Rulings'))}</ShortName>\n"
        f"<Description>{escape(words('Card-game rulings'))}</Description>\n"
        f"<Language>{words.lang}</Language>\n<InputEncoding>UTF-8</InputEncoding>\n"
        f'<Image type="image/svg+xml">{icon}</Image>\n'
        f'<Url type="text/html" method="get" template="{page}?q={{searchTerms}}"/>\n'
        "</OpenSearchDescription>\n"
    )


def robots(base_url: str) -> str:
    """`robots.txt`: everything may be read, and where the sitemap is."""
    return f"User-agent: *\nAllow: /\nSitemap: {urls.absolute(urls.SITEMAP, base_url)}\n"


def sitemap(
    addresses: Iterable[str], base_url: str, languages_of: Callable[[str], Sequence[str]]
) -> str:
    """Every page in every language that it is in, each with its translations."""
    rows = []
    for address in addresses:
        pages = {
            lang: escape(urls.absolute(urls.localized(address, lang), base_url))
            for lang in languages_of(address)
        }
        others = "".join(
            f'<xhtml:link rel="alternate" hreflang="{lang}" href="{url}"/>'
            for lang, url in pages.items()
        )
        rows += [
            f"<url><loc>{url}</loc>{others if len(pages) > 1 else ''}</url>\n"
            for url in pages.values()
        ]
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        f' xmlns:xhtml="http://www.w3.org/1999/xhtml">\n{"".join(rows)}</urlset>\n'
    )


@dataclass(frozen=True)
class Entry:
    """A ruling in the feed: `updated` is the moment of its last change."""

    ruling: Ruling
    updated: str


def entries(rulings: Iterable[Ruling], changed: Mapping[str, str], build_date: str) -> list[Entry]:
    """The rulings that changed last, newest first, by the records' history, else by their dates.

    A record that is changed or new since the last commit, or has neither, is as new as the build.
    """
    newest = []
    for ruling in sorted(rulings, key=lambda ruling: ruling.key):
        path = "/".join(ruling.path.rsplit("/", 3)[-3:])
        moment = changed.get(path) if changed else _moment_of(ruling.header.date)
        newest.append(Entry(ruling, moment or f"{build_date}T00:00:00Z"))
    newest.sort(key=lambda entry: entry.updated, reverse=True)
    return newest[:FEED_LENGTH]


def _moment_of(date: str | None) -> str:
    """The first moment of a record's date, as feeds write it; empty without a date."""
    return f"{'-'.join((*date.split('-'), '01', '01')[:3])}T00:00:00Z" if date else ""


@dataclass(frozen=True)
class Channel:
    """A feed: its address, the page that it belongs to, its title and its readers' language.

    `statuses`: the statuses' names in that language. `translated`: the games with pages in it.
    `author`: the name of the site.
    """

    address: str
    page: str
    title: str
    lang: str
    statuses: Mapping[str, str]
    translated: Collection[str]
    author: str


def feed(changed: Sequence[Entry], channel: Channel, base_url: str, build_date: str) -> str:
    """An Atom feed of rulings, each in the channel's language, else in English or its own.

    Without a base its links are relative to it, and its id is made of its title.
    """

    def link(address: str) -> str:
        return escape(urls.absolute(address, base_url) or urls.relative(address, channel.address))

    title, own = channel.title, urls.absolute(channel.address, base_url)
    updated = changed[0].updated if changed else f"{build_date}T00:00:00Z"
    rows = [
        f"<title>{escape(title)}</title>",
        f"<id>{escape(own) or f'urn:kb:feed:{data_hash([title, channel.address])}'}</id>",
        f"<updated>{updated}</updated>",
        f'<link rel="self" type="application/atom+xml" href="{link(channel.address)}"/>',
        f'<link rel="alternate" type="text/html" href="{link(channel.page)}"/>',
        f"<author><name>{escape(channel.author)}</name></author>",
    ]
    for entry in changed:
        ruling = entry.ruling
        address = urls.ruling(ruling.game, ruling.id)
        # Ids are the same in all languages: readers of two feeds know an entry again.
        known, here = link(address), link(address)
        if ruling.game in channel.translated:
            here = link(urls.localized(address, channel.lang))
        text = ruling.text(channel.lang) or ruling.text(SOURCE) or ruling.original
        summary = " ".join(shown_blocks(text.answer))
        status = ruling.header.status
        mark = f"{channel.statuses[status]}: " if status != "current" else ""
        rows.append(
            f"<entry{'' if text.lang == channel.lang else _in_language(text.lang)}>"
            f"<title>{escape(mark + text.title)}</title>"
            f"<id>{known if base_url else escape(f'urn:kb:{ruling.key}')}</id>"
            f"<updated>{entry.updated}</updated>"
            f'<link rel="alternate" type="text/html" href="{here}"/>'
            f'<category term="{escape(ruling.game)}"/>'
            f"<summary>{escape(summary)}</summary></entry>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom"{_in_language(channel.lang)}>\n'
        + "\n".join(rows)
        + "\n</feed>\n"
    )


def _in_language(lang: str) -> str:
    return f' xml:lang="{escape(lang)}"'
