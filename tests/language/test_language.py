"""Tokens, folding, and the table of forms, measured on groups of forms written by hand.

The floors are the design's: 40 groups of 40 in Polish, Slovak and Russian, 39 of 40 in English.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.problems import NotBuilt
from kb.language import LANGUAGES, FormTable, fold, parts, tokenize
from kb.language.forms import build_form_table
from kb.language.spelling import distance
from kb.language.words import fold_all
from tests.conftest import BuildOnce

HERE = Path(__file__).parent


def lines(name: str) -> list[list[str]]:
    text = (HERE / name).read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines() if line.strip()]


GROUPS = {lang: lines(f"groups_{lang}.txt") for lang in LANGUAGES}
NAMES = [(lang, forms) for lang, *forms in lines("names.txt")]


def make(path: Path) -> Path:
    # Only the first word of each group is in the "corpus": the table has to give the others.
    words = {lang: {group[0] for group in groups} for lang, groups in GROUPS.items()}
    words["pl"] |= {"overkill", "stack", "stackować", "stackowanie", "units"}
    words["en"] |= {"missile"}
    named = {lang: {forms[0] for other, forms in NAMES if other == lang} for lang in LANGUAGES}
    named["pl"].add("R2-D2")
    build_form_table(path, words, named, [("pl", ["stack", "stackować", "stackowanie"])])
    return path


@pytest.fixture(scope="module")
def table(build_once: BuildOnce) -> FormTable:
    folder = build_once("forms-of-groups", lambda folder: make(folder / "forms.sqlite"))
    return FormTable(folder / "forms.sqlite")


def whole(table: FormTable, lang: str, forms: list[str]) -> bool:
    return bool(set.intersection(*(set(table.analyse(form, lang).lemmas) for form in forms)))


@pytest.mark.parametrize(
    ("lang", "floor"), [("pl", 1.0), ("sk", 40 / 42), ("cs", 38 / 42), ("ru", 1.0), ("en", 39 / 41)]
)
def test_inflected_forms_meet(table: FormTable, lang: str, floor: float) -> None:
    found = GROUPS[lang]
    broken = [group[0] for group in found if not whole(table, lang, group)]
    assert len(found) >= 40
    assert 1 - len(broken) / len(found) >= floor, broken


@pytest.mark.parametrize(("lang", "floor"), [("pl", 1.0), ("sk", 0.97), ("cs", 0.97), ("ru", 1.0)])
def test_without_diacritics(table: FormTable, lang: str, floor: float) -> None:
    forms = [
        (group[0], form)
        for group in GROUPS[lang]
        for form in group
        if fold(form) != form and whole(table, lang, [group[0], form])
    ]
    lost = [form for head, form in forms if not whole(table, lang, [head, fold(form)])]
    assert forms
    assert 1 - len(lost) / len(forms) >= floor, lost


@pytest.mark.parametrize(
    ("lang", "forms"), NAMES, ids=lambda value: value if isinstance(value, str) else value[0]
)
def test_names_are_declined(table: FormTable, lang: str, forms: list[str]) -> None:
    assert whole(table, lang, forms), {form: table.analyse(form, lang) for form in forms}


def test_how_a_word_is_known(table: FormTable) -> None:
    assert whole(table, "pl", ["stack", "stackować", "stackowanie"])
    assert "unit" in table.analyse("units", "pl").lemmas
    assert table.analyse("jednostek", "pl").how == "exact"
    assert table.analyse("JEDNOSTEK", "pl").how == "exact"
    assert table.analyse("zdolnosci", "pl").how == "folded"
    assert table.analyse("qwrtzp", "pl") == (("~qwrtzp",), "stem", ())


@pytest.mark.parametrize(
    ("word", "lang", "wanted"),
    [
        ("overkil", "pl", "overkill"),
        ("konfrontcaja", "pl", "konfrontacja"),
        ("jednsotka", "pl", "jednostka"),
        ("misile", "en", "missile"),
        ("filot", "pl", "pilot"),
        ("ipilot", "pl", "pilot"),
        ("особеность", "ru", "особенность"),
        ("pskodenie", "sk", "poskodenie"),
    ],
)
def test_slips(table: FormTable, word: str, lang: str, wanted: str) -> None:
    assert wanted in [near.word for near in table.similar(word, lang, 5)]


@pytest.mark.parametrize("word", ["abc", "r2d3", "", "113.5", "zz"])
def test_short_words_and_numbers_are_not_corrected(table: FormTable, word: str) -> None:
    assert table.similar(word, "pl") == []


@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 3))
def test_distance_is_that_of_the_whole_table(word: str, other: str, most: int) -> None:
    table = {(row, 0): row for row in range(len(word) + 1)}
    table |= {(0, column): column for column in range(len(other) + 1)}
    for row, char in enumerate(word, 1):
        for column, theirs in enumerate(other, 1):
            edits = [table[row - 1, column], table[row, column - 1]]
            table[row, column] = min(min(edits) + 1, table[row - 1, column - 1] + (char != theirs))
            if word[row - 2 : row] == other[column - 2 : column][::-1] and row > 1 < column:
                table[row, column] = min(table[row, column], table[row - 2, column - 2] + 1)
    assert distance(word, other, most) == min(table[len(word), len(other)], most + 1)


@given(st.lists(st.text(st.characters(blacklist_characters="\n", blacklist_categories=["Cs"]))))
def test_words_fold_together_as_they_do_apart(words: list[str]) -> None:
    assert fold_all(words) == {word: fold(word) for word in words}


def test_tokens() -> None:
    assert [token.text for token in tokenize("R2-D2’s „Luke’ów” (п.113.5) 3,5 a_b Na'Ka'Leen")] == [
        "R2-D2’s",
        "Luke’ów",
        "п",
        "113.5",
        "3",
        "5",
        "a",
        "b",
        "Na'Ka'Leen",
    ]
    assert parts("R2-D2") == ("R2D2", "R2", "D2")
    assert parts("unit") == ()


@given(st.text())
def test_tokens_slice_back(text: str) -> None:
    place = 0
    for token in tokenize(text):
        assert text[token.start : token.end] == token.text
        assert token.start >= place
        place = token.end


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold("Łódź Luke’ów Ёж Йод ĽŠČ — ß") == "lodz lukeow еж йод lsc - ss"


@pytest.mark.hypothesis
def test_analysis_never_fails(table: FormTable) -> None:
    @given(st.text(), st.sampled_from(["pl", "sk", "ru", "en", "xx"]))
    def check(word: str, lang: str) -> None:
        assert table.analyse(word, lang).lemmas
        table.similar(word, lang)

    check()


def test_languages_analysed_apart_give_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, count in (("apart", 2), ("here", 1)):
        monkeypatch.setattr("kb.core.parallel.cpu_count", lambda count=count: count)
        make(tmp_path / f"{name}.sqlite")
    assert (tmp_path / "apart.sqlite").read_bytes() == (tmp_path / "here.sqlite").read_bytes()


@pytest.mark.parametrize("lang", ["en", "cs"])
def test_each_lemma_of_a_dictionary_is_a_form(lang: str) -> None:
    """What `Dictionary.lemma` relies on; older versions of simplemma leave such forms out."""
    dictionary = LANGUAGES[lang].dictionary
    assert dictionary and all(map(dictionary.lemma, dictionary.lemmas()))


def test_missing_or_damaged(tmp_path: Path) -> None:
    with pytest.raises(NotBuilt):
        FormTable(tmp_path / "nothing.sqlite")
    (tmp_path / "text.sqlite").write_text("x" * 5000, encoding="utf-8")
    with pytest.raises(NotBuilt):
        FormTable(tmp_path / "text.sqlite")
    with pytest.raises(NotBuilt):
        FormTable(b"text")


def test_a_word_of_the_texts_keeps_its_meaning_beside_a_form_that_it_folds_to(
    tmp_path: Path,
) -> None:
    path = tmp_path / "forms.sqlite"
    build_form_table(path, {"cs": {"lávový"}}, {"cs": {"lávový", "lava"}}, [])
    with FormTable(path) as table:
        assert "^lavovy" not in table.analyse("lavovy", "cs").lemmas
        assert "^lavovy" in table.text_lemmas("lavovy", "cs")
        assert table.analyse("lávovýa", "cs").how == "stem"


def test_terms_are_declined_as_card_names_are(tmp_path: Path) -> None:
    """Words that no dictionary declines: simplemma has two forms of *škůdce*, none of *cantrip*."""
    words = {"cs": {"škůdce", "cantrip"}, "pl": {"cantrip"}}
    build_form_table(tmp_path / "forms.sqlite", words, {}, [], words)
    with FormTable(tmp_path / "forms.sqlite") as table:
        for lang, word, form in (
            ("cs", "škůdce", "škůdcům"),
            ("cs", "cantrip", "cantripech"),
            ("pl", "cantrip", "cantripowi"),
        ):
            assert table.analyse(form, lang).lemmas == table.analyse(word, lang).lemmas


def test_words_of_questions_are_forms_of_the_texts_words_else_stems(tmp_path: Path) -> None:
    path, asked = tmp_path / "forms.sqlite", {"pl": {"pilotami", "zaparkowany"}}
    build_form_table(path, {"pl": {"pilot"}}, {}, [], None, asked)
    with FormTable(path) as table:
        assert table.analyse("pilotami", "pl").lemmas == table.analyse("pilot", "pl").lemmas
        assert table.known("zaparkowany", "pl") and not table.known("zaparkować", "pl")
        (stem,) = table.analyse("zaparkowany", "pl").lemmas
        assert stem == table.analyse("zaparkowaną", "pl").lemmas[0] and stem[0] == "~"
