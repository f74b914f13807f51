"""JSON beside pages, the bulk file, feed, site map, OpenSearch, manifest, offline lists."""

from __future__ import annotations

import json
import re
from functools import partial
from html import escape, unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kb.core import urls
from kb.pipeline.build import SiteOptions, build
from kb.records.history import changed, changes
from kb.records.library import Library, load
from kb.serialize.ruling import ruling_to_json, verdict_in_words
from kb.serialize.schema import schema
from kb.site.feeds import newest
from kb.store.model import stored_ruling
from tests.archives import read_archives
from tests.conftest import paths_of
from tests.records.test_history import git as run_git
from tests.site.conftest import BASE, read

ATOM = "{http://www.w3.org/2005/Atom}"
OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"


def test_data_of_rulings_and_cards(small: Path, good: Library) -> None:
    lines = read(small / urls.BULK).splitlines()
    rulings = good.rulings.values()
    assert [json.loads(line) for line in lines] == [
        ruling_to_json(stored_ruling(one, good)) for one in rulings
    ]
    assert json.loads(read(small / urls.SCHEMA)) == schema()
    card = json.loads(read(small / "demo/cards/anakin-skywalker/index.json"))
    assert card["name"] == "Anakin Skywalker" and card["cards"]
    assert card["titles"].keys() == {*card["about"], *card["mentioned"]} != set()
    # Other pages have none, and name none.
    folders = {path.parent.parent.name for path in (small / "demo").rglob("index.json")}
    assert folders == {"cards"} and not (small / "demo/cards/index.json").exists()
    for page in (small / "demo").rglob("index.html"):
        is_named = 'type="application/json" href' in read(page)
        assert page.with_name("index.json").exists() == is_named


def test_each_language_and_game_has_a_feed_with_an_id_of_its_own(small: Path, whole: Path) -> None:
    for feed, site, ruling in (
        ("pl/demo", "Gwiezdna Próba – ", "Zastąpione: Dwóch pilotów"),
        ("demo", "Star Trial – ", "Superseded: Two pil"),
    ):
        text = read(small / feed / "feed.xml")
        assert f"<id>{BASE}/{feed}/feed.xml</id>" in text
        assert f"<title>{site}" in text and f"<title>{ruling}" in text
    of_game = 'type="application/atom+xml" title="Gwiezdna Próba" href="feed.xml"'
    assert of_game in " ".join(read(small / "pl/demo").split())
    assert read(small / "robots.txt").endswith(f"Sitemap: {BASE}/sitemap.xml\n")
    # A site that knows no address of its own.
    ids = [ElementTree.parse(path).findtext(f"{ATOM}id") for path in whole.rglob("feed.xml")]
    assert len({*ids}) == 12 and all(str(one).startswith("urn:kb:feed:") for one in ids)
    assert not (whole / "robots.txt").exists()


@pytest.mark.parametrize("site", ["small", "whole"])
def test_entries_lead_to_pages_in_the_language_of_their_feed(
    site: str, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(site)
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    for path in folder.rglob("feed.xml"):
        feed = ElementTree.parse(path).getroot()
        moments = [moment.text or "" for moment in feed.iterfind(f"{ATOM}entry/{ATOM}updated")]
        assert moments == sorted(moments, reverse=True)
        for entry in feed.iterfind(f"{ATOM}entry"):
            lang = entry.get(language) or feed.get(language)
            link = entry.find(f"{ATOM}link")
            assert link is not None
            address = link.get("href", "")
            start = folder if BASE in address else path.parent
            page = start / address.removeprefix(f"{BASE}/")
            text = read(page.resolve())
            title = entry.findtext(f"{ATOM}title", "").rpartition(": ")[2]
            assert f'lang="{lang}"' in text and escape(title, quote=False) in unescape(text)
            summary = entry.findtext(f"{ATOM}summary", "")
            assert summary and not re.search(r"\[\[|\]\(|\*\*|\\\\", summary)
            own = feed.get(language, "")
            localized = folder / own / page.resolve().relative_to(folder.resolve())
            # Where the ruling has a page in this language, the entry leads to it.
            assert own == "en" or not localized.exists()


def test_the_feed_follows_the_history_of_the_records(records: Path) -> None:
    git = partial(run_git, records.parent)
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    record = records / "demo" / "pilots" / "one-pilot.md"
    record.write_text(read(record).replace("\n# en:", "\nMore.\n\n# en:", 1), encoding="utf-8")
    git("commit", "-am", "one", date="2021-05-05T12:00:00+00:00")
    library = load(records)
    found = newest(library, library.rulings.values(), changed(changes(records) or []), "2026-01-01")
    assert found[0][1].id == "one-pilot" and found[0][0].startswith("2021-05-05")
    assert {moment[:10] for moment, _ in found[1:]} == {"2020-01-01"}


def test_without_a_history_the_feed_has_the_dates_of_the_rulings(good: Library) -> None:
    for build_date in ("2026-01-01", "2026-02-01"):
        found = newest(good, good.rulings.values(), {}, build_date)
        assert found and all(moment < "2026" for moment, _ in found)
    unknown = newest(good, good.rulings.values(), {}, "1990-01-01")
    assert {moment[:10] for moment, _ in unknown} == {"1970-01-01"}


def test_site_map_opensearch_and_manifest(small: Path) -> None:
    listed = re.findall(r"<loc>([^<]+)</loc>", read(small / urls.SITEMAP))
    assert {f"{BASE}/{lang}demo/rulings/one-pilot/" for lang in ("", "pl/")} <= {*listed}
    for url in listed:
        assert (small / url.removeprefix(f"{BASE}/") / "index.html").is_file(), url
    template = ElementTree.parse(small / "pl" / urls.OPENSEARCH).find(f"{OPENSEARCH}Url")
    assert template is not None
    assert template.get("template") == f"{BASE}/pl/search/?q={{searchTerms}}"
    manifest = json.loads(read(small / urls.MANIFEST))
    for name in (manifest["start_url"], *(icon["src"] for icon in manifest["icons"])):
        assert (small / name).is_file(), name


def test_previews_and_search_engines_get_a_page_in_its_language(small: Path) -> None:
    """What the snapshot of the English page does not hold."""
    page = read(small / "pl/demo/rulings/one-pilot")
    assert f'<link rel="canonical" href="{BASE}/pl/demo/rulings/one-pilot/">' in page
    (picture,) = re.findall(f'property="og:image" content="{BASE}/([^?"]*)', page)
    assert (small / picture).read_bytes().startswith(b"\x89PNG")
    (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
    question = json.loads(data)
    assert question["@type"] == "Question" and question["inLanguage"] == "pl"
    assert question["acceptedAnswer"]["text"]


def test_previews_and_feeds_begin_with_the_verdict(whole: Path) -> None:
    for folder, verdict in (("", "No. The"), ("pl/", "Nie. Przegrany")):
        page = read(whole / f"{folder}swtcg/rulings/contest-payment")
        (description,) = re.findall(r'name="description" content="([^"]*)"', page)
        (preview,) = re.findall(r'property="og:description" content="([^"]*)"', page)
        (data,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)
        feed = ElementTree.parse(whole / folder / "swtcg/feed.xml")
        (summary,) = [
            entry.findtext(f"{ATOM}summary", "")
            for entry in feed.iterfind(f"{ATOM}entry")
            if entry.findtext(f"{ATOM}id", "").endswith("/contest-payment")
        ]
        answer = json.loads(data)["acceptedAnswer"]["text"]
        assert all(text.startswith(verdict) for text in (description, answer, summary))
        assert f". {verdict}" in preview


def test_a_verdict_is_in_the_language_of_its_text_and_the_condition_in_one_that_is_read(
    records: Path,
) -> None:
    record = records / "demo/pilots/one-pilot.md"
    text, *_ = record.read_text(encoding="utf-8").partition("# en:")
    verdict = "verdict: if\nwhen:\n  pl: tylko w bitwie\n---"
    record.write_text(text.replace("\n---", f"\n{verdict}", 1), encoding="utf-8")
    build(paths_of(records.parent), records.parent / "site", site=SiteOptions("", ("en",)))
    said = "Zależy: tylko w bitwie. "
    assert f"<summary>{said}" in read(records.parent / "site/feed.xml")
    page = read(records.parent / "site/demo/rulings/one-pilot")
    assert f'name="description" content="{said}' in page
    conditions = {"pl": "tylko w bitwie", "en": "only in battle"}
    assert verdict_in_words("if", conditions, "cs") == "Depends: only in battle"


def test_offline_archives_hold_every_page(small: Path) -> None:
    found: dict[str, str] = {}
    for name, files in read_archives(small).items():
        for path, content in files.items():
            assert content == (small / path).read_bytes(), path
            # The data beside a page is for all languages of its game.
            if path.endswith("/index.json"):
                assert name.partition("-")[2] == path.partition("/")[0]
            else:
                assert path not in found
            found[path] = name
    pages = {path.relative_to(small).as_posix() for path in small.rglob("*.html")}
    assert {page for page in pages if not page.endswith(urls.NOT_FOUND)} == pages & found.keys()
    assert found["pl/demo/rulings/one-pilot/index.html"] == "pl-demo"
    assert found["search/index.html"] == found[urls.MANIFEST] == "en"
    assert found["demo/cards/anakin-skywalker/index.json"].endswith("-demo")
    assert found["static/kb.css"] == found[urls.BUILD_SCRIPT] == "common"


def test_pages_are_in_the_languages_that_their_game_is_read_in(whole: Path) -> None:
    # Czech readers read Slovak.
    for game, languages in (("swtcg", ["en", "pl"]), ("babylon5", ["en", "cs", "sk"])):
        assert re.findall(r' hreflang="(\w+)"', read(whole / game)) == languages
    assert not (whole / "sk/swtcg").exists() and (whole / "sk/errata/index.html").is_file()
    home = read(whole / "sk")
    assert 'data-english="berserk swtcg"' in home and 'href="../swtcg/index.html"' in home
    kept = read_archives(whole)
    assert "swtcg/cards/index.html" in kept["en-swtcg"] and "sk-swtcg" not in kept
