"""Vectors of deck lists: texts, and what Python gives for them on the small game.

`vectors.json` keeps them; `test_vectors.py` holds Python and the browser's script to it.
KB_RENEW=1 writes it anew.
"""

from __future__ import annotations

import json
from pathlib import Path

from kb.core.json import compact
from kb.decks.answer import Deck
from kb.decks.base import base_of_store
from kb.decks.parse import parse_deck
from kb.language import FormTable
from kb.store.queries import Store

FILE = Path(__file__).with_name("vectors.json")
LISTS = Path(__file__).with_name("lists")

DECKS = [
    "",
    "2x Darth Sidious (C)\n2 Darth Sidious\nDarth Sidious C x2\nDarth Sidious (2)",
    "3 Anakina Skywalkera\nAnakin C\nSkywalker\nSidiousa [SS 4]\n1 Coruscant Spedeer",
    "Deck: pilots\n\n// comment\n# comment\nCharacters (3)\n== Space ==\n[Ground]\nSideboard",
    "Star Destroyer\nStar Destroyer (First Set)\nStar Destroyer [First Set] *F*\n4 lowca swiatow",
    "1 Death Star\n1 Darth Vader\nxyzzy\n12\n???\n2 \n<b>bold</b>",
    "SB: 2 Anakin Skywalker (A) (FS) 12\n- 2;Corusant Speeder\r\n3ks Łowcą Światów // remark",
    "x2 sidious\n2× Sidious\n2х Sidious\nSidious\t3\nSidious,4\nSidious x 5\n12 Anakin (D)",
    "\u200b2\xa0Ana\xadkina\u202fSky\u200bwalkera\u200e\n3\u3000Darth\u2003Si\ufeffdious\u061c (C)",
    # Decomposed letters.
    "4 \u0141owca S\u0301wiato\u0301w\n2 L\u0301owca s\u0301wiat\xf3w",
    "2x Anakin Skywalker (ADV)  11 ANI dom 2 votes  Follower of Set:4\n1 sidious 5 aus DOM",
    "1x Speeder, The -- remark\n3 The Łowca Światów\n1x Star Destroyer 9 -none-  prince Clan:ANY",
    "\ufeff1 Speeder\n1 the destroyer, imperial\n" + "y" * 300,
    "About\nName My Sidious deck\n\nDeck\n2 Darth Sidious",
    "2 Sidious [a]<b>{c}[d]\n2 Sidious [a]<b>{c}[d]{e}\nconstructor\n2 __proto__\ntoString x2",
]


def lines(text: str) -> list[object]:
    """The lines of a deck list, as the browser's parser gives them."""
    return [
        [line.number, line.text, [list(reading) for reading in line.readings], line.optional]
        for line in parse_deck(text)
    ]


def vectors(folder: Path) -> dict[str, object]:
    """All vectors; `folder` is that of a build of the small game."""
    lists = [path.read_text(encoding="utf-8") for path in sorted(LISTS.glob("*.txt"))]
    with FormTable(folder / "forms.sqlite") as table, Store(folder / "kb.sqlite") as store:
        deck = Deck(base_of_store("demo", store, table), table)
        return {
            "lines": [{"text": text, "lines": lines(text)} for text in (*DECKS, *lists)],
            "answers": [
                {"text": text, "answer": json.loads(compact(deck.answer(text, "pl")))}
                for text in DECKS
            ],
        }
