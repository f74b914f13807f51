"""The files of real kinds in ../shared/field, each read as the note beside it says."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.records.library import load
from tests.command_line import RunCommand
from tests.conftest import RULINGS

# A document, and for each title of its rulings the first words of the text.
DOCUMENTS = {
    "03-nfd-texts/faq-nfd.pl.txt": {
        "Czy most należy do obu graczy?": "Tak.",
        "Czy żołnierz może zająć dwie łąki?": "Nie, żołnierz zajmuje jedną łąkę.",
    },
    "06-bold-question-marks/wiki-bold.md": {
        "Can a frog attack twice?": "No, once in a turn.",
        "Can I play a frog while it rains?": "**No**. A frog sleeps in the rain.",
        "Who pays for the bridge?": "The player who crosses it first.",
    },
    "08-polish-question-letter/polish-letters.txt": {
        "Czy deszcz zatrzymuje żabę?": "Tak.",
        "Czy żaba może zaatakować dwa razy?": "Nie, raz w turze.",
        "Kto płaci za most?": "Gracz, który pierwszy przez niego przejdzie.",
    },
    "10-heading-with-letter/heading-q.md": {
        "How many Keepers may I have?": "As many as you like.",
        "May I pass?": "No.",
        "What happens if I play a second New Rule? Does it replace the first one?": "It depends",
    },
    "11-one-line/one-line.txt": {
        "Does rain stop a frog?": "Yes. It sleeps until the sun comes out.",
        "May a frog attack twice?": "No, once in a turn.",
        "Who pays for the bridge?": "The player who crosses it first.",
    },
    "12-marked-questions/b5-faq.txt": {
        "Does tension go down when a war begins?": "REV> No. It stays as it is.",
        "Is there a maximum number of cards in a deck (minimum 45)?": "No, there is no limit.",
        "May I look at my hand while it is another player's turn?": "Yes.",
    },
    "14-bullets-with-conditions/bullets.txt": {
        "Ready Cards (Step 1): A sustained effect goes on by itself if the card cannot be…": (
            "A sustained effect goes on by itself if the card cannot be readied."
        ),
        "Ready Cards (Step 1): Sustaining is possible only if:": (
            "Sustaining is possible only if: - There was no cost for the action other than rotating"
            " the card. - All that was needed at its beginning is still there."
        ),
        "TURN OVERVIEW": "No step of the turn may be left out.",
    },
    "17-spreadsheet-rows/sheet.tsv": {
        "Does rain stop a frog?": "Yes.",
        "May a frog attack twice?": "No, once in a turn.",
        "Who pays for the bridge?": 'The player who crosses it first, "always".',
    },
    "22-text-folder/folder": {"May a frog attack twice in one turn?": "No."},
}
# A deck, and the counts of its cards.
AYARA, DUL = "Ayara, First of Locthwain", "Lim-Dûl's Vault"
DECKS = {
    "28-deck-set-first/xmage.dck": {
        "Lightning Bolt": 4,
        "Sol Ring": 1,
        "Fire // Ice": 2,
        "Swords to Plowshares": 3,
        "Jötun Grunt": 1,
    },
    "30-deck-archidekt/archidekt.txt": dict.fromkeys(
        ("Sol Ring", "Lightning Bolt", "Fire // Ice", AYARA, DUL), 1
    ),
    "32-deck-csv/deckbox.csv": {
        "Lightning Bolt": 4,
        AYARA: 1,
        'Kongming, "Sleeping Dragon"': 2,
        "Sol Ring": 1,
    },
    "32-deck-csv/short.csv": {"Lightning Bolt": 4, AYARA: 1, "Sol Ring": 2},
    "33-deck-tabs/delver.txt": {"Lightning Bolt": 2, "Sol Ring": 1, "Fire // Ice": 3},
    "34-deck-octgn/octgn.o8d": {"Sol Ring": 1, "Lightning Bolt": 3, DUL: 2},
    "36-deck-level-and-set/arkham.txt": {
        "Strange Solution: Acidic Ichor": 1,
        "Strange Solution": 1,
        "Sol Ring": 2,
    },
}


@pytest.fixture
def field(shared: Path) -> Path:
    return shared / "field"


@pytest.fixture
def imported(tmp_path: Path, kb: RunCommand) -> Callable[[Path], tuple[str, dict[str, str]]]:
    """Import a document; return the message, and the text of each ruling of the base by title."""

    def run(path: Path) -> tuple[str, dict[str, str]]:
        words = ("import", "text", str(path), "--game", "demo", "--into", "d")
        done = kb(*words, cwd=tmp_path, KB_RULINGS=str(tmp_path / "none"))
        rulings = load(tmp_path / "d").rulings.values()
        texts = [text for ruling in rulings for text in ruling.texts]
        return done.stdout, {text.title: " ".join(text.body.split()) for text in texts}

    return run


def cards_of(
    kb: RunCommand, deck: Path, *words: str, cwd: Path, **environment: str
) -> dict[str, int]:
    """The cards of a deck with their counts; every line is understood."""
    answer = json.loads(
        kb("deck", str(deck), "--json", *words, cwd=cwd, code=None, **environment).stdout
    )
    assert answer["unknown"] == []
    return {card["card"]: card["count"] for card in answer["cards"]}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_question_of_a_document_is_a_ruling(
    name: str, field: Path, imported: Callable[[Path], tuple[str, dict[str, str]]]
) -> None:
    _, found = imported(field / name)
    assert found.keys() == DOCUMENTS[name].keys()
    for title, text in DOCUMENTS[name].items():
        assert found[title].startswith(text)


def test_letters_of_questions_and_answers_are_left_out(
    field: Path, imported: Callable[[Path], tuple[str, dict[str, str]]]
) -> None:
    _, found = imported(field / "08-polish-question-letter" / "pl-bold.md")
    assert found == DOCUMENTS["08-polish-question-letter/polish-letters.txt"]


def test_a_summary_by_cards_gives_a_ruling_an_item(
    field: Path, imported: Callable[[Path], tuple[str, dict[str, str]]]
) -> None:
    _, found = imported(field / "15-rulings-summary" / "rulings-summary.txt")
    cards = sorted(title.partition(":")[0] for title in found)
    assert cards == ["Amber Golem", "Amber Golem", "Ashen Veil", "Bog Ferry"]


def test_a_second_document_says_nothing_of_the_first(
    field: Path, imported: Callable[[Path], tuple[str, dict[str, str]]]
) -> None:
    imported(field / "20-second-document" / "one.txt")
    said, found = imported(field / "20-second-document" / "two.txt")
    assert "1 new" in said
    assert "one-may" not in said
    assert len(found) == 2


def test_the_signs_of_a_plain_text_are_shown(
    field: Path, tmp_path: Path, imported: Callable[[Path], object], kb: RunCommand
) -> None:
    imported(field / "18-plain-text-signs" / "signs.txt")
    kb("build", "--rulings", "d", "--output", "site", "--keep-going", cwd=tmp_path)
    pages = tmp_path / "site" / "demo" / "rulings"
    toll = (pages / "signs-how-much-is-the-toll" / "index.html").read_text(encoding="utf-8")
    assert "Roll 2*3 dice and pay X*Y coins; a roll of *6* counts twice." in toll
    symbol = (pages / "signs-which-symbol-is-printed" / "index.html").read_text(encoding="utf-8")
    assert "The symbol &amp;lt; in our old list is a mistake for [1] and for _silver_" in symbol


@pytest.mark.parametrize("name", DECKS)
def test_a_deck_of_another_program(name: str, field: Path, tmp_path: Path, kb: RunCommand) -> None:
    kb("new", "game", "magic", "--name", "Magic", "--lang", "en", cwd=tmp_path)
    shutil.copy(field / "magic-cards.tsv", tmp_path / "rulings" / "magic" / "cards.tsv")
    assert cards_of(kb, field / name, cwd=tmp_path) == DECKS[name]


def test_facts_about_a_deck_are_no_cards(
    field: Path, shared: Path, tmp_path: Path, kb: RunCommand
) -> None:
    deck = field / "42-deck-event-name" / "deck.txt"
    words = re.findall(r"\w{4,}", deck.read_text(encoding="utf-8"))
    with (shared / "data" / "vtes" / "cards.tsv").open(encoding="utf-8") as file:
        names = dict.fromkeys(row["name"] for row in csv.DictReader(file, delimiter="\t"))
    # The others are near no line of the deck.
    near = [name for name in names if any(word in name for word in words)]
    kb("new", "game", "vtes", "--lang", "en", cwd=tmp_path)
    lines = "\n".join(["name", *near, ""])
    (tmp_path / "rulings" / "vtes" / "cards.tsv").write_text(lines, encoding="utf-8")
    assert cards_of(kb, deck, cwd=tmp_path) == {"Anarch Convert": 12, "Villein": 2}


def test_a_deck_in_the_encoding_of_windows(field: Path, real_base: Path, kb: RunCommand) -> None:
    deck = field / "43-deck-encodings" / "deck-ru-cp1251.txt"
    data = str(real_base / "data")
    cards = cards_of(kb, deck, "--game", "berserk", cwd=RULINGS.parent, KB_DATA=data)
    assert cards == {"Абаддон": 2, "Авгур": 3, "Агатовый Дракон": 1}


@pytest.fixture
def magic(field: Path, tmp_path: Path, kb: RunCommand) -> Path:
    """The folder of a game with the cards that a spreadsheet has saved."""
    kb("new", "game", "magic", "--name", "Magic", "--lang", "en", cwd=tmp_path)
    folder = tmp_path / "rulings" / "magic"
    shutil.copy(field / "46-excel-tables" / "cards.tsv", folder)
    (folder / "general").mkdir(exist_ok=True)
    return folder


def test_tables_after_a_visit_in_a_spreadsheet(field: Path, magic: Path, kb: RunCommand) -> None:
    shutil.copy(field / "51-mark-in-table" / "ring.md", magic / "general" / "card-27.md")
    shutil.copy(field / "46-excel-tables" / "questions.tsv", magic)
    library = load(magic.parent)
    assert [card.name for card in library.games["magic"].cards] == [
        AYARA,
        'Kongming, "Sleeping Dragon"',
        "Sol Ring",
        "Lightning Bolt",
    ]
    asked = [question.text for question in library.games["magic"].questions]
    assert 'What does "ring" mean?' in asked
    kb("build", "--keep-going", cwd=magic.parent.parent, code=None)
    page = magic.parent.parent / "site" / "magic" / "rulings" / "card-27" / "index.html"
    assert ">the ring</a></td>\n<td>a card</td>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("query", ["-1/-1 counter", "counter -1/-1", '"-1/-1 counter"', '"-1/-1"'])
def test_a_minus_before_a_number_is_a_sign(
    query: str, field: Path, magic: Path, kb: RunCommand
) -> None:
    shutil.copy(field / "01-minus-number" / "minus-counters.md", magic / "general")
    found = kb("search", "--json", "--", query, cwd=magic.parent.parent)
    assert [one["id"] for one in json.loads(found.stdout)["results"]] == ["minus-counters"]


@pytest.mark.parametrize(
    ("query", "card"), [("C3PO", "C-3PO"), ("4lom", "4-LOM"), ("atat", "AT-AT"), ("r2d2", "R2-D2")]
)
def test_a_name_without_its_hyphen(query: str, card: str, real_base: Path, kb: RunCommand) -> None:
    data = str(real_base / "data")
    found = kb("search", query, "--json", cwd=RULINGS.parent, code=None, KB_DATA=data)
    assert card in [one["name"] for one in json.loads(found.stdout)["cards"]]
