"""Scryfall's and MTGJSON's rulings, in small files of their shape."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import ModuleType

import pytest

from kb.core.problems import KbError
from kb.importers import mtgjson, scryfall
from kb.records.model import SLUG

DATA = Path(__file__).parent / "data"
RULINGS, CARDS = DATA / "scryfall-rulings.json", DATA / "scryfall-oracle-cards.json"


def test_scryfall_with_the_names_of_the_cards() -> None:
    made = scryfall.read([CARDS, RULINGS], None)
    first, second, note, undated, nameless = made.drafts
    assert first.id == "00037840-6089-42ec-8c5c-281f9f474504-20041004"
    assert second.id == "00037840-6089-42ec-8c5c-281f9f474504-20041004-2"
    assert (first.about, first.topic, first.authority) == (
        ("Nissa, Worldsoul Speaker",),
        "creature",
        "official",
    )
    assert first.texts[0].body == "It stays tapped.\n\nEven if you untap it."
    assert second.texts[0].body == "Its power is \\*/\\*, and {T} is a symbol."
    assert (note.topic, note.authority, note.sources) == (
        "instant",
        "community",
        ("scryfall#2020-01-24",),
    )
    assert (undated.date, undated.sources) == ("", ("wotc#undated",))
    assert (nameless.about, nameless.topic) == ((), "other-cards") and "ffffffff" in nameless.note
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
        (RULINGS.name, 6, "published_at '2020-13-24' is no date"),
        (RULINGS.name, 8, "a ruling needs an `oracle_id` and a `comment`"),
        (RULINGS.name, 1, "1 rulings of cards without a name: they are drafts about no card"),
    ]
    assert made == scryfall.read([CARDS, RULINGS], None)
    assert all(SLUG.fullmatch(one.id) and len(one.id) <= 100 for one in made.drafts)


def test_scryfall_without_the_names() -> None:
    made = scryfall.read([RULINGS], None)
    assert len(made.drafts) == 5 and not any(one.about for one in made.drafts)
    assert made.skipped[-1].message.startswith("5 rulings of cards without a name")


@pytest.mark.thorough
def test_scryfall_seventy_thousand_rulings(tmp_path: Path) -> None:
    one = json.loads(RULINGS.read_text(encoding="utf-8"))[0]
    rows = [
        {**one, "oracle_id": f"{number:08x}-0000-0000-0000-000000000000"}
        for number in range(70_000)
    ]
    path = tmp_path / "rulings.json"
    path.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")
    start = time.process_time()
    made = scryfall.read([path], None)
    assert len({draft.id for draft in made.drafts}) == 70_000
    assert made.drafts[-1].lines == (70_001, 70_001)
    assert time.process_time() - start < 30


def test_mtgjson_atomic_cards() -> None:
    made = mtgjson.read([DATA / "AtomicCards.json"], None)
    assert [one.id for one in made.drafts] == [
        "11111111-6089-42ec-8c5c-281f9f474504-20041004",
        "11111111-6089-42ec-8c5c-281f9f474504-20041004-2",
        "0004ebd0-dfd6-4276-b4a6-de0003e94237-20041004",
        "odd-undated",
    ]
    assert [one.about for one in made.drafts[1:]] == [("Bear Cub",), ("Fire // Ice",), ("Odd",)]
    assert (made.cards[0].sets, made.cards[1].other_names) == ("P02; POR", ("Fire", "Ice"))
    assert [(one.line, one.message) for one in made.skipped] == [
        (6, "Odd: 'never' is no date; the draft has none"),
        (6, "Odd: ruling 2 has no text; left out"),
        (6, "Odd: ruling 3 has no text; left out"),
        (1, "1 rulings given again with another face or printing; each is taken once"),
    ]


def test_mtgjson_all_printings_and_a_set(tmp_path: Path) -> None:
    made = mtgjson.read([DATA / "AllPrintings.json"], None)
    assert [one.texts[0].title for one in made.drafts] == ["Bear Cub: One."]
    whole = json.loads((DATA / "AllPrintings.json").read_text(encoding="utf-8"))
    one = tmp_path / "POR.json"
    one.write_text(json.dumps({"meta": {}, "data": whole["data"]["POR"]}), encoding="utf-8")
    assert [draft.id for draft in mtgjson.read([one], None).drafts] == [
        draft.id for draft in made.drafts
    ]


@pytest.mark.parametrize("module", [scryfall, mtgjson])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        "[1, 2]",
        '[{"object": "set"}]',
        '{"data": {"A": [}}',
        "[" * 99_999,
        "[" + "9" * 5000,
    ],
)
def test_other_files_are_refused(tmp_path: Path, module: ModuleType, text: str) -> None:
    path = tmp_path / "some.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KbError, match=r"some\.json"):
        module.read([path], None)
    path.write_bytes(b"[\n\xff]")
    with pytest.raises(KbError, match=r"some\.json:2: not UTF-8"):
        module.read([path], None)
    with pytest.raises(KbError, match=r"none\.json"):
        module.read([tmp_path / "none.json"], None)
