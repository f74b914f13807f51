"""A text means the same in every form, and no hidden character stands in a record or a query."""

from __future__ import annotations

import json
import random
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.characters import clean_typed, find_hidden, mixed_scripts, normalize
from kb.core.decoding import given_text
from kb.decks.parse import parse_deck
from kb.records.model import Term
from kb.records.parse import read_entries, read_ruling
from kb.records.tables import read_cards, read_questions
from kb.search.browser.settings import settings
from kb.search.query import parse
from tests.browsers import run_node
from tests.conftest import PROJECT

_CODES = (*range(0x30000), *range(0xE0000, 0xE1000))
_CATEGORIES = {char: unicodedata.category(char) for char in map(chr, _CODES)}
# Format characters that a reader sees.
_SEEN = ("ARABIC", "SYRIAC ABBREVIATION", "KAITHI")
HIDDEN = [
    char
    for char, category in _CATEGORIES.items()
    if (
        (category in ("Cf", "Zl", "Zp") and not unicodedata.name(char, "").startswith(_SEEN))
        or (category == "Mn" and "VARIATION SELECTOR" in unicodedata.name(char))
        or char in "\u034f\u061c\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    )
]
UNSEEN = [char for char in HIDDEN if char not in "\u2028\u2029\u2800\u3164\uffa0"]
# All control characters are among the first (a promise of Unicode).
_CONTROL = {char for char in map(chr, range(256)) if unicodedata.category(char) == "Cc"}
SPACES = sorted({*re.findall(r"\s", "".join(map(chr, range(sys.maxunicode + 1)))), *_CONTROL})
RECORD = """---
kind: ruling
authority: official
status: current
about:
  - {0}
topics:
  - pilots
---

# pl: {0}

[[{0}|{0}]] {0}
"""


@pytest.mark.parametrize("around", ["pi{}lot", "пи{}лот", "{}"])
def test_records_refuse_every_hidden_character_and_no_visible_one(around: str) -> None:
    assert len(HIDDEN) > 300
    assert not [char for char in HIDDEN if not find_hidden(around.format(char))]
    assert {normalize(around.format(char)) for char in UNSEEN} == {around.format("")}
    assert normalize(around.format("\u2028")) == around.format(" ")
    visible = [char for char, category in _CATEGORIES.items() if category[0] in "LNPS"]
    assert not [char for char in {*visible} - {*HIDDEN} if find_hidden(char)]


@pytest.mark.parametrize(
    "text",
    ["👩‍🚀 👨🏽‍🚒 ❤️ ❤️‍🔥 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ☎︎", "می‌خواهم क्‍ष", "שלום\u200f! \u200eעברית (x)", "葛\U000e0100"],
)
def test_joiners_and_marks_stand_where_they_are_needed(text: str) -> None:
    assert not find_hidden(text) and normalize(text) == text


def _pasted(count: int) -> list[str]:
    """Texts with invisible characters, spaces and letters of several scripts in random order."""
    chance = random.Random(7)
    letters = [*"aZ1-'\"():*ł", "й", "e\u0301", "م", "क", "中", "👩"]
    chars = [*UNSEEN, *SPACES, "\u2800", *letters * 20]
    return ["".join(chance.choices(chars, k=chance.randint(0, 12))) for _ in range(count)]


def test_browsers_clean_what_is_typed_as_python_does(tmp_path: Path) -> None:
    texts = [*_pasted(3_000), *(f"a{char}b" for char in (*HIDDEN, *SPACES))]
    given = {"settings": settings(["en"])["text"], "texts": texts}
    (tmp_path / "given.json").write_text(json.dumps(given), encoding="utf-8")
    program = (
        "require(process.argv[1]); const given = require(process.argv[2]);"
        "const { clean } = KBSearchModules.text({ text: given.settings });"
        "console.log(JSON.stringify(given.texts.map(clean)))"
    )
    script = PROJECT / "templates" / "static" / "search-core" / "text.js"
    all_cleaned = run_node("-e", program, script, tmp_path / "given.json")
    for text, cleaned in zip(texts, all_cleaned, strict=True):
        assert cleaned == clean_typed(text) == clean_typed(cleaned), text
        assert "  " not in cleaned and cleaned == cleaned.strip()
    assert {clean_typed(f" a{char}b{char}") for char in SPACES} == {"a b"}
    assert {clean_typed(f"{char}a{char}b ") for char in UNSEEN} == {"ab"}
    # A joiner is a part of a word in the scripts that need it.
    assert clean_typed("می\u200cخواهم") == "می\u200cخواهم"


def ruling(words: str) -> object:
    read_back, problems = read_ruling(RECORD.format(words).encode(), "a.md", "a", "pilots")
    return problems or (read_back and (read_back.header, read_back.texts))


def cards(words: str) -> object:
    return read_cards(f"name\tother_names\n{words}\tx; {words}\n".encode(), "cards.tsv", "{name}")


def terms(words: str) -> object:
    entries, problems = read_entries(Term, f"- id: a\n  pl: '{words}'\n".encode(), "terms.yaml")
    return problems or entries[0].names


def questions(words: str) -> object:
    return read_questions(f"ruling\tlang\tquestion\na\tpl\t{words}\n".encode(), "questions.tsv")


FORMS: list[Callable[[str], str]] = [
    lambda text: unicodedata.normalize("NFD", text),
    lambda text: text.replace(" ", "\u00a0"),
    lambda text: text.replace(" ", "\u202f"),
]
_LETTERS = st.sampled_from([*"aZ1 .?", *"żółćĄčŤäôйёЙÅéñ"])
WORDS = st.text(_LETTERS, min_size=2, max_size=20).map(lambda text: f"{text.strip()} a?")


@given(WORDS, st.sampled_from(FORMS))
def test_every_reader_gives_the_same_for_every_form(words: str, form: Callable[[str], str]) -> None:
    for reader in (ruling, cards, terms, questions, parse, clean_typed):
        assert reader(form(words)) == reader(words), reader
    assert [*parse_deck(form(f"2 {words}"))] == [*parse_deck(f"2 {words}")]
    assert given_text(form(words).encode(), "x") == words


@given(st.text())
def test_a_normalized_text_stays_and_is_what_records_may_have(text: str) -> None:
    normal = normalize(text)
    assert normalize(normal) == normal and not find_hidden(normal)
    assert unicodedata.is_normalized("NFC", normal) and normal.count("\n") == text.count("\n")


@pytest.mark.parametrize("name", ["TIE-истребитель", "Т-65", "C-3PO", "Δ wing"])
def test_words_of_one_alphabet_each_pass(name: str) -> None:
    assert not mixed_scripts(name)
