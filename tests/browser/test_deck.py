"""The deck page: a list is answered in the browser, kept, shared; from a server and a file."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, expect

from kb.core import urls

LISTS = Path(__file__).parent.parent / "decks" / "lists"
DONE = "#deck[data-state=done]"


# The browser's own page for broken XML has a style, which the site's policy refuses aloud.
def test_a_list_that_is_cut_off_is_named(address: str, page: Page) -> None:
    page.goto(f"{address}/{urls.localized(urls.DECK, 'pl')}?game=swtcg")
    for rest in ('<d><card name="Homing Missile"/>', '<!DOCTYPE d><d><card name="Pilot"/></d>'):
        page.fill("#list", "")
        expect(page.locator("#said")).to_contain_text("Wklej listę")
        page.fill("#list", f'<?xml version="1.0"?>{rest}')
        expect(page.locator("#said")).to_contain_text("XML, którego nie można odczytać")
    page.fill("#list", '{"a": 1}')
    expect(page.locator("#said")).to_contain_text("w formacie JSON")


def test_a_card_says_what_it_was_read_from(address: str, page: Page) -> None:
    page.goto(f"{address}/{urls.DECK}?game=swtcg")
    page.fill("#list", "2 Vaderr\n1 Darth Sidious C\n1 Artoo\n1 Homing Missiles\n1 Star Destroyerr")
    shown = page.locator("#rulings")
    for card, note in {
        "Darth Vader × 2": ["read from “Vaderr”"],
        "Darth Sidious (C) × 1": [],
        "R2-D2 × 1": ["read from “Artoo”"],
        "Homing Missile × 1": ["read from “Homing Missiles”"],
    }.items():
        section = shown.locator("section", has=page.get_by_role("heading", name=card, exact=True))
        expect(section).to_have_count(1)
        expect(section.locator("h2 + p.also")).to_have_text(note)
    without = shown.locator("p.also", has_text="1 card without rulings")
    expect(without).to_contain_text("Star Destroyer (read from “Star Destroyerr”)")


def test_a_reader_of_neither_language_of_a_game_reads_english(address: str, page: Page) -> None:
    page.goto(f"{address}/{urls.localized(urls.DECK, 'ru')}?game=swtcg")
    page.fill("#list", "1 Darth Sidious")
    ruling = page.locator("[data-ruling='swtcg/darth-sidious-reroll']")
    expect(ruling.locator(".row [lang=en]")).to_contain_text("May the Light Side look at")
    expect(ruling.locator(".said [lang=en]")).to_be_visible()


def test_the_deck_page_of_a_game_searches_that_game(address: str, page: Page) -> None:
    page.goto(f"{address}/{urls.DECK}?game=berserk")
    page.get_by_placeholder("Search: Berserk").fill("pilot")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/index.html?game=berserk&q=pilot")


def test_the_page_is_that_of_the_game_that_a_list_is_of(address: str, page: Page) -> None:
    page.goto(f"{address}/{urls.DECK}")
    page.fill("#list", "1 Darth Sidious (C)")
    expect(page.get_by_placeholder("Search: Star Wars TCG")).to_be_visible()
    expect(page.get_by_role("navigation", name="Star Wars TCG")).to_be_visible()
    page.fill("#list", "1 Londo Mollari")
    expect(page.get_by_placeholder("Search: Babylon 5 CCG")).to_be_visible()
    expect(page.get_by_role("navigation", name="Star Wars TCG")).to_be_hidden()


def test_a_suggestion_corrects_its_line(address: str, page: Page) -> None:
    page.goto(f"{address}/{urls.DECK}?game=swtcg")
    shown, row = page.locator("#rulings"), page.locator("#rulings .unknown li")
    page.fill("#list", "// mine\n\n2 Skywalker // who\n1 Yoda\n3 Plo Kloon's Star")
    expect(row).to_have_count(2)
    choice = row.first.get_by_role("button", name="Luke Skywalker")
    page.emulate_media(media="print")
    expect(choice).to_be_visible()
    page.emulate_media(media="screen")
    choice.click()
    expect(page.locator("#list")).to_have_value(
        "// mine\n\n2 Luke Skywalker\n1 Yoda\n3 Plo Kloon's Star"
    )
    expect(shown.locator("h2", has_text="Luke Skywalker × 2")).to_be_visible()
    expect(page.locator("#said")).to_be_focused()
    expect(row).to_have_count(1)
    # Several cards on a line become lines; the number is that of the line as typed.
    page.fill("#list", "4 Darth Sidious, 2 Skywalker\n1 Plo Kloon's Star")
    expect(row).to_have_count(2)
    expect(row.first).to_contain_text("1. 2 Skywalker")
    expect(row.last).to_contain_text("2. 1 Plo Kloon")
    row.first.get_by_role("button", name="Luke Skywalker").click()
    expect(page.locator("#list")).to_have_value(
        "4 Darth Sidious\n2 Luke Skywalker\n1 Plo Kloon's Star"
    )
    page.fill("#list", '<d><card number="2" name="Skywalker"/><card name="Yoda"/></d>')
    expect(row).to_contain_text("1. 2 Skywalker")
    row.get_by_role("button", name="Luke Skywalker").click()
    expect(page.locator("#list")).to_have_value("2 Luke Skywalker\n1 Yoda")
    expect(shown.locator("h2", has_text="Luke Skywalker × 2")).to_be_visible()


def test_a_list_that_names_no_card_stays_open_and_leads_to_its_lines(
    address: str, page: Page
) -> None:
    page.goto(f"{address}/{urls.DECK}")
    box, button = page.locator("#list"), page.get_by_role("button", name="Show rulings")
    box.fill("// mine\n2 Skywalker\n1 Blorgh\n")
    button.click()
    expect(page.locator("#said")).to_have_text("No line names a card of these games.")
    expect(box).to_be_visible()
    for act in ("Copy a link to this deck", "Print"):
        expect(page.get_by_text(act, exact=True)).to_be_hidden()
    selected = "node => node.value.slice(node.selectionStart, node.selectionEnd)"
    page.get_by_role("button", name="3. 1 Blorgh").click()
    expect(box).to_be_focused()
    assert box.evaluate(selected) == "1 Blorgh"
    page.locator("#rulings").get_by_role("button", name="Luke Skywalker").click()
    expect(page.get_by_text("Print", exact=True)).to_be_visible()
    # Answered, the list makes room; its line is still one press away.
    page.set_viewport_size({"width": 390, "height": 600})
    button.click()
    expect(box).to_be_hidden()
    expect(page.locator("#said")).to_be_focused()
    expect(page.locator("#said")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="3. 1 Blorgh").click()
    expect(box).to_be_focused()
    assert box.evaluate(selected) == "1 Blorgh"
    # A line of an answer that is not a line of the box leads nowhere.
    box.fill('<d><card number="2" name="Skywalker"/>\n<card name="Yoda"/></d>')
    page.get_by_role("button", name="1. 2 Skywalker").click()
    assert box.evaluate(selected) == ""


def test_a_cleared_list_comes_back_until_something_else_is_done(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/{urls.DECK}?game=swtcg")
    box, said = page.locator("#list"), page.locator("#said")
    clear, undo = (page.get_by_role("button", name=name) for name in ("Clear", "Undo"))
    border = "node => getComputedStyle(node).borderColor"
    usual = box.evaluate(border)
    expect(clear).to_be_hidden()
    box.fill("2 Darth Sidious")
    expect(said).to_contain_text("for this deck")
    clear.click()
    expect(undo).to_be_focused()
    expect(clear).to_be_hidden()
    expect(said).to_have_text("Paste a deck list above.")
    for part in (undo, said):
        expect(part).to_be_in_viewport(ratio=1)
    assert said.bounding_box()["y"] - undo.bounding_box()["y"] < 100  # type: ignore[index]
    assert box.evaluate(border) == usual
    page.keyboard.press("Enter")
    expect(box).to_have_value("2 Darth Sidious")
    expect(said).to_contain_text("for this deck")
    expect(undo).to_be_hidden()
    clear.click()
    box.press_sequentially("Yoda")
    expect(undo).to_be_hidden()
    # Only who sends an empty list is told where it belongs.
    clear.click()
    page.get_by_role("button", name="Show rulings").click()
    expect(undo).to_be_hidden()
    expect(box).to_be_focused()
    assert box.evaluate(border) != usual
    box.fill("Yoda")
    expect(said).to_contain_text("Star Wars TCG")
    assert box.evaluate(border) == usual


def test_contents_lead_to_each_card_of_a_long_answer(address: str, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/{urls.DECK}?game=swtcg")
    contents = page.locator(".contents")
    answer = page.get_by_text("A Light Side player who wants to reroll")
    cards = ["Darth Sidious", "Darth Vader", "Battle Droid Division"]
    page.fill("#list", "\n".join(cards))
    expect(page.locator("#rulings h2").first).to_contain_text("Darth Sidious")
    expect(contents).to_have_count(0)
    page.fill("#list", "\n".join([*cards, "Luke Skywalker"]))
    contents.locator("summary").click()
    contents.get_by_role("link", name="Luke Skywalker").click()
    heading = page.get_by_role("heading", name="Luke Skywalker ×")
    expect(heading).to_be_in_viewport()
    header = page.locator("header.site").bounding_box()
    box = heading.bounding_box()
    assert box and header and box["y"] >= header["y"] + header["height"]
    # On a phone an answer unfolds; paper has them all.
    expect(answer).to_be_hidden()
    page.emulate_media(media="print")
    expect(answer).to_be_visible()
    page.emulate_media(media="screen")
    row = page.locator("[data-ruling='swtcg/darth-sidious-reroll']")
    row.locator("summary").click()
    expect(answer).to_be_visible()


def test_a_list_is_answered_kept_and_shared(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{urls.localized(urls.DECK, 'pl')}?game=swtcg")
    expect(sound.locator(".sections:visible [aria-current]")).to_have_text("Talia")
    expect(sound.locator("#game")).to_have_value("swtcg")
    expect(sound.locator(".crumbs:visible a").last).to_have_text("Star Wars TCG")
    sound.goto(f"{address}/{urls.localized(urls.DECK, 'pl')}")
    sound.fill("#list", (LISTS / "swtcg.txt").read_text(encoding="utf-8"))
    sound.wait_for_selector(DONE)
    shown = sound.locator("#rulings")
    expect(shown.locator("section:not(.unknown) h2").first).to_have_text("Jango Fett (E) × 1")
    expect(shown.locator("[data-ruling='swtcg/reserves']").first).to_contain_text(
        "może ją zagrać tylko jednostka wycofana"
    )
    assert shown.locator("section h2").all_inner_texts().count("Darth Vader × 3") == 1
    expect(shown).to_contain_text("2 Darth Cucumber")
    # Paper says which game it is, and what was not read.
    verdicts = shown.locator(".verdict:visible")
    on_screen = verdicts.all_inner_texts()
    sound.emulate_media(media="print")
    expect(sound.locator("#said")).to_contain_text("Star Wars TCG · ")
    expect(shown.locator(".unknown")).to_be_visible()
    assert verdicts.all_inner_texts() == on_screen != []
    sound.emulate_media(media="screen")
    link = shown.locator("[data-ruling='swtcg/homing-missile'] .row")
    assert (link.get_attribute("href") or "").endswith("pl/swtcg/rulings/homing-missile/index.html")

    cards = ["Darth Sidious × 4", "Homing Missile × 2", "Darth Vader (B) × 1"]
    for name in ("cockatrice.cod", "mtgo.dek", "lackey.dek"):
        sound.fill("#list", (LISTS / name).read_text(encoding="utf-8"))
        headings = shown.locator("section:not(.unknown) h2")
        expect(headings).to_have_text([*cards, "Zasady związane z tymi kartami"])
        expect(shown.locator(".unknown")).to_have_count(0)

    # Rules that were answered above are folded to one line for a reason.
    sound.fill("#list", "2 Battle Droid Division\n1 Clone Trooper Legion")
    expect(shown).not_to_contain_text("Darth Cucumber")
    above = shown.get_by_role("group").filter(has_text="zobacz wyżej (4)").last
    expect(above.get_by_role("link")).to_have_count(0)
    above.locator("summary").click()
    expect(above.get_by_role("link")).to_have_count(4)
    sound.fill("#list", (LISTS / "swtcg.txt").read_text(encoding="utf-8"))
    expect(shown).to_contain_text("2 Darth Cucumber")

    # Kept on the device.
    sound.reload()
    sound.wait_for_selector(DONE)
    assert "Darth Cucumber" in sound.input_value("#list")
    sound.click("#clear")
    expect(shown.locator("section")).to_have_count(0)

    # Shared by an address; nothing of a list becomes markup.
    text = "3 Мстителя\n<img src=x onerror=alert(1)>\n"
    sound.goto(f"{address}/{urls.DECK}#list={quote(text)}&game=berserk")
    sound.wait_for_selector(f"{DONE} >> nth=0")
    expect(shown.locator("[data-ruling='berserk/113-2-example']")).to_have_count(1)
    expect(shown).to_contain_text("<img src=x")
    sound.click("#share")
    assert "berserk" in sound.url and quote("Мстителя") in sound.url
