"""Where a card's name stands in a text that may not be touched: marks, links, code, addresses."""

from __future__ import annotations

import re
from typing import cast

import pytest

from kb.linking.card_finder import CardFinder, Mention, unmarked_mentions


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
