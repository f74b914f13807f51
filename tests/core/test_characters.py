"""Hidden characters: refused in records, dropped from what is typed, the same by browsers."""

from __future__ import annotations

import json
import random
import re
import sys
import unicodedata
from pathlib import Path

import pytest

from kb.core.characters import clean_typed, find_hidden, normalize
from kb.decks.parse import parse_deck
from kb.ingest.write import rendered
from kb.language import words_of
from kb.records.parse import read_ruling
from kb.search.browser.settings import settings
from kb.search.query import parse
from tests.browsers import run_node
from tests.ingest.test_write import draft

_CODES = (*range(0x30000), *range(0xE0000, 0xE1000))
_CATEGORIES = {char: unicodedata.category(char) for char in map(chr, _CODES)}
# Format characters that a reader sees.
_SEEN = "ARABIC|SYRIAC ABBREVIATION|KAITHI"
HIDDEN = [
    char
    for char, category in _CATEGORIES.items()
    if category in ("Cf", "Zl", "Zp")
    or (category == "Mn" and "VARIATION SELECTOR" in unicodedata.name(char))
    or char in "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
]
HIDDEN = [
    char
    for char in HIDDEN
    if not unicodedata.name(char, "").startswith(tuple(_SEEN.split("|"))) or char == "\u061c"
]


@pytest.mark.parametrize("around", ["pi{}lot", "{}pilot", "pilot{}", "pilot {} x", "пи{}лот", "{}"])
def test_no_word_has_a_hidden_character(around: str) -> None:
    assert len(HIDDEN) > 300
    passed = [f"U+{ord(char):04X}" for char in HIDDEN if not find_hidden(around.format(char))]
    assert not passed
    dropped = {*HIDDEN} - {"\u2028", "\u2029"}
    assert {normalize(around.format(char)) for char in dropped} == {around.format("")}
    assert normalize(around.format("\u2028")) == around.format(" ")


def test_every_text_that_people_write_passes() -> None:
    hidden = {*HIDDEN}
    for char, category in _CATEGORIES.items():
        if category[0] in "LNPS" and char not in hidden:
            assert not find_hidden(char), f"U+{ord(char):04X}"


@pytest.mark.parametrize(
    "text",
    ["👩‍🚀 👨🏽‍🚒 ❤️ ❤️‍🔥 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ☎︎", "می‌خواهم क्‍ष", "שלום\u200f! \u200eעברית (x)", "葛\U000e0100"],
)
def test_joiners_and_marks_stand_where_they_are_needed(text: str) -> None:
    assert not find_hidden(text) and normalize(text) == text


@pytest.mark.parametrize("place", ["title", "body", "header", "escape"])
@pytest.mark.parametrize(
    "char", ["\u200b", "\u200e", "\u200f", "\u061c", "\xad", "\u2060", "\u200d"]
)
def test_a_record_with_one_is_named(char: str, place: str) -> None:
    text = rendered(draft("a", about=("Card",)))
    old, new = {
        "title": ("# en: On", f"# en: O{char}n"),
        "body": ("An answer", f"An ans{char}wer"),
        "header": ("- Card", f"- Ca{char}rd"),
        "escape": ("- Card", f'- "Ca\\u{ord(char):04x}rd"'),
    }[place]
    ruling, problems = read_ruling(text.replace(old, new).encode(), "a.md", "test", "pilots")
    assert ruling is None and f"U+{ord(char):04X}" in problems[0].message
    assert problems[0].line == text[: text.index(old)].count("\n") + 1


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
