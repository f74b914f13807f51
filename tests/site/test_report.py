"""What readers report: an address that programs for mail take, with what a curator needs in it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from kb.records.site_config import filled_report, report_address
from kb.site.context import correction
from kb.site.i18n import read_words
from kb.site.markdown import LinkTargets, RulingText
from kb.site.templates import Templates
from tests.conftest import PROJECT

URL = "https://rulings.example.org/ru/berserk/rulings/113-5/"
LONGEST = 2_000


@pytest.mark.parametrize(
    ("mail", "fields"),
    [
        ("mailto:judge@example.org", "subject body"),
        ("mailto:judge@example.org?cc=other@example.org", "cc subject body"),
        ("mailto:judge@example.org?subject={id}&body={url}%20{text}", "subject body"),
    ],
)
@pytest.mark.parametrize("body", ["", "Коротко.", "Игрок обязан объявить об этом. " * 40])
def test_a_mail_is_filled_in_and_not_too_long(mail: str, fields: str, body: str) -> None:
    links = LinkTargets(card=lambda _: None, term=lambda _: ("", ""))
    text = RulingText("ru", "Срабатывающая особенность", body, links, original=True)
    page: Any = SimpleNamespace(key="berserk/113-5")
    words = read_words(Templates((PROJECT / "templates",)), "ru")
    address = filled_report(report_address(mail), correction(page, text, URL, words))
    assert len(address) <= LONGEST and address.isascii()
    parts = parse_qs(urlsplit(address).query)
    assert [*parts] == fields.split()
    (sent,) = parts["body"]
    # Lines of a mail end so.
    lines = sent.removeprefix(f"{URL} ").split("\r\n")
    assert lines[:4] == ["berserk/113-5, Русский", URL, "", text.title]
    assert lines[4].removeprefix("> ")[:30] == body[:30].strip()
    assert lines[-2:] == ["Моя правка и её источник:", ""]
