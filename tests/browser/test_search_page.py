"""The search page in a browser, opened from a file: what is typed in the address is answered."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from kb import urls
from tests.browser.conftest import Dom


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("pilot w strefie budowy", "swtcg/build-zone-pilot"),
        ("vira londo", "babylon5/rotate-effect"),
        ("невтидой", "berserk/113-2-example"),
        ("overkil", "swtcg/overkill-text"),
        ("zdolnosc reserves w strefie budowy", "swtcg/build-zone-damage-prevention"),
    ],
)
def test_the_search_page_answers_from_a_file(query: str, wanted: str, built: Path, dom: Dom) -> None:
    page = dom(f"{(built / 'site' / urls.SEARCH).as_uri()}?q={quote(query)}")
    assert wanted in re.findall(r'data-ruling="([^"]+)"', page)[:3]
    assert re.search(r'<input[^>]*type="search"', page)
    assert "<mark>" in page


def test_slips_are_named_and_nothing_is_said_plainly(built: Path, dom: Dom) -> None:
    address = (built / "site" / urls.SEARCH).as_uri()
    assert "Did you mean: " in dom(f"{address}?q=overkil")
    assert "Nothing found." in dom(f"{address}?q=xyzzyqwv")
    assert "&lt;img" in dom(f"{address}?q={quote('<img src=x onerror=alert(1)>overkil')}")
