"""Other site generators: sources for the same pages, and the command that builds them.

Each in its usual configuration for many pages, with its own search where it has one, and without a
navigation that lists every page.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kb.records.library import load
from kb.records.text import plain_text

# Markdown that Hugo's frame shows, as large as the frame of a page without a theme.
_FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ .Title }}</title>
<link rel="stylesheet" href="/static/site.css">
</head>
<body>
<header><a href="/">Rulings</a>
<form action="/search/"><input type="search" name="q"><button>Search</button></form></header>
<main><h1>{{ .Title }}</h1>
{{ .Content }}</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Page:
    """A page of Markdown without its title; `place` is its path without an ending."""

    place: str
    title: str
    text: str


@dataclass(frozen=True)
class Peer:
    """A generator: its command to ask for the version and to build `content` into `output`.

    `write_sources` writes pages and settings into an empty folder.
    """

    name: str
    version: Sequence[str]
    build: Sequence[str]
    write_sources: Callable[[Path, Iterable[Page]], None]

    def installed_version(self) -> str:
        """Return the version of the program on the path, or nothing."""
        if not shutil.which(self.version[0]):
            return ""
        done = subprocess.run(self.version, capture_output=True, text=True, check=False)
        number = re.search(r"\d+\.\d+[.\d]*", done.stdout)
        return number[0] if done.returncode == 0 and number else ""


def _write_pages(root: Path, pages: Iterable[Page], first: str, head: str) -> None:
    for page in pages:
        place = Path(page.place)
        name = first if place.name == "index" else place.name
        path = root / "content" / place.with_name(f"{name}.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        title = json.dumps(page.title, ensure_ascii=False)
        path.write_text(f"{head.format(title)}\n{page.text}\n", encoding="utf-8")


def _write_hugo(root: Path, pages: Iterable[Page]) -> None:
    _write_pages(root, pages, "_index", "---\ntitle: {}\n---\n")
    (root / "config.toml").write_text('baseURL = "https://rulings.example.org/"\n', "utf-8")
    layouts = root / "layouts" / "_default"
    layouts.mkdir(parents=True)
    for name in ("single.html", "list.html"):
        (layouts / name).write_text(_FRAME, encoding="utf-8")


def _write_mkdocs(root: Path, pages: Iterable[Page]) -> None:
    _write_pages(root, pages, "index", "---\ntitle: {}\n---\n")
    settings = (
        "site_name: Rulings\nsite_url: https://rulings.example.org/\ndocs_dir: content\n"
        "site_dir: output\nnav:\n  - index.md\nnot_in_nav: '*'\n"
        "theme:\n  name: material\nplugins: [search]\n"
    )
    (root / "mkdocs.yml").write_text(settings, encoding="utf-8")


def _write_zensical(root: Path, pages: Iterable[Page]) -> None:
    _write_pages(root, pages, "index", "---\ntitle: {}\n---\n")
    settings = (
        '[project]\nsite_name = "Rulings"\nsite_url = "https://rulings.example.org/"\n'
        'docs_dir = "content"\nsite_dir = "output"\nnav = ["index.md"]\n'
    )
    (root / "zensical.toml").write_text(settings, encoding="utf-8")


PEERS = (
    Peer(
        "MkDocs Material",
        ("mkdocs", "--version"),
        ("mkdocs", "build", "--quiet"),
        _write_mkdocs,
    ),
    Peer("Zensical", ("zensical", "--version"), ("zensical", "build"), _write_zensical),
    Peer(
        "Hugo",
        ("hugo", "version"),
        ("hugo", "--quiet", "--destination", "output"),
        _write_hugo,
    ),
)


def pages_of(site: Path, rulings: Path) -> Iterator[Page]:
    """Yield a page for each HTML page of a site: rulings from their records, others as shown."""
    records = load(rulings).rulings
    for path in sorted(site.rglob("*.html")):
        parts = path.relative_to(site).with_suffix("").parts
        place = "/".join([*parts[:1], "-".join(parts[1:])]).removesuffix("-index").rstrip("/")
        ruling = None
        if "rulings" in parts[1:-2]:
            # Below the game, or below the language and the game.
            at = parts.index("rulings")
            ruling = records.get(f"{parts[at - 1]}/{parts[at + 1]}")
        if ruling:
            texts = ruling.texts
            body = "\n\n".join(
                (f"## {text.title}\n\n" if number else "") + plain_text(text.body)
                for number, text in enumerate(texts)
            )
            yield Page(place, texts[0].title, body)
        else:
            yield replace(_shown(path.read_text(encoding="utf-8")), place=place)


def _shown(page: str) -> Page:
    """Return what an HTML page shows, as Markdown."""
    main = re.search(r"<main[^>]*>(.*)</main>", page, re.DOTALL)
    title = re.search(r"<(h1|title)\b[^>]*>(.*?)</\1>", page, re.DOTALL)
    text = re.sub(r"(?s)<(script|style|form|nav|h1)\b.*?</\1>", "", main[1] if main else "")
    lines = []
    for piece in re.split(r"(?=<(?:li|p|h2|h3|div|tr|dt|dd|section)\b)", text):
        words = _words(piece)
        if words:
            mark = "## " if piece.startswith(("<h2", "<h3")) else ""
            lines.append(f"- {words}" if piece.startswith("<li") else f"\n{mark}{words}\n")
    return Page("", _words(title[2]) if title else "Rulings", "\n".join(lines))


def _words(markup: str) -> str:
    text = " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())
    return re.sub(r"([\\`*_\[\]<>{}#|])", r"\\\1", text)
