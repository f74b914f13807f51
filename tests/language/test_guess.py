"""The language of a text, by its letters and words."""

from __future__ import annotations

import pytest

from kb.language.guess import guess_language


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
