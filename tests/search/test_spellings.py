"""A word typed without its diacritics finds every ruling that the word itself finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.language import fold
from kb.language.lookup import CORPUS
from kb.language.words import owner
from kb.search.searcher import Searcher
from tests.search.vectors import differing_searches, searched
from tests.selection import thorough


def words_with_diacritics(searcher: Searcher) -> Iterator[tuple[str, str]]:
    """The words of the texts with diacritics, as language and word, without possessives."""
    languages = {lang for several in searcher.languages.values() for lang in several}
    for lang in sorted(languages):
        for _, folded, form, _, origin in searcher.table.stored_rows(lang):
            if origin == CORPUS and form.lower() != folded and owner(form) == form:
                yield lang, form


def full_matches(searcher: Searcher, word: str) -> set[str]:
    hits = searcher.search(word, limit=1_000).results
    return {hit.ruling.key for hit in hits if hit.match == "all"}


def is_other_word(searcher: Searcher, lang: str, word: str) -> bool:
    """Whether the bare spelling of a word is another word, with another meaning."""
    bare, meant = (searcher.table.analyse(form, lang) for form in (fold(word), word))
    return bare.how == "exact" and not {*meant.lemmas} <= {*bare.lemmas}


@pytest.mark.parametrize("step", [40, *thorough(1)], ids=["some", "all"])
def test_a_bare_spelling_finds_what_the_word_finds(
    step: int, real_base: Path, real_searcher: Searcher, tmp_path: Path
) -> None:
    words = list(words_with_diacritics(real_searcher))
    misleading = [(lang, word) for lang, word in words if is_other_word(real_searcher, lang, word)]
    chosen = dict.fromkeys((*words[::step], *misleading))
    lost = {
        word: full_matches(real_searcher, word) - full_matches(real_searcher, fold(word))
        for _, word in chosen
    }
    assert misleading and not any(lost.values()), {word for word in lost if lost[word]}
    searches = [searched(fold(word), real_searcher) for _, word in misleading]
    assert differing_searches(real_base / "site", searches, tmp_path) == []


def test_a_bare_word_that_is_another_one_finds_both(real_searcher: Searcher) -> None:
    """Slovak `ciel` is a form of *cela* as well as *cieľ* without its diacritics."""
    assert full_matches(real_searcher, "cieľ") < full_matches(real_searcher, "ciel")
