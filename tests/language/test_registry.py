"""The registry of languages: found by their modules, and complete."""

from __future__ import annotations

import pytest

from kb.language import LANGUAGES, fold
from kb.language.base import KEYS, script_keys
from kb.language.registry import guess_language, other_language


@pytest.mark.parametrize("code", list(LANGUAGES))
def test_a_language_is_whole(code: str) -> None:
    language = LANGUAGES[code]
    assert set(language.sorted_apart) <= set(language.alphabet)
    assert len(language.keyboard) in (0, len(KEYS))
    assert language.question_words <= language.stop_words
    assert all(word == word.upper() for word in language.or_words)
    assert all(fold(suffix) == suffix for suffix in language.suffixes)
    assert list(language.suffixes) == sorted(language.suffixes, key=lambda one: (-len(one), one))


def test_keys_of_another_script() -> None:
    typed = str.maketrans(script_keys(LANGUAGES["ru"].keyboard))
    assert "Ghbdtn, Buhjr>".translate(typed) == "Приветб ИгрокЮ"
    assert "113.5 / -".translate(typed) == "113ю5 / -"


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Jednostka nie może atakować, jeśli jest w strefie.", "pl"),
        ("Postava môže zaútočiť, ak nie je neutralizovaná.", "sk"),
        ("Карта не может атаковать в этот ход.", "ru"),
        ("A unit may not attack when it is tapped.", "en"),
        ("123", "sk"),
    ],
)
def test_the_language_of_a_text(text: str, lang: str) -> None:
    assert guess_language(text, "sk") == lang


@pytest.mark.parametrize("lang", ["cs", "en", "pl", "sk"])
def test_the_given_language_wins_ties(lang: str) -> None:
    assert guess_language("A tak?", lang) == guess_language("A potem?", lang) == lang


def test_only_the_named_languages_are_guessed() -> None:
    assert guess_language("A s krídlami?", "en", ("en", "pl", "sk")) == "sk"


@pytest.mark.parametrize(
    ("text", "lang", "other"),
    [
        ("May I play this card in the build zone?", "pl", "en"),
        ("May I play this card in the build zone?", "en", ""),
        ("Czy mogę zagrać tę kartę, gdy jest to tura przeciwnika?", "en", "pl"),
        ("May I play this card in the opponent's build zone?", "cs", "en"),
        # Card names and quotations do not decide.
        ("Karta The Power of the Dark Side and the Force nie działa.", "pl", ""),
        ("The Force", "pl", ""),
        ("May I play this card in the build zone?", "tr", ""),
    ],
)
def test_a_text_in_another_language_is_known_for_sure(text: str, lang: str, other: str) -> None:
    assert other_language(text, lang, ["pl", "tr", "en"]) == other
