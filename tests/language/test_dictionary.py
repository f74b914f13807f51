"""Dictionaries searched in files say what simplemma's, gone through in memory, says."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest

from kb.language import LANGUAGES, words_of
from kb.language.dictionary import Dictionary, _load
from kb.language.registry import sisters
from kb.language.sisters import _spellings, common_spellings

RECORDS = Path(__file__).parents[2] / "rulings" / "babylon5"


@pytest.mark.parametrize(
    "lang",
    [
        "cs",
        pytest.param("en", marks=pytest.mark.thorough),
        pytest.param("sk", marks=pytest.mark.thorough),
    ],
)
def test_files_say_what_the_dictionary_says(lang: str) -> None:
    dictionary = LANGUAGES[lang].dictionary
    assert dictionary
    lemmas = {form.decode(): lemma.decode() for form, lemma in _load(lang).items()}
    by_lemma: dict[str, list[str]] = defaultdict(list)
    for form, lemma in lemmas.items():
        by_lemma[lemma].append(form)
    words = {
        word for path in RECORDS.rglob("*.*") for word in words_of(path.read_text(encoding="utf-8"))
    }
    chosen = random.Random(1)
    words |= {*chosen.sample(sorted(lemmas), 3_000), *chosen.sample(sorted(by_lemma), 1_000)}
    words |= {spelling for word in words for spelling in (word.lower(), word.capitalize())}
    for word in words:
        expected = lemmas.get(word) or (word if word in by_lemma else None)
        assert dictionary.lemma(word) == expected
        assert sorted(dictionary.forms(word)) == sorted(by_lemma.get(word, []))
    assert list(dictionary.lemmas()) == sorted(by_lemma, key=str.encode)


@pytest.mark.parametrize("lang", ["cs"])
def test_stems_are_those_of_their_lemmas(lang: str) -> None:
    dictionary = LANGUAGES[lang].dictionary
    assert dictionary
    lemmas = random.Random(1).sample(sorted(dictionary.lemmas()), 1_000)
    for lemma in lemmas:
        low = lemma.lower()
        for stem in {dictionary.key(lemma), *map(dictionary.key, dictionary.bases(low))}:
            forms = dictionary.forms_of_stems([stem], lambda *_: True)[stem]
            assert {low, *(form.lower() for form in dictionary.forms(lemma))} <= forms
            assert not dictionary.forms_of_stems([stem], lambda *_: False)[stem]


def test_spellings_of_a_sister() -> None:
    ((sister, correspondence),) = sisters("sk")
    assert sister.dictionary
    spellings = _spellings(sister, correspondence)
    for lemma in random.Random(1).sample(sorted(sister.dictionary.lemmas()), 500):
        for spelling in common_spellings(lemma.lower(), correspondence.sister_spelling):
            assert lemma in spellings.get(spelling)


def test_nothing_is_loaded_to_look_a_word_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LANGUAGES["cs"].lemmas("zničení")

    def refuse(lang: str) -> dict[bytes, bytes]:
        raise AssertionError(f"the dictionary of {lang} is loaded")

    monkeypatch.setattr("kb.language.dictionary._load", refuse)
    dictionary = Dictionary("cs", "czech")
    assert dictionary.lemma("zraněními") or dictionary.lemma("válkou") == "válka"
