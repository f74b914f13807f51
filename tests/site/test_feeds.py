"""JSON beside pages, the bulk file, feed, site map, OpenSearch, manifest, offline lists."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kb.core import urls
from kb.core.problems import KbError
from kb.pipeline.build import SiteOptions, build
from kb.pipeline.paths import Paths
from kb.records.history import changed, changes
from kb.records.library import load
from kb.serialize.ruling import ruling_to_json
from kb.serialize.schema import schema
from kb.site.feeds import entries
from tests.conftest import BuildOnce
from tests.records.test_history import git as run_git

ATOM = "{http://www.w3.org/2005/Atom}"
BASE = "https://example.org/kb"


@pytest.fixture(scope="module")
def site(good_root: Path, build_once: BuildOnce) -> Path:
    def fill(folder: Path) -> None:
        options = SiteOptions(base_url=BASE, report="https://example.org/new?title={id}")
        build(Paths(good_root, folder / "data"), folder / "site", site=options)

    return build_once("site-with-report", fill) / "site"


def test_json_beside_each_page_is_what_export_gives(site: Path, good_root: Path) -> None:
    library = load(good_root)
    lines = (site / urls.BULK).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        ruling_to_json(one, library) for one in library.rulings.values()
    ]
    for ruling in library.rulings.values():
        page = site / urls.ruling(ruling.game, ruling.id)
        assert json.loads(
            page.with_name("index.json").read_text(encoding="utf-8")
        ) == ruling_to_json(ruling, library)
        assert 'type="application/json" href="index.json"' in page.read_text(encoding="utf-8")
    card = json.loads((site / "demo/cards/anakin-skywalker/index.json").read_text(encoding="utf-8"))
    assert (
        card["name"] == "Anakin Skywalker"
        and card["cards"]
        and {*card["about"], *card["mentioned"]}
    )
    assert json.loads((site / urls.SCHEMA).read_text(encoding="utf-8")) == schema()
    # Other pages have none, and name none.
    folders = {path.parent.parent.name for path in (site / "demo").rglob("index.json")}
    assert folders == {"rulings", "cards"} and not (site / "demo/cards/index.json").exists()
    for page in (site / "demo").rglob("index.html"):
        text = page.read_text(encoding="utf-8")
        assert page.with_name("index.json").exists() == ('type="application/json" href' in text)


def test_other_sites_show_a_ruling_in_the_language_of_its_page(site: Path) -> None:
    for prefix, title, standing in (
        ("", "One pilot per unit", "Official"),
        ("pl/", "Jeden pilot na jednostce", "Oficjalne"),
    ):
        address = f"{BASE}/{prefix}demo/rulings/one-pilot"
        page = site / prefix / "demo/rulings/one-pilot/index.html"
        assert f'href="{address}/oembed.json"' in page.read_text(encoding="utf-8")
        answer = json.loads(page.with_name("oembed.json").read_text(encoding="utf-8"))
        assert answer["title"] == title and standing in answer["html"]
        assert f"cite='{address}/'" in answer["html"]


def test_feed(site: Path, good_root: Path) -> None:
    feed = ElementTree.parse(site / urls.FEED).getroot()
    links = [entry.find(f"{ATOM}link").get("href") for entry in feed.iter(f"{ATOM}entry")]  # type: ignore[union-attr]
    assert len(links) == len(load(good_root).rulings)
    for link in links:
        assert link and (site / link.removeprefix(BASE + "/") / "index.html").is_file()
    moments = [entry.findtext(f"{ATOM}updated") or "" for entry in feed.iter(f"{ATOM}entry")]
    assert moments == sorted(moments, reverse=True) and all(
        re.match(r"\d{4}-\d\d-\d\dT", one) for one in moments
    )


def test_each_language_and_game_has_a_feed_with_an_id_of_its_own(
    site: Path, real_base: Path
) -> None:
    def read(path: Path) -> tuple[str, str, str]:
        feed = ElementTree.parse(path).getroot()
        titles = [entry.findtext(f"{ATOM}title") or "" for entry in feed.iter(f"{ATOM}entry")]
        return feed.findtext(f"{ATOM}id") or "", feed.findtext(f"{ATOM}title") or "", titles[0]

    polish, english = read(site / "pl/demo/feed.xml"), read(site / "demo/feed.xml")
    assert polish[0] == f"{BASE}/pl/demo/feed.xml" and english[0] == f"{BASE}/demo/feed.xml"
    assert polish[1].startswith("Gwiezdna Próba – ") and polish[2] != english[2]
    for feed, title in (
        ("pl/demo/", "Zastąpione: Dwóch pilotów"),
        ("demo/", "Superseded: Two pil"),
    ):
        assert f"<title>{title}" in (site / feed / "feed.xml").read_text("utf-8")
    of_game = 'type="application/atom+xml" title="Gwiezdna Próba" href="feed.xml"'
    assert of_game in " ".join((site / "pl/demo/index.html").read_text("utf-8").split())
    # A site that knows no address of its own.
    ids = [read(path)[0] for path in sorted((real_base / "site").rglob("feed.xml"))]
    assert len(ids) == len(set(ids)) == 12 and all(one.startswith("urn:kb:feed:") for one in ids)
    robots = (site / "robots.txt").read_text(encoding="utf-8")
    assert robots.endswith(f"Sitemap: {BASE}/sitemap.xml\n")
    assert not (real_base / "site/robots.txt").exists()


def test_the_feed_follows_the_history_of_the_records(records: Path) -> None:
    git = partial(run_git, records.parent)
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    record = records / "demo" / "pilots" / "one-pilot.md"
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("\n# en:", "\nMore.\n\n# en:", 1), encoding="utf-8")
    git("commit", "-am", "one", date="2021-05-05T12:00:00+00:00")
    found = entries(load(records).rulings.values(), changed(changes(records) or []), "2026-01-01")
    assert found[0].ruling.id == "one-pilot" and found[0].updated.startswith("2021-05-05")
    assert {one.updated[:10] for one in found[1:]} == {"2020-01-01"}


def test_site_map_opensearch_and_manifest(site: Path) -> None:
    listed = re.findall(r"<loc>([^<]+)</loc>", (site / urls.SITEMAP).read_text(encoding="utf-8"))
    assert (
        f"{BASE}/demo/rulings/one-pilot/" in listed
        and f"{BASE}/pl/demo/rulings/one-pilot/" in listed
    )
    for url in listed:
        assert (site / url.removeprefix(BASE + "/") / "index.html").is_file(), url
    found = ElementTree.parse(site / "pl" / urls.OPENSEARCH).getroot()
    template = found.find("{http://a9.com/-/spec/opensearch/1.1/}Url")
    assert (
        template is not None and template.get("template") == f"{BASE}/pl/search/?q={{searchTerms}}"
    )
    manifest = json.loads((site / urls.MANIFEST).read_text(encoding="utf-8"))
    for icon in manifest["icons"]:
        assert (site / icon["src"]).is_file()
    assert (site / manifest["start_url"]).is_file()


def test_pages_name_themselves_and_their_translations(site: Path) -> None:
    page = (site / "pl/demo/rulings/one-pilot/index.html").read_text(encoding="utf-8")
    assert f'<link rel="canonical" href="{BASE}/pl/demo/rulings/one-pilot/">' in page
    assert f'hreflang="x-default" href="{BASE}/demo/rulings/one-pilot/"' in page
    assert (
        'href="https://example.org/new?title=demo%2Fone-pilot"' in page
        or "title=demo/one-pilot" in page
    )
    assert "<svg" in page and '<html lang="pl" data-game="demo">' in page
    picture = re.findall(f'property="og:image" content="{BASE}/([^?"]*)', page)
    assert (site / picture[0]).read_bytes().startswith(b"\x89PNG")
    for name, value in (("width", "1200"), ("height", "630"), ("alt", 'Gwiezdna Próba[^"]*')):
        assert re.search(f'property="og:image:{name}" content="{value}"', page), name
    told = json.loads(re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)[0])
    assert (
        told["@type"] == "Question"
        and told["inLanguage"] == "pl"
        and told["acceptedAnswer"]["text"]
    )


def test_offline_archives_hold_every_page(site: Path) -> None:
    listed = json.loads((site / "offline/index.json").read_text(encoding="utf-8"))
    found = {}
    for name, (digest, size) in listed["archives"].items():
        archive = (site / f"offline/{name}.bin").read_bytes()
        assert (hashlib.sha256(archive).hexdigest()[:16], len(archive)) == (digest, size)
        head, _, rest = gzip.decompress(archive).partition(b"\n")
        for path, length in json.loads(head):
            assert rest[:length] == (site / path).read_bytes()
            rest = rest[length:]
            # The data beside a page is for all languages of its game.
            if path.endswith("/index.json"):
                assert name.partition("-")[2] == path.partition("/")[0]
            else:
                assert path not in found
            found[path] = name
        assert rest == b""
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {urls.NOT_FOUND}
    assert pages <= set(found)
    assert (
        found["pl/demo/rulings/one-pilot/index.html"] == "pl-demo"
        and found["search/index.html"] == "en"
    )


def test_pages_are_in_the_languages_that_their_game_is_read_in(real_base: Path) -> None:
    site = real_base / "site"
    games = {
        game: page.read_text("utf-8")
        for page in site.glob("*/index.html")
        if (game := page.parent.name) in ("swtcg", "babylon5")
    }
    switch = {game: re.findall(r' hreflang="(\w+)"', text) for game, text in games.items()}
    # Czech readers read Slovak.
    assert switch == {"swtcg": ["en", "pl"], "babylon5": ["en", "cs", "sk"]}
    assert not (site / "sk/swtcg").exists() and (site / "sk/errata/index.html").is_file()
    home = (site / "sk/index.html").read_text(encoding="utf-8")
    assert 'data-english="berserk swtcg"' in home and 'href="../swtcg/index.html"' in home
    kept = gzip.decompress((site / "offline/sk-swtcg.bin").read_bytes())
    assert b'"swtcg/cards/index.html"' in kept


def test_interfaces_are_chosen(good_root: Path, tmp_path: Path) -> None:
    places = Paths(good_root, tmp_path / "data")
    build(places, tmp_path / "site", site=SiteOptions(interfaces=("en", "pl")))
    assert (tmp_path / "site/pl/index.html").is_file() and not (tmp_path / "site/ru").exists()
    with pytest.raises(KbError, match="no words of the interface in eo"):
        build(places, tmp_path / "site", site=SiteOptions(interfaces=("eo",)))
