"""Questions of judges on a phone: the box answers them in the reader's language."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from kb.core import urls
from tests.selection import thorough

# By language of the interface: questions, with the ruling that answers, the card that is offered,
# or nothing where no ruling decides.
QUESTIONS = {
    "en": {
        "opponent rerolls with Darth Sidious C, is it secret?": "swtcg/darth-sidious-reroll",
        "can a tapped unit leave the build zone": "swtcg/tapped-units-redeploy",
        "overkil": "swtcg/overkill-text",
        "can I attach equipment to my opponent's unit": "swtcg/equipment-own-units",
        "how many cards max in a stack": "swtcg/stack-max",
        "cost of sponsoring a character of another race": "babylon5/sponsor-race-characters",
        "can a neutralised character act in the same turn": "babylon5/damage-no-actions",
        "darth sidious": "Darth Sidious · 2 rulings",
        "yoda": "Yoda · no ruling",
        "obi-wan kenobi": "Obi-Wan Kenobi · no ruling",
        "lando": "Lando Calrissian · no ruling",
    },
    "pl": {
        "co się dzieje, gdy niszczę Jedi w strefie budowy": "",
        "sidiousa przerzut kosci": "swtcg/darth-sidious-reroll",
    },
    "sk": {
        "môže neutralizovaná karta v tom istom ťahu konať": "babylon5/damage-no-actions",
        "liecenie neutralizovanej postavy": "babylon5/heal-neutralized",
        "može narn útočiť v minbarskom konflikte": "babylon5/attack-participant",
    },
    "ru": {
        "обязан ли игрок объявить срабатывающую особенность": "berserk/113-5",
        "113.5": "berserk/113-5",
        "мститель невтида": "berserk/113-2-example",
        "сработает ли особенность дважды за одно событие": "berserk/trigger-once",
    },
}
SHOWN = 3


def ruling_is_answered(page: Page, key: str, lang: str, site: Path) -> None:
    """Assert that a ruling is among the first, with its answer, and that its page begins so."""
    option = page.locator(f"[data-ruling='{key}']")
    expect(option).to_be_visible()
    first = page.locator("[data-ruling]").evaluate_all(
        "options => options.map((option) => option.dataset.ruling)"
    )
    assert key in first[:SHOWN], first
    answer = option.locator(".answered:not(.also)")
    assert answer.get_attribute("lang") == lang
    if key == first[0]:
        assert answer.evaluate("node => node.scrollHeight === node.clientHeight"), key
    address = option.evaluate("node => new URL(node.href).pathname").lstrip("/")
    html = (site / address).read_text(encoding="utf-8")
    assert f'<section class="text" lang="{lang}"' in html


@pytest.mark.parametrize("lang", ["en", *thorough("pl", "sk", "ru")])
def test_questions_are_answered_as_they_are_typed(
    lang: str, address: str, built: Path, browser: Browser
) -> None:
    phone = {"width": 390, "height": 844}
    context = browser.new_context(service_workers="block", viewport=phone, has_touch=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{address}/{urls.localized(urls.HOME, lang)}")
    page.locator("#q").tap()
    for question, wanted in QUESTIONS[lang].items():
        page.fill("#q", question)
        page.wait_for_selector("form[data-state=busy]", state="detached")
        page.wait_for_selector("form[data-state=done]")
        if "/" in wanted:
            ruling_is_answered(page, wanted, lang, built / "site")
        elif wanted:
            card = page.locator("[data-group=cards] [role=option]").filter(has_text=wanted)
            expect(card.first).to_be_visible()
        else:
            expect(page.locator("[data-group=near] .label")).to_be_visible()
    # The last of the rulings, in one tap.
    if page.locator("[data-ruling]").count():
        page.locator("[data-ruling]").first.tap()
        page.wait_for_selector("article.ruling")
        assert (
            page.locator("article.ruling h1").evaluate("title => title.closest('[lang]').lang")
            == lang
        )
    context.close()
