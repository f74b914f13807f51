"""Where a card's name stands in a text that may not be touched: marks, links, code, addresses."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from typing import cast
from weakref import ref

import pytest

from kb.language import FormTable
from kb.linking.card_finder import CardFinder, Mention, unmarked_mentions
from kb.records.library import Library


class _Named:
    """Finds one name, wherever it stands."""

    def find(self, text: str) -> list[Mention]:
        return [
            Mention(one.start(), one.end(), one[0], one[0], "", (one[0],))
            for one in re.finditer("Vader", text)
        ]


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Vader and Vader.", [0, 10]),
        ("[[Vader]] and Vader.", [14]),
        ("`Vader` and Vader.", [12]),
        ("[Vader](x) and Vader.", [15]),
        ("[x](https://example.org/Vader_(card)/Vader) and Vader.", [48]),
        ("[x](https://example.org/Vader_(card)_Vader", []),
        ("[x](a(b(Vader))) Vader", [8, 17]),
        ("<https://example.org/Vader> Vader", [28]),
        ("https://example.org/Vader Vader", [26]),
        ("```\nVader\n```\nVader", [14]),
        ("[Vader] (Vader)", [1, 9]),
    ],
)
def test_names_in_links_and_code_are_left_alone(text: str, free: list[int]) -> None:
    found = unmarked_mentions(text, cast(CardFinder, _Named()))
    assert [one.start for one in found] == free


def test_a_finder_is_freed_without_the_garbage_collector(good: Library, small_build: Path) -> None:
    game = good.games["demo"]
    with FormTable(small_build / "forms.sqlite") as table:
        finder = CardFinder(game.cards, (), "en", table)
        assert unmarked_mentions(" ".join(card.name for card in game.cards), finder)
    finder_gone = ref(finder)
    gc.disable()
    try:
        # A build freezes what is there before it starts other processes.
        del finder
        assert finder_gone() is None
    finally:
        gc.enable()
