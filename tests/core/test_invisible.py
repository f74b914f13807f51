"""What is typed or pasted is read without invisible characters, the same by Python and browsers."""

from __future__ import annotations

import json
import random
import re
import sys
import unicodedata
from pathlib import Path

import pytest

from kb.core.characters import clean_typed
from kb.decks.parse import parse_deck
from kb.language import words_of
from kb.search.browser.settings import settings
from kb.search.query import parse
from kb.search.unanswered import printable
from tests.browsers import run_node
from tests.core.test_characters import HIDDEN

_ALL = "".join(map(chr, range(sys.maxunicode + 1)))
# All control characters are among the first (a promise of Unicode); \s is quicker than isspace().
_CONTROL = [char for char in _ALL[:256] if unicodedata.category(char) == "Cc"]
SPACES = sorted({*re.findall(r"\s", _ALL), *_CONTROL} - {"\u2028", "\u2029"})
UNSEEN = [char for char in HIDDEN if char not in "\u2028\u2029\u2800\u3164\uffa0"]
_TYPED = [*UNSEEN[::7], "\u200b", "\u200e", "\u200f", "\u061c", "\ufeff"]
_TEXT = "2 Darth Sidious (C)"
STATIC = Path(__file__).parent.parent.parent / "templates" / "static"


def _pasted(count: int) -> list[str]:
    """Texts with invisible characters, spaces and letters of several scripts in random order."""
    chance = random.Random(7)
    letters = [*"aZ1-'\"():*ł", "й", "e\u0301", "م", "क", "中", "👩"]
    chars = [*UNSEEN, *SPACES, "\u2028", "\u2800", *letters * 20]
    return ["".join(chance.choices(chars, k=chance.randint(0, 12))) for _ in range(count)]


@pytest.mark.parametrize("char", _TYPED)
def test_an_unseen_character_changes_no_query_and_no_deck(char: str) -> None:
    for at in range(len(_TEXT) + 1):
        pasted = f"{_TEXT[:at]}{char}{_TEXT[at:]}"
        assert parse(pasted) == parse(_TEXT)
        assert [*parse_deck(pasted)] == [*parse_deck(_TEXT)]
        assert printable(pasted) == _TEXT


def test_every_space_is_a_space_and_every_unseen_character_is_dropped() -> None:
    assert len(SPACES) > 70 and len(UNSEEN) > 300
    assert {clean_typed(f" a{char}b{char}") for char in SPACES} == {"a b"}
    assert {clean_typed(f"{char}a{char}b ") for char in UNSEEN} == {"ab"}
    # A joiner is a part of a word in the scripts that need it.
    assert words_of(clean_typed("می\u200cخواهم")) == words_of("می\u200cخواهم")


def test_browsers_clean_as_python_does(tmp_path: Path) -> None:
    texts = [*_pasted(3_000), *(f"a{char}b" for char in (*HIDDEN, *SPACES))]
    given = {"settings": settings(["en"])["text"], "texts": texts}
    (tmp_path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    program = (
        "require(process.argv[1]); const given = require(process.argv[2]);"
        "const { clean } = KBSearchModules.text({ text: given.settings });"
        "console.log(JSON.stringify(given.texts.map(clean)))"
    )
    script = STATIC / "search-core" / "text.js"
    all_cleaned = run_node("-e", program, script, tmp_path / "given.json")
    for text, cleaned in zip(texts, all_cleaned, strict=True):
        assert cleaned == clean_typed(text) == clean_typed(cleaned), text
        assert "  " not in cleaned and cleaned == cleaned.strip()
