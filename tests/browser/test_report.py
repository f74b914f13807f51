"""Corrections and questions of readers: a forge's page or a mail, filled in, or a text to paste."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import Page, expect

from kb.core import urls
from kb.pipeline.build import build
from tests.browser.conftest import Open, Serve, look_up
from tests.conftest import paths_of

BASE = "https://rulings.example.org"
FORGE = "https://forge.example/issues/new?title={title}&body={text}&labels={id}&from={url}"
RULING = urls.ruling("demo", "one-pilot")
QUERY = "xyzzy & 100 % \"ł\" 'quoted' #1"


def site_with(records: Path, report: str) -> Path:
    """Build a site whose webmaster takes reports at an address."""
    site = records.parent / "site"
    (records.parent / "site.yaml").write_text(f"report: {report}\n", encoding="utf-8")
    build(paths_of(records.parent), site)
    return site


def test_a_forge_gets_what_its_curators_need(records: Path, serve: Serve, sound: Page) -> None:
    address, _ = serve(site_with(records, FORGE), 0)
    sound.route("https://forge.example/**", lambda route: route.fulfill(body="The forge"))

    def follow(name: str) -> dict[str, str]:
        sound.get_by_role("link", name=name).click()
        expect(sound.get_by_text("The forge")).to_be_visible()
        return {key: value for key, (value,) in parse_qs(urlsplit(sound.url).query).items()}

    sound.goto(f"{address}/pl/{RULING}")
    sent = follow("Zaproponuj poprawkę")
    assert sent["title"] == "Jeden pilot na jednostce" and sent["labels"] == "demo/one-pilot"
    assert sent["from"] == f"pl/{RULING}"
    lines = sent["body"].splitlines()
    assert lines[:2] == ["demo/one-pilot, Polski", f"pl/{RULING}"]
    assert lines[4].startswith("> Na jednostce może być tylko jeden pilot")
    assert lines[-1] == "Moja poprawka i jej źródło:"

    look_up(sound, address, QUERY)
    sent = follow("Ask for a ruling on this")
    assert sent["title"] == sent["labels"] == QUERY
    asked = quote(QUERY, safe="").replace("%20", "+")
    assert sent["from"] == f"{address}/{urls.SEARCH.removesuffix(urls.HOME)}?q={asked}"
    assert sent["body"].splitlines() == [
        QUERY,
        "",
        "Game: Star Trial",
        "Language: English",
        sent["from"],
        "",
        "What happened at the table:",
    ]


def test_without_an_address_a_text_can_be_copied(address: str, open_page: Open) -> None:
    reader = open_page(
        f"{address}/{urls.ruling('swtcg', 'hidden-cost')}",
        permissions=["clipboard-read", "clipboard-write"],
    )
    reader.evaluate("navigator.clipboard.writeText('mine')")
    reader.get_by_text("Propose a correction").click()
    shown = reader.get_by_role("textbox", name="Propose a correction")
    assert reader.url in shown.input_value()
    expect(shown).to_be_focused()
    expect(shown).to_be_in_viewport(ratio=1)
    assert shown.evaluate("node => node.scrollHeight <= node.clientHeight")
    # What a reader had copied before is theirs until they ask.
    assert reader.evaluate("navigator.clipboard.readText()") == "mine"
    reader.get_by_role("button", name="Copy the text").click()
    expect(reader.get_by_role("button", name="Copied")).to_be_visible()
    # Who opens the text completes it at its end.
    shown.focus()
    reader.keyboard.type("the FAQ of 2003")
    reader.get_by_role("button", name="Copied").click()
    copied = reader.evaluate("navigator.clipboard.readText()")
    assert copied == shown.input_value() and copied.startswith("swtcg/hidden-cost, English")
    assert copied.endswith("the FAQ of 2003")

    reader.goto(f"{address}/go/?game=swtcg&card=Yoda")
    reader.get_by_text("Ask for a ruling on this").click()
    shown = reader.get_by_role("textbox", name="Ask for a ruling on this")
    assert shown.input_value().startswith("Yoda\n\nGame: Star Wars TCG\n")

    # Another question closes what was copied for the one before.
    look_up(reader, address, "xyzzyqwv")
    reader.get_by_text("Ask for a ruling on this").click()
    shown = reader.get_by_role("textbox", name="Ask for a ruling on this")
    expect(shown).to_be_visible()
    reader.fill("#q", "qwvxyzzy")
    expect(shown).to_be_hidden()
    reader.get_by_text("Ask for a ruling on this").click()
    assert shown.input_value().startswith("qwvxyzzy\n")
    reader.fill("#q", "pilot")
    expect(reader.get_by_text("Ask for a ruling on this")).to_be_hidden()

    # Who asks in a box finds the text open.
    reader.goto(f"{address}/{urls.game('swtcg')}")
    reader.fill("#q", "xyzzyqwv")
    reader.get_by_role("option", name="Ask for a ruling on this").click()
    shown = reader.get_by_role("textbox", name="Ask for a ruling on this")
    expect(shown).to_be_focused()
    assert shown.input_value().startswith("xyzzyqwv\n")


def test_a_browser_without_a_clipboard_shows_the_text(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{urls.ruling('swtcg', 'hidden-cost')}")
    sound.evaluate("document.execCommand = () => false")
    sound.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    sound.get_by_text("Propose a correction").click()
    expect(
        sound.get_by_text("Complete this text, copy it and send it to the curators.")
    ).to_be_visible()
    sound.get_by_role("button", name="Copy the text").click()
    assert sound.evaluate("String(getSelection())").startswith("swtcg/hidden-cost, English")
