from __future__ import annotations

from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.ingest.drafts import Imported
from kb.ingest.run import import_rulings
from kb.plugins.vtes.importer import read
from kb.records.values import SLUG, Citation

CARDS = "id\tname\ttype\tgroup\taka\n1\tAbbot\tMaster\t\t\n2\tÉtienne\tVampire\t3\tEtienne\n"
CARDS += "3\tTwin\tVampire\t2\t\n4\tTwin\tVampire\t2\t\n"
REFERENCES = "# - LSJ: L. Scott Johnson, from 1998\nLSJ 20010101: https://x.org/a/1\n"
REFERENCES += "LSJ 20010102-2: https://x.org/a/2\nRBK wake: https://x.org/b\n"
GROUPS = "G00001|Circle:\n  1|Abbot: ''\n  2|Étienne: '[DOM]'\n"


def folder(tmp_path: Path, rulings: str) -> Path:
    (tmp_path / "rulings").mkdir()
    (tmp_path / "cards.tsv").write_text(CARDS, encoding="utf-8")
    for name, text in (("rulings", rulings), ("references", REFERENCES), ("groups", GROUPS)):
        (tmp_path / "rulings" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


def imported(tmp_path: Path, rulings: str) -> Imported:
    return read([folder(tmp_path, rulings)], None)


def test_a_ruling_with_marks_symbols_and_references(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "---\n# c\n1|Abbot:\n  - '[DOM] Not with {Etienne} or\n    {Abbot}. [LSJ 20010101] [LSJ\n  "
        "  20010102-2]'\n",
    )
    (draft,) = made.drafts
    assert draft.id == "1-lsj-20010101-lsj-20010102-2"
    assert draft.texts[0].body == "[DOM] Not with [[Étienne|Etienne]] or [[Abbot]]."
    assert draft.texts[0].title == "Abbot: [DOM] Not with Etienne or Abbot."
    assert (draft.topic, draft.header.about) == ("master", ("Abbot",))
    assert (draft.header.date, draft.lines) == ("2001-01-02", (4, 6))
    cited = [Citation("vtes-lsj", place) for place in ("20010101", "20010102-2")]
    assert draft.header.sources == tuple(cited)
    assert made.skipped == []
    assert [(one.id, one.title, one.provisions) for one in made.sources] == [
        ("vtes-lsj", "L. Scott Johnson, from 1998", ("20010101", "20010102-2")),
        ("vtes-rbk", "RBK", ("wake",)),
    ]
    versions = [f"{card.name} {card.version}" for card in made.cards]
    assert versions == ["Abbot ", "Étienne ", "Twin G2 3", "Twin G2 4"]


def test_rulings_that_share_their_references_never_take_the_id_of_another(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "1|Abbot:\n  - One. [LSJ 20010101]\n  - Two. [LSJ 20010101]\n  - Three. [LSJ 20010101-2]\n",
    )
    ids = ["1-lsj-20010101", "1-lsj-20010101-no-2", "1-lsj-20010101-2"]
    assert [draft.id for draft in made.drafts] == ids
    assert not made.skipped and "20010101-2" in made.sources[0].provisions


def test_a_group_with_one_card_that_is_told_otherwise(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "G00001|Circle:\n  - Both. [RBK wake]\n  - overrides:\n      1|Abbot: Never.\n    text:"
        " Once. [RBK wake]\n",
    )
    both, rest, other = made.drafts
    assert (both.header.about, both.topic) == (("Abbot", "Étienne"), "groups")
    assert both.header.date is None
    assert both.texts[0].body == "Both.\n\n[[Étienne]] [DOM]."
    assert (rest.header.about, rest.id) == (("Étienne",), "g00001-rbk-wake-no-2")
    assert (other.header.about, other.header.related) == (("Abbot",), (rest.id,))
    assert other.id == "g00001-1-rbk-wake"
    assert (other.texts[0].body, other.header.sources) == ("Never.", both.header.sources)


def test_a_reminder_is_a_note(tmp_path: Path) -> None:
    rulings = "1|Abbot:\n  - 'REMINDER: a master. [RBK wake]'\n  - See the reminder. [RBK wake]\n"
    made = imported(tmp_path, rulings)
    assert [one.header.kind for one in made.drafts] == ["note", "ruling"]


@pytest.mark.parametrize(
    ("rulings", "line", "words"),
    [
        ("1|Abbot:\n  - Not {Nobody}. [RBK wake]\n", 2, "{Nobody} is not in cards.tsv"),
        ("1|Abbot:\n  - Not {Twin}. [RBK wake]\n", 2, "may be Twin (G2 3) or Twin (G2 4)"),
        ("1|Abbot:\n  - No reference.\n", 2, "without a reference"),
        ("1|Abbot:\n  - Odd. [RBK wake]'\n", 2, "' after the references"),
        ("1|Abbot:\n  - [a, b]\n", 2, "a ruling is a text"),
        ("1|Abbot:\n  - A. [RBK wake]\n1|Abbot:\n  - B. [RBK wake]\n", 3, "first on line 1"),
        ("1|Abbot:\n  - A. [RBK wake]\n9|Nine:\n  - B. [RBK wake]\n", 3, "9 is not in cards.tsv"),
        ("Abbot:\n  - A. [RBK wake]\n", 1, "a key is"),
        ("1|Abbot: A. [RBK wake]\n", 1, "a list of rulings"),
        ("G00009|None:\n  - A. [RBK wake]\n", 1, "not in groups.yaml"),
    ],
)
def test_what_is_odd_is_told_with_its_line(
    tmp_path: Path, rulings: str, line: int, words: str
) -> None:
    made = imported(tmp_path, rulings)
    told = [(problem.line, problem.message) for problem in made.skipped]
    assert [one for one in told if one[0] == line and words in one[1]], told


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(KbError, match=r"no rulings\.yaml"):
        read([tmp_path], None)
    given = folder(tmp_path, "1|Abbot:\n  - 'A. [RBK wake]\n")
    with pytest.raises(KbError, match=r"rulings\.yaml:2: a quote"):
        read([given], None)


def test_cards_named_like_disciplines_are_left_to_marks(tmp_path: Path) -> None:
    given = folder(tmp_path, "1|Abbot:\n  - 'Not with [AUS] Auspex. [LSJ 20010101]'\n")
    (given / "cards.tsv").write_text(f"{CARDS}5\tAuspex\tMaster\t\t\n", encoding="utf-8")
    import_rulings("vtes", [given], "vtes", tmp_path / "into")
    game = (tmp_path / "into/vtes/game.yaml").read_text(encoding="utf-8")
    assert game.endswith("\nnot-cards:\n  - Auspex\n")


def test_every_ruling_of_the_real_file(shared: Path) -> None:
    data = shared / "data" / "vtes"
    made = read([data], None)
    rulings = (data / "rulings" / "rulings.yaml").read_text(encoding="utf-8")
    items = rulings.count("\n  - ")
    starts = {draft.lines[0] for draft in made.drafts}
    assert items == len(starts) == 2302
    assert len(made.drafts) == 2303  # G00161 says something else for one card
    assert len({one.id for one in made.drafts}) == 2303
    assert all(SLUG.fullmatch(one.id) and len(one.id) <= 100 for one in made.drafts)
    assert len({(card.name, card.version) for card in made.cards}) == len(made.cards) == 4149
    assert len(made.skipped) < 20
    known = {Citation(one.id, place) for one in made.sources for place in one.provisions}
    assert {source for one in made.drafts for source in one.header.sources} <= known
