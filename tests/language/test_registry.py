"""The registry of languages: found by their modules, and complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from babel import Locale

import kb.language
from kb.language import LANGUAGES, fold, language_of
from kb.language.base import KEYS, script_keys

LOCALE = Path(kb.language.__file__).parents[2] / "templates" / "locale"


def test_every_language_has_a_module_and_a_catalogue() -> None:
    assert set(LANGUAGES) == {"en", *(path.stem for path in LOCALE.glob("*.po"))}
    assert all(language.code == code for code, language in LANGUAGES.items())
    assert language_of("szl") is LANGUAGES["en"]


@pytest.mark.parametrize("code", list(LANGUAGES))
def test_a_language_is_whole(code: str) -> None:
    language = LANGUAGES[code]
    assert language.name.lower() == Locale.parse(code).get_display_name().lower()
    assert len(language.keyboard) in (0, len(KEYS))
    assert set(language.sorted_apart) <= set(language.alphabet)
    assert language.question_words <= language.stop_words
    assert all(word == word.upper() for word in language.or_words)
    assert all(fold(suffix) == suffix for suffix in language.suffixes)
    assert list(language.suffixes) == sorted(language.suffixes, key=lambda one: (-len(one), one))


def test_keys_of_another_script() -> None:
    typed = str.maketrans(script_keys(LANGUAGES["ru"].keyboard))
    assert "Ghbdtn, Buhjr>".translate(typed) == "Приветб ИгрокЮ"
    assert "113.5 / -".translate(typed) == "113ю5 / -"
