"""Python and the browser's script give what `vectors.json` holds for lists of the small game.

A new vector is its text, added to `lines` and `answers`; KB_RENEW=1 writes what is given for it.
"""

from __future__ import annotations

import json
from pathlib import Path

from kb.core.json import compact
from kb.decks.answer import Deck
from kb.decks.base import base_of_store
from kb.decks.parse import parse_deck
from kb.language import FormTable
from kb.site.assets import SEARCH_SCRIPT
from kb.store.queries import Store
from tests.browsers import run_node
from tests.search.vectors import check_stored

FILE = Path(__file__).with_name("vectors.json")


def lines(text: str) -> list[object]:
    """The lines of a deck list, as the browser's parser gives them."""
    return [
        [line.number, line.text, [list(reading) for reading in line.readings], line.optional]
        for line in parse_deck(text)
    ]


def test_python_gives_the_vectors(small_build: Path) -> None:
    given = json.loads(FILE.read_text(encoding="utf-8"))
    texts = {kind: [vector["text"] for vector in given[kind]] for kind in given}
    with (
        FormTable(small_build / "forms.sqlite") as table,
        Store(small_build / "kb.sqlite") as store,
    ):
        deck = Deck(base_of_store("demo", store, table), table)
        answers = [
            {"text": text, "answer": json.loads(compact(deck.answer(text, "pl")))}
            for text in texts["answers"]
        ]
    read = [{"text": text, "lines": lines(text)} for text in texts["lines"]]
    check_stored(FILE, {"lines": read, "answers": answers})


def test_the_browser_gives_the_vectors(small_base: Path) -> None:
    static = small_base / "site" / "static"
    words = [static / SEARCH_SCRIPT, static / "deck-core.js", static / "search"]
    program = Path(__file__).with_name("vectors.cjs")
    assert run_node(program, *words, static / "decks" / "demo.js", FILE) == []
