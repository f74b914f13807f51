"""Editing in a real browser: keyboard, conflicts, a phone's width, screen readers (axe-core)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kb.server import run
from tests.browser.conftest import Open, Serve, violations
from tests.conftest import paths_of
from tests.plugins.editor.test_editor import application
from tests.selection import thorough

CHOICES = ".choices:not([hidden]) [role=option]"


@pytest.fixture
def desk(serve: Serve, records: Path) -> str:
    return f"{serve(application(records.parent))[0]}/edit"


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#edit[data-looked]")


def test_a_judge_edits_a_ruling_with_the_keyboard(serve: Serve, records: Path, sound: Page) -> None:
    folder = records.parent
    settings = run.Settings(folder / "site", paths_of(folder), watch=True, services=("editor",))
    address, _ = serve(run.application(settings, print))
    record = records / "demo" / "pilots" / "pilot-build-zone.md"
    before = record.read_text(encoding="utf-8")
    sound.goto(f"{address}/demo/rulings/pilot-build-zone/")
    sound.get_by_role("link", name="Edit this ruling").click()
    sound.wait_for_selector("#edit[data-looked]")
    body = sound.get_by_label("Text").nth(1)
    body.focus()
    sound.keyboard.press("Control+End")
    sound.keyboard.type(" So may [[lowca")
    expect(sound.locator(CHOICES)).to_have_text(["Łowca Światów Second Set, Space"])
    sound.keyboard.press("ArrowDown")
    sound.keyboard.press("Enter")
    # Whoever types on goes on with the sentence.
    sound.keyboard.type(" and others.")
    frame = sound.frame_locator("#preview")
    expect(frame.get_by_role("link", name="Łowca Światów")).to_have_attribute(
        "href", "../../cards/lowca-swiatow/index.html"
    )
    sound.keyboard.press("Control+s")
    expect(sound.locator("#told")).to_have_text("Saved")
    after = f"{before.rstrip()} So may [[Łowca Światów]] and others.\n"
    assert record.read_text(encoding="utf-8") == after
    sound.goto(f"{address}/demo/rulings/pilot-build-zone/")
    expect(sound.locator("#text-en").get_by_role("link", name="Łowca Światów")).to_be_visible(
        timeout=60_000
    )


@pytest.mark.thorough
def test_words_that_stand_in_the_text_are_marked(desk: str, sound: Page) -> None:
    opened(sound, f"{desk}/demo/example")
    body = sound.locator("#f-body-pl")
    body.fill("To dotyczy Dartha Sidiousa C.")
    body.evaluate("(field) => field.setSelectionRange(11, 28)")
    sound.get_by_role("button", name="Mark a card").first.click()
    sound.locator(CHOICES, has_text="Darth Sidious (C)").click()
    expect(body).to_have_value("To dotyczy [[Darth Sidious (C)|Dartha Sidiousa C]].")
    topics = sound.get_by_label("Topics")
    sound.get_by_role("button", name="Remove Pil").click()
    expect(sound.locator("#f-topics")).to_have_value("")
    topics.press_sequentially("erra")
    expect(sound.locator(CHOICES)).to_have_count(1)
    topics.press("Enter")
    expect(sound.locator(".picked").filter(has_text="Errata")).to_be_visible()
    topics.fill("pilots")
    topics.press("Enter")
    expect(sound.locator("#f-topics")).to_have_value("errata\npilots")
    sound.get_by_label("Sources").click()
    sound.locator(CHOICES, has_text="demo-faq#one-pilot").click()
    expect(sound.locator("#f-sources")).to_have_value("demo-faq#example\ndemo-faq#one-pilot")
    sound.get_by_role("button", name="Review changes").click()
    dialog = sound.get_by_role("dialog", name="Changes in the file")
    expect(dialog.locator("[data-side='+']")).to_contain_text(
        ["  - errata", "  - demo-faq#one-pilot", "Dartha Sidiousa C]]."]
    )
    dialog.get_by_role("button", name="Back to the form").click()
    expect(dialog).to_be_hidden()


def test_problems_are_told_beside_the_field_and_saving_needs_insisting(
    desk: str, records: Path, page: Page
) -> None:
    record = records / "demo" / "pilots" / "example.md"
    before = record.read_bytes()
    opened(page, f"{desk}/demo/example")
    field, remove = page.get_by_label("Sources"), page.get_by_role("button", name="Remove Pyt")

    def cite(source: str) -> None:
        remove.or_(page.get_by_role("button", name="Remove demo-faq")).click()
        field.fill(source)
        field.press("Enter")

    cite("demo-faq#exampel")
    told = page.locator("#p-sources")
    expect(told).to_contain_text("did you mean example?")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert "p-sources" in (field.get_attribute("aria-describedby") or "")
    save(page)
    expect(page.get_by_role("alert")).to_contain_text("was not saved")
    assert record.read_bytes() == before
    page.get_by_role("alert").get_by_role("link").click()
    expect(field).to_be_focused()
    page.get_by_role("button", name="Save anyway").click()
    expect(page.locator("#told")).to_contain_text("Saved with 1 problem")
    assert record.read_bytes() == before.replace(b"demo-faq#example", b"demo-faq#exampel")
    cite("demo-faq#example")
    expect(told).to_be_hidden()
    save(page)
    expect(page.locator("#told")).to_have_text("Saved")
    assert record.read_bytes() == before


def test_a_verdict_has_a_condition_in_each_language(desk: str, records: Path, page: Page) -> None:
    record = records / "demo" / "pilots" / "one-pilot.md"
    before = record.read_text(encoding="utf-8")
    opened(page, f"{desk}/demo/one-pilot")
    page.get_by_label("Verdict").fill("if")
    polish, english = page.get_by_label("Condition").all()
    polish.fill("tylko w bitwie")
    english.fill("only in battle, and never in any other phase")
    expect(page.locator("#p-when-en")).to_contain_text("more than 40 characters")
    english.fill("only in battle")
    expect(page.locator("#p-when-en")).to_be_hidden()
    save(page)
    expect(page.locator("#told")).to_have_text("Saved")
    lines = "verdict: if\nwhen:\n  pl: tylko w bitwie\n  en: only in battle\n"
    after = before.replace("about:", f"{lines}about:", 1)
    assert record.read_text(encoding="utf-8") == after
    opened(page, f"{desk}/demo/one-pilot")
    expect(english).to_have_value("only in battle")


def test_two_edits_meet_and_nothing_is_lost(desk: str, records: Path, page: Page) -> None:
    record = records / "demo" / "pilots" / "example.md"
    opened(page, f"{desk}/demo/example")
    page.locator("#f-title-en").fill("Mine")
    page.locator("#f-body-pl").fill("Moje słowa.")
    text = record.read_text(encoding="utf-8")
    text = text.replace("# en: Example: two pilots and one ship", "# en: Theirs").replace(
        "status: current", "status: disputed"
    )
    record.write_text(text, encoding="utf-8")
    save(page)
    expect(page.get_by_role("alert")).to_contain_text("Somebody else has changed this record")
    expect(page.locator("#f-status")).to_have_value("disputed")
    expect(page.locator("#f-title-en")).to_have_value("Mine")
    group = page.get_by_role("group", name="On disk now:")
    expect(group.locator("pre")).to_have_text("Theirs")
    save(page)
    expect(page.locator("#told")).to_contain_text("First choose")
    assert record.read_text(encoding="utf-8") == text
    group.get_by_role("button", name="Keep mine").click()
    save(page)
    expect(page.locator("#told")).to_have_text("Saved")
    after = record.read_text(encoding="utf-8")
    assert "status: disputed" in after and "Theirs" not in after
    assert "# en: Mine" in after and "Moje słowa." in after


@pytest.mark.thorough
def test_a_server_that_was_started_anew_takes_what_was_written(
    records: Path, serve: Serve, page: Page
) -> None:
    address, stop = serve(application(records.parent))
    opened(page, f"{address}/edit/demo/example")
    page.locator("#f-title-en").fill("Written before")
    stop()
    save(page)
    expect(page.locator("#told")).to_contain_text("cannot be reached")
    port = int(address.rpartition(":")[2])
    serve(application(records.parent), port)
    save(page)
    expect(page.locator("#told")).to_have_text("Saved")
    record = records / "demo" / "pilots" / "example.md"
    assert "# en: Written before" in record.read_text(encoding="utf-8")


def test_a_new_ruling(desk: str, records: Path, page: Page) -> None:
    page.goto(desk.removesuffix("/edit"))
    page.get_by_role("link", name="Edit rulings").click()
    # The filter is hidden until its script has run, and loses the focus when its style loads.
    page.wait_for_url(f"{desk}/")
    page.get_by_label("Filter").fill("ZONE")
    expect(page.locator(".listed li:visible")).to_have_text([re.compile("pilot-build-zone")])
    page.get_by_label("Filter").fill("nowhere")
    expect(page.get_by_role("status")).to_contain_text("Nothing in this list has “nowhere”")
    page.get_by_label("Filter").fill("")
    page.get_by_role("link", name="New ruling").click()
    page.wait_for_selector("#edit[data-looked]")
    page.locator("#f-title-pl").fill("Pilot w strefie budowy jednostki")
    expect(page.get_by_label("Id", exact=True)).to_have_value("pilot-w-strefie-budowy-jednostki")
    expect(page.locator("[data-missing=en]")).to_contain_text("No translation yet")
    page.get_by_label("Id", exact=True).fill("pilot-and-zone")
    page.locator("#f-body-pl").fill("Pilota wolno przenieść na jednostkę w strefie budowy.")
    expect(page.locator("#similar")).to_contain_text("Pilot w strefie budowy")
    page.locator("#f-title-en").fill("A pilot")
    page.locator("#f-body-en").fill("A pilot may be moved.")
    expect(page.locator("[data-missing=en]")).to_be_hidden()
    page.get_by_label("Topics").fill("pilots")
    page.get_by_label("Topics").press("Enter")
    page.get_by_role("button", name="New provision").click()
    page.get_by_label("Source (id)").fill("demo-faq")
    page.get_by_label("Provision", exact=True).fill("pilot-zone")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#f-sources")).to_have_value("demo-faq#pilot-zone")
    box, stale = page.get_by_label("This translation matches"), page.locator("[data-stale=en]")
    expect(stale).to_have_text("Not recorded yet.")
    box.check()
    save(page)
    expect(page.get_by_role("heading", name="pilot-and-zone")).to_be_visible()
    expect(page.locator("#told")).to_have_text("Saved")
    expect(box).to_be_checked()
    page.locator("#f-body-pl").fill("Inne słowa.")
    expect(stale).to_have_text("The original has changed since this translation was made.")
    expect(box).not_to_be_checked()
    page.reload()
    made = (records / "demo" / "pilots" / "pilot-and-zone.md").read_text(encoding="utf-8")
    assert made.startswith(
        "---\nkind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots\n"
        "sources:\n  - demo-faq#pilot-zone\ntranslated-from:\n  en: "
    )
    page.get_by_text("Rename or delete").click()
    page.get_by_label("New id").fill("zone-of-a-pilot")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="zone-of-a-pilot")).to_be_visible()
    expect(page.locator("#f-formerly")).to_have_value("pilot-and-zone")
    page.get_by_text("Rename or delete").click()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url(f"{desk}/")
    assert not list(records.rglob("zone-of-a-pilot.md"))


PLACES = ("/demo/one-pilot", "/", "/demo/one-pilot?raw", "/new?game=demo", "/demo/nothing")


@pytest.mark.parametrize(
    ("places", "scheme", "width"),
    [
        (PLACES[:1], "light", 390),
        *thorough(*((PLACES, scheme, width) for scheme, width in (("dark", 390), ("light", 1440)))),
    ],
    ids=lambda value: f"{len(value)} pages" if isinstance(value, tuple) else str(value),
)
def test_axe_finds_nothing_and_nothing_is_cut_off(
    places: tuple[str, ...], scheme: str, width: int, desk: str, open_page: Open
) -> None:
    size = {"width": width, "height": 900}
    page, found = open_page(desk, color_scheme=scheme, viewport=size), []
    for place in places:
        page.goto(desk + place)
        if page.locator("#edit").count():
            page.wait_for_selector("#edit[data-looked]")
        if place == "/demo/one-pilot":
            page.locator("#f-date").fill("never")
            expect(page.locator("#p-date")).to_be_visible()
            page.locator("#pick-about").fill("skyw")
            expect(page.locator(CHOICES).first).to_be_visible()
        found += [(place, *wrong) for wrong in violations(page)]
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place
    assert not found
