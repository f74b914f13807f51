"""Where a card's name stands in a text that may not be touched: marks, links, code, addresses."""

from __future__ import annotations

import gc
import re
from dataclasses import replace
from pathlib import Path
from typing import cast
from weakref import ref

import pytest

from kb.core.memo import Memo
from kb.language import FormTable, words_of
from kb.language.forms import FormSession, build_form_table
from kb.linking.autolink import finders
from kb.linking.card_finder import CardFinder, Mention, unmarked_mentions
from kb.pipeline.paths import Paths
from kb.records.library import load


class _Named:
    """Finds one name, wherever it stands."""

    def find(self, text: str) -> list[Mention]:
        return [
            Mention(one.start(), one.end(), one[0], one[0], "", (one[0],))
            for one in re.finditer("Vader", text)
        ]


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("Vader and Vader.", [0, 10]),
        ("[[Vader]] and Vader.", [14]),
        ("`Vader` and Vader.", [12]),
        ("[Vader](x) and Vader.", [15]),
        ("[x](https://example.org/Vader_(card)/Vader) and Vader.", [48]),
        ("[x](https://example.org/Vader_(card)_Vader", []),
        ("[x](a(b(Vader))) Vader", [8, 17]),
        ("<https://example.org/Vader> Vader", [28]),
        ("https://example.org/Vader Vader", [26]),
        ("```\nVader\n```\nVader", [14]),
        ("[Vader] (Vader)", [1, 9]),
    ],
)
def test_names_in_links_and_code_are_left_alone(text: str, free: list[int]) -> None:
    found = unmarked_mentions(text, cast(CardFinder, _Named()))
    assert [one.start for one in found] == free


def test_a_finder_is_freed_without_the_garbage_collector(small_base: Path) -> None:
    game = load(small_base / "rulings").games["demo"]
    with FormTable.open(Paths(small_base, small_base / "data").current / "forms.sqlite") as table:
        finder = CardFinder(game.cards, (), "en", table)
        assert unmarked_mentions(" ".join(card.name for card in game.cards), finder)
    finder_gone = ref(finder)
    gc.disable()
    try:
        # A build freezes what is there before it starts other processes.
        del finder
        assert finder_gone() is None
    finally:
        gc.enable()


def test_texts_known_before_give_the_same_mentions(real_base: Path, rulings_root: Path) -> None:
    library = load(rulings_root)
    mentions = 0
    with FormTable.open(Paths(rulings_root, real_base / "data").current / "forms.sqlite") as table:
        for game in library.games.values():
            for lang in game.header.languages:
                texts = [
                    text.body
                    for ruling in library.of_game(game.id)
                    for text in ruling.texts
                    if text.lang == lang
                ]
                texts += [
                    name for card in game.cards[:200] for name in (f"{card.name}'s", card.name)
                ]
                cards, refused = game.cards, game.header.not_cards
                finder = CardFinder(cards, refused, lang, table)
                prepared = CardFinder(cards, refused, lang, table, texts)
                found = [unmarked_mentions(text, finder) for text in texts]
                assert [unmarked_mentions(text, prepared) for text in texts] == found
                mentions += sum(map(len, found))
    assert mentions > 500


def test_a_finder_goes_on_as_texts_get_other_words(small_base: Path, tmp_path: Path) -> None:
    library, session = load(small_base / "rulings"), FormSession()
    game, lang, memo = library.games["demo"], "pl", Memo()
    names = {lang: [word for card in game.cards for word in words_of(card.name.lower())]}
    # A word that no table had, one that is also a name, words of a lemma that another had; back.
    first, before = {"karta", "pilotów"}, None
    vocabularies = [first, first | {"zork"}, first | {names[lang][0]}, {"kart", "pilot"}, first]
    updates: list[object] = []
    for number, words in enumerate(vocabularies):
        table = tmp_path / f"{number}.sqlite"
        build_form_table(table, {lang: words}, names, (), before, session)
        before = table
        with FormTable.open(table, session) as forms:
            finder = finders(library, forms, memo=memo)["demo", lang]
            fresh = CardFinder(game.cards, game.header.not_cards, lang, forms)
            for name in ("_forms", "_common", "_name_words"):
                assert getattr(finder, name) == getattr(fresh, name)
            updates.append(finder)
            assert finders(library, forms, memo=memo)["demo", lang] is finder
    # It is the same one each time.
    assert len(set(map(id, updates))) == 1
    other = replace(library, games={"demo": replace(game, cards=game.cards[1:])})
    with FormTable.open(table, session) as forms:
        assert finders(other, forms, memo=memo)["demo", lang] is not updates[0]
