"""No line is lost in silence: its words stand together in a draft, or the report has it."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from kb.ingest.drafts import Imported
from tests.plugins.text.test_questions import imported

# What stands at the end of an answer.
LAST_LINES = [
    "Not during the battle phase",
    "Only unique units may be stacked",
    "Wyjątek: jednostki unikatowe",
    "Ale nie w fazie bitwy",
    "Exception – Amidala and Beru",
    "Source: JG supplement, page 3",
    "(Confirmed by Lucasfilm)",
    "(posted by Jim, 12 Mar 2004)",
    "Rulebook p. 12",
    "Never",
]
DOCUMENTS = {
    "sentences.txt": "Stack limit is 4 cards\n\nPilots do not count as units while they pilot\n\n"
    "Equipment stays on the unit. Its controller does not change.\n\n"
    "Retreated units may be moved while tapped\n\nA mulligan may discard Locations too.\n",
    "cards.txt": "Homing Missile\nNobody may blow on it\nTake off the sleeve\n\n"
    "Dark Dreams\nThe condition must be met\nEven for a copy\n",
    "capitals.txt": "HOMING MISSILE\n\nNobody may blow on it.\n\nTake off the sleeve.\n",
    "lists.txt": "2.3 The following count as cards:\na) units;\nb) pilots;\nc) equipment.\n\n"
    "2.4 Each player:\n- draws a card,\n- pays upkeep.\n\n"
    "2.5 You may choose one of these:\n1) heal\n2) repair\nBoth take an action.\n",
    "asked.md": "# FAQ\n\nMay I?\n\nNo.\n\nNever.\n\nWhy not?\nSo it is\n\nThe end\n",
    "summary.txt": "Jedi Council Quorum:\n- It wins.\n- It stays.\n\n"
    "2.4 Each player:\n- Draws a card.\n- Pays upkeep.\n",
    "dates.txt": "12.03.2004: changed the limit to 4.\n1.5.2004 the limit is 5.\n"
    "2004.06.01 – the limit is 6.\n2004-07-01: the limit is 7.\n",
    "sections.txt": "League FAQ\n\nPilots\n\nQ: May I fly?\nA: Yes.\n\nOnly in space\n\n"
    "Stacking\n\nQ: May I stack?\nA: Yes.\n\nOther things\n\nQ: Why?\nA: So.\n",
    "paragraphs.md": "# Rulings\n\nA stack may contain at most 4 cards\n\nPilots are not units.\n\n"
    "Equipment is not a unit[^2]\n\nOverkill divides hits\n\nReserves works here.[1]\n",
    "headings.md": "# Rulings\n\n## Homing Missile\n\nNobody may blow on it.\n\nTake it off.\n\n"
    "## Dark Dreams\n\nThe condition must be met.\n\n- even for a copy\n- even twice\n\n"
    "## Is a pilot a unit?\n\nNo.\n\nIt keeps its name.\n\n### Exception\n\nQueen Amidala.\n",
    "bold.md": "**Can I use two?**\n\nNo you can't.\n\nNever.\n\n**Card A** beats **card B**\n",
    "columns.csv": "Card,Ruling,Source\nHoming Missile,No blowing.,JG p. 3\n"
    "Dark Dreams,No blowing.,\n,Pay.,\nYoda,,\n",
    "named.csv": "Pytanie gracza;Odpowiedź sędziego;Punkty\nCzy mogę?;Nie.;1\nIle?;Dwa.;5\n",
    "excel.csv": 'sep=;\nNr;Karta;Pytanie;Odpowiedź;Data\n1;Yoda;"Czy to ""karta""?";"Tak:\n'
    '- zawsze.";12.03.2004\n2;Yoda;Bez odpowiedzi?;;\n3;Yoda;;Bez pytania;13/03/2004\n',
    "titled.csv": "Rulings of Jedi Guardians,,\n,,\nQuestion,Answer,Date\nMay I?,No.,3/12/2004\n",
    "asked.tsv": "#\tQuestion asked by player\tOfficial answer\n1\tMay I?\tNo.\n2\tWhy?\tSo.\n",
}


# The titles of the drafts of some.
TITLES = {
    "sentences.txt": [
        "Stack limit is 4 cards",
        "Pilots do not count as units while they pilot",
        "Equipment stays on the unit",
        "Retreated units may be moved while tapped",
        "A mulligan may discard Locations too",
    ],
    "lists.txt": [
        "The following count as cards",
        "Each player",
        "You may choose one of these",
        "Both take an action",
    ],
    "dates.txt": [
        "12.03.2004: changed the limit to 4",
        "1.5.2004 the limit is 5",
        "2004.06.01 – the limit is 6",
        "2004-07-01: the limit is 7",
    ],
    "paragraphs.md": [
        "A stack may contain at most 4 cards",
        "Pilots are not units",
        "Equipment is not a unit[^2]",
        "Overkill divides hits",
        "Reserves works here.[1]",
    ],
    "headings.md": ["Nobody may blow on it", "Take it off", "Dark Dreams", "Is a pilot a unit?"],
    "asked.md": ["May I?", "Why not?"],
    "summary.txt": [
        "Jedi Council Quorum: It wins.",
        "Jedi Council Quorum: It stays.",
        "Each player: Draws a card.",
        "Each player: Pays upkeep.",
    ],
    "columns.csv": ["Homing Missile: No blowing.", "Dark Dreams: No blowing.", "Pay"],
    "named.csv": ["Czy mogę?", "Ile?"],
    "excel.csv": ['Czy to "karta"?', "Bez odpowiedzi?"],
    "titled.csv": ["May I?"],
    "asked.tsv": ["May I?", "Why?"],
}


def words(text: str) -> set[str]:
    """Words of letters, and numbers that are more than the place in a list."""
    return set(re.findall(r"[^\W\d_]{2,}|\d[\d./-]{3,}\d", text))


def places(made: Imported) -> list[set[str]]:
    """The words of each draft, and of the titles of the sources."""
    found = [words(source.title) for source in made.sources]
    for draft in made.drafts:
        text, date = draft.texts[0], draft.header.date or ""
        day = "{2}.{1}.{0}".format(*date.split("-")) if date else ""
        provision = draft.header.sources[0].provision
        found.append(words(f"{text.title}\n{text.body}\n{day}\n{provision}"))
    return found


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_line_is_in_a_draft_with_its_own_title_or_in_the_report(
    name: str, tmp_path: Path
) -> None:
    made = imported(tmp_path, DOCUMENTS[name], name)
    reported = {problem.line for problem in made.skipped}
    for number, line in enumerate(DOCUMENTS[name].split("\n"), 1):
        is_drafted = any(words(line) <= found for found in [*places(made), set()])
        assert is_drafted or number in reported, line
    titles = [draft.texts[0].title for draft in made.drafts]
    assert titles == TITLES.get(name, titles)


def test_all_below_a_question_in_markdown_is_its_answer(tmp_path: Path) -> None:
    *_, draft = imported(tmp_path, DOCUMENTS["headings.md"], "headings.md").drafts
    assert draft.texts[0].body == "No.\n\nIt keeps its name.\n\n### Exception\n\nQueen Amidala."
    assert draft.topic == "general"


DATES = {
    "2004-03-12": "2004-03-12",
    "12.03.2004": "2004-03-12",
    "1. 5. 2004": "2004-05-01",
    "13/03/2004": "2004-03-13",
    "3/13/2004": "2004-03-13",
    "3/4/2004": None,
    "31.02.2004": None,
    "12.03.04": None,
    # Time stamps of forms.
    "12.03.2021 18:22:10": "2021-03-12",
    "2021-03-12T18:22:10Z": "2021-03-12",
    "2021/03/12 6:22:10 odp. GMT+1": "2021-03-12",
    "12. 3. 2021 18:22": "2021-03-12",
    "3/4/2021 18:22:10": None,
    "12.03.2021 18:00 revoked: no longer": None,
}


def test_a_date_without_doubt_is_the_date_of_the_ruling(tmp_path: Path) -> None:
    rows = "".join(f"May I {at}?\tNo.\t{cell}\n" for at, cell in enumerate(DATES))
    text = f"Question\tAnswer\tDate\n{rows}Open?\t\tToday\n"
    *dated, last = imported(tmp_path, text, "sheet.tsv").drafts
    assert [draft.header.date for draft in dated] == list(DATES.values())
    for draft, (cell, date) in zip(dated, DATES.items(), strict=True):
        assert draft.texts[0].body == ("No." if date else f"No.\n\nDate: {cell}")
    assert last.header.status == "unanswered"
    text = "Timestamp,Question,Answer,Date\n2021-03-12 18:22:10,May I?,No.,1.5.2021\n"
    (draft,) = imported(tmp_path, text, "form.csv").drafts
    assert draft.header.date == "2021-05-01"
    assert draft.texts[0].body == "No.\n\nTimestamp: 2021-03-12 18:22:10"


def test_the_last_line_of_an_answer_stays_in_it(tmp_path: Path) -> None:
    for line, above in product(LAST_LINES, ("", "League FAQ\n\n", "League FAQ\n\nUnits\n\n")):
        text = f"Q: May I retreat a unit?\nA: Yes, once a turn.\n\n{line}\n\nQ: Why?\nA: So.\n"
        made = imported(tmp_path, above + text)
        if (above.count("\n"), line) != (4, "Never"):
            assert line in made.drafts[0].texts[0].body.replace("\\", ""), line
            assert len({draft.topic for draft in made.drafts}) == 1
