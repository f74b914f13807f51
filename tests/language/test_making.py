"""Which dictionaries are made for some languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.language import making
from kb.language.base import Language, Sister
from kb.language.dictionary import Dictionary
from kb.language.making import make_dictionary, missing_dictionaries


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is made; nothing is there yet."""
    names: list[str] = []

    def make(dictionary: Dictionary) -> None:
        names.append(dictionary._lang)

    def make_spellings(sister: Language, _: Sister) -> None:
        names.append(f"{sister.code}-spellings")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(Dictionary, "make", make)
    monkeypatch.setattr(making, "make_spellings", make_spellings)
    return names


def make_dictionaries(codes: list[str]) -> None:
    for code in missing_dictionaries(codes):
        make_dictionary(code, codes)


def test_own_sisters_and_english_dictionaries_are_made(made: list[str]) -> None:
    make_dictionaries(["pl", "sk", "ru"])
    assert made == ["en", "cs", "cs-spellings", "sk"]


def test_a_language_without_a_dictionary_needs_english(made: list[str]) -> None:
    make_dictionaries(["pl"])
    assert made == ["en"]


def test_what_is_there_is_not_made_again(made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dictionary, "is_made", True)
    make_dictionaries(["sk"])
    assert made == []


def test_nothing_is_made_where_the_cache_cannot_be_written(
    made: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    make_dictionaries(["sk"])
    assert made == []
