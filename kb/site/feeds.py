"""Feeds, site map, OpenSearch descriptions and app manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape

from kb.core import urls
from kb.core.json import data_hash, dumps
from kb.records.library import Library
from kb.records.model import Ruling
from kb.records.text import shown_blocks
from kb.serialize.ruling import answer_in_words
from kb.site.branding import DESCRIPTION, NAME, SHORT_NAME, Branding
from kb.site.collect import MOVED_TEMPLATE
from kb.site.i18n import SOURCE, STATUSES, Catalog
from kb.site.output import Files
from kb.site.pages import Page
from kb.site.site_pages import SitePages

_LENGTH = 50
# Stands for an unknown date: Atom wants one, and that of the build would announce old rulings anew.
_UNKNOWN = "1970"
_NOT_IN_SITEMAP = (urls.NOT_FOUND, urls.SEARCH, urls.OFFLINE, urls.GO)


def feed_files(pages: SitePages, listed: Iterable[Page]) -> Files:
    """The files for feed readers, browsers and search engines; `listed`: all pages."""
    context, base_url = pages.context, pages.context.base_url
    for lang, words in pages.words.items():
        yield from _atom_feeds(pages, words)
        yield urls.localized(urls.MANIFEST, lang), _manifest(words, context.branding)
        if base_url:
            yield urls.localized(urls.OPENSEARCH, lang), _opensearch(words, base_url)
    if base_url:
        addresses = [
            page.address
            for page in listed
            if page.address not in _NOT_IN_SITEMAP and page.template != MOVED_TEMPLATE
        ]
        yield urls.ROBOTS, _robots(base_url)
        yield urls.SITEMAP, _sitemap(addresses, base_url, context.languages_of)


def _manifest(words: Catalog, branding: Branding) -> str:
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
        "name": words(NAME),
        "description": words(DESCRIPTION),
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


def _opensearch(words: Catalog, base_url: str) -> str:
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


def _robots(base_url: str) -> str:
    """`robots.txt`: everything may be read, and where the sitemap is."""
    return f"User-agent: *\nAllow: /\nSitemap: {urls.absolute(urls.SITEMAP, base_url)}\n"


def _sitemap(
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


def newest(
    library: Library, rulings: Iterable[Ruling], changed: Mapping[str, str], build_date: str
) -> list[tuple[str, Ruling]]:
    """The rulings that changed last, newest first, with the moments of their changes.

    The moments are those of the records' history (`changed`), else of their last date until
    `build_date`. Rulings without either come last: nobody can say whether they are news.
    """
    rows = []
    for ruling in sorted(rulings, key=lambda ruling: ruling.key):
        path = "/".join(ruling.path.rsplit("/", 3)[-3:])
        dates = (ruling.header.date or "", library.validities[ruling.key].since)
        past = [date for date in dates if date and date <= build_date]
        rows.append((changed.get(path) or _moment_of(max(past, default=_UNKNOWN)), ruling))
    rows.sort(key=lambda row: row[0], reverse=True)
    return rows[:_LENGTH]


def _moment_of(date: str) -> str:
    """The first moment of a date, as feeds write it."""
    return f"{'-'.join((*date.split('-'), '01', '01')[:3])}T00:00:00Z"


def _atom_feeds(pages: SitePages, words: Catalog) -> Iterator[tuple[str, str]]:
    """The feeds in one language: of all games, and of each game whose pages are in it.

    A ruling is in the language of the feed, else in English or its own. Without a base, links are
    relative to the feed, and its id is made of its title.
    """
    lang, site, context = words.lang, words(NAME), pages.context
    base_url, history = context.base_url, pages.settings.history.changed
    build_date = pages.settings.build_date
    games = [game for game in context.games if lang in context.languages_of(urls.game(game.id))]
    translated = {game.id for game in games}
    statuses = words.table(STATUSES)
    rows = [(urls.FEED, urls.HOME, site, [*pages.library.rulings.values()])]
    rows += [
        (
            urls.feed(game.id),
            urls.game(game.id),
            f"{game.title(lang)} – {site}",
            pages.library.of_game(game.id),
        )
        for game in games
    ]
    for address, page, title, rulings in rows:
        here = urls.localized(address, lang)

        def link(target: str, here: str = here) -> str:
            return escape(urls.absolute(target, base_url) or urls.relative(target, here))

        own = escape(urls.absolute(here, base_url)) or f"urn:kb:feed:{data_hash([title, here])}"
        changed = newest(pages.library, rulings, history, build_date)
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<feed xmlns="http://www.w3.org/2005/Atom"{_in_language(lang)}>',
            f"<title>{escape(title)}</title>",
            f"<id>{own}</id>",
            f"<updated>{changed[0][0] if changed else f'{build_date}T00:00:00Z'}</updated>",
            f'<link rel="self" type="application/atom+xml" href="{link(here)}"/>',
            f'<link rel="alternate" type="text/html" href="{link(urls.localized(page, lang))}"/>',
            f"<author><name>{escape(site)}</name></author>",
        ]
        for updated, ruling in changed:
            # Ids are the same in all languages: readers of two feeds know an entry again.
            target = known = urls.ruling(ruling.game, ruling.id)
            if ruling.game in translated:
                target = urls.localized(known, lang)
            text = ruling.text(lang) or ruling.text(SOURCE) or ruling.original
            answer, head = " ".join(shown_blocks(text.answer)), ruling.header
            of_text = pages.text_words.get(text.lang, words)
            summary = answer_in_words(answer, head.verdict, head.when, text.lang, of_text)
            status = pages.library.standing(ruling.key)
            mark = f"{statuses[status]}: " if status != "current" else ""
            lines.append(
                f"<entry{'' if text.lang == lang else _in_language(text.lang)}>"
                f"<title>{escape(mark + text.title)}</title>"
                f"<id>{link(known) if base_url else escape(f'urn:kb:{ruling.key}')}</id>"
                f"<updated>{updated}</updated>"
                f'<link rel="alternate" type="text/html" href="{link(target)}"/>'
                f'<category term="{escape(ruling.game)}"/>'
                f"<summary>{escape(summary)}</summary></entry>"
            )
        yield here, "\n".join([*lines, "</feed>", ""])


def _in_language(lang: str) -> str:
    return f' xml:lang="{escape(lang)}"'
