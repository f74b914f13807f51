"""The page for proposals: what it saves is what `kb apply` writes."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from kb.core import urls
from kb.proposals.file import NewRecord, read_proposals
from kb.records.library import load
from tests.browser.conftest import Serve
from tests.command_line import RunCommand


def test_proposals_from_the_page_become_records(
    sound: Page, serve: Serve, records: Path, tmp_path: Path, kb: RunCommand
) -> None:
    address, _ = serve(tmp_path / "site", 0)
    sound.goto(f"{address}/{urls.PROPOSE}?ruling=demo/one-pilot")
    expect(sound.locator("#key")).to_have_text("demo/one-pilot")
    sound.get_by_role("button", name="Add to the list").click()
    expect(sound.locator("#said")).to_have_text("Nothing has been changed yet.")
    text = sound.get_by_label("en: Text")
    text.fill(text.input_value() + "\n\nA proposed paragraph.")
    sound.get_by_label("Why, or where it is written").fill("for the test")
    sound.get_by_role("button", name="Add to the list").click()
    expect(sound.locator("#list li")).to_have_count(1)

    sound.select_option("#what", "note")
    sound.select_option("#game", "demo")
    sound.select_option("#topic", "pilots")
    sound.select_option("#lang", "pl")
    sound.get_by_label("What was asked").fill("Xylophone: may a pilot wait?")
    sound.get_by_label("What was answered").fill("Yes, it was answered at the table.")
    sound.get_by_label("Day").fill("2026-03-14")
    sound.get_by_label("Answered by").fill("head judge")
    sound.get_by_role("button", name="Add to the list").click()
    # The list is kept on the device.
    sound.reload()
    expect(sound.locator("#list li")).to_have_count(2)
    sound.get_by_label("Your name, if you like").fill("Jan")
    with sound.expect_download() as download:
        sound.get_by_role("button", name="Save as a file").click()
    download.value.save_as(tmp_path / "proposal.json")

    result = kb("apply", "proposal.json", cwd=tmp_path)
    assert "proposed by Jan" in result.stdout and "2 files written" in result.stderr
    library = load(records)
    assert not library.problems
    corrected = library.rulings["demo/one-pilot"].text("en")
    assert corrected and corrected.body.endswith("A proposed paragraph.")
    note = library.rulings["demo/xylophone-may-a-pilot-wait"].header
    assert (note.kind, note.status, note.asked_of) == ("question", "unanswered", "head judge")


@pytest.mark.parametrize(
    ("report", "longest"),
    [
        ("mailto:judge@example.org?subject=About%20{id}", 2_000),
        ("https://example.org/issues/new?labels=a%2Cb&title={id}&body=form#top", 6_000),
    ],
)
def test_a_list_goes_into_a_mail_or_an_issue_whole_or_not_at_all(
    sound: Page, address: str, report: str, longest: int
) -> None:
    sound.goto(f"{address}/{urls.PROPOSE}")
    sound.evaluate("window.open = (address) => { window.opened = address; }")
    sound.evaluate(
        "(report) => { document.getElementById('propose').dataset.report = report; }", report
    )
    sound.evaluate("document.getElementById('send').hidden = false")
    title, text = "Pilot & strefa? #1 + ł 😀", 'Is "it" so?\n\n```\n% & + = ;\n```\n\\ <b>'

    def add(body: str) -> None:
        sound.fill("#title", title)
        sound.fill("#text", body)
        sound.get_by_role("button", name="Add to the list").click()

    def send() -> tuple[str, dict[str, list[str]]]:
        sound.get_by_role("button", name="Send").click()
        opened = sound.evaluate("window.opened")
        assert len(opened) <= longest and " " not in opened and opened.isascii()
        parts = urlsplit(opened)
        assert parts.fragment == ("top" if "#top" in report else "")
        # A plus sign of a mail's address is no blank.
        return opened, parse_qs(parts.query.replace("+", "%2B"))

    add(text)
    opened, fields = send()
    assert opened.startswith(report.partition("?")[0])
    assert title in fields.get("title", fields.get("subject", [""]))[0]
    (body,) = fields["body"]
    assert ("\r\n" in body) == report.startswith("mailto:")
    (proposal,) = read_proposals(body, "body").proposals
    assert isinstance(proposal, NewRecord)
    assert (proposal.texts["en"].title, proposal.texts["en"].body) == (title, text)

    add("A long text. " * 500)
    opened, fields = send()
    assert fields.get("body", ["form"]) == ["form"]
    expect(sound.locator("#said")).to_contain_text("too long to be filled in")
    expect(sound.get_by_role("button", name="Save as a file")).to_be_focused()
    with sound.expect_download() as download:
        sound.keyboard.press("Enter")
    saved = read_proposals(download.value.path().read_text("utf-8"), "file").proposals
    assert [each.kind for each in saved] == ["ruling", "ruling"] and saved[0] == proposal
