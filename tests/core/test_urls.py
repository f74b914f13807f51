"""Addresses: links between pages, as the standard library makes them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

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


_NAMES = [
    *(name for device in sorted(urls.DEVICES) for name in (device, device.upper(), f"{device}.")),
    *("Ace", "ACE", "ace ", "Áce", "a.c.e", "A-c-e", "com¹", "CON.txt", "..", ".", " ", "a" * 500),
    *("a" * 500 + "b", "-" * 300, "x" * 199 + "-y", "İ", "ß", "ẞ", "ﬀ", "K", "\u0130x", "\u212a"),
]


def test_slugs_are_names_for_every_file_system() -> None:
    """Windows and macOS take two names that differ in case for one, and refuse some."""
    found = urls.slugs(_NAMES)
    names = [*found.values()]
    assert len({name.casefold() for name in names}) == len(found) == len(set(_NAMES))
    for name in names:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) and len(name) < 240
        assert name not in urls.DEVICES


def test_the_files_of_a_site_have_names_for_every_file_system(small_base: Path) -> None:
    site = small_base / "site"
    files = [path.relative_to(site).as_posix() for path in site.rglob("*")]
    assert len({name.casefold() for name in files}) == len(files) > 50
    for name in files:
        assert len(name) < 200 and not re.search(r'[<>:"\\|?*\x00-\x1f]', name), name
        for part in name.split("/"):
            assert part.partition(".")[0].casefold() not in urls.DEVICES, name
            assert not part.endswith((".", " ")), name
