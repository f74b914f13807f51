"""Hidden characters and digits of other scripts are refused wherever they stand."""

from __future__ import annotations

import unicodedata

import pytest

from kb.core.characters import find_hidden, normalize
from kb.ingest.write import rendered
from kb.records.parse import read_ruling
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
