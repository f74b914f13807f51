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
    "Sidewinder\nCorusant Speedway\nHomer Missive\nImperious Destruction\nDarth Insi\nLowcy",
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
    # Sets, numbers, tags, labels, marks and dots at both ends.
    "4 [SET:161] Darth Sidious (C)\n2 {a} <b> Darth Sidious [c] (SET) 12★ *F* ^Have,#37d67a^",
    "1x Sidious (set) 647 [Ramp{x}] ^A b,#1^\nSpeeder x3 [SET] *foil*\n3x Łowca Światów ●●○ (a)",
    "1 Darth Sidious [4] (Set) #tag #other tag\n2 ●● [ [a] (b) Sidious |x|y\n[a]\n●●●\n(a) 2 [b]",
    "Sidious (SET) 64\nDarth Sidious (C) 3\nDarth Sidious (C) x3\n[a] Star Destroyer (First Set) 2",
    # As a chat shows it: quoted, as code, in bold.
    "> 2x Darth Sidious (C)\n>1 Speeder\n- **3 Sidious**\n`1 Star Destroyer`\n"
    "__2 Speeder__ x\n__ x",
    # Rows.
    "2\tDarth Sidious\tFirst Set\nSpeeder\t3\tx\n\t\tSidious\nDarth Sidious (C)\tx\n1\t\tx",
    '"4","Darth Sidious"\n"1";"Destroyer, Imperial";"a ""b"""\n2,"Speeder"\nSidious,"x"\n"Sidious',
    "#,Quantity,Name\n1,4,Darth Sidious\n2,1,Speeder",
    'Count,Name,Set\n4,Darth Sidious,First\n2,"Destroyer, Imperial",x\nx,"A ""b""",c\nSpeeder',
    '\ufeff"Name";"Set"\n"Darth Sidious";x',
    "Karta;Ilość\nDarth Sidious;2x\nSpeeder;\n;3",
    "\ufeffСет\tКоличество\tНазвание\nx\t3\tSpeeder\n\t\t\nDeck:\nSidious\n2 Sidious",
    "Name\nDarth Sidious",
    # What stands above the first part is about the deck.
    "Speeder\nSome place\n12 players\nDeck Name: Sidious\nDescription:\nSidious\n\n"
    "Crypt (12 cards, min=4)\n---\n2x Darth Sidious\n\nLibrary (2 cards)\nSpeeder",
    "Speeder\nDeck of many\nSideboard\nDarth Sidious\nDeck\n2 Sidious",
    "Commander\nDarth Sidious\n\nDeck:\nSpeeder\n= КОЛОДА =\nSidious",
    "2 Speeder\nSidious\n\nMain Deck [60]\nDarth Sidious\nlibrary 12",
    # A version of one letter stands apart; a doubled last letter is a slip.
    "2 Anakin Skywalkerr\nAnakin Skywalkera\nAnakin Skywalker A\nAnakin Skywalker-D\n"
    "Anakin Skywalker[D]\nAnakin SkywalkerD",
    "NAME:Darth Sidious\nLAYOUT MAIN:(1,2)|x\nSB: 1 [A:1+] Sidious\nSB: 1 Sidios",
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
