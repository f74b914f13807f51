from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.plugins.swccg.html import markdown
from kb.plugins.swccg.importer import read
from kb.records.values import SLUG, Citation


def card(key: int, title: str, *rulings: object, **more: object) -> dict[str, object]:
    front = {"title": title, "type": "Interrupt"}
    facts = {"id": key, "gempId": f"1_{key}", "front": front, "side": "Dark", "set": "1"}
    return {**facts, "rulings": list(rulings), **more}


def file(tmp_path: Path, *cards: object, name: str = "Dark.json") -> Path:
    made = tmp_path / name
    made.write_text(json.dumps({"cards": cards}, indent=1), encoding="utf-8")
    return made


def test_a_card_with_its_rulings(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        card(7, "•Alter & •Friendly Fire", "Does <u>not</u> stop.", "Zażółć < 5.", abbr=["AFF"]),
    )
    made = read([path], None)
    assert [one.id for one in made.drafts] == ["card-7-does-not-stop", "card-7-zazolc-5"]
    assert made.drafts[0].texts[0].body == "Does *not* stop."
    assert made.drafts[0].texts[0].title == "Alter & Friendly Fire: Does not stop."
    assert made.drafts[0].header.about == ("Alter & Friendly Fire",)
    assert made.drafts[0].header.sources == (Citation("cards-dark", "7"),)
    assert made.sources[0].provisions == ("7",)
    assert made.cards[0].other_names == ("AFF",)
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[made.drafts[1].lines[0] - 1] == "  {"
    assert made.skipped == []


def test_cards_of_one_name_are_told_apart(tmp_path: Path) -> None:
    given = [
        card(1, "Alter"),
        card(2, "Alter", "A.", side="Light"),
        card(3, "Sense", set="1"),
        card(4, "Sense", "B.", set="12"),
    ]
    made = read([file(tmp_path, *given)], None)
    assert [one.version for one in made.cards] == ["Dark", "Light", "Dark 1", "Dark 12"]
    assert [one.header.about for one in made.drafts] == [("Alter (Light)",), ("Sense (Dark 12)",)]


def test_cards_before_their_errata_are_reported_once(tmp_path: Path) -> None:
    cards = (card(1, "Alter", "A.", "B."), card(2, "Sense", "C."))
    made = read([file(tmp_path, *cards, name="DarkPreErrata.json")], None)
    assert made.drafts == [] and len(made.skipped) == 1
    assert "2 cards" in made.skipped[0].message and "3 rulings" in made.skipped[0].message


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"id": 1}, "a card needs"),
        ("text", "a card needs"),
        (card(9, "Good", "x"), "id given twice"),
        (card(1, "Bad [x]", "x"), "cannot stand"),
        (card(1, "Alter", ["x"]), "ruling 1 is not a text"),
        (card(1, "Alter", '<a href="//a">x</a>'), "<a> is not understood"),
        ({**card(1, "Alter"), "rulings": "x"}, "a list of texts"),
    ],
)
def test_what_is_odd_is_told_with_its_line(tmp_path: Path, bad: object, words: str) -> None:
    path = file(tmp_path, card(9, "Good", "Fine."), bad)
    made = read([path], None)
    assert len(made.skipped) == 1 and words in made.skipped[0].message
    before, _, _ = path.read_text(encoding="utf-8").partition("Fine.")
    assert made.skipped[0].line > before.count("\n") + 1


@pytest.mark.parametrize("text", ["", "not json", "[1, 2]", '{"cards": [}', '{"a": 1}'])
def test_what_is_no_card_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "Dark.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KbError, match=r"Dark\.json"):
        read([path], None)


@pytest.mark.parametrize(
    ("html", "made"),
    [
        ("These:<ul><li>One</li><li>Two <u>x</u></li></ul>", "These:\n\n- One\n- Two *x*"),
        ("<b>All </b>x<br>y", "**All** x\n\ny"),
        ("1. x * y &lt; 5 [a](b) < 6", "1\\. x \\* y < 5 [a\\](b) < 6"),
    ],
)
def test_html_as_markdown(html: str, made: str) -> None:
    assert markdown(html) == (made, [])


def test_every_ruling_of_the_real_files(shared: Path) -> None:
    folder = shared / "data" / "swccg"
    made = read([folder], None)
    assert len({draft.id for draft in made.drafts}) == len(made.drafts) == 1047 + 1243
    counts = [problem.message.partition(" rulings")[0] for problem in made.skipped]
    assert [count.rpartition(" ")[2] for count in counts] == ["74", "121"]
    assert all(SLUG.fullmatch(one.id) and len(one.id) <= 100 for one in made.drafts)
    assert len({(one.name, one.version) for one in made.cards}) == len(made.cards) == 1858 + 1939
