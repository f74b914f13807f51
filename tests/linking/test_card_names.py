"""Card names in texts: how people type them, and the places where none may be touched."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest

from kb.language import FormTable
from kb.language.forms import Words, build_form_table
from kb.linking.card_finder import CardFinder, Mention, unmarked_mentions
from kb.linking.names import CardNames, form_meanings
from kb.records.values import Card


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


NAMES = ("C-3PO", "AT-AT Driver", "4-LOM", "SP//dr, Piloted by Peni", "R2-D2")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        *((name, name) for name in NAMES),
        *((name.replace("-", ""), name) for name in NAMES if "-" in name),
        *((name.replace("-", " "), name) for name in NAMES if "-" in name),
    ],
)
def test_names_with_and_without_hyphens(typed: str, name: str, small_build: Path) -> None:
    cards = [Card(each, label=each) for each in NAMES]
    with FormTable(small_build / "forms.sqlite") as table:
        found = CardFinder(cards, (), "en", table).find(f"May {typed} attack twice?")
    assert [(mention.card, mention.surface) for mention in found] == [(name, typed)]
    assert CardNames(cards).exact(typed) == [name]


@pytest.mark.parametrize(
    ("text", "mentioned", "asked"),
    [
        ("Obi-Wana Kenobiego", True, True),
        ("Obi Wana Kenobiego", True, True),
        ("Obi\nWana Kenobiego", True, True),
        ("Obi, Wana Kenobiego", False, True),
        ("Wana Kenobiego", False, False),
    ],
)
def test_a_blank_for_a_hyphen_in_inflected_names(
    text: str, mentioned: bool, asked: bool, tmp_path: Path
) -> None:
    cards = [Card("Obi-Wan Kenobi", label="Obi-Wan Kenobi")]
    build_form_table(tmp_path / "forms.sqlite", {"pl": Words(names={"Obi-Wan", "Kenobi"})})
    with FormTable(tmp_path / "forms.sqlite") as table:
        found = CardFinder(cards, (), "pl", table).find(text)
        assert [mention.surface for mention in found] == [text] * mentioned
        named = CardNames(cards).inflected(text, form_meanings(table, ["pl"]))
        assert named == ["Obi-Wan Kenobi"] * asked


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Má Psa, Zlata, Dvě Hole a Draky.", ["Pes", "Zlato", "Hůl", "Drak"]),
        ("Ma Psum, Zlatu a Draky.", ["Pes", "Zlato", "Drak"]),
        ("Má Psí boudu, Zlatý meč, Holé ruce a Dračí vejce.", []),
        ("Má Zlaté hole.", ["Zlatá hůl"]),
        ("Má Paní.", []),
    ],
)
def test_a_word_has_no_diacritics_that_the_form_of_a_name_lacks(
    text: str, found: list[str], tmp_path: Path
) -> None:
    """An adjective folds to a form of the noun: psí to psi, zlatý to zlaty, paní to páni."""
    names = ("Pes", "Zlato", "Hůl", "Zlatá hůl", "Drak", "Pán")
    cards = [Card(name, label=name) for name in names]
    words = {word for name in names for word in name.split()}
    build_form_table(tmp_path / "forms.sqlite", {"cs": Words(names=words)})
    with FormTable(tmp_path / "forms.sqlite") as table:
        assert [one.card for one in CardFinder(cards, (), "cs", table).find(text)] == found


# Forms of each name; those after the bar are of other words.
FORMS_OF_NAMES = {
    "sk": [
        "G'Kar: G'Karovi G’Karovi GKarovi G’Karom",
        "N’Grath: N'Gratha N’Gratha N´Gratha",
        "Gol: Gola Gole | Gla",
    ],
    "ru": ["Бул'Багур: Бул'Багура Бул’Багура", "Аль-Джамия: Аль-Джамии Аль‑Джамии"],
    "pl": [
        "Ki-Adi-Mundi: Ki-Adi-Mundiego Ki‑Adi‑Mundiego Ki‐Adi‐Mundiego",
        "Obi‑Wan: Obi-Wanem Obi‑Wanem",
    ],
    "cs": [
        "Tank: Tanku Tanky Tancích | Tanci",
        "Noel: Noela Noelovi | Nola",
        "Daniel: Daniela Danielovi | Danila",
        "Mor: Moru Mory Morem | Moře Moři Mořích",
        "Upír: Upíra Upíři Upírů | Upířích",
        "Otrok: Otroka Otroci Otrocích",
        "Rok: Roku Roky Rocích | Roci",
        "Ork: Orka Orci Orkové",
    ],
}


@pytest.mark.parametrize("lang", FORMS_OF_NAMES)
def test_forms_of_names(lang: str, tmp_path: Path) -> None:
    """With any apostrophe and hyphen, and without forms that would be another word."""
    forms = dict(line.split(": ") for line in FORMS_OF_NAMES[lang])
    build_form_table(tmp_path / "forms.sqlite", {lang: Words(names=set(forms))})
    with FormTable(tmp_path / "forms.sqlite") as table:
        finder = CardFinder([Card(name, label=name) for name in forms], (), lang, table)
        for name, line in forms.items():
            named = [form for form in line.split() if finder.find(f"x {form} x")]
            assert named == line.partition("|")[0].split(), name
