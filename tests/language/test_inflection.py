"""Rows that another process has saved, updated, are those of a language analysed from nothing."""

from __future__ import annotations

import random

import pytest

from kb.language.inflection import LanguageRows, Vocabulary

WORDS = {
    "en": "pilot pilots piloted unit re-roll rolls rolled dice die zorkmid zorkmids vader's x-wing",
    "pl": "pilot pilota piloci karta kartę jednostki żaglowce atak ataku zorkmid kości kość vadera",
    "ru": "карта карты картой существо существа ударит удар зоркмид зоркмида ёлка елки министров",
    "sk": "karta kartu karty hráč hráča útok útoky loď lode zorkmid zorkmida rasy ministra",
}
NAMES = {
    "en": "Vader Pilots Die",
    "pl": "Vader Piloci Jednostka-2",
    "ru": "Министр Ёлка",
    "sk": "Londo Rasa",
}


def vocabulary(lang: str, chance: random.Random) -> Vocabulary:
    words, names = WORDS[lang].split(), NAMES[lang].split()
    return Vocabulary(
        chance.sample(words, 8),
        chance.sample(names, chance.randint(1, len(names))),
        [chance.sample(words, 2) for _ in range(chance.randint(0, 1))],
    )


@pytest.mark.parametrize("lang", WORDS)
def test_what_is_restored_goes_on_as_if_it_had_never_been_saved(lang: str) -> None:
    chance = random.Random(lang)
    rows = LanguageRows(lang)
    rows.update(vocabulary(lang, chance), "0")
    for turn in range(1, 6):
        stored = [row[1:] for row in rows.rows()]
        chance.shuffle(stored)
        restored = LanguageRows.restored(lang, rows.key, rows.saved(), stored)
        assert (restored.key, list(restored.rows())) == (rows.key, list(rows.rows()))
        following, key = vocabulary(lang, chance), str(turn)
        assert restored.update(following, key) == rows.update(following, key)
        anew = LanguageRows(lang)
        anew.update(following, key)
        assert list(restored.rows()) == list(anew.rows()) == list(rows.rows())
        rows = restored
