"""A text means the same in every form: decomposed letters, odd spaces, invisible characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.characters import clean_typed, find_hidden, mixed_scripts, normalize
from kb.core.decoding import given_text
from kb.decks.parse import parse_deck
from kb.records.parse import read_ruling, read_terms
from kb.records.tables import questions_of, read_cards, read_questions, with_added, with_replaced
from kb.search.query import parse

_LETTERS = st.sampled_from([*"aZ1 .?", *"żółćĄčŤäôйёЙÅéñ"])
WORDS = st.text(_LETTERS, min_size=2, max_size=20).map(lambda text: f"{text.strip()} a?")
FORMS: dict[str, Callable[[str], str]] = {
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "narrow spaces": lambda text: text.replace(" ", "\u202f"),
}
RECORD = """---
kind: ruling
authority: official
status: current
about:
  - {0}
topics:
  - pilots
sources:
  - faq#one
---

# pl: {0}

[[{0}|{0}]] {0}
"""


def ruling(words: str) -> object:
    read_back, problems = read_ruling(RECORD.format(words).encode(), "a/b/c.md", "a", "b")
    return problems or (read_back and (read_back.header, read_back.texts))


def cards(words: str) -> object:
    return read_cards(f"name\tother_names\n{words}\tx; {words}\n".encode(), "cards.tsv", "{name}")


def terms(words: str) -> object:
    entries, problems = read_terms(f"- id: a\n  pl: '{words}'\n".encode(), "terms.yaml")
    return problems or entries[0].names


def questions(words: str) -> object:
    return read_questions(f"ruling\tlang\tquestion\na\tpl\t{words}\n".encode(), "questions.tsv")


@given(WORDS, st.sampled_from([*FORMS.values()]))
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
    assert clean_typed(normal) == clean_typed(clean_typed(normal))


def test_a_line_that_is_added_leaves_the_others_in_their_form() -> None:
    kept = "a\tpl\t" + unicodedata.normalize("NFD", "żółw?") + "\n" + 'a\tpl\t"czy, i jak?"\n'
    text = f"\u200bruling\tlang\tquestion\n{kept}b\tpl\tA\u00adB?\n"[1:]
    for added in (
        with_added(text, {"a": {"pl": ["żółw?", "nowe?"]}}),
        with_replaced(text, {"a": {"pl": ["żółw?", "czy, i jak?", "nowe?"]}}),
    ):
        assert added == text.replace("b\tpl", "a\tpl\tnowe?\nb\tpl")
    assert questions_of(text, "b") == {"pl": ("AB?",)}
    columns = "lang\tquestion\truling\n"
    assert with_added(columns, {"a": {"pl": ['"cytat"?']}}) == f'{columns}pl\t"""cytat""?"\ta\n'
    with pytest.raises(ValueError, match="the first line names the columns"):
        with_added("ruling;lang;question\na;pl;co?\n", {"a": {"pl": ["kto?"]}})


@pytest.mark.parametrize("name", ["TIE-истребитель", "X Лес", "Т-65", "C-3PO", "Żółw", "Δ wing"])
def test_words_of_one_alphabet_each_pass(name: str) -> None:
    assert not mixed_scripts(name)
