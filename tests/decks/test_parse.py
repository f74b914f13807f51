"""Lines of deck lists as programs and archives write them: the names and copies among readings."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kb.decks.parse import parse_deck
from kb.linking.names import letters

# Names with signs at their ends and inside, which programs have to keep.
NAMES = (
    *("Sol Ring", "Fire // Ice", "Smelt // Herd // Saw", "Lim-Dûl's Vault", "Jötun Grunt"),
    *('Kongming, "Sleeping Dragon"', "B.F.M. (Big Furry Monster)", "1996 World Champion"),
    *("SP//dr, Piloted by Peni", "+2 Mace", "Borrowing 100,000 Arrows", "Ach! Hans, Run!"),
    *("Erase (Not the Urza's Legacy One)", "Rumors of My Death . . .", "Strange Solution"),
    *("Strange Solution: Acidic Ichor", "Erase", "Anarch Revolt", "Anarch Convert", "Villein"),
)
KEYS = {letters(name): name for name in NAMES}


def read(text: str) -> dict[str, int]:
    """The copies of each card, as the first reading of a line that is a name tells."""
    counts: dict[str, int] = {}
    for line in parse_deck(text):
        for copies, name in line.readings:
            if card := KEYS.get(letters(name)):
                counts[card] = counts.get(card, 0) + copies
                break
    return counts


# What programs write before and after a name.
BEFORE = ("[LEA:161]", "[set]", "(set)", "{x}", "<a b>", "●●")
AFTER = (
    *("(cmm) 647", "(plst) JOU-65", "(ody) 72+", "(Where Doom Awaits)", "[4]", "{JG 12}", "<161>"),
    *("[Ramp{noDeck},Draw]", "*F*", "*foil*", "^Have,#37d67a^", "#12", "#ramp #card draw"),
    *("●●●○", "★"),
)
COUNTED = ("{count} {line}", "{count}x {line}", "SB: {count} {line}", "{line} x{count}", "{line}")


@given(
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(BEFORE), max_size=3),
    st.lists(st.sampled_from(AFTER), max_size=2),
    st.integers(2, 99),
    st.sampled_from(COUNTED),
)
def test_both_ends_are_cut_until_the_name_is_left(
    name: str, before: list[str], after: list[str], count: int, shape: str
) -> None:
    # Without another number, a last one in brackets may say how many copies there are.
    assume("{count}" in shape or after[-1:] != ["[4]"])
    line = shape.format(count=count, line=" ".join([*before, name, *after]))
    assert read(line) == {name: count if "{count}" in shape else 1}


def test_the_whole_name_comes_before_its_parts() -> None:
    lines = "2 Erase (Not the Urza's Legacy One)\n3 Erase (Other) 4\n"
    lines += "1 Smelt // Herd // Saw\nVillein // good"
    assert read(lines) == {
        "Erase (Not the Urza's Legacy One)": 2,
        "Erase": 3,
        "Smelt // Herd // Saw": 1,
        "Villein": 1,
    }


HEADS = (
    *(["Count", "Name", "Edition"], ["Qty", "Set", "Card Name"], ["Karta", "Ilość"]),
    *(["Název", "Počet"], ["Názov karty", "Počet kusov"], ["Количество", "Название"]),
    *(["#", "Quantity", "x", "Name"], ["Name", "Set"]),
)
# The beginnings of the heads of copies, and of names in other languages.
COUNTS, OTHER_NAMES = ("Cou", "Qty", "Qua", "Ilo", "Poč", "Кол"), ("Kar", "Náz", "Наз")


@given(
    st.dictionaries(st.sampled_from(NAMES), st.integers(1, 99), min_size=1),
    st.sampled_from(HEADS),
    st.sampled_from("\t,;"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["", "\ufeff"]),
)
def test_tables_with_a_head_line(
    cards: dict[str, int], head: list[str], mark: str, quoting: int, start: str
) -> None:
    counts = [at for at, cell in enumerate(head) if cell[:3] in COUNTS]
    names = [at for at, cell in enumerate(head) if "Nam" in cell or cell[:3] in OTHER_NAMES]
    file = io.StringIO()
    writer = csv.writer(file, delimiter=mark, quoting=quoting)
    writer.writerow(head)
    for name, count in cards.items():
        row = ["x, y"] * len(head)
        row[names[0]] = name
        if counts:
            row[counts[0]] = str(count)
        writer.writerow(row)
    text = start + file.getvalue()
    assert read(text) == (cards if counts else dict.fromkeys(cards, 1))
    assert [line.number for line in parse_deck(text)] == [*range(2, len(cards) + 2)]


def test_lists_of_octgn() -> None:
    text = """<?xml version="1.0" encoding="utf-8" standalone="yes"?>
<deck game="a6d114c7"><section name="Event" shared="False">
<card qty="3" id="1">Sol Ring</card><card qty="2" id="2">Lim-D&#251;l&#039;s Vault</card>
</section><notes><![CDATA[bring a Villein]]></notes></deck>"""
    assert read(text) == {"Sol Ring": 3, "Lim-Dûl's Vault": 2}
    assert len([*parse_deck(text)]) == 2


@pytest.mark.parametrize(
    "about",
    [
        "Anarch Revolt\nSample City\nMay 1st 2024\n2R+F\n12 players\nErase\n\nDeck Name: Sample\n",
        "Deck Name: Erase\nDescription:\nWins by\nAnarch Revolt\n\n",
        "",
    ],
)
def test_what_stands_above_the_first_part_is_about_the_deck(about: str) -> None:
    crypt = "Crypt (12 cards, min=4, max=12, avg=2)\n2x Anarch Convert   1  -none-  Caitiff:ANY\n"
    library = "Library (60 cards)\nMaster (2)\nVillein"
    assert read(f"{about}{crypt}\n{library}") == {"Anarch Convert": 2, "Villein": 1}
