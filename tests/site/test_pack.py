"""The event pack: whole, sound, needing nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import html5lib
import pytest

from kb.commands.pack import write_pack
from kb.records.library import Library
from tests.conftest import paths_of


@pytest.fixture(scope="module")
def made(real_pack: Path) -> str:
    return real_pack.read_text(encoding="utf-8")


def test_every_ruling_of_the_game_is_in_it_once(made: str, rulings: Library) -> None:
    found = re.findall(r'<article class="ruling" id="r(\d+)" data-key="([^"]+)"', made)
    assert [int(number) for number, _ in found] == list(range(1, len(found) + 1))
    assert sorted(key for _, key in found) == sorted(
        ruling.key for ruling in rulings.of_game("swtcg")
    )
    for lang in ("pl", "en"):
        assert made.count(f'<section class="text" lang="{lang}">') == len(found)


def test_it_is_sound_and_needs_nothing_else(made: str) -> None:
    parser = html5lib.HTMLParser(strict=False)
    parser.parse(made)
    assert not parser.errors, parser.errors[:3]
    ids = re.findall(r'\bid="([^"]+)"', made)
    assert len(ids) == len(set(ids))
    for address in re.findall(r'\b(?:href|src)="([^"]+)"', made):
        assert address.startswith(("#", "mailto:", "https:", "http:")), address
        assert not address.startswith("#") or address[1:] in ids, address
    assert not re.search(r'<(?:link|script|img)[^>]+(?:href|src)="', made)


def test_it_says_of_which_build_it_is_on_every_page(made: str) -> None:
    build = re.search(r'name="generator" content="kb ([0-9a-f]+)"', made)
    assert build
    page = re.search(r"@bottom-left \{ content: \"([^\"]+)\"", made)
    assert page and build[1] in page[1]


@pytest.mark.parametrize("order", [["pl", "en"], ["en", "pl"], ["en"]])
def test_languages_are_in_the_order_asked_for(
    order: list[str], small_base: Path, tmp_path: Path
) -> None:
    places = paths_of(small_base)
    write_pack(places, tmp_path / "pack.html", ["demo"], order, "en")
    made = (tmp_path / "pack.html").read_text("utf-8")
    texts = re.findall(r'<section class="text" lang="(..)">', made)
    assert texts and texts == order * (len(texts) // len(order))
    # Contents have the titles in the first language, whatever the interface is.
    listed = re.findall(r'<span class="n">\d+</span> <span\s+lang="(..)"', made)
    assert listed and {*listed} == {order[0]}
    # The glossary is looked up in the first language.
    (first, *_) = re.findall(r'<dt lang="(..)" class="first">', made)
    assert first == order[0]
