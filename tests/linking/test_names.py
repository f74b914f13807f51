"""How people type the names of cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.language import FormTable
from kb.linking.card_finder import CardFinder
from kb.linking.names import CardNames, spellings
from kb.records.values import Card

NAMES = ("C-3PO", "AT-AT Driver", "4-LOM", "SP//dr, Piloted by Peni", "R2-D2")


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("C-3PO", ("C3PO",)),
        ("X‑wing-pilot", ("Xwingpilot",)),
        ("Foo - bar", ()),
        ("SP//dr, Piloted by Peni", ()),
        ("G'Kar -2", ()),
    ],
)
def test_spellings(name: str, others: tuple[str, ...]) -> None:
    assert spellings(name) == (name, *others)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        *((name, name) for name in NAMES),
        *((name.replace("-", ""), name) for name in NAMES if "-" in name),
    ],
)
def test_names_with_and_without_hyphens(typed: str, name: str, small_build: Path) -> None:
    cards = [Card(each, label=each) for each in NAMES]
    with FormTable(small_build / "forms.sqlite") as table:
        found = CardFinder(cards, (), "en", table).find(f"May {typed} attack twice?")
    assert [(mention.card, mention.surface) for mention in found] == [(name, typed)]
    assert CardNames(cards).exact(typed) == [name]
