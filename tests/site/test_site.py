"""The static site of the small game and of the project's rulings."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import html5lib
import pytest

from kb.core import urls
from kb.records.library import Library
from kb.site.grouping import by_initial
from tests.conftest import stored
from tests.selection import thorough
from tests.site.conftest import read

SNAPSHOTS = Path(__file__).parent / "snapshots"
_TAG = re.compile(r"<([a-z0-9]+)\b([^>]*)>")
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')


@pytest.fixture(params=["small", "whole"])
def site(request: pytest.FixtureRequest) -> Path:
    path = request.getfixturevalue(request.param)
    assert isinstance(path, Path)
    return path


def pages(site: Path) -> dict[str, str]:
    return {path.relative_to(site).as_posix(): read(path) for path in sorted(site.rglob("*.html"))}


def attributes(text: str) -> list[tuple[str, str, str]]:
    return [
        (tag, name, value)
        for tag, rest in _TAG.findall(text)
        for name, value in _ATTRIBUTE.findall(rest)
    ]


def test_without_a_history_rulings_have_changed_when_their_sources_came_out(small: Path) -> None:
    days = read(small / urls.CHANGES).split("<section")
    (day,) = [day for day in days if 'datetime="2003-05"' in day]
    assert "rulings/pilot-build-zone/" in day


def test_every_link_resolves(site: Path) -> None:
    texts = pages(site)
    ids = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in texts.items()}
    for name, text in texts.items():
        for tag, attribute, value in attributes(text):
            is_link = attribute in ("href", "src", "action") and tag != "base"
            if not is_link or value.startswith(("http:", "https:", "data:")):
                continue
            assert not value.startswith("/"), (name, value)
            parts = urlsplit(value)
            path = os.path.join(os.path.dirname(name), unquote(parts.path))
            target = os.path.normpath(path) if parts.path else name
            assert (site / target).is_file(), (name, value)
            if parts.fragment and target.endswith(".html"):
                assert unquote(parts.fragment) in ids[target], (name, value)


@pytest.mark.parametrize("step", [7, *thorough(1)], ids=["some pages", "all pages"])
def test_every_page_is_sound_html(step: int, site: Path) -> None:
    for name, text in list(pages(site).items())[::step]:
        parser = html5lib.HTMLParser(strict=False)
        parser.parse(text)
        assert not parser.errors, (name, parser.errors[:3])
        found = re.findall(r'\bid="([^"]+)"', text)
        assert len(found) == len(set(found)), name


# The links by which a page only names itself and its translations.
_OWN = re.compile(r'<link rel="(?:canonical|alternate)"(?: hreflang="[^"]+")? href="([^"]+)"')


def test_no_page_needs_the_network(site: Path) -> None:
    for name, text in pages(site).items():
        own = _OWN.findall(text)
        for tag, attribute, value in attributes(text):
            if attribute == "src" or ((attribute, tag) == ("href", "link") and value not in own):
                assert not re.match(r"[a-z]+:|//", value), (name, value)
            assert attribute != "style" and not attribute.startswith("on"), (name, attribute)
        assert "<script>" not in text, name
    style = read(site / "static" / "kb.css")
    assert style.count("url(") == style.count('url("data:') and "@import" not in style


def test_every_record_has_its_page(whole: Path, rulings: Library) -> None:
    for game in rulings.games.values():
        addresses = [urls.topic(game.id, topic.id) for topic in game.header.topics]
        addresses += [urls.index(game.id, name) for name in ("topics", "sources")]
        assert all((whole / address).is_file() for address in addresses)
        for source in game.sources:
            text = read(whole / urls.source(game.id, source.id))
            assert "no ruling covers it yet" not in text
        every = read(whole / urls.index(game.id, "rulings"))
        links = [value for _, name, value in attributes(every) if name == "href"]
        own = rulings.of_game(game.id)
        for ruling in own:
            # Once under each of its topics, as the game's page counts them.
            assert links.count(f"{ruling.id}/index.html") == len({*ruling.header.topics})
            page = read(whole / urls.ruling(game.id, ruling.id))
            texts = [f'<section class="text" lang="{text.lang}"' for text in ruling.texts]
            assert all(text in page for text in texts)
        sections = every.partition('<nav class="sections"')[2].partition("</nav>")[0]
        assert (">Errata</a>" in sections) is any(ruling.header.kind == "errata" for ruling in own)


def test_a_topic_lists_rulings_in_the_order_of_what_they_cite_first(whole: Path) -> None:
    page = read(whole / urls.topic("swtcg", "keywords"))
    listed = re.findall(r'<li id="r-(overkill-\d)', page)
    assert listed == ["overkill-3", "overkill-5", "overkill-7"]


def test_a_superseded_ruling_says_so_and_a_former_address_leads_on(small: Path) -> None:
    old = read(small / urls.ruling("demo", "old-answer"))
    assert "no longer in force" in old and "../one-pilot/index.html" in old
    former = read(small / urls.ruling("demo", "single-pilot"))
    assert 'content="0; url=../one-pilot/index.html"' in former


def test_names_that_are_only_searched_are_not_shown(small: Path) -> None:
    assert not [name for name, text in pages(small).items() if re.search("zaplecz|back row", text)]
    assert read(small / urls.search_terms("pl")).count("zaplecze") == 1


def test_the_front_page_has_the_curators_examples(small: Path) -> None:
    polish = read(small / "pl" / "index.html")
    queries = re.findall(r'search/index\.html\?q=[^"]*" lang="(\w+)">([^<]+)<', polish)
    assert queries == [("pl", "pilot w strefie budowy"), ("pl", "ilu pilotów")]
    # A reader of a language that the game has no examples in gets those in English.
    for page in (small, small / "ru"):
        assert ">pilots in the build zone<" in read(page)


def test_lists_show_answers_in_the_language_of_the_page(small: Path) -> None:
    text = read(small / urls.topic("demo", "pilots"))
    assert text.count('<div class="said" lang="en"><p>') == 4
    assert 'class="said" lang="pl"' not in text
    assert '<div class="said" lang="pl"><p>' in read(small / "pl" / urls.topic("demo", "pilots"))
    # A card's page has each ruling once: what is about all versions, about one, what mentions it.
    card = read(small / urls.card("demo", "anakin-skywalker"))
    parts = ("All versions</h3>", "Anakin Skywalker (A)</h3>", "Rulings that mention it</h2>")
    places = [card.index(part) for part in parts if part in card]
    assert places == sorted(places) and len(places) > 1
    keys = re.findall(r'<li><a class="row" href="([^"]+)"', card)
    assert len(keys) == len(set(keys)) == card.count('<div class="said"')


@pytest.mark.parametrize(
    "address",
    [
        urls.ruling("demo", "one-pilot"),
        urls.card("demo", "anakin-skywalker"),
        urls.source("demo", "demo-faq"),
        urls.topic("demo", "pilots"),
    ],
)
def test_a_page_is_as_it_was_last_looked_at(address: str, small: Path) -> None:
    snapshot = SNAPSHOTS / address.replace("/index.html", ".html").replace("/", "_")
    text = re.sub(r"\?[0-9a-f]{10}", "", read(small / address))
    assert text == stored(snapshot, text), f"{address} differs from {snapshot.name}"


@pytest.mark.parametrize(
    ("lang", "index"),
    [
        ("pl", "#: 2-1B. C: Ca, Cz. Ć: Ćma. E: Élan. L: Luke, Lz. Ł: Łoś. M: Mace"),
        ("ru", "Е: Еда, Ёж, Ель. Ж: Жук. И: Игра. Й: Йод"),
        ("sk", "C: Cesta. Č: Čas. D: Ďas, Dom. H: Had, Hôrka, Hraň. CH: Chata, Chyba. I: Iskra"),
        ("cs", "C: Cesta. Č: Čas. E: Ehm, Echo. H: Hala, Hvězda. CH: Chata. I: Iskra"),
        ("pl", "C: Cesta, Chata. Ć: Ćma. H: Hala"),
    ],
)
def test_alphabets(lang: str, index: str) -> None:
    names = sorted(re.findall(r"(?<=[:,] )[\w-]+", index))
    rows = [f"{letter}: {', '.join(row)}" for letter, row in by_initial(names, lang)]
    assert ". ".join(rows) == index


def test_a_game_shows_its_most_ruled_cards_then_by_the_alphabet(small: Path) -> None:
    cards = re.findall(r'href="cards/([a-z-]+)/index.html"', read(small / "demo"))
    others = ["coruscant-speeder", "darth-sidious", "lowca-swiatow", "star-destroyer"]
    assert cards == ["anakin-skywalker", *others]


def test_where_there_is_one_game_none_is_chosen(small: Path, whole: Path) -> None:
    for site, hidden in ((small, " hidden"), (whole, "")):
        assert f'<label{hidden}>Game <select id="of-game">' in read(site / urls.CHANGES)


def test_the_drawing_of_a_card_has_what_its_versions_say_once(small: Path) -> None:
    face = read(small / "pl" / urls.card("demo", "star-destroyer")).split('class="face"')[1]
    kinds, subtypes = re.findall(r"<p>(.+)</p>", re.sub("</?span[^>]*>", "", face))[:2]
    assert (kinds, subtypes) == ("Space · Dark", "Imperial, Flagship")


_PREVIEW = re.compile(r'<meta (?:property|name)="((?:og|twitter):[a-z_:]+)" content="([^"]*)">')
# Crawlers read so many bytes of a page, the shortest of what the big chats' are known to read.
CRAWLED = 32_768


def test_every_kind_of_page_has_a_preview_in_its_first_bytes(small: Path, whole: Path) -> None:
    for path in (*small.rglob("*.html"), *whole.glob("**/glossary/index.html")):
        head = path.read_bytes()[:CRAWLED].decode("utf-8", "ignore").partition("</head>")[0]
        tags = dict(_PREVIEW.findall(head))
        if path.name == "404.html" or 'http-equiv="refresh"' in head:
            continue
        assert len(tags["og:title"]) > 3 and tags["og:site_name"], path
        assert 15 < len(tags["og:description"]) < 1_000, path
        lang = re.search(r'<html lang="([a-z]+)"', head)
        assert lang, path
        is_wide = int(tags.get("og:image:width", "0")) > 1_000
        assert tags["twitter:card"] == ("summary_large_image" if is_wide else "summary")
        if tags["og:type"] == "article":
            # A ruling's text may be in another language than the interface.
            assert re.fullmatch("[a-z]{2}_[A-Z]{2}", tags["og:locale"]), path
            assert len(tags["og:description"].split(" · ")) >= 2, path
        else:
            assert tags["og:locale"].startswith(f"{lang[1]}_"), path
    # There is no Slovak text: the preview is in English, and says so.
    tags = dict(_PREVIEW.findall(read(small / "sk/demo/rulings/one-pilot")))
    assert tags["og:title"].startswith("One pilot per unit") and tags["og:locale"] == "en_GB"
    assert tags["og:description"].startswith("Oficiálne · Platí · máj 2003. A unit can")


def test_what_a_card_says_is_in_the_readers_language(whole: Path) -> None:
    card = urls.card("berserk", "mstitel")
    assert "<p>Creature (non-flying) · Forests</p>" in read(whole / card)
    assert "<p>Существо (нелетающее) · Леса</p>" in read(whole / urls.localized(card, "ru"))
