"""Feed, site map, OpenSearch description, app manifest, and the file lists for offline use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice

import orjson

from kb.core import urls
from kb.core.json import data_hash
from kb.records.marks import plain_text
from kb.records.model import Ruling
from kb.site.branding import SHORT_NAME, Branding
from kb.site.i18n import MANIFEST, SOURCE, Catalog
from kb.site.output import HASH, Written

Languages = Mapping[str, Sequence[str]]

FEED_LENGTH = 50
OFFLINE = "offline"


def manifest(words: Catalog, branding: Branding) -> str:
    """The manifest of the installable site in one language; addresses are relative to it."""
    here = urls.localized(urls.MANIFEST, words.lang)
    root = urls.relative(".", here)
    icons = [{"src": f"{root}/static/icon.svg", "sizes": "any", "type": "image/svg+xml"}]
    icons += [
        {"src": f"{root}/static/icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png"}
        for size in (192, 512)
    ]
    icons.append(
        {
            "src": f"{root}/static/icon-mask-512.png",
            "sizes": "512x512",
            "type": "image/png",
            "purpose": "maskable",
        }
    )
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
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


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
    by_key = {ruling.key: ruling for ruling in rulings}
    by_moment: dict[str, list[str]] = {}
    for key, ruling in by_key.items():
        moment = changed.get(_below(ruling.path), "") if changed else moment_of(ruling.header.date)
        by_moment.setdefault(moment or f"{build_date}T00:00:00Z", []).append(key)
    newest = (
        (moment, key)
        for moment in sorted(by_moment, reverse=True)
        for key in sorted(by_moment[moment])
    )
    return [Entry(by_key[key], moment) for moment, key in islice(newest, FEED_LENGTH)]


def _below(path: str) -> str:
    """The path of a record below the folder of all."""
    return "/".join(path.rsplit("/", 3)[-3:])


def moment_of(date: str | None) -> str:
    """The first moment of a record's date, as feeds write it; empty for none."""
    return f"{'-'.join((*date.split('-'), '01', '01')[:3])}T00:00:00Z" if date else ""


@dataclass(frozen=True)
class Channel:
    """A feed: its address, the page that it belongs to, its title and its readers' language."""

    address: str
    page: str
    title: str
    lang: str


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
        f"<author><name>{escape(title)}</name></author>",
    ]
    for entry in changed:
        ruling = entry.ruling
        here = link(urls.ruling(ruling.game, ruling.id))
        text = ruling.text(channel.lang) or ruling.text(SOURCE) or ruling.original
        summary = " ".join(plain_text(text.answer).split())
        rows.append(
            f"<entry><title>{escape(text.title)}</title>"
            f"<id>{here if base_url else escape(f'urn:kb:{ruling.key}')}</id>"
            f"<updated>{entry.updated}</updated>"
            f'<link rel="alternate" type="text/html" href="{here}"/>'
            f'<category term="{escape(ruling.game)}"/>'
            f"<summary>{escape(summary)}</summary></entry>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        + "\n".join(rows)
        + "\n</feed>\n"
    )


def offline_lists(
    files: Mapping[str, Written],
    games: Sequence[str],
    languages: Languages,
    stamp: Mapping[str, str],
) -> Iterator[tuple[str, bytes]]:
    """Lists of files with hashes and sizes, for the service worker.

    One is `common`, the others are by language and game. What belongs to no game (front pages,
    search) goes with each language. `languages`: the games whose pages are in English instead, by
    language. Yields addresses and texts.
    """
    groups = _addresses_by_list(sorted(files), games, languages)
    # Identifies the edition on a device: templates count as well as records.
    key = hashlib.sha256()
    sizes, hashes = {}, {}
    for name, listed in groups.items():
        rows = [(address, *files[address]) for address in listed]
        text = orjson.dumps(rows, option=orjson.OPT_APPEND_NEWLINE)
        key.update(f"{name} ".encode() + text)
        yield f"{OFFLINE}/{name}.json", text
        sizes[name] = [len(rows), sum(size for *_, size in rows)]
        # By its hash a list of another build is recognized.
        hashes[name] = hashlib.sha256(text).hexdigest()[:HASH]
    index = {
        **stamp,
        "key": key.hexdigest()[:HASH],
        "games": list(games),
        "groups": sizes,
        "hashes": hashes,
    }
    yield f"{OFFLINE}/index.json", orjson.dumps(index, option=orjson.OPT_APPEND_NEWLINE)


def _addresses_by_list(
    addresses: Iterable[str], games: Sequence[str], languages: Languages
) -> dict[str, list[str]]:
    """The files of each list, in their order."""
    groups: dict[str, list[str]] = {"common": [], **{lang: [] for lang in languages}}
    groups |= {f"{lang}-{game}": [] for lang in languages for game in games}
    words = {
        address: lang
        for lang in languages
        for address in (urls.search_words(lang), urls.search_terms(lang))
    }
    for address in addresses:
        own = [words[address]] if address in words else _groups(address, games, languages)
        for group in own:
            groups[group].append(address)
    return groups


def _groups(address: str, games: Sequence[str], languages: Languages) -> list[str]:
    """The lists that a file goes to; none for files of programs and feed readers."""
    first, _, rest = address.partition("/")
    if first == "static" or address == urls.BUILD_SCRIPT:
        return ["common"]
    # Corrections and the panels of cards need data in any language of the interface.
    is_card = rest.startswith("cards/") and address.endswith("/index.json")
    if first in games and (is_card or urls.is_data_of_ruling(address)):
        return [f"{lang}-{first}" for lang in languages]
    if not address.endswith((".html", urls.MANIFEST)) or address == urls.NOT_FOUND:
        return []
    lang, below = (first, rest) if first in languages and first != "en" else ("en", address)
    game = below.partition("/")[0]
    if game not in games:
        return [lang]
    if lang == "en":
        return [f"{each}-{game}" for each in languages if each == "en" or game in languages[each]]
    return [f"{lang}-{game}"]
