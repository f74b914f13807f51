"""The static site of the small game and of the project's rulings."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import html5lib
import pytest

from kb.core import urls
from kb.pipeline.build import SiteOptions, build
from kb.pipeline.paths import Paths
from kb.records.library import Library
from kb.site.grouping import initial, order
from tests.conftest import BuildOnce, stored
from tests.selection import thorough

HERE = Path(__file__).parent
SNAPSHOTS = HERE / "snapshots"
_TAG = re.compile(r"<([a-z0-9]+)\b([^>]*)>")
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')


@pytest.fixture(scope="module")
def small(good_root: Path, build_once: BuildOnce) -> Path:
    def fill(folder: Path) -> None:
        # Away from this repository, whose history would stand on the pages.
        shutil.copytree(good_root, folder / "rulings")
        options = SiteOptions("https://example.org/kb", interfaces=("en", "cs", "pl", "ru", "sk"))
        build(Paths(folder / "rulings", folder / "data"), folder / "site", site=options)

    return build_once("site-with-addresses", fill) / "site"


@pytest.fixture(scope="module")
def whole(real_base: Path) -> Path:
    return real_base / "site"


@pytest.fixture(params=["small", "whole"])
def site(request: pytest.FixtureRequest) -> Path:
    path = request.getfixturevalue(request.param)
    assert isinstance(path, Path)
    return path


def pages(site: Path) -> dict[str, str]:
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(site.rglob("*.html"))
    }


def attributes(text: str) -> list[tuple[str, str, str]]:
    return [
        (tag, name, value)
        for tag, rest in _TAG.findall(text)
        for name, value in _ATTRIBUTE.findall(rest)
    ]


def test_every_link_resolves(site: Path) -> None:
    texts = pages(site)
    ids = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in texts.items()}
    for name, text in texts.items():
        for tag, attribute, value in attributes(text):
            if (
                attribute not in ("href", "src", "action")
                or (tag == "base")
                or value.startswith(("http:", "https:", "data:"))
            ):
                continue
            assert not value.startswith("/"), (name, value)
            parts = urlsplit(value)
            target = (
                os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path)))
                if parts.path
                else name
            )
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


def own(text: str) -> set[str]:
    """The addresses by which a page only names itself and its translations."""
    return set(
        re.findall(
            r'<link rel="(?:canonical|alternate)"(?: hreflang="[^"]+")?'
            r'(?: type="application/json\+oembed")? href="([^"]+)"',
            text,
        )
    )


def test_no_page_needs_the_network(site: Path) -> None:
    for name, text in pages(site).items():
        for tag, attribute, value in attributes(text):
            if attribute == "src" or (
                attribute == "href" and tag == "link" and value not in own(text)
            ):
                assert not re.match(r"[a-z]+:|//", value), (name, value)
        assert "<script>" not in text and " on" not in "".join(
            f" {name}=" for _, name, _ in attributes(text) if name.startswith("on")
        ), name
        assert 'style="' not in text, name
    style = (site / "static" / "kb.css").read_text(encoding="utf-8")
    assert style.count("url(") == style.count('url("data:') and "@import" not in style


def test_languages_are_marked(whole: Path, rulings: Library) -> None:
    for ruling in rulings.rulings.values():
        text = (whole / urls.ruling(ruling.game, ruling.id)).read_text(encoding="utf-8")
        for part in ruling.texts:
            assert f'<section class="text" lang="{part.lang}"' in text


def test_every_record_has_its_page(whole: Path, rulings: Library) -> None:
    for game in rulings.games.values():
        for topic in game.header.topics:
            assert (whole / urls.topic(game.id, topic.id)).is_file()
        for source in game.sources:
            text = (whole / urls.source(game.id, source.id)).read_text(encoding="utf-8")
            assert "no ruling covers it yet" not in text
        every = (whole / urls.index(game.id, "rulings")).read_text(encoding="utf-8")
        links = [value for _, name, value in attributes(every) if name == "href"]
        own = [ruling for ruling in rulings.rulings.values() if ruling.game == game.id]
        for ruling in own:
            # Once under each of its topics, as the game's page counts them.
            assert links.count(f"{ruling.id}/index.html") == len({*ruling.header.topics})
        for name in ("topics", "sources"):
            assert (whole / urls.index(game.id, name)).is_file()
        sections = every.partition('<nav class="sections"')[2].partition("</nav>")[0]
        assert (">Errata</a>" in sections) is any(ruling.header.kind == "errata" for ruling in own)


def test_superseded_rulings_say_so(small: Path) -> None:
    text = (small / urls.ruling("demo", "old-answer")).read_text(encoding="utf-8")
    assert "no longer in force" in text and "../one-pilot/index.html" in text


def test_former_addresses_lead_on(small: Path) -> None:
    assert 'content="0; url=../one-pilot/index.html"' in (
        small / urls.ruling("demo", "single-pilot")
    ).read_text(encoding="utf-8")


def test_cards_and_terms_are_links(small: Path) -> None:
    text = (small / urls.ruling("demo", "one-pilot")).read_text(encoding="utf-8")
    assert (
        '<a href="../../cards/lowca-swiatow/index.html" class="card">Łowcy Światów</a>'
        in text.replace(
            '<a class="card" href="../../cards/lowca-swiatow/index.html">',
            '<a href="../../cards/lowca-swiatow/index.html" class="card">',
        )
    )
    assert "Strefa, w której buduje się jednostki." in text


def test_names_that_are_only_searched_are_not_shown(small: Path) -> None:
    shown = [text for text in pages(small).values() if "zaplecz" in text or "back row" in text]
    assert not shown
    terms = (small / urls.search_terms("pl")).read_text(encoding="utf-8")
    assert terms.count("zaplecze") == 1


def test_the_front_page_has_the_curators_examples(small: Path) -> None:
    polish = (small / "pl" / "index.html").read_text(encoding="utf-8")
    queries = re.findall(r'search/index\.html\?q=[^"]*" lang="(\w+)">([^<]+)<', polish)
    assert queries == [("pl", "pilot w strefie budowy"), ("pl", "ilu pilotów")]
    # A reader of a language that the game has no examples in gets those in English.
    for lang, example in (("en", "pilots in the build zone"), ("ru", "pilots in the build zone")):
        folder = small if lang == "en" else small / lang
        assert f">{example}<" in (folder / "index.html").read_text(encoding="utf-8")


def test_lists_show_answers_in_the_language_of_the_page(small: Path) -> None:
    text = (small / urls.topic("demo", "pilots")).read_text(encoding="utf-8")
    assert text.count('<details class="said" open>') == 4 and '<div lang="en"><p>' in text
    assert '<div lang="pl">' not in text
    polish = (small / "pl" / urls.topic("demo", "pilots")).read_text(encoding="utf-8")
    assert '<div lang="pl"><p>' in polish
    # A card's page has the rulings by version, those of all versions first, and each answer once.
    card = (small / urls.card("demo", "anakin-skywalker")).read_text(encoding="utf-8")
    assert card.index("All versions</h2>") < card.index("Anakin Skywalker (A)</h2>")
    assert card.count('<details class="said"') == 2


def test_snapshots(small: Path) -> None:
    """The pages of the small game as they were last looked at; renewed with KB_RENEW=1."""
    names = [
        urls.ruling("demo", "one-pilot"),
        urls.card("demo", "anakin-skywalker"),
        urls.source("demo", "demo-faq"),
        urls.topic("demo", "pilots"),
    ]
    for name in names:
        snapshot = SNAPSHOTS / name.replace("/index.html", ".html").replace("/", "_")
        text = re.sub(r"\?[0-9a-f]{10}", "", (small / name).read_text(encoding="utf-8"))
        assert text == stored(snapshot, text), f"{name} differs from {snapshot.name}"


def test_alphabets() -> None:
    assert sorted(
        ["Łoś", "Luke", "Lz", "Mace", "Ćma", "Cz", "Ca"], key=lambda name: order(name, "pl")
    ) == ["Ca", "Cz", "Ćma", "Luke", "Lz", "Łoś", "Mace"]
    assert sorted(
        ["Ёж", "Еда", "Ель", "Жук", "Йод", "Игра"], key=lambda name: order(name, "ru")
    ) == ["Еда", "Ёж", "Ель", "Жук", "Игра", "Йод"]
    assert (
        sorted(["Čas", "Cesta", "Ďas", "Dom", "Chlad"], key=lambda name: order(name, "sk"))[0]
        == "Cesta"
    )
    assert [initial(name, "pl") for name in ("Łoś", "Élan", "2-1B")] == ["Ł", "E", "#"]
    assert initial("Ёж", "ru") == "Е"


def test_language_models_find_every_ruling_as_markdown(whole: Path, rulings: Library) -> None:
    site_list = (whole / "llms.txt").read_text(encoding="utf-8")
    for game in rulings.games:
        assert f"({game}/llms.txt)" in site_list
        text = (whole / game / "llms.txt").read_text(encoding="utf-8")
        targets = re.findall(r"^- \[[^]]+\]\(([^)]+)\): \w+, \w+, \w+$", text, re.MULTILINE)
        ids = [ruling.id for ruling in rulings.of_game(game)]
        assert sorted(targets) == sorted(f"rulings/{each}/index.md" for each in ids)
    ruling = rulings.rulings["swtcg/hidden-cost"]
    markdown = (whole / "swtcg/rulings/hidden-cost/index.md").read_text(encoding="utf-8")
    for text in ruling.texts:
        assert f"\n## {text.lang}: {text.title}\n" in markdown
    assert "[[" not in markdown and f"- Authority: {ruling.header.authority}\n" in markdown
    for citation in ruling.header.sources:
        assert f"provision {citation.provision} ({citation})" in markdown


def test_link_previews_answer_by_themselves(small: Path) -> None:
    page = (small / "sk/demo/rulings/one-pilot/index.html").read_bytes()
    # Crawlers run no scripts, and some read only the beginning.
    head = page[:4096].decode("utf-8", "ignore")
    assert 'property="og:title" content="One pilot per unit' in head
    assert 'property="og:description" content="Oficiálne · Platí · máj 2003. A unit can' in head
    # There is no Slovak text: the preview is in English, and says so.
    assert 'property="og:locale" content="en_GB"' in head


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
        assert 20 < len(tags["og:description"]) < 1_000, path
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
