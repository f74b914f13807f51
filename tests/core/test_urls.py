"""Addresses: links between pages, and names of files for every system."""

from __future__ import annotations

import re
from pathlib import Path

from kb.core import urls


def test_absolute_addresses_leave_out_the_file() -> None:
    base = "https://example.org/kb/"
    assert urls.absolute(urls.HOME, base) == base
    assert urls.absolute("a/b/index.html#c", base) == f"{base}a/b/#c"
    assert (
        urls.absolute(urls.FEED, base) == f"{base}feed.xml" and urls.absolute(urls.FEED, "") == ""
    )


_NAMES = [
    *("Ace", "ACE", "ace ", "Áce", "a.c.e", "A-c-e", "..", " ", "a" * 500),
    *("a" * 500 + "b", "-" * 300, "x" * 199 + "-y", "İ", "ẞ", "ﬀ", "K", "\u0130x", "\u212a"),
]


def test_names_of_cards_and_files_are_names_for_every_file_system(small_base: Path) -> None:
    """Windows and macOS take two names that differ in case for one, and refuse some signs."""
    slugs = [*urls.slugs(_NAMES).values()]
    assert len({name.casefold() for name in slugs}) == len(set(_NAMES))
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in slugs)
    site = small_base / "site"
    files = [path.relative_to(site).as_posix() for path in site.rglob("*")]
    assert len({name.casefold() for name in files}) == len(files) > 50
    for name in (*files, *slugs):
        assert len(name) < 240 and not re.search(r'[<>:"\\|?*\x00-\x1f]', name), name
        assert not any(part.endswith((".", " ")) for part in name.split("/")), name


def test_a_card_put_in_does_not_move_the_addresses_of_others() -> None:
    names = ["青眼の白龍", "Δράκος", "Card", "🔥"]
    assert urls.slugs(["龍", *names]).items() >= urls.slugs(names).items()
    assert urls.slugs(names)["Card"] == "card"
