"""`embed.js` on a page of another origin under a strict policy, and `go/` for deck builders."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Page, expect
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from kb.core import urls
from tests.browser.conftest import Open, Serve

EXAMPLE = Path(__file__).with_name("embed-example.html")
MOST = 10_000
DONE = "html[data-kb-rulings=done]"
HOSTILE = """<!DOCTYPE html><html lang="pl"><meta charset="utf-8"><title>Forum</title><body>
<img name="currentScript" src="https://evil.example/embed.js" data-game="swtcg" alt="">
<a id="KB_EMBED">x</a> <a id="KB_EMBEDDED" name="set">x</a> <a id="KBRulings">x</a>
<form data-kb-card="R2-D2 E"><input name="closest"><input name="dataset"><input name="append">
[[R2-D2 E]]</form>
<p>constructor toString valueOf __proto__ hasOwnProperty Constructor ToString Prototype</p>
<p>[[constructor]] [[__proto__]] [[toString|x]] [[Darth Sidious|$& $` $']] [[<b>x</b>]] [[***]] [[ ]] [[\u0301]]</p>
<p><span data-kb-card="constructor">x</span> <span data-kb-card="__proto__">x</span>
<span data-kb-card="javascript:alert(1)">x</span> <span data-kb-card="">x</span></p>
<p>[[&lt;script&gt;alert(1)&lt;/script&gt;]] [[Homing Missile|&lt;img src=x onerror=alert(1)&gt;]]</p>
<p>{long}</p>
<script src="{site}/embed.js" data-game="swtcg" data-lang="pl" defer></script>
"""
NO_SUCH_LANGUAGE = """<!DOCTYPE html><html lang="de"><meta charset="utf-8"><title>Forum</title>
<p>[[Anakin Skywalker|Anakins]] <span data-kb-ruling="old-answer">früher</span>.<b
data-kb-ruling="nix"></b></p><p>[[Teapot]]</p>
<script src="{site}/embed.js" data-game="demo" data-lang="de-AT" defer></script>
"""
LONG = " ".join(("[[" * 9_000, "[[a|" * 9_000, "Darth " * 9_000, "’s" * 9_000, "A-" * 9_000))


@pytest.fixture
def forum(address: str, serve: Serve, tmp_path: Path) -> str:
    """The address of pages on another origin than the site's: an example and hostile texts."""
    pages = {"index": EXAMPLE.read_text(encoding="utf-8"), "hostile": HOSTILE}
    for name, page in pages.items():
        text = page.replace("{site}", address).replace("{long}", LONG)
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    # Without the headers that the site's own server sends.
    return serve(Starlette(routes=[Mount("/", StaticFiles(directory=tmp_path))]))[0]


def test_cards_are_marked_and_shown_on_another_origin(
    forum: str, address: str, real_base: Path, sound: Page
) -> None:
    assert forum != address
    sound.goto(f"{forum}/index.html")
    sound.wait_for_selector(DONE)
    parts = ("own", "attribute", "text", "code", "markup", "outside")
    assert {part: sound.locator(f"#{part} a:visible").all_inner_texts() for part in parts} == {
        "own": ["moim Sidiousem", "Homing Missile"],
        "attribute": ["ten droid"],
        "text": [],
        "code": ["Darth Vader"],
        "markup": ["<b>x</b>"],
        "outside": [],
    }
    assert sound.inner_text("#own").endswith("ale nie Czajnik.")
    assert sound.inner_text("#code").startswith("[[Homing Missile]]")
    panel = sound.locator("kb-rulings .panel")
    sound.locator("#own a").first.hover()
    expect(panel).to_be_visible()
    expect(panel.locator("h2")).to_have_text("Orzeczenia: Darth Sidious (C)")
    expect(panel).to_contain_text("może przed przerzutem obejrzeć kości Sidiousa C")
    expect(panel.locator(".official").first).to_have_text("Oficjalne")
    first = panel.locator("h3 a").first.get_attribute("href") or ""
    assert first.startswith(f"{address}/pl/swtcg/rulings/")
    # The panel stays while the mouse is in it, and goes when it leaves.
    panel.hover()
    sound.wait_for_timeout(600)
    expect(panel).to_be_visible()
    sound.mouse.move(0, 0)
    expect(panel).to_be_hidden()

    sound.locator("#ruling a").hover()
    expect(panel.locator("h3 a")).to_contain_text("Czy Hidden Cost można przerwać")
    sound.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    sound.mouse.move(0, 0)

    # By a press: it opens, and a press elsewhere closes it.
    sound.locator("#ruling a").click()
    expect(panel).to_be_visible()
    sound.mouse.click(5, 5)
    expect(panel).to_be_hidden()

    # From the keyboard: focus shows, Enter goes in, Escape comes back.
    sound.locator("#own a").last.focus()
    sound.keyboard.press("Tab")
    expect(panel).to_contain_text("Czy zdolność Reserves można zagrać z areny")
    sound.keyboard.press("Enter")
    expect(panel.locator("a").first).to_be_focused()
    sound.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(sound.locator("#attribute a")).to_be_focused()
    # Whoever goes on reading leaves it.
    sound.keyboard.press("Shift+Tab")
    expect(panel.locator("h2")).to_have_text("Orzeczenia: Homing Missile")
    sound.locator("#code a").focus()
    expect(panel).to_be_hidden()
    # What the page adds later.
    sound.evaluate("""() => {
        const later = document.createElement("p");
        later.textContent = "[[homing MISSILE|Rakieta]]";
        document.body.append(later);
        window.KBRulings.mark(later);
    }""")
    expect(sound.get_by_role("link", name="Rakieta")).to_be_visible()
    assert sound.context.cookies() == [] and sound.evaluate("localStorage.length") == 0
    assert len(gzip.compress((real_base / "site" / urls.EMBED).read_bytes())) < MOST


def test_a_tap_opens_the_panel_and_another_one_closes_it(forum: str, open_page: Open) -> None:
    phone = open_page(f"{forum}/index.html", has_touch=True, viewport={"width": 390, "height": 844})
    phone.wait_for_selector(DONE)
    panel = phone.locator("kb-rulings .panel")
    phone.locator("#own a").first.tap()
    expect(panel).to_be_visible()
    box = panel.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
    phone.touchscreen.tap(5, 800)
    expect(panel).to_be_hidden()
    assert phone.url == f"{forum}/index.html"


# An image named `currentScript`, fields named like methods, words that objects know, long texts.
def test_hostile_texts_of_a_page_mislead_no_script(forum: str, address: str, page: Page) -> None:
    heard: list[str] = []
    page.on("dialog", lambda dialog: (heard.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url) if "js" in request.url else None)
    page.route("https://evil.example/**", lambda route: route.abort())
    page.goto(f"{forum}/hostile.html")
    page.wait_for_selector(DONE, timeout=10_000)
    scripts = [f"{address}/embed.js", f"{address}/embed/swtcg-pl.js"]
    assert sorted(heard) == [*scripts, "https://evil.example/embed.js"]
    links = page.locator("a[href]")
    cards = {
        "R2-D2 E": "r2-d2",
        "$& $` $'": "darth-sidious",
        "<img src=x onerror=alert(1)>": "homing-missile",
    }
    assert links.all_inner_texts() == [*cards]
    leads = [f"{address}/pl/{urls.card('swtcg', piece)}" for piece in cards.values()]
    assert links.evaluate_all("links => links.map((link) => link.href)") == leads


def test_a_superseded_ruling_and_a_language_that_a_game_has_not(
    forum: str, serve: Serve, small_base: Path, tmp_path: Path, page: Page
) -> None:
    site, _ = serve(small_base / "site")
    text = NO_SUCH_LANGUAGE.replace("{site}", site)
    (tmp_path / "index.html").write_text(text, "utf-8")
    (tmp_path / "chess.html").write_text(text.replace('"demo"', '"chess"'), "utf-8")
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text))
    page.goto(f"{forum}/index.html")
    page.wait_for_selector(DONE)
    assert "embed.js: no ruling nix in demo" in warnings
    assert "embed.js: no rulings on Teapot in demo" in warnings
    expect(page.locator("p").first).to_have_text("Anakins früher.")
    card = page.locator("a", has_text="Anakins")
    assert card.get_attribute("href") == f"{site}/pl/demo/cards/anakin-skywalker/index.html"
    card.hover()
    panel = page.locator("kb-rulings .panel")
    expect(panel.locator("h3").first).to_be_visible()
    page.locator("[data-kb-ruling] a").hover()
    expect(panel.locator("h3 a")).to_have_text("Dwóch pilotów na jednostce")
    expect(panel).to_contain_text("To orzeczenie już nie obowiązuje.")
    later = panel.locator("p a")
    expect(later).to_have_text("Jeden pilot na jednostce")
    assert later.get_attribute("href") == f"{site}/pl/{urls.ruling('demo', 'one-pilot')}"
    for scheme, colour in (("light", "rgb(57, 73, 171)"), ("dark", "rgb(166, 173, 217)")):
        page.emulate_media(color_scheme=scheme)
        expect(later).to_have_css("color", colour)
    page.emulate_media(color_scheme="null")

    page.goto(f"{forum}/chess.html")
    expect(page.locator("p").first).to_have_text("Anakins früher.")


def test_a_name_as_it_stands_leads_to_the_card(address: str, sound: Page) -> None:
    for name, piece in (
        ("Darth Sidious (C)", "darth-sidious"),
        ("Neimodian Shuttle (A)", "neimoidian-shuttle"),
        ("darth sidius", "darth-sidious"),
    ):
        sound.goto(f"{address}/pl/{urls.GO}?game=swtcg&card={quote_plus(name)}")
        sound.wait_for_url(f"{address}/pl/{urls.card('swtcg', piece)}")
    for query, said in (
        ("game=swtcg&card=Alien+Rage", "There are no rulings on Alien Rage."),
        ("game=swtcg&card=%3Cb%3ETeapot", "No card of this game is named <b>Teapot."),
        ("game=chess&card=pawn", "The address does not name a game of this site."),
    ):
        sound.goto(f"{address}/{urls.GO}?{query}")
        expect(sound.locator("#said")).to_have_text(said)
    # A card without rulings has its versions, the rules that it brings in, and a way to ask.
    # Without a game one chooses it.
    sound.goto(f"{address}/{urls.GO}?card=yoda")
    expect(sound.locator(".crumbs:visible")).to_have_text("Card-game rulings")
    sound.click("#choices a:has-text('Star Wars TCG')")
    expect(sound.locator(".crumbs:visible a").last).to_have_text("Cards")
    sound.goto(f"{address}/{urls.GO}?game=swtcg&card=yoda")
    facts = sound.locator("h1 + .facts > div")
    expect(facts).to_have_text(["TypeCharacter", "SideLight"])
    sound.get_by_text("Versions 11").click()
    expect(sound.get_by_role("rowheader", name="Yoda (A)")).to_be_visible()
    expect(sound.locator("#brought a").first).to_be_visible()
    expect(sound.get_by_text("Ask for a ruling on this")).to_be_visible()
