"""What attackers write into any field is text on every page and in every file for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import html5lib
import pytest

from kb.core import urls
from kb.site import markdown
from kb.site.assets import SEARCH_SCRIPT, asset
from kb.site.i18n import STATUSES
from kb.site.markdown import LinkTargets
from kb.site.templates import PACKAGED, Templates
from tests.security.hostile import BASE_URL, MARKDOWN, VECTORS
from tests.selection import thorough

# The elements that templates and Markdown make; everything else would be somebody's own.
ELEMENTS = set(
    "html head meta title link body a header div form label input button nav ul ol li main h1 h2 h3"
    " h4 p span article section dl dt dd footer script code pre em strong blockquote hr br table"
    " thead tbody tr th td details summary time select option data textarea"
    " fieldset legend progress noscript figure figcaption svg path del ins style mark".split()
)
ADDRESSES = set(
    "href src action formaction data poster srcset xlink:href background cite ping".split()
)
DATA = ("application/json", "application/ld+json")
OWN_HOSTS = {"", "a.example", "evil.example", "rulings.example", "report.example"}


def parsed(text: str | Path) -> Any:
    if isinstance(text, Path):
        text = text.read_text(encoding="utf-8")
    return html5lib.parse(text, namespaceHTMLElements=False)


def given_to(function: str, row: str) -> Any:
    """The data with which a line of a script calls a function, and nothing else."""
    held = re.fullmatch(rf'{function}\("[\w/.-]+",(.*)\);\n?', row)
    assert held, row[:80]
    return json.loads(held[1])


# Of the pages for missing addresses, in each language.
BASES = {f"{base}{lang}" for base in (BASE_URL, "/") for lang in ("", "pl/")}


def wrong(tree: Any, scripts: set[str]) -> Iterator[str]:
    """Everything in a page that only an attack can have made.

    `scripts` are the files that it may run.
    """
    for node in tree.iter():
        if not isinstance(node.tag, str):
            continue
        name = node.tag.rpartition("}")[2]
        if name == "base" and node.get("href") in BASES and len(node.attrib) == 1:
            continue
        source = node.get("src") or ""
        own_icon = name == "img" and re.fullmatch(r"(\.\./)*static/icon\.svg", source)
        if name not in ELEMENTS and not own_icon:
            yield f"<{name}>"
        if name == "script" and node.get("type") not in DATA:
            source = re.sub(r"^(?:\.\./)+", "", (node.get("src") or "").partition("?")[0])
            if source not in scripts or (node.text or "").strip():
                yield f"a script: {node.attrib} {(node.text or '')[:40]}"
        if name == "script" and node.get("type") in DATA:
            json.loads(node.text)
        for key, value in node.attrib.items():
            if key.lower().startswith("on") or key in ("style", "srcdoc", "is", "contenteditable"):
                yield f"<{name} {key}>"
            if key in ADDRESSES:
                yield from _address(name, key, value)
        if (
            name == "meta"
            and (node.get("http-equiv") or "").lower() == "refresh"
            and not re.fullmatch(r"0; url=[\w./-]+", node.get("content") or "")
        ):
            yield f"a refresh: {node.get('content')}"


def _address(name: str, key: str, value: str) -> Iterator[str]:
    # A browser passes over these before it looks for the scheme.
    bare = re.sub(r"[\x00-\x20\u00a0\\]", "", value).lower()
    found = re.match(r"([a-z][a-z0-9+.-]*):", bare)
    if not found:
        return
    elsewhere = not bare.startswith("https:evil") and urlsplit(bare).hostname not in OWN_HOSTS
    if (
        found[1] not in ("http", "https", "mailto")
        or name not in ("a", "link")
        or (name == "link" and not value.startswith(BASE_URL))
        or (found[1] in ("http", "https") and elsewhere)
    ):
        yield f'<{name} {key}="{value[:80]}">'


def one_of_each_kind(paths: list[Path]) -> set[Path]:
    """The first page of those whose addresses differ in number, card and language alone."""
    names = re.compile(r"\d+|/pl(?=/)|(?<=evil/cards/)[^/]+(?=/)")
    return {*{names.sub("", path.as_posix()): path for path in reversed(paths)}.values()}


@pytest.mark.parametrize("every", [False, *thorough(True)], ids=["some pages", "all pages"])
def test_every_page_holds_our_elements_only(every: bool, evil: Path) -> None:
    static = (evil / "site" / "static").glob("*.js")
    scripts = {"built.js", *(f"static/{path.name}" for path in static)}
    site, marked = (sorted((evil / name).rglob("*.html")) for name in ("site", "marked"))
    assert len(site) + len(marked) > 300
    # The other site differs in its addresses alone.
    paths = one_of_each_kind([*site, *marked]) | set(site if every else ())
    found = {path: said for path in sorted(paths) if (said := set(wrong(parsed(path), scripts)))}
    assert not found, f"{len(found)} pages: {dict(list(found.items())[:3])}"


# A page has as many of them as one without attacks: an allowed element once more is an attack too.
FRAMES = "html head body main form input button link meta title script".split()


@pytest.mark.parametrize("step", [4, *thorough(1)])
def test_what_was_written_is_shown_as_it_was_written(step: int, evil: Path) -> None:
    frames: set[tuple[int, ...]] = set()
    rows = map(json.loads, (evil / "site" / urls.BULK).read_text(encoding="utf-8").splitlines())
    titles = {row["id"]: row["title"]["pl"] for row in rows if row["game"] == "evil"}
    for number in range(0, len(VECTORS), step):
        vector, site = one_line(VECTORS[number]), evil / "site" / "evil"
        page = site / "rulings" / f"ruling-{number}" / "index.html"
        tree = parsed(page)
        frames.add(tuple(sum(1 for _ in tree.iter(name)) for name in FRAMES))
        assert one_line("".join(tree.find(".//h1").itertext())) == vector
        assert one_line("".join(tree.find("body").itertext())).count(vector) >= 4
        scripts = [node for node in tree.iter("script") if node.get("type") == DATA[1]]
        assert [one_line(json.loads(node.text)["name"]) for node in scripts] == [vector]
        assert one_line(titles[f"ruling-{number}"]) == vector
        source = parsed(site / "sources" / f"source-{number}" / "index.html")
        facts = [one_line("".join(node.itertext())) for node in source.iter("dd")]
        assert facts.count(vector) == 5
    assert len(frames) == 1


def one_line(text: str) -> str:
    return " ".join(text.split())


_XML = set(
    "urlset url loc link OpenSearchDescription ShortName Description Language InputEncoding"
    " Image Url".split()
)


def test_feed_site_map_and_search_description_are_sound(evil: Path) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    marks = ("", *(f"{status}: " for status in STATUSES.values()))
    for name in ("site", "marked"):
        feed = ElementTree.parse(evil / name / "feed.xml").getroot()
        titles = {node.text or "" for node in feed.iter(f"{atom}title")}
        shown = [vector for vector in VECTORS if any(mark + vector in titles for mark in marks)]
        assert len(shown) >= 25
        assert {node.tag.removeprefix(atom) for node in feed.iter()} == set(
            "feed title id updated link author name entry category summary".split()
        )
    for name in ("sitemap.xml", "opensearch.xml", "pl/opensearch.xml"):
        nodes = list(ElementTree.parse(evil / "marked" / name).getroot().iter())
        assert all(node.tag.rpartition("}")[2] in _XML for node in nodes)
        places = [node for node in nodes if node.tag.endswith(("loc", "Url"))]
        told = [node.text or node.get("template") or "" for node in places]
        assert told and all(one.startswith(BASE_URL) for one in told)
    rows = (evil / "site" / "rulings.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(row)["title"]["en"] for row in rows].count(VECTORS[0]) == 1
    for path in (evil / "site").rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))


def test_the_pack_holds_our_elements_and_scripts_only(evil: Path) -> None:
    tree = parsed(evil / "pack.html")
    bodies = list(tree.iter("script"))
    assert [node.get("type") for node in bodies] == [*["application/json"] * 2, *[None] * 5]
    templates = Templates((PACKAGED,))
    assert bodies[2].text == asset(templates, SEARCH_SCRIPT)
    own = ["site/page.js", "marks.js", "pack.js"]
    assert [body.text for body in bodies[4:]] == [asset(templates, name) for name in own]
    shards = bodies[3].text.splitlines()
    assert shards[0].startswith("const KB_HELD")
    for row in shards[1:]:
        given_to("KB_SHARD", row)
    assert not [one for one in wrong(tree, set()) if not one.startswith("a script")]
    assert len(tree.findall(".//style")) == len(tree.findall(".//form")) == 1


def test_scripts_of_data_end_no_element_and_hold_nothing_else(evil: Path) -> None:
    for path in (evil / "site" / "static" / "search").rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not set("<\u2028\u2029") & set(text)
        given_to("KB_SHARD", text)
    paths = sorted((evil / "site" / "embed").glob("*.js"))
    assert paths
    for path in paths:
        data = given_to("KB_EMBED", path.read_text(encoding="utf-8"))
        pages = [card["page"] for card in data["cards"]]
        assert all(re.fullmatch(r"evil/cards/[a-z0-9-]+/(index\.html)?", page) for page in pages)


def html_of(text: str) -> Any:
    links = LinkTargets(card=lambda label: "card.html", term=lambda term: ("term.html", ""))
    return parsed(markdown.render(text, links, "pl"))


@pytest.mark.parametrize("text", [*MARKDOWN, *VECTORS])
def test_markdown_lets_nothing_through(text: str) -> None:
    for form in ("{}", "a\n\n{}\n\nb", "> {}", "**{}**", "[{}](https://a.example/)"):
        assert not list(wrong(html_of(form.replace("{}", text)), set()))


def test_markdown_alone_is_not_relied_upon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the parser to let raw HTML through, the allow-list behind it would stop it."""
    monkeypatch.setattr(type(markdown._PARSER), "render", lambda parser, text, env: text)
    for text in (*VECTORS, '<p id="pl-1" style="x" onclick=x class="card">y</p>'):
        assert not list(wrong(html_of(text), set()))


# What ran away took minutes, and ends at the limit of a test.
BOMBS = """[ >_ *a_ ` [a]( ![ & < **a _a*b [[ a~ <a@b.c>""".split()


@pytest.mark.parametrize("piece", BOMBS)
def test_markdown_bombs_come_to_an_end(piece: str) -> None:
    pump = piece.replace("_", " ").replace("~", "\n") if len(piece) < 4 else piece
    html_of(pump * (5_000 // len(pump)) + "x")


_FORMS = ["[x]({})", "[x](<{}>)", "[x][a]\n\n[a]: {}", "[x]({} 'title')", "![x]({})", "<{}>"]
_OTHERS = ["file:///etc/passwd", "FILE://host/x", "ftp://h/", "smb://h/", "javascript:x", "data:,x"]
_OTHERS += ["vbscript:x", "about:blank", "blob:x", "ms-word:x", "C:/x"]
_GOOD = ["https://a.example/x", "HTTP://a.example", "mailto:a@a.example"]


@pytest.mark.parametrize("form", _FORMS)
def test_links_have_few_schemes(form: str) -> None:
    def links(address: str) -> list[str]:
        nodes = html_of(form.format(address)).iter("a")
        return [node.get("href") for node in nodes if ":" in (node.get("href") or "")]

    for address in _OTHERS:
        assert not links(address), address
    for address in _GOOD:
        assert len(links(address)) == 1, address
