"""Makes every address of the site, relative to its root, and the media types of its files.

Addresses have forward slashes, and end in `index.html`, so that they open from a file system
too. They never change, because they come from ids and names, not from texts.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_ASCII = str.maketrans(
    dict(zip("абвгдезийклмнопрстуфыэіґ", "abvgdeziyklmnoprstufyeig", strict=True))
    | {"ё": "yo", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": ""}
    | {"ь": "", "ю": "yu", "я": "ya", "ї": "yi", "є": "ye"}
    | {"ł": "l", "đ": "d", "ø": "o", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)
# Bytes of a slug: file systems allow 255 a name, and a number may follow.
_LONGEST = 200
# Slugs in the cache; a build needs the slug of every card several times.
_SLUGS = 20_000


@lru_cache(maxsize=_SLUGS)
def slug(name: str, longest: int = _LONGEST, empty: str = "card") -> str:
    """Return a name as a part of a URL: `Мститель` -> mstitel; `empty` if nothing is left.

    A long one is cut between words.
    """
    letters = unicodedata.normalize("NFKD", name.lower().translate(_ASCII))
    bare = "".join(char for char in letters if not unicodedata.combining(char))
    words = re.sub(r"[^a-z0-9]+", "-", re.sub(r"['’`]", "", bare)).strip("-")
    if len(words) > longest:
        words = (words[: longest + 1].rpartition("-")[0] or words[:longest]).strip("-")
    return words or empty


def slugs(names: Iterable[str]) -> dict[str, str]:
    """Return a slug for each name; the second name of a slug gets a number.

    A name of which nothing is left gets a hash instead, so that a card that is put in before others
    does not move their addresses.
    """
    taken: set[str] = set()
    slug_by_name: dict[str, str] = {}
    for name in names:
        if name in slug_by_name:
            continue
        base = slug(name)
        if not slug(name, empty=""):
            base = f"card-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        candidate = base
        number = 2
        while candidate in taken:
            candidate, number = f"{base}-{number}", number + 1
        taken.add(candidate)
        slug_by_name[name] = candidate
    return slug_by_name


HOME = "index.html"
SEARCH = "search/index.html"
DECK = "deck/index.html"
GO = "go/index.html"
EMBED = "embed.js"
GLOSSARY = "glossary/index.html"
OFFLINE = "offline/index.html"
NOT_FOUND = "404.html"
SITEMAP = "sitemap.xml"
ROBOTS = "robots.txt"
FEED = "feed.xml"
OPENSEARCH = "opensearch.xml"
MANIFEST = "manifest.webmanifest"
WORKER = "sw.js"
# The id of the build, as a script: the one file that every build changes.
BUILD_SCRIPT = "built.js"
BULK = "rulings.jsonl"
SCHEMA = "schema.json"
ERRATA = "errata/index.html"
CHANGES = "changes/index.html"
TRANSLATIONS = "translations/index.html"
STATIC = "static"
# The folder of the browser's index.
SEARCH_INDEX = f"{STATIC}/search"
PAGES = "pages"
# The folders at the root that belong to no game.
RESERVED_FOLDERS = frozenset(
    address.partition("/")[0]
    for address in (
        *(STATIC, PAGES, SEARCH, DECK, GO, "embed/", GLOSSARY, OFFLINE, ERRATA),
        *(CHANGES, TRANSLATIONS),
    )
)


def page_words(lang: str) -> str:
    """The script with the words of every page's scripts in one language of the interface."""
    return f"{STATIC}/words-{lang}.js"


def search_words(lang: str) -> str:
    """The script with the words of the search in one language of the interface."""
    return f"{STATIC}/search-words-{lang}.js"


def search_terms(lang: str) -> str:
    """The script with the terms of all games, for the search in one language."""
    return f"{STATIC}/search-terms-{lang}.js"


def game(game_id: str) -> str:
    """A game's page."""
    return f"{game_id}/index.html"


def page(page_id: str) -> str:
    """A page of the webmaster's own, such as `about`."""
    return f"{PAGES}/{page_id}/index.html"


def index(game_id: str, name: str) -> str:
    """The list of a game's rulings, topics or sources."""
    return f"{game_id}/{name}/index.html"


def ruling(game_id: str, ruling_id: str) -> str:
    """A ruling's page, its permanent address."""
    return f"{game_id}/rulings/{ruling_id}/index.html"


def topic(game_id: str, topic_id: str) -> str:
    """A topic's page."""
    return f"{game_id}/topics/{topic_id}/index.html"


def feed(game_id: str) -> str:
    """The feed of a game's rulings."""
    return f"{game_id}/{FEED}"


def cards(game_id: str) -> str:
    """The list of a game's cards that have rulings."""
    return f"{game_id}/cards/index.html"


def card(game_id: str, piece: str) -> str:
    """The page of all cards of a name; `piece` comes from `slugs`."""
    return f"{game_id}/cards/{piece}/index.html"


def source(game_id: str, source_id: str) -> str:
    """A source document's page."""
    return f"{game_id}/sources/{source_id}/index.html"


def errata(game_id: str) -> str:
    """The page of all of a game's errata."""
    return f"{game_id}/errata/index.html"


def glossary(game_id: str, term: str = "") -> str:
    """A game's glossary, or one term in it."""
    return f"{game_id}/glossary/index.html" + (f"#{term}" if term else "")


def deck_data(game_id: str) -> str:
    """The script that the deck page loads for a game."""
    return f"{STATIC}/decks/{game_id}.js"


def card_facts(game_id: str) -> str:
    """The script with the facts of a game's cards that have no page."""
    return f"{STATIC}/decks/{game_id}-cards.js"


def embed_data(game_id: str, lang: str) -> str:
    """The script that `embed.js` loads for a game; `lang` is empty for the game's own language."""
    return f"embed/{game_id}{f'-{lang}' if lang else ''}.js"


def localized(address: str, lang: str) -> str:
    """Return the address of a page in a language: English at the root, others below their code."""
    return address if lang == "en" else f"{lang}/{address}"


def data_address(address: str) -> str:
    """The JSON of a page."""
    return address.removesuffix("index.html") + "index.json"


def absolute(address: str, base_url: str) -> str:
    """Return an absolute URL, without `index.html`; empty without a base URL."""
    if not base_url:
        return ""
    path, mark, anchor = address.partition("#")
    if path == "index.html" or path.endswith("/index.html"):
        path = path.removesuffix("index.html")
    return f"{base_url.rstrip('/')}/{path}{mark}{anchor}"


def relative(target: str, page: str) -> str:
    """Return `target` as a link on `page`, both relative to the site's root; `.` is the root."""
    path, mark, anchor = target.partition("#")
    parts = [] if path == "." else path.split("/")
    folders = page.split("/")[:-1]
    shared = 0
    while shared < min(len(folders), len(parts)) and folders[shared] == parts[shared]:
        shared += 1
    return "/".join([".."] * (len(folders) - shared) + parts[shared:] or ["."]) + mark + anchor


_MEDIA_BY_EXTENSION = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "woff2": "font/woff2",
    "ico": "image/x-icon",
    "jpg": "image/jpeg",
    "webp": "image/webp",
}
_MEDIA_BY_NAME = {
    FEED: "application/atom+xml",
    OPENSEARCH: "application/opensearchdescription+xml",
}
_DEFAULT_MEDIA = "application/octet-stream"


def media_type(path: str) -> str:
    """Return the media type of a file of the site, the same on every machine."""
    name = path.rpartition("/")[2]
    extension = name.rpartition(".")[2].lower()
    return _MEDIA_BY_NAME.get(name) or _MEDIA_BY_EXTENSION.get(extension, _DEFAULT_MEDIA)
