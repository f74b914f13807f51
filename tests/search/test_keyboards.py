"""Ways to read a query follow from the languages alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kb.language import LANGUAGES
from kb.language.base import KEYS
from kb.search import keyboards
from kb.search.keyboards import Keyboard


def ways(lang: str) -> dict[str, list[Keyboard]]:
    """The ways to read words of a language, by kind."""
    found: dict[str, list[Keyboard]] = {}
    for keyboard in keyboards._keyboards():
        if lang in keyboard.languages:
            found.setdefault(keyboard.kind, []).append(keyboard)
    return found


def test_a_language_of_another_script_brings_its_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    greek = replace(
        LANGUAGES["en"],
        code="el",
        keyboard="`1234567890-=;ςερτυθιοπ[]ασδφγηξκλ´'ζχψωβνμ,./",
        latin_spellings={"th": ("θ",), "o": ("ο", "ω"), "s": ("σ", "ς"), "l": ("λ",), "g": ("γ",)},
    )
    monkeypatch.setitem(keyboards.LANGUAGES, "el", greek)
    (layout,), (sounds,) = ways("el")["layout"], ways("el")["sounds"]
    assert next(layout.read("Logow")) == "Λογος"
    assert [*sounds.read("logos")][:2] == ["λογοσ", "λογος"]
    assert "λογωσ" in sounds.read("logos")
    assert "swapped" not in ways("el")
    # English is read from Greek and from Russian letters, each by its own keyboard.
    assert {next(one.read("λογοσ")) for one in ways("en")["layout"]} == {"logos", "λογοσ"}


def test_a_language_with_letters_on_the_digit_row_brings_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = KEYS.replace("2", "é").replace("7", "è")
    french = replace(LANGUAGES["en"], code="fr", keyboard=row)
    monkeypatch.setitem(keyboards.LANGUAGES, "fr", french)
    (keyboard,) = ways("fr")["swapped"]
    assert "été" in keyboard.read("2t2")
    assert "fr" in ways("en")["layout"][0].languages


def test_sisters_are_read_from_each_others_keyboards() -> None:
    own, czech = ways("sk")["swapped"]
    assert "čo" in own.read("4o") and "čo" in czech.read("4o")
    assert own.table != czech.table
