"""Scryfall's rulings, in small files of their shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.plugins.scryfall import importer as scryfall
from kb.records.values import SLUG, Citation

DATA = Path(__file__).parent
RULINGS, CARDS = DATA / "scryfall-rulings.json", DATA / "scryfall-oracle-cards.json"


def test_scryfall_with_the_names_of_the_cards() -> None:
    made = scryfall.read([CARDS, RULINGS], None)
    first, second, note, undated, nameless = made.drafts
    assert first.id == "00037840-6089-42ec-8c5c-281f9f474504-it-stays-tapped-even-if-you-untap-it"
    assert second.id == "00037840-6089-42ec-8c5c-281f9f474504-its-power-is-and-t-is-a-symbol"
    assert first.header.about == ("Nissa, Worldsoul Speaker",)
    assert (first.topic, first.header.authority) == ("creature", "official")
    assert first.texts[0].body == "It stays tapped.\n\nEven if you untap it."
    assert second.texts[0].body == "Its power is \\*/\\*, and {T} is a symbol."
    assert (note.topic, note.header.authority) == ("instant", "community")
    assert note.header.sources == (Citation("scryfall", "2020-01-24"),)
    assert (undated.header.date, undated.header.sources) == (None, (Citation("wotc", "undated"),))
    assert (nameless.header.about, nameless.topic) == ((), "other-cards")
    assert "ffffffff" in nameless.note
    assert [(one.id, one.authority, one.provisions) for one in made.sources] == [
        ("wotc", "official", ("2004-10-04", "2021-01-01", "undated")),
        ("scryfall", "community", ("2020-01-24",)),
    ]
    assert made.cards[1].other_names == ("Fire", "Ice")
    assert [one.version for one in made.cards] == ["", "", "0005ebd0", "0006ebd0"]
    told = [(Path(one.path).name, one.line, one.message.split(";")[0]) for one in made.skipped]
    assert told == [
        (CARDS.name, 7, "a card needs an `oracle_id` and a `name` without [ ] |"),
        (RULINGS.name, 5, "source 'nobody' is neither wotc nor scryfall"),
        (RULINGS.name, 6, "published_at '2020-13-24' is not a date"),
        (RULINGS.name, 8, "a ruling needs an `oracle_id` and a `comment`"),
        (RULINGS.name, 1, "1 rulings of cards without a name: they are drafts about no card"),
    ]
    assert all(SLUG.fullmatch(one.id) and len(one.id) <= 100 for one in made.drafts)


def test_without_the_names_rulings_are_drafts_about_no_card() -> None:
    made = scryfall.read([RULINGS], None)
    assert len(made.drafts) == 5 and not any(one.header.about for one in made.drafts)
    assert made.skipped[-1].message.startswith("5 rulings of cards without a name")


@pytest.mark.parametrize(
    "text", ["", "no json", "[]", "{}", "[1, 2]", '[{"object": "set"}]', '{"data": {"A": [}}']
)
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "some.json").write_text(text, encoding="utf-8")
    for name in ("some", "none"):
        with pytest.raises(KbError, match=rf"{name}\.json"):
            scryfall.read([tmp_path / f"{name}.json"], None)
