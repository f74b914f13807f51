"""Addresses: links between pages, as the standard library makes them."""

from __future__ import annotations

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from kb.core import urls

_PIECE = st.from_regex(r"[a-z0-9][a-z0-9.-]{0,6}", fullmatch=True)
_PATH = st.lists(_PIECE, min_size=1, max_size=5).map("/".join)


@given(
    target=st.one_of(_PATH, st.just(".")), page=_PATH, anchor=st.sampled_from(["", "#a", "#a#b"])
)
def test_relative_links(target: str, page: str, anchor: str) -> None:
    assert (
        urls.relative(target + anchor, page)
        == posixpath.relpath(target, posixpath.dirname(page) or ".") + anchor
    )


def test_absolute_addresses_leave_out_the_file() -> None:
    base = "https://example.org/kb/"
    assert urls.absolute(urls.HOME, base) == "https://example.org/kb/"
    assert urls.absolute("a/b/index.html#c", base) == "https://example.org/kb/a/b/#c"
    assert (
        urls.absolute(urls.FEED, base) == "https://example.org/kb/feed.xml"
        and urls.absolute(urls.FEED, "") == ""
    )
    assert (
        urls.localized("a/index.html", "pl") == "pl/a/index.html"
        and urls.localized("a/index.html", "en") == "a/index.html"
    )
