"""Marks of questions and answers in five languages, and the guard: none ends in another ruling."""

from __future__ import annotations

import re
import tempfile
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.ingest.drafts import Imported
from kb.plugins.text.importer import read
from tests.selection import examples

ENGLISH = [
    ("May a frog attack twice?", "No, once in a turn."),
    ("Does rain stop a frog?", "Yes. It sleeps until the sun comes out."),
    ("Who pays for the bridge?", "The player who crosses it first."),
]
POLISH = [("Kto płaci za most?", "Gracz."), ("Czy deszcz zatrzymuje żabę?", "Tak.")]
RUSSIAN = [("Кто платит за мост?", "Игрок."), ("Останавливает ли дождь лягушку?", "Да.")]
SLOVAK = [("Kto platí za most?", "Hráč."), ("Zastaví dážď žabu?", "Áno.")]
CZECH = [("Kdo platí za most?", "Hráč."), ("Zastaví déšť žábu?", "Ano.")]
MARKS = [
    (ENGLISH, "Q", "A"),
    (ENGLISH, "QUESTION", "ANSWER"),
    (POLISH, "P", "O"),
    (POLISH, "Pytanie", "Odpowiedź"),
    (POLISH, "Pyt", "Odp"),
    (RUSSIAN, "В", "О"),
    # A Latin O.
    (RUSSIAN, "В", "O"),
    (RUSSIAN, "Вопрос", "Ответ"),
    (SLOVAK, "Otázka", "Odpoveď"),
    (CZECH, "Dotaz", "Odpověď"),
]
FORMS = [
    "{mark}: {text}",
    "{mark}. {text}",
    "{mark} – {text}",
    "{mark}> {text}",
    "[{mark}] {text}",
    "{mark}\t{text}",
    "“{mark}: {text}”",
    "**{mark}:** {text}",
    "**{mark}: {text}**",
    "<b>{mark}:</b> {text}",
    "**{mark}**\n\n{text}",
    "{mark}:\n\n{text}",
    "### {mark}: {text}",
    "## {number}. {mark}: {text}",
    "{mark} #{number}: {text}",
    "{mark} {number} {text}",
    "1.{number} {mark}: {text}",
    "№{number} {mark}: {text}",
    "{mark}. №{number}\n{text}",
    "<p>{mark}: {text}</p>",
    ">> {mark}) {text}",
    "- **{mark}:** {text}",
    "NEW {mark}: {text}",
    "❓ {mark}: {text}",
    "  {mark}: {text}",
]


def imported(folder: Path, text: str, name: str = "faq.txt") -> Imported:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read([path])


def pairs(made: Imported) -> list[tuple[str, str]]:
    """The titles and texts, without the signs around a whole text."""
    return [
        (draft.texts[0].title.strip("“”"), re.sub(r"\\|^[*“]+|[*”]+$", "", draft.texts[0].body))
        for draft in made.drafts
    ]


@pytest.mark.parametrize("form", FORMS)
def test_marks_behind_and_before_any_sign(form: str, tmp_path: Path) -> None:
    for at, (entries, question, answer) in enumerate(MARKS):
        # Answers have the form of the questions, or one of their own.
        answer_form = form if at % 3 else "{mark}: {text}"
        text = "The league\n\n"
        for number, (asked, answered) in enumerate(entries, 1):
            text += form.format(mark=question, number=number, text=asked) + "\n"
            text += answer_form.format(mark=answer, number=number, text=answered) + "\n\n"
        made = imported(tmp_path, text, f"faq.{'md' if at % 2 else 'txt'}")
        assert pairs(made) == entries, text
        assert {problem.line for problem in made.skipped} <= {1}


@pytest.mark.parametrize("between", [" ", " / ", " → ", "<br>", " **"])
@pytest.mark.parametrize("after", ["\n", "\n\n", " "])
def test_questions_and_answers_in_one_line(between: str, after: str, tmp_path: Path) -> None:
    close = "**" if "*" in between else ""
    for entries, question, answer in MARKS:
        text = after.join(
            f"{question}: {asked}{between}{answer}:{close} {answered}"
            for asked, answered in entries
        )
        assert pairs(imported(tmp_path, text)) == entries, text


def test_a_question_goes_on_to_its_answer(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "Q: I have a frog.\n\nMay it attack\ntwice?\n\nA: No.\n\nNever.\n\n"
        "Q: Does the rain\nstop it?\nYes, it\nsleeps.\n\nQ: Who pays?\n\nNobody.\n",
    )
    assert pairs(made) == [
        ("I have a frog. May it attack twice?", "No.\n\nNever."),
        ("Does the rain stop it?", "Yes, it\n\nsleeps."),
        ("Who pays?", "Nobody."),
    ]


def test_words_and_letters_that_begin_a_sentence_or_a_list_are_no_marks(tmp_path: Path) -> None:
    sentences = [
        "A. Frogs are small.",
        "B. Toads are large.",
        "a) a frog",
        "b) a toad",
        "Question the judge before you play.",
        "Answer 3 questions to win the game.",
        "В начале хода игрок берёт карту.",
        "P. Novak has drawn the card.",
        "P.S. Thank you.",
        "A frog may attack.",
    ]
    made = imported(tmp_path, "\n\n".join(sentences))
    assert not made.skipped and len(made.drafts) == len(sentences)
    made = imported(tmp_path, "Q: What may I play?\nA: One of these:\n" + "\n".join(sentences))
    assert len(made.drafts) == 1 and not made.skipped
    assert all(sentence in made.drafts[0].texts[0].body for sentence in sentences)


def test_what_fits_no_question_is_reported_with_its_line(tmp_path: Path) -> None:
    made = imported(
        tmp_path,
        "The league\n\nThese are answers.\n\nA: Nobody asked.\n\nQ: One?\nA: Yes.\n"
        "A: Or no.\nMore on no.\n\n# Part\n\nA: Nobody asked again.\n\nQ:\n\nQ: Two?\nA: Yes.\n",
    )
    assert pairs(made) == [("One?", "Yes."), ("Two?", "Yes.")]
    assert [(problem.line, problem.message) for problem in made.skipped] == [
        (1, "taken as a heading, not as a ruling"),
        (3, "in no draft: outside the questions and answers"),
        (5, "in no draft: an answer without a question"),
        (9, "in no draft: a second answer to one question"),
        (10, "in no draft: outside the questions and answers"),
        (12, "taken as a heading, not as a ruling"),
        (14, "in no draft: an answer without a question"),
        (16, "in no draft: a question without a text"),
    ]
    made = imported(tmp_path, "A rule says so.\n\nAnswer: Nobody asked.\n\nAnother rule.\n")
    assert [draft.lines for draft in made.drafts] == [(1, 1), (5, 5)]
    assert [problem.line for problem in made.skipped] == [3]


# Forms of one line; a number before a mark may be the number of the paragraph.
_LINES = [form for form in FORMS if "\n" not in form and "{number} {text}" not in form]
_OTHERS = {
    "text": "Frogs of {word} are small{tail}.",
    "item": "- a frog of {word}{tail}",
    "step": "1. Take {word}{tail}.",
    "heading": "## Part {word}",
    "short": "Section {word}",
    "note": "Note: {word} is meant{tail}.",
}
blocks = st.lists(
    st.tuples(
        st.sampled_from(["question", "answer"] * 3 + [*_OTHERS]),
        st.sampled_from(MARKS),
        st.sampled_from(_LINES),
        st.sampled_from(["\n", "\n\n", "\n  "]),
        st.sampled_from(["", " which goes\non in the next line", ":", " long" * 30]),
    ),
    min_size=1,
    max_size=14,
)


@pytest.mark.hypothesis
@examples(4)
@given(blocks, st.sampled_from(["txt", "md"]))
def test_a_marked_paragraph_never_ends_in_another_ruling(
    drawn: list[tuple[str, tuple[object, str, str], str, str, str]], suffix: str
) -> None:
    text, kinds = "", {}
    for number, (kind, (_, question, answer), form, gap, tail) in enumerate(drawn):
        word = f"w{number}w"
        kinds[word] = kind
        if kind in ("question", "answer"):
            mark, end = (question, "?") if kind == "question" else (answer, ".")
            words = f"Is {word} so{tail}{end}"
            text += form.format(mark=mark, number=number + 1, text=words)
        else:
            text += _OTHERS[kind].format(word=word, tail=tail)
        text += gap
    # Without a question, `A.` begins no answer.
    text += "\n\nQuestion: Is w99w so?\n"
    kinds["w99w"] = "question"
    with tempfile.TemporaryDirectory() as folder:
        made = imported(Path(folder), text, f"faq.{suffix}")
    reported = {problem.line for problem in made.skipped}
    for draft in made.drafts:
        drafted = re.findall(r"w\d+w", f"{draft.texts[0].title} {draft.texts[0].body}")
        drafted = sorted(set(drafted), key=lambda word: int(word.strip("w")))
        marked = [word for word in drafted if kinds[word] in ("question", "answer")]
        if marked:
            # A question begins its ruling, and an answer follows its own question.
            assert marked[0] == drafted[0] and kinds[drafted[0]] == "question", text
            assert [kinds[word] for word in marked[1:]] in ([], ["answer"]), text
            between = [*kinds][[*kinds].index(marked[0]) + 1 : [*kinds].index(marked[-1])]
            assert not {"question", "answer"} & {kinds[word] for word in between}, text
    for number, line in enumerate(text.split("\n"), 1):
        for word in re.findall(r"w\d+w", line):
            is_drafted = any(
                word in f"{draft.texts[0].title} {draft.texts[0].body}" for draft in made.drafts
            )
            is_heading = kinds[word] in ("heading", "short")
            assert is_drafted or is_heading or number in reported, text


@pytest.mark.parametrize(
    "item", ["1. {}\n   {}\n2. {}\n   {}\n", "1. {} {}\n2. {} {}\n", "- {} {}\n- {} {}\n"]
)
def test_the_question_of_an_item_is_its_title_and_nothing_else(tmp_path: Path, item: str) -> None:
    asked = ENGLISH[1:]
    made = imported(tmp_path, item.format(*(text for pair in asked for text in pair)))
    assert pairs(made) == asked
    ids = ["faq-does-rain-stop-a-frog", "faq-who-pays-for-the-bridge"]
    assert [draft.id for draft in made.drafts] == ids
    assert len({draft.header.sources for draft in made.drafts}) == 2


def test_a_wiki_heading_is_a_heading(tmp_path: Path) -> None:
    (draft,) = imported(tmp_path, "== The swamp ==\n\n- Who pays? The owner.\n").drafts
    assert (draft.topic, draft.texts[0].title) == ("the-swamp", "Who pays?")


def test_an_answer_with_the_number_of_another_question_is_left_out(tmp_path: Path) -> None:
    text = "Q4: Who wins?\nQ5: Who loses?\nA4: Light.\nA5: Dark.\n\nQ6. Who draws?\nA: Nobody.\n"
    made = imported(tmp_path, text)
    assert pairs(made)[-1] == ("Who draws?", "Nobody.")
    assert [draft.header.status for draft in made.drafts] == ["unanswered", "unanswered", "current"]
    assert [(problem.line, problem.message) for problem in made.skipped] == [
        (3, "in no draft: its number is not that of the question above it"),
        (4, "in no draft: an answer without a question"),
    ]


_UNMARKED = (
    "4. Who loses?\nDark.",
    "\n1. Who loses?\nDark.",
    "\n1. Who loses?\n\nDark.",
    "4. Who loses?\nA: Dark.",
    "4. Who loses? Dark.",
    "(4) Who loses?\n\nDark.",
    "**Who loses?**\n\nDark.",
)


@pytest.mark.parametrize(
    ("above", "unmarked"),
    [
        *product(("Q: Who wins?\nA: Light.", "Q: Who wins?"), _UNMARKED),
        # Below an answer, such a list may be its own, but not with the sign of the questions, nor
        # with an answer below it.
        ("Q: Who wins?", "- Who loses?\n- Dark."),
        ("- Q: Who wins?\n- A: Light.", "- Who loses?\n- Dark."),
        ("Q: Who wins?\nA: Light.", "- Who loses?\n  A: Dark."),
    ],
)
def test_a_question_whose_mark_was_forgotten_is_in_no_other_ruling(
    above: str, unmarked: str, tmp_path: Path
) -> None:
    for name, gap in product(("faq.txt", "faq.md"), ("\n", "\n\n")):
        text = f"{above}{gap}{unmarked}\n\nQ: Who draws?\nA: Nobody.\n"
        made = imported(tmp_path, text, name)
        answer = "Light." if "A:" in above else "Who wins?"
        assert pairs(made) == [("Who wins?", answer), ("Who draws?", "Nobody.")], text
        assert len({draft.topic for draft in made.drafts}) == 1
        first, *others = [problem for problem in made.skipped if "in no draft" in problem.message]
        lines = text.split("\n")
        assert "Who loses?" in lines[first.line - 1] and "write Q: and A:" in first.message
        assert {problem.line for problem in others} == {
            number for number, line in enumerate(lines, 1) if line.endswith("Dark.")
        } - {first.line}


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
@pytest.mark.parametrize("name", ["faq.txt", "faq.md"])
@pytest.mark.parametrize("unmarked", ["4. Who loses?", "**Who loses?**"])
def test_a_list_below_a_colon_takes_no_question_that_is_not_its_next(
    unmarked: str, name: str, gap: str, tmp_path: Path
) -> None:
    text = f"Q: Who wins?\nA: One of:\n\n- Sun\n- Light{gap}{unmarked}\n\nDark.\n"
    assert pairs(imported(tmp_path, text, name)) == [("Who wins?", "One of:\n\n- Sun\n- Light")]


@pytest.mark.parametrize(
    "answer",
    [
        "No.\n\nWhy would it? A frog sleeps.\n\nAnd who pays?\n\nNobody.",
        "Ask this:\n\n1. Is it a frog?\n2. Does it sleep? Then no.\n3. Is it wet?\n\nElse yes.",
        "Ask this:\n\n- Is it a frog?\n- Is it wet?",
        "Ask:\n\n1. Is it a frog?\n\nReally.\n\n2. Is it wet?",
        "Yes, if these hold.\n\n- Is it your turn? Then yes.\n- Else no.",
        "The order is as follows.\n\n1. Draw.\n2. Who attacks? The active player.\n3. Attack.",
        "See rule\n\n113.5 What is a trigger?",
        "Look at the frog.\n\n1. Is it wet?\n2. Does it sleep?",
    ],
)
def test_an_answer_may_ask(answer: str, tmp_path: Path) -> None:
    text = f"Q: May a frog attack?\nA: {answer}\n\nQ: Who draws?\nA: Nobody.\n"
    for name in ("faq.txt", "faq.md"):
        assert pairs(imported(tmp_path, text, name))[0] == ("May a frog attack?", answer)
    asked = "I have questions:\n1. May it jump?\n2. May it swim?"
    for question in (asked, "\n3. May it swim?"):
        (draft,) = imported(tmp_path, f"Q: {question}\nA: Yes.\n").drafts
        assert draft.texts[0].title.endswith("May it swim?")


@pytest.mark.parametrize("line", ["---", "----------", "=====", "* * *", "———"])
def test_a_line_of_signs_ends_an_answer_and_makes_no_heading_of_it(
    line: str, tmp_path: Path
) -> None:
    made = imported(
        tmp_path,
        f"League FAQ\n====\n\nQ: Who wins?\nA: Light, if they\ndiscard a card\n{line}\n"
        f"Q: Who loses?\n{line}\nDark, but only if it\nhas no cards.\n{line}\n\nQ: Who pays?\n\n"
        f"{line}\n\nA: Nobody.\n\nNever in spring\n{line}\nThe end\n",
    )
    assert pairs(made) == [
        ("Who wins?", "Light, if they\n\ndiscard a card"),
        ("Who loses?", "Dark, but only if it\n\nhas no cards."),
        ("Who pays?", "Nobody.\n\nNever in spring"),
    ]
    assert [problem.line for problem in made.skipped] == [1, 2, 7, 9, 12, 16, 21, 22]


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        ("A: Prices:\n\nCard    Cost\n-----   ----\nFrog    2", "Prices:\n\nCard Cost\n\nFrog 2"),
        ("A: Prices:\n+---+\n| 2 |\n+---+\nor 3", "Prices:\n\n| 2 |\n\nor 3"),
        ("---\nNo\n---", "No"),
        ("A: These:\n---\nFrog", ""),
        ("A: As Max says:\n\nMax wrote:\n\nFrog", "As Max says:\n\nMax wrote:\n\nFrog"),
        ("A: Yes.\n\n:-)\n\n...\n\n[___]\n\nOften.", "Yes.\n\nOften."),
        ("Answer: Yes.\nAnswer (rules team, 2021): No.", ""),
        ("A: Look.\n\n1. Is it yours? If so, yes.", "Look.\n\n1. Is it yours? If so, yes."),
    ],
)
def test_a_table_stays_in_its_answer_and_an_introduction_without_its_list_is_left_out(
    answer: str, body: str, tmp_path: Path
) -> None:
    made = imported(tmp_path, f"Q: Who wins?\n{answer}\n\nQ: Who draws?\nA: Nobody.\n")
    *first, last = [(title, re.sub(" +", " ", text)) for title, text in pairs(made)]
    assert last == ("Who draws?", "Nobody.")
    assert first == ([("Who wins?", body)] if body else [])


@pytest.mark.parametrize("title", ["Part 2, who draws\n----------------", "-----\nPart 2\n-----"])
def test_a_title_between_answers_is_known_by_its_place_and_its_line(
    title: str, tmp_path: Path
) -> None:
    text = f"Part 1\n------\n\nQ: Who wins?\nA: Light.\n\n{title}\n\nQ: Who draws?\nA: Nobody.\n"
    made = imported(tmp_path, text)
    assert pairs(made) == [("Who wins?", "Light."), ("Who draws?", "Nobody.")]
    assert [draft.topic[:6] for draft in made.drafts] == ["part-1", "part-2"]


REMARKS = [
    ("Otázka (Jirka)", "Odpověď (Mirek, 2021)"),
    ("Dotaz (12. 3. 2021)", "Odp. (autor hry)"),
    ("Q (Max)", "A (Guru)"),
    ("Question 3 (Max)", "Answer 3"),
    ("Вопрос (Иван)", "Ответ (Мастер)"),
]


@pytest.mark.parametrize(("question", "answer"), REMARKS)
@pytest.mark.parametrize("between", ["\n", "\n\n", " "])
def test_a_remark_between_a_mark_and_its_colon_stand_below_the_answer(
    between: str, question: str, answer: str, tmp_path: Path
) -> None:
    if between == " " and ("(" not in answer or answer[1] == " "):
        answer = "Answer"
    text = f"{question}: Who wins?{between}{answer}: Light.\n\n"
    made = imported(tmp_path, f"Q: May I?\nA: No.\n\n{text}**Q (Jim):** Who draws?\nA: Nobody.\n")
    remarks = ", ".join(mark for mark in (question, answer) if re.search(r"[(]| [^\W\d]", mark))
    assert pairs(made) == [
        ("May I?", "No."),
        ("Who wins?", f"Light.\n\n{remarks}"),
        ("Who draws?", "Nobody.\n\nQ (Jim)"),
    ]
    assert not made.skipped


@pytest.mark.parametrize(
    "line",
    [
        "Otázka zní: smí to?",
        "The question is: may it?",
        "Question mark cards: two",
        "Answer to the second: no.",
        "A frog and a toad: no.",
        "P (speed): 2",
        "O (obrana): 2.",
        "A (speed): 2?",
        "P (Speed): 2?\n\nDoes it?",
        "It has these. A (speed): 2",
        "Answer by Max: no.",
    ],
)
def test_a_sentence_with_a_colon_is_no_mark(line: str, tmp_path: Path) -> None:
    (draft,) = imported(tmp_path, f"Q: May a frog attack?\nA: Well.\n\n{line}\n").drafts
    assert draft.texts[0].body == f"Well.\n\n{line}"


@pytest.mark.parametrize(
    "title",
    ["Question about Yoda: does he heal?", "Otázka od Jirky: Smí to?", "Вопрос Ивана: Как?"],
)
def test_words_of_a_mark_stay_in_the_title(title: str, tmp_path: Path) -> None:
    made = imported(tmp_path, f"Q: May I?\nA: No.\n\n{title}\nAnswer: Yes.\n")
    assert pairs(made) == [("May I?", "No."), (title, "Yes.")]
    made = imported(tmp_path, "Question,Answer\nQuestion from Max: may I?,No.\n", "faq.csv")
    assert pairs(made) == [("Question from Max: may I?", "No.")]


@pytest.mark.parametrize("section", ["Toads\n-----\n", "\nToads\n\n"])
def test_a_title_between_answers_is_on_the_level_of_the_first(section: str, tmp_path: Path) -> None:
    text = f"FAQ\n===\n\nFrogs\n-----\n\nQ: Who wins?\nA: Light.\n{section}Q: So?\nA: No.\n"
    made = imported(tmp_path, text)
    assert pairs(made) == [("Who wins?", "Light."), ("So?", "No.")]
    assert [draft.topic for draft in made.drafts] == ["frogs", "toads"]
