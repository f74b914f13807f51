"""Lists, steps, divided words, signs, summaries of rulings, spreadsheets and folders."""

from __future__ import annotations

import csv
import html
import io
import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from kb.core.problems import KbError
from kb.ingest.drafts import Imported
from kb.plugins.text.importer import read
from tests.command_line import RunCommand
from tests.plugins.text.test_questions import imported
from tests.plugins.text.test_text import HEADING


def pairs(made: Imported) -> list[tuple[str, str]]:
    return [(draft.texts[0].title, draft.texts[0].body) for draft in made.drafts]


def reasons(made: Imported) -> list[tuple[int, str]]:
    return [
        (problem.line, problem.message.removeprefix("in no draft: ")) for problem in made.skipped
    ]


LISTS = """\
You may:

1. Tap the frog.
   - Not the toad.
   - Not the newt.
2. Choose a target.

Then the turn ends."""


@pytest.mark.parametrize("name", ["faq.txt", "faq.md"])
@pytest.mark.parametrize("question", ["Q: {} A: ", "Q: {}\nA: ", "### {}\n\n"])
def test_lists_and_steps_stay_nested_in_their_answer(
    question: str, name: str, tmp_path: Path
) -> None:
    text = "".join(question.format(f"May {who} attack?") + f"{LISTS}\n\n" for who in "ab")
    assert pairs(imported(tmp_path, text, name)) == [
        ("May a attack?", LISTS),
        ("May b attack?", LISTS),
    ]


def test_conditions_and_steps_stay_with_their_introduction(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "Combat\n\nA unit may attack only if:\n• It is ready.\n• It has no damage.\n\n"
        "Jednostka walczy, jeśli:\n\n• Jest gotowa.\n\n"
        "To play a card:\n1. Pay its cost.\n2. Put it on the table.\n\n"
        "• Sustaining is possible only if:\n"
        "There was no cost other than rotating the card itself.\nAll is still there.\n\n"
        "• Another effect goes on.\n  • But not this.\n\n2.1 Ready (Step 1):\n",
    )
    assert [draft.lines for draft in made.drafts] == [(1, 5), (7, 9), (11, 13), (15, 17), (19, 20)]
    assert made.drafts[2].texts[0].body.endswith("\n\n1. Pay its cost.\n2. Put it on the table.")
    assert reasons(made) == [(1, HEADING), (22, "a heading without a text")]


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (
            "Q: May a frog at-\ntack a face-\ndown card?\nA: Only in the morn-\ning. A half-\nfrog"
            " is a half-frog.\n",
            (
                "May a frog attack a face-down card?",
                "Only in the morning. A half-frog is a half-frog.",
            ),
        ),
        (
            "P: Czy żaba może zaatako-\nwać?\nO: Nie.\n",
            ("Czy żaba może zaatakować?", "Nie."),
        ),
    ],
)
def test_words_that_a_line_end_divides_are_joined(
    text: str, pair: tuple[str, str], tmp_path: Path
) -> None:
    assert pairs(imported(tmp_path, text)) == [pair]


SIGNS = [
    "Roll 2*3 dice and pay X*Y; a roll of *6* counts twice.",
    "<Name> is a unit, and one with cost <3 is small & fast.",
    "1996. That year the rule was changed.",
    "The sign &lt; is a mistake for [1] and _silver_.",
    "# 1 is the first card.",
    "See [the page](https://example.org/a) or `code`.",
    "- 3 is taken off, + 2 is put on.",
    "> 3 is more.",
    "[[Frog]] is a card, ~~~ and === are lines.",
]


def test_plain_text_keeps_its_signs_and_markdown_its_meaning(tmp_path: Path) -> None:
    text = "".join(f"Q: What is {at}?\nA: {sign}\n\n" for at, sign in enumerate(SIGNS))
    bodies = [body for _, body in pairs(imported(tmp_path, text))]
    shown = [MarkdownIt("commonmark").render(body).strip() for body in bodies]
    assert list(map(html.unescape, shown)) == [f"<p>{sign}</p>" for sign in SIGNS]
    made = imported(
        tmp_path, "# Q: Is *this* [a link](http://a.example)?\n\nYes, **it** `is`.\n", "faq.md"
    )
    assert pairs(made) == [("Is this a link?", "Yes, **it** `is`.")]


def test_a_summary_has_rulings_below_cards(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "Summary of rulings\n==================\n\n"
        "A '+' marks what is new.\n\n- - * - A - * - -\n\n"
        "Amber Golem:\n  You choose the colour when it comes into play, not when you pay.\n"
        "    [Judge Kim 2001/03/02]\n+ The colour stays the same.  It is a\n    new choice later.\n"
        "  Note - Also see Rule E.5.\n\nAshen Veil:\n  A second veil has no effect.\n",
    )
    assert [(draft.topic, draft.lines) for draft in made.drafts] == [
        ("general", (8, 10)),
        ("general", (11, 13)),
        ("general", (15, 16)),
    ]
    assert pairs(made)[2] == (
        "Ashen Veil: A second veil has no effect.",
        "A second veil has no effect.",
    )
    assert reasons(made) == [
        (1, HEADING),
        (2, "only marks"),
        (4, "not below the name of a card"),
        (6, "only marks"),
    ]


ROWS = [
    ("May a frog attack, or block?", 'No; "never".'),
    ("Does rain stop a frog?", "Yes."),
]


@pytest.mark.parametrize(
    ("suffix", "delimiter", "names"),
    [
        ("tsv", "\t", "Question Answer"),
        ("csv", ";", "Pytania Odpowiedzi"),
        ("csv", ",", "Otázka Odpoveď"),
        ("txt", "\t", "Вопрос Ответ"),
    ],
)
def test_a_spreadsheet_is_read_by_its_columns(
    suffix: str, delimiter: str, names: str, tmp_path: Path
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["No.", *names.split(), "Date", "Card"])
    writer.writerow(["1", *ROWS[0], "2024-05-01", "Frog"])
    writer.writerow(["2", *ROWS[1], "2024-05-01", ""])
    made = imported(tmp_path, text.getvalue(), f"sheet.{suffix}")
    assert pairs(made) == [(ROWS[0][0], f"{ROWS[0][1]}\n\nCard: Frog"), ROWS[1]]
    assert {draft.header.date for draft in made.drafts} == {"2024-05-01"}
    assert reasons(made) == [(1, "the names of the columns")]


def test_lines_of_a_table_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        'Question;Answer\n"One\nor two?";"Yes.\nBoth."\nOpen?\n;No question.\nThree?;Yes;more\n',
        "sheet.csv",
    )
    assert pairs(made) == [("One or two?", "Yes.\n\nBoth."), ("Open?", "Open?")]
    assert [draft.header.status for draft in made.drafts] == ["current", "unanswered"]
    assert [draft.lines for draft in made.drafts] == [(2, 4), (5, 5)]
    assert reasons(made) == [
        (1, "the names of the columns"),
        (6, "a line without a question"),
        (7, "3 cells below 2 columns"),
    ]
    made = imported(
        tmp_path, 'Question;Answer\nOne?;"Yes.\nQ: Two?"\nQ3: Three?;A3: Yes.\n', "sheet.csv"
    )
    assert pairs(made) == [("Three?", "Yes.")]
    assert reasons(made)[1:] == [
        (line, "the mark of another question or answer inside a cell") for line in (2, 3)
    ]
    for name in ("sheet.tsv", "sheet.txt"):
        made = imported(tmp_path, "Name\tCost\nFrog\t2\nToad\t3\n", name)
        assert not made.drafts and [problem.line for problem in made.skipped] == [1, 2, 3]
        assert "a table; name its columns" in made.skipped[0].message


@pytest.mark.parametrize(
    "names",
    [
        "Karta,Orzeczenie",
        "Karta,Orzeczenie,Data orzeczenia",
        "Karta,Rozhodnutí",
        "Karta,Rozhodnutie",
        "Карта,Разъяснение",
        "Card,Official ruling",
        "Karta,Odpowiedź,Wyjaśnienie",
        "Question,Answer,Explanation",
        "Question,Clarification,Explanation",
        "Pytanie,Odp.,Wyjaśnienie",
        "Pytanie,Rozstrzygnięcie",
        "Otázka,Vysvětlení",
        "Карта,Пояснение",
        "Card,Explanation,Source",
    ],
)
def test_a_column_named_by_the_word_for_a_ruling_has_the_answers(
    names: str, tmp_path: Path
) -> None:
    made = imported(tmp_path, f"{names}\nLeszy,Chroni las.\n", "sheet.csv")
    assert [body for _, body in pairs(made)] == ["Chroni las."]


def test_a_table_without_known_columns_is_told_their_names_in_its_language(
    tmp_path: Path,
) -> None:
    for name, names in (
        ("a.csv", "Pytanie or Karta, one Odpowiedź"),
        ("a.cs.csv", "Otázka or Karta, one Odpověď"),
        ("a.de.csv", "Question or Card, one Answer"),
    ):
        text = "Imię;Zasada\nStrzyga;Nie ginie.\n" if name == "a.csv" else "X;Y\nA;B\n"
        made = imported(tmp_path, text, name)
        assert not made.drafts and reasons(made)[0][1].endswith(f"one of them {names}")


def test_a_folder_is_all_its_documents(tmp_path: Path, kb: RunCommand) -> None:
    folder = tmp_path / "wiki"
    (folder / "more").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("one.txt", "two.md", "more/one.txt", ".git/three.txt", "picture.png"):
        (folder / name).write_text(f"Q: Is {name} here?\nA: Yes.\n", encoding="utf-8")
    words = ("import", "text", "wiki", "--game", "demo", "--into", "drafts")
    run = kb(*words, cwd=tmp_path, KB_RULINGS=str(tmp_path / "none"))
    assert run.stdout.startswith("3 new") and "wiki/picture.png:1: not one of" in run.stderr
    assert sorted(path.name for path in (tmp_path / "drafts").rglob("*.md")) == [
        "one-2-is-one-txt-here.md",
        "one-is-more-one-txt-here.md",
        "two-is-two-md-here.md",
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(KbError, match=re.escape("empty: no text file there")):
        read([tmp_path / "empty"])


def test_a_table_of_markdown_is_read_by_its_columns(tmp_path: Path) -> None:
    text = (
        "# FAQ\n\nOur questions.\n\n| Card | Question | Answer |\n|---|:---|---|\n"
        "| Frog | May it jump? | Yes, *once* \\| per turn.<br>Twice at night. |\n"
        "| | Open? | |\n\n## More\n\n| Otázka | Odpoveď |\n|--|--|\n| Ako? | Tak. |\n"
    )
    for name in ("faq.md", "faq.txt"):
        made = imported(tmp_path, text, name)
        assert [draft.texts[0].title for draft in made.drafts] == ["May it jump?", "Open?", "Ako?"]
        assert [draft.lines for draft in made.drafts] == [(7, 7), (8, 8), (14, 14)]
        assert {line for line, _ in reasons(made)} == {1, 3, 5, 6, 10, 12, 13}
    body = made.drafts[0].texts[0].body
    assert "\\| per turn.\n\nTwice at night.\n\nCard: Frog" in body.replace(" | ", " \\| ")


def test_another_table_is_left_out_unless_a_text_introduces_it(tmp_path: Path) -> None:
    table = "| Step | What |\n|---|---|\n| Build | You build |\n"
    made = imported(tmp_path, f"# Rules\n\n## Steps\n\n{table}\n## End\n\nIt ends.\n", "a.md")
    assert [pair[1] for pair in pairs(made)] == ["It ends."]
    assert {line for line, _ in reasons(made)} >= {5, 6, 7}
    for text in (
        f"# Rules\n\nThese are the steps:\n\n{table}",
        f"Q: When?\nA: See this.\n\n{table}",
    ):
        (draft,) = imported(tmp_path, text, "b.md").drafts
        assert table.strip() in draft.texts[0].body


def test_what_folds_in_markdown_is_a_question_and_its_answer(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "# FAQ\n\n<details>\n<summary>May it <b>jump</b>?</summary>\n\nYes.\n\n- Once.\n\n"
        "</details>\n<details open><summary>May it swim?</summary>\nNo.\n</details>\n\n"
        "This is of 2003.\n",
        "faq.md",
    )
    assert pairs(made)[:2] == [("May it jump?", "Yes.\n\n- Once."), ("May it swim?", "No.")]
    assert pairs(made)[2][1] == "This is of 2003."


CHATS = {
    "Discord": "Max — 12/03/2023 14:22\nMay I pass?\n\nGuru — Today at 14:25\nNo.\n",
    "WhatsApp": "[12/03/2023, 14:22:05] Max: May I pass?\n[12/03/2023, 14:23:01] Guru: No.\n",
    "export": "12.03.23, 14:22 - Max: May I pass?\n12.03.23, 14:23 - Guru: No.\n",
    "IRC": "<Max> may I pass?\n<Guru> no\n",
    "times": "[14:30] Max: may I pass?\n[14:31] Guru: no\nMax: and twice?\n",
    "mail": "On Sunday, Max wrote:\n> May I pass?\nNo.\n> And twice?\nYes.\n",
    "forum": "[quote=max]May I pass?[/quote]\nNo.\n\n[quote]And twice?[/quote]\nYes.\n",
    "thread": "Max\n3 yr. ago\nMay I pass?\nReply\nGuru\n2 years ago\nNo.\n",
    "clock": "Max  3:41 PM\nMay I pass?\nGuru\nyesterday at 15:44\nNo.\n",
    "HTML": "<!DOCTYPE html>\n<p>Q: May I pass?</p>\n<p>A: No.</p>\n",
    "RTF": "{\\rtf1\\ansi\nQ: May I pass?\\par\nA: No.\\par\n}\n",
    "JSON": '[\n  {"q": "May I pass?", "a": "No."}\n]\n',
    "lines": '{"q": "May I pass?", "a": "No."}\n',
    "LaTeX": "\\documentclass{article}\nQ: May I pass?\nA: No.\n",
}


@pytest.mark.parametrize("text", CHATS.values(), ids=CHATS)
def test_what_would_only_become_wrong_drafts_is_left_out(tmp_path: Path, text: str) -> None:
    made = imported(tmp_path, text, "chat.txt")
    assert not made.drafts
    assert [line for line, _ in reasons(made)] == [
        number for number, line in enumerate(text.split("\n"), 1) if line
    ]
    assert re.search("write each question behind Q:|copy its text into", reasons(made)[0][1])


def test_marked_questions_of_a_chat_are_read_without_who_wrote_them(tmp_path: Path) -> None:
    text = "Max — 12/03/2023 14:22\nQ: May I?\nA: No.\nMax — 12/03/2023 14:25\nQ: So?\nA: Yes.\n"
    assert pairs(imported(tmp_path, text, "chat.txt")) == [("May I?", "No."), ("So?", "Yes.")]


@pytest.mark.parametrize(
    "head",
    [
        "{} — 12.03.2023 14:22",
        "{}\n — 12.03.2023 14:22",
        "{}\n — Dnes v 18:05",
        "{} — Сегодня в 14:22",
        "{}, [12.03.2023 14:22]",
        "{} napsal(a):",
        "{} (admin) napísal: 12.3.2020 18:22",
        "{} » út 13. 3. 2020 18:22",
        "{} » Sun Mar 12, 2023 2:22 pm",
        "{}\n3 yr. ago",
    ],
)
def test_what_others_wrote_in_a_chat_is_in_no_answer(head: str, tmp_path: Path) -> None:
    posts = ["P: May I pass?", "O: No.", "Nonsense.\n\nYes.", "P: So?\nO: Yes.\nAlways.", "Thanks"]
    heads = map(head.format, ["Max", "Guru", "Jim", "Guru", "Max"])
    text = "".join(f"{head}\n{post}\n" for head, post in zip(heads, posts, strict=True))
    made = imported(tmp_path, text, "chat.txt")
    assert pairs(made) == [("May I pass?", "No."), ("So?", "Yes.\n\nAlways.")]
    lines = text.split("\n")
    others = {lines[line - 1] for line, why in reasons(made) if why.startswith("outside")}
    assert others == {"Nonsense.", "Yes.", "Thanks"}


def test_an_answer_with_prices_and_hours_is_no_chat(tmp_path: Path) -> None:
    answer = "As follows.\n\nFrog – 2.50\n\nToad, 14:30\n\n10:30 Draft: all\n\n\\<Name> is a card."
    text = f"Q: How much?\nA: {answer}\n".replace("\\", "")
    assert pairs(imported(tmp_path, text)) == [("How much?", answer)]


@pytest.mark.parametrize(
    "line",
    [
        "Autor hry k tomu napsal:",
        "12.03.2021 18:00 – oprava: often",
        "Final — 18:00\n\nPátek — 18:00",
        "@guru",
        "Max, 12.03.2021 18:00",
    ],
)
def test_a_single_line_with_a_time_or_a_name_ends_no_answer(line: str, tmp_path: Path) -> None:
    answer = f"As follows.\n\n{line}\n\nIt may."
    assert pairs(imported(tmp_path, f"Q: May it?\nA: {answer}\n")) == [("May it?", answer)]


def test_who_answered_goes_on_and_what_another_asks_is_not_answered(tmp_path: Path) -> None:
    posts = ["P: May I pass?", "O: No.", "Hm.", "Nor in spring.", "P: So?", "Or in May?", "O: Yes."]
    for head in ("{} — 12.03.2023 14:22 (edited)", "{} — 14:22", "{}\n3 yr. ago", "{} napsal:"):
        heads = map(head.format, ["Max", "Guru", "Jim", "Guru", "Max", "Jim", "Guru"])
        text = "".join(f"{head}\n{post}\n" for head, post in zip(heads, posts, strict=True))
        made = imported(tmp_path, text, "chat.txt")
        assert pairs(made) == [("May I pass?", "No.\n\nNor in spring.")]
        reported = {text.split("\n")[line - 1] for line, _ in reasons(made)}
        assert {"Hm.", "P: So?", "Or in May?", "O: Yes."} <= reported
