"""Deck lists of the three games, answered from the project's own rulings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kb.decks.answer import Deck, DeckAnswer, rulings_for_deck
from kb.decks.base import base_of_library, base_of_store
from kb.decks.parse import parse_deck
from kb.language import FormTable
from kb.linking.names import CardNames
from kb.records.library import Library, load
from kb.records.values import Card
from kb.store.queries import Store

CARDS = ("Darth Sidious (C)", "Yoda (D)", "Shaak", "R2-D2 (A)", "725 to 1", "Jedi Council Quorum")
SHAPES = (
    *("{n} {card}", "{n}x {card}", "{n}x{card}", "{card} x{n}", "{card}x{n}", "{n} {card} [JG]"),
    *("{card}", "{n}\t{card}", "{card}\t{n}", "{n}\t{card}\tJG", "{n} {card}\tJG", "{n} {card} $2"),
)
MARKS = ("\t", "\t\t", " | ", ", ", "; ", ",", " / ", " + ", " & ", " and ", " - ", " ")
BEFORE = ("", "- ", "1. ", "Sideboard: ", "Dark side: ", "SB: ", "| ", "> ", "[JG:12] ")
LISTS = Path(__file__).with_name("lists")


@pytest.fixture(scope="module")
def store(real_build: Path) -> Iterator[Store]:
    with Store(real_build / "kb.sqlite") as store:
        yield store


@pytest.fixture(scope="module")
def table(real_build: Path) -> Iterator[FormTable]:
    with FormTable(real_build / "forms.sqlite") as table:
        yield table


@pytest.fixture(scope="module")
def deck(store: Store, table: FormTable) -> Deck:
    return Deck(base_of_store("swtcg", store, table), table)


@pytest.fixture(scope="module")
def answers(store: Store, table: FormTable) -> dict[str, DeckAnswer]:
    return {
        game: rulings_for_deck((LISTS / f"{game}.txt").read_text(encoding="utf-8"), store, table)
        for game in ("babylon5", "berserk", "swtcg")
    }


def test_the_game_is_that_of_most_cards(answers: dict[str, DeckAnswer]) -> None:
    assert {name: answer.game for name, answer in answers.items()} == {
        name: name for name in answers
    }


@pytest.mark.parametrize("line", ["3 Dartha Vadera", "3 Darht Vader"])
def test_without_exact_names_others_decide_the_game(
    line: str, store: Store, table: FormTable
) -> None:
    answer = rulings_for_deck(line, store, table)
    assert (answer.game, answer.cards[0].card) == ("swtcg", "Darth Vader")


@pytest.mark.parametrize(
    ("game", "card", "count", "match", "ruling"),
    [
        ("swtcg", "Darth Sidious (C)", 4, "name", "darth-sidious-reroll"),
        ("swtcg", "Darth Sidious", 2, "name", "darth-sidious-clone-captain"),
        ("swtcg", "Darth Vader", 3, "form", "contest-when"),
        ("swtcg", "R2-D2", 1, "name", "reserves"),
        ("swtcg", "Neimoidian Shuttle (A)", 1, "name", "neimoidian-shuttle"),
        ("swtcg", "Homing Missile", 4, "near", "homing-missile"),
        ("swtcg", "Jedi Council Quorum", 2, "name", "jedi-council-quorum"),
        ("babylon5", "Vir Cotto", 1, "form", "rotate-effect"),
        ("berserk", "Мститель", 3, "form", "113-2-example"),
        ("berserk", "Валиер Аластар", 2, "name", "113-6-example"),
        ("berserk", "Ореос", 1, "name", "oreos-example"),
    ],
)
def test_cards_in_any_shape_have_their_rulings(
    answers: dict[str, DeckAnswer], game: str, card: str, count: int, match: str, ruling: str
) -> None:
    by_card = {listed.card: listed for listed in answers[game].cards}
    assert (by_card[card].count, by_card[card].match) == (count, match)
    assert ruling in by_card[card].rulings


@pytest.mark.parametrize("name", ["cockatrice.cod", "mtgo.dek", "lackey.dek"])
def test_lists_in_xml(name: str, store: Store, table: FormTable) -> None:
    answer = rulings_for_deck((LISTS / name).read_text(encoding="utf-8"), store, table)
    counts = {card.card: card.count for card in answer.cards}
    assert (counts["Darth Sidious"], counts["Homing Missile"]) == (4, 2)
    assert (answer.game, answer.unknown) == ("swtcg", ())


def test_errata_come_first(answers: dict[str, DeckAnswer], rulings: Library) -> None:
    answer = answers["swtcg"]
    ruled = [card for card in answer.cards if card.rulings]
    kinds = [rulings.rulings[f"swtcg/{card.rulings[0]}"].header.kind for card in ruled]
    assert kinds == sorted(kinds, key=lambda kind: kind != "errata")
    assert kinds.count("errata") == 2
    assert rulings.rulings[f"swtcg/{answer.rules[0].id}"].header.kind == "errata"


@pytest.mark.parametrize(
    ("game", "because", "rule"),
    [
        ("swtcg", "Reserves", "reserves"),
        ("swtcg", "Equipment", "equipment-detach"),
        ("babylon5", "Fleet, Character", "damage-fleet-leader"),
        ("babylon5", "Agenda", "agenda"),
        ("babylon5", "Fleet, Location", "repair"),
    ],
)
def test_types_and_keywords_bring_rules_in(
    answers: dict[str, DeckAnswer], game: str, because: str, rule: str
) -> None:
    assert (rule, because) in [(brought.id, brought.because) for brought in answers[game].rules]


def test_reasons_are_terms_in_the_language_of_the_reader(store: Store, table: FormTable) -> None:
    deck = (LISTS / "babylon5.txt").read_text(encoding="utf-8")
    answer = rulings_for_deck(deck, store, table, lang="sk")
    assert ("repair", "flotila, miesto") in [(rule.id, rule.because) for rule in answer.rules]


def test_a_deck_without_the_keyword_does_not_get_its_rule(store: Store, table: FormTable) -> None:
    answer = rulings_for_deck("1 R2-D2 (A)\n1 Clone Trooper", store, table, "swtcg")
    assert "reserves" not in [rule.id for rule in answer.rules]
    assert "tyranuss-return" not in [rule.id for rule in answer.rules]


def test_a_ruling_ends_when_its_successor_begins(records: Path, table: FormTable) -> None:
    """Whatever its status says, as in the search."""
    old = records / "demo" / "pilots" / "old-answer.md"
    text = old.read_text(encoding="utf-8")
    old.write_text(text.replace("status: superseded", "status: disputed"), encoding="utf-8")
    library = load(records)
    assert library.rulings["demo/old-answer"].header.status == "disputed"
    assert "old-answer" not in [
        ruling.id for ruling in base_of_library("demo", library, table).rulings
    ]


def test_the_records_and_the_store_give_one_base(
    store: Store, table: FormTable, rulings: Library
) -> None:
    for game in rulings.games:
        assert base_of_library(game, rulings, table) == base_of_store(game, store, table)


def test_a_list_of_vtes_is_read_whole() -> None:
    copies = {
        "Anarch Convert": 4,
        "Nana Buruku": 3,
        "Enkidu, The Noah": 1,
        "Gilbert Duane": 1,
        "Neferu": 1,
        "Andre LeRoux": 2,
        "The Barrens": 2,
        "The Rack": 1,
        "The Warrens": 1,
        "Pentex™ Subversion": 2,
        "Bonding": 4,
        "Conditioning": 2,
    }
    names = CardNames([Card(name, label=name) for name in copies])
    counted = {}
    for line in parse_deck((LISTS / "vtes.txt").read_text(encoding="utf-8")):
        read = [(names.exact(reading.name), reading.copies) for reading in line.readings]
        counted |= {cards[0]: count for cards, count in reversed(read) if cards}
    assert counted == copies


@given(
    st.dictionaries(st.sampled_from(CARDS), st.integers(2, 9), min_size=1, max_size=3),
    st.sampled_from(SHAPES),
    st.sampled_from(MARKS),
    st.sampled_from(BEFORE),
)
def test_each_card_of_a_line_is_counted_or_told(
    deck: Deck, cards: dict[str, int], shape: str, mark: str, before: str
) -> None:
    """As it stands, or as a card that is near, or as unknown."""
    assume("\t" not in shape or (":" not in before and mark in "\t\t | "))
    assume("{n}" in shape.partition("{card}")[0] or before != "Dark side: ")
    line = before + mark.join(shape.format(n=count, card=card) for card, count in cards.items())
    answer = deck.answer(line)
    counts = {card.card: card.count for card in answer.cards}
    told = [*(line.text for line in answer.unknown)]
    told += [card.text for card in answer.cards if card.match == "near"]
    for card, count in cards.items():
        is_counted = counts.get(card) == (count if "{n}" in shape else 1)
        name = card.partition(" (")[0]
        assert is_counted or any(name in text for text in told)


@pytest.mark.parametrize(
    ("text", "card", "count", "match"),
    [
        ("1 Queen Amidala (A)", "Queen Amidala (J)", 1, "near"),
        ("4-LOM (B)", "4-LOM (A)", 1, "near"),
        ("1 Queen Amidala\n2 Queen Amidala (A)", "Queen Amidala (J)", 3, "near"),
        ("3,720 to 1 (R)", "3,720 to 1", 1, "name"),
    ],
)
def test_a_version_that_is_not_read_is_told(
    deck: Deck, text: str, card: str, count: int, match: str
) -> None:
    (found,) = deck.answer(text).cards
    assert (found.card, found.count, found.match) == (card, count, match)


def test_a_card_in_a_cell_that_is_not_read_is_told(deck: Deck) -> None:
    answer = deck.answer("2 Shaak\tYoda\tJedi Guardians\nCharacters: Yoda (D), Shaak")
    assert [card.card for card in answer.cards] == ["Shaak"]
    told = [(line.line, line.text, line.suggestions) for line in answer.unknown]
    assert told == [
        (1, "Yoda", ("Yoda",)),
        (2, "Yoda (D)", ("Yoda (D)",)),
        (2, "Shaak", ("Shaak",)),
    ]
