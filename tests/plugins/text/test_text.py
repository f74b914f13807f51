"""Plain documents: a draft for every provision, nothing lost, ids that stay, no traceback."""

from __future__ import annotations

import csv
import re
import textwrap
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import pytest

from kb.core.problems import WrongUsage
from kb.ingest.drafts import Draft, Imported
from kb.ingest.run import ImportResult, import_rulings
from kb.plugins.text.importer import read
from kb.records.library import Library, load
from kb.records.model import Game
from kb.records.values import SLUG, Citation
from tests.conftest import contents
from tests.selection import thorough

DATA = Path(__file__).parent / "data"
GOAL = 0.95
Place = tuple[int, int]
Entry = tuple[str, str, str]


def solid_lines(path: Path) -> dict[int, int]:
    """The numbers of the lines that are not blank -> their order."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return {
        line: at
        for at, line in enumerate(line for line, text in enumerate(lines, 1) if text.strip())
    }


def outline(path: Path) -> dict[str, dict[str, Place]]:
    """document -> provision -> its first and last line."""
    found: dict[str, dict[str, Place]] = {}
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            document, _, provision = row["provision"].partition("#")
            numbers = [int(one) for one in re.findall(r"\d+", row["source_lines"])]
            found.setdefault(document, {})[provision] = (numbers[0], numbers[-1])
    return found


def matched(wanted: dict[str, Place], drafts: list[Draft], order: dict[int, int]) -> set[str]:
    """The provisions with a draft whose lines lie within one of theirs at either end.

    Blank lines are not counted.
    """
    free = {draft.id: (order[draft.lines[0]], order[draft.lines[1]]) for draft in drafts}
    found = set()
    for provision, (first, last) in wanted.items():
        off = {one: (abs(a - order[first]), abs(b - order[last])) for one, (a, b) in free.items()}
        best = min(off, key=lambda one: (max(off[one]), sum(off[one])), default="")
        if best and max(off[best]) <= 1:
            found.add(provision)
            del free[best]
    return found


def check(made: Imported, path: Path) -> None:
    """What holds for every document: unique ids, known provisions, no line lost or twice."""
    ids = [draft.id for draft in made.drafts]
    assert len(ids) == len(set(ids))
    assert all(SLUG.fullmatch(one) and len(one) <= 100 for one in ids)
    assert all(SLUG.fullmatch(draft.topic) and len(draft.topic) <= 100 for draft in made.drafts)
    cited = {draft.header.sources for draft in made.drafts}
    provisions = [(Citation(one.id, place),) for one in made.sources for place in one.provisions]
    assert cited == set(provisions) and len(cited) == len(provisions)
    named = {problem.line for problem in made.skipped}
    named |= {line for draft in made.drafts for line in range(draft.lines[0], draft.lines[1] + 1)}
    assert set(solid_lines(path)) <= named
    ends = sorted(draft.lines for draft in made.drafts)
    assert all(before[1] < after[0] for before, after in pairwise(ends))
    assert not re.search(r"\w@\w", repr(made))
    assert not [draft for draft in made.drafts if draft.header.authority == "official"]
    assert all(
        text.title.strip() and text.body.strip() for draft in made.drafts for text in draft.texts
    )


def reshaped(path: Path, shape: str) -> tuple[str, dict[int, int]]:
    """A document `spaced`, `tight` or `wrapped`, and its old line for each new one."""
    made: list[str] = []
    old: dict[int, int] = {}
    for line, row in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if row.strip():
            for one in textwrap.wrap(row, 76) if shape == "wrapped" else [row]:
                made.append(one)
                old[len(made)] = line
            made += [] if shape == "tight" else [""]
    return "\n".join(made), old


@pytest.mark.parametrize("shape", ["", *thorough("spaced", "tight", "wrapped")])
def test_provisions_of_the_source_documents(
    shape: str, shared: Path, rulings: Library, tmp_path: Path
) -> None:
    reached, total = 0, 0
    for document, wanted in outline(shared / "sources" / "outline.tsv").items():
        path = next((shared / "sources").glob(f"{document}.*.txt"))
        order, given = solid_lines(path), path
        old = {line: line for line in order}
        if shape:
            text, old = reshaped(path, shape)
            given = tmp_path / path.name
            given.write_text(text, encoding="utf-8")
        for game in (None, rulings.games.get(document.partition("-")[0])):
            made = read([given], game)
            check(made, given)
            places = [
                replace(one, lines=(old[one.lines[0]], old[one.lines[1]])) for one in made.drafts
            ]
            found = matched(wanted, places, order)
        reached, total = reached + len(found), total + len(wanted)
    print(f"\n{shape or 'as it is'}: {reached} of {total}", end="")
    assert total == 135
    assert reached >= GOAL * total


HEADING = "taken as a heading, not as a ruling"
# The lines, the kind and the provision of each draft, and the lines that are left out.
DOCUMENTS = [
    (
        "headings.pl.txt",
        """3-4 ruling wstep
        6-7 definition zeton
        8-8 definition talia
        10-11 ruling atak
        12-12 ruling atak
        13-13 example atak
        14-14 note atak
        16-19 ruling obrona
        20-20 ruling obrona
        21-21 ruling obrona
        23-24 errata errata
        26-26 errata errata""",
        {
            1: "a heading without a text",
            **dict.fromkeys((3, 6, 10, 16, 23), HEADING),
            11: "an e-mail address was cut out of the text",
        },
    ),
    (
        "numbered.ru.txt",
        """3-5 ruling 100.2
        7-9 ruling 100.1
        11-11 example prosmotrov-284
        13-13 ruling 101.1
        15-15 ruling prosmotrov-284""",
        {
            1: "a heading without a text",
            **dict.fromkeys((3, 7), HEADING),
            16: "a copyright notice",
            17: "a page number",
        },
    ),
    (
        "wrapped.en.txt",
        """4-8 ruling attacking
        10-11 ruling attacking
        13-14 ruling attacking
        15-15 ruling attacking
        17-18 example attacking
        20-23 ruling defending""",
        {**dict.fromkeys((1, 4, 20), HEADING), 2: "only marks"},
    ),
    (
        "twice.sk.txt",
        """1-2 ruling utok
        3-3 ruling utok
        4-5 ruling obrana
        6-6 note obrana""",
        {
            1: HEADING,
            4: HEADING,
            7: "repeats line 2",
            8: "repeats line 3",
            9: "repeats line 5",
            10: "repeats line 6",
        },
    ),
]


@pytest.mark.parametrize(("name", "expected", "left"), DOCUMENTS)
def test_headings_numbers_and_paragraphs(name: str, expected: str, left: dict[int, str]) -> None:
    made = read([DATA / name], None)
    check(made, DATA / name)
    rows = [
        f"{draft.lines[0]}-{draft.lines[1]} {draft.header.kind} {draft.header.sources[0].provision}"
        for draft in made.drafts
    ]
    assert rows == [row.strip() for row in expected.split("\n")]
    assert {one.line: one.message.removeprefix("in no draft: ") for one in made.skipped} == left


def test_what_a_document_says_of_itself() -> None:
    made = read([DATA / "headings.pl.txt"], None)
    assert (made.language, made.sources[0].title) == ("pl", "Wyjaśnienia do dodatku Burza")
    assert [draft.header.authority for draft in made.drafts].count("translator") == 1
    assert made.drafts[7].texts[0].body == "Bronić mogą tylko jednostki:\n\n- Smoki\n- Rycerze"
    assert made.drafts[7].id == "headings-bronic-moga-tylko-jednostki"
    assert made.topics["obrona"] == "Obrona"


FAQ = [
    ("Gardening", "Can a tree attack?", "No. A tree is a plant."),
    ("Gardening", "Is a tree a creature?", "Yes"),
    ("Combat", "Does Basalt Shield stop Lava Flow?", "Only once per turn."),
    ("Combat", "May a creature attack twice in a turn?", "No."),
]
SHAPES = {
    "letters": ("", "Q. {question}\nA. {answer}\n\n"),
    "colons": ("", "Q: {question}\nA: {answer}\n"),
    "numbered": ("", "Question {number}: {question}\nAnswer: {answer}\n\n"),
    "two lines": ("", "{question}\n{answer}\n\n"),
    "apart": ("", "{question}\n\n{answer}\n\n"),
    "counted": ("", "{number}. {question}\n{answer}\n"),
    "bold": ("## ", "**{question}**\n\n{answer}\n\n"),
    "Markdown": ("## ", "### {question}\n\n{answer}\n\n"),
}


def faq(shape: str, entries: list[Entry]) -> str:
    mark, form = SHAPES[shape]
    text, section = f"{mark[1:]}League FAQ\n\n", ""
    for number, (heading, question, answer) in enumerate(entries, 1):
        if heading != section:
            text += f"{mark}{heading}\n\n"
            section = heading
        text += form.format(number=number, question=question, answer=answer)
    return text


@pytest.mark.parametrize("shape", SHAPES)
def test_the_usual_shapes_of_questions_are_rulings(shape: str, tmp_path: Path) -> None:
    path = tmp_path / "faq.txt"
    path.write_text(faq(shape, FAQ), encoding="utf-8")
    made = read([path], None)
    check(made, path)
    assert [
        (draft.topic, draft.texts[0].title, draft.texts[0].body, draft.header.kind)
        for draft in made.drafts
    ] == [(heading.lower(), question, answer, "ruling") for heading, question, answer in FAQ]
    ids = [draft.id for draft in made.drafts]
    assert ids[:2] == ["faq-can-a-tree-attack", "faq-is-a-tree-a-creature"]
    assert made.name == "League FAQ"


def imported(folder: Path, shape: str, entries: list[Entry], authority: str = "") -> ImportResult:
    path = folder / "faq.txt"
    path.write_text(faq(shape, entries), encoding="utf-8")
    return import_rulings("text", [path], "demo", folder / "into", authority=authority)


def test_a_document_is_in_a_language_of_a_game_that_the_program_does_not_know(
    tmp_path: Path, good: Library
) -> None:
    german = "Q: Darf ich zweimal angreifen?\nA: Nein, nur einmal, die Karte ist in dem Zug dran.\n"
    english = "Q: May I attack twice?\nA: No, the card is tapped and it stays so.\n"
    turkish = "Q: Işık iki kez saldırabilir mi?\nA: Hayır, her tur bir kez saldırır ve biter.\n"
    game = good.games["demo"]
    for name, text, languages, lang in (
        ("faq.txt", german, ["de", "en"], "de"),
        ("faq.txt", english, ["de", "en"], "en"),
        ("faq.txt", turkish, ["tr"], "tr"),
        ("faq.uk.txt", turkish, ["tr", "uk"], "uk"),
    ):
        header = game.header.model_copy(update={"languages": languages, "language": languages[0]})
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        (draft,) = read([path], replace(game, header=header)).drafts
        assert draft.texts[0].lang == lang and draft.header.sources[0].source == "faq"


def test_drafts_of_a_known_game_have_its_cards_and_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    base = Path("rulings", "demo")
    base.mkdir(parents=True)
    (base / "game.yaml").write_text(
        "id: demo\nname:\n  cs: Mlha\nlanguage: cs\nlanguages:\n  - cs\n  - en\nchecks: strict\n"
        "topics:\n  - id: light\n    cs: Mlha a světlo\n    en: Fog and light\n",
        encoding="utf-8",
    )
    cards, faq = base / "cards.tsv", Path("faq.cs.txt")
    cards.write_text("name\nDračí vejce\n", encoding="utf-8")
    faq.write_text("Q: Dává Dračí vejce světlo?\nA: Ano, jedno světlo.\n", encoding="utf-8")
    first = import_rulings("text", [faq], "demo", Path("drafts"))
    assert (len(first.written.new), first.problems) == (1, 0)
    before, game = contents(Path("drafts")), load(Path("drafts")).games["demo"]
    assert (game.title("cs"), game.languages) == ("Mlha", ("cs", "en"))
    assert game.topics["light"].title["cs"] == "Mlha a světlo"
    assert import_rulings("text", [faq], "demo", Path("drafts")).written.same == first.written.new
    assert contents(Path("drafts")) == before
    # What the base gets later is known too, and the drafts' files get what the drafts name.
    cards.write_text("name\nDračí vejce\nLucerna\n", encoding="utf-8")
    faq.write_text("Q: Smím ve dne rozsvítit Lucernu?\nA: Ano, svítí pořád.\n", encoding="utf-8")
    later = import_rulings("text", [faq], "demo", Path("drafts"))
    assert later.drafts[0].header.about == ("Lucerna",) and not later.problems


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cards.csv", "Card,Ruling\nHidden Frog,It jumps.\nDarth Sidious,He waits.\n"),
        ("cards.txt", "Hidden Frog:\n  It jumps.\n\nDarth Sidious:\n  He waits.\n"),
        ("cards.md", "# Rulings\n\n## Coruscant Speeder\n\nIt is fast.\n\nIt is light.\n"),
        ("asked.txt", "Frogs\n\nMay a frog jump?\n\nIt may.\n\nToads\n\nA toad may swim.\n"),
    ],
)
def test_a_card_or_a_question_makes_no_topic(
    name: str, text: str, tmp_path: Path, good: Library
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    made = read([tmp_path / name], good.games["demo"])
    assert len(made.drafts) == 2
    assert made.topics["general"] == "General" and not made.topics.keys() - {"general", "toads"}


def about(folder: Path, name: str, text: str, game: Game) -> list[tuple[str, ...]]:
    (folder / name).write_text(text, encoding="utf-8")
    return [draft.header.about for draft in read([folder / name], game).drafts]


def test_only_a_heading_that_is_the_name_of_a_card_says_what_a_ruling_is_about(
    tmp_path: Path, good: Library
) -> None:
    game = good.games["demo"]
    asked = "Q: Who starts?\nA: Dice.\n"
    for heading, cards in {
        "Darth Sidious": ("Darth Sidious",),
        "Darth Sidious – FAQ": (),
        "Darth Sidious and Coruscant Speeder": (),
        game.title("en"): (),
    }.items():
        assert about(tmp_path, "faq.txt", f"FAQ\n\n{heading}\n\n{asked}", game) == [cards]
        assert about(tmp_path, "faq.md", f"# FAQ\n\n## {heading}\n\n{asked}", game) == [cards]
    for title in ("# Coruscant Speeder\n\n## Start", "Coruscant Speeder"):
        assert about(tmp_path, "faq.md", f"{title}\n\n{asked}", game) == [()]
        assert about(tmp_path, "faq.txt", f"{title}\n\n{asked}", game) == [()]


def test_the_column_of_cards_says_what_a_ruling_is_about(tmp_path: Path, good: Library) -> None:
    (tmp_path / "faq.csv").write_text(
        "Card,Question,Answer\nCoruscant Speeder,Jumps?,Yes.\n"
        '"coruscant speeder, Darth Sidious",Stay?,No.\n'
        "Nobody,Why?,So.\nStar Destroyer,How?,So.\n",
        encoding="utf-8",
    )
    made = read([tmp_path / "faq.csv"], good.games["demo"])
    assert [(draft.header.about, draft.texts[0].body) for draft in made.drafts] == [
        (("Coruscant Speeder",), "Yes."),
        (("Coruscant Speeder", "Darth Sidious"), "No."),
        ((), "So.\n\nCard: Nobody"),
        ((), "So.\n\nCard: Star Destroyer"),
    ]
    assert [problem.line for problem in made.skipped] == [1, 5]


def test_the_authority_is_given_and_never_assumed(tmp_path: Path) -> None:
    for given, expected in (("", "community"), ("official", "official")):
        done = imported(tmp_path, "colons", FAQ, given)
        assert {draft.header.authority for draft in done.drafts} == {expected}
    with pytest.raises(WrongUsage, match="--authority"):
        import_rulings("jsonl", [tmp_path / "faq.txt"], "demo", tmp_path, "official")


def test_what_a_faq_leaves_open_or_asks_twice(tmp_path: Path) -> None:
    path = tmp_path / "faq.txt"
    path.write_text(
        "Q: May a pilot fly?\nA: Yes, a pilot may fly.\n\nQ: May a pilot sleep?\nA:\n\n"
        "Q: May a pilot fly?\nA: Only on Sundays.\n\nQ: May a pilot eat?\nA:\nOnly bread.\n",
        encoding="utf-8",
    )
    made = read([path], None)
    assert [(draft.lines, draft.header.status, draft.texts[0].body) for draft in made.drafts] == [
        ((1, 2), "current", "Yes, a pilot may fly."),
        ((4, 4), "unanswered", "May a pilot sleep?"),
        ((7, 8), "current", "Only on Sundays."),
        ((10, 12), "current", "Only bread."),
    ]
    assert [(problem.line, problem.message) for problem in made.skipped] == [
        (5, "in no draft: an answer without a text"),
        (7, "asks the same as line 1; compare the two drafts"),
    ]


@pytest.mark.parametrize("text", ["", "\n\n \n", "\ufeff"])
def test_an_empty_file_is_a_problem(tmp_path: Path, text: str) -> None:
    (tmp_path / "empty.txt").write_text(text, encoding="utf-8")
    made = read([tmp_path / "empty.txt"], None)
    assert not made.drafts and [problem.line for problem in made.skipped] == [1]


PAIRS = [("Can I block?", "No."), ("Do ties count?", "Yes, both lose."), ("Who starts?", "Dice.")]
UNMARKED = ["• {}", "- {}", "({n}) {}", "#{n} {}", "№{n} {}", "{n}) {}", "→ {}", "❓ {}", "*{}*"]
UNMARKED += [
    "{} [NEW]",
    "{} (p. {n})",
    "{} 🤔",
    "{}¹",
    "{}…",
    "{} [^1]",
    "I have a frog and\nask: {}",
]
ABOVE = ["", "Combat\n\n", "These are the questions that players have asked:\n\n"]


@pytest.mark.parametrize("form", UNMARKED)
@pytest.mark.parametrize("name", ["faq.txt", "faq.md"])
def test_a_question_without_a_mark_is_no_ruling_of_its_own(
    form: str, name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    for above, gap in product(ABOVE, ("\n", "\n\n")):
        entries = [(form.format(q, n=n), a) for n, (q, a) in enumerate(PAIRS, 1)]
        path.write_text(above + "".join(f"{q}{gap}{a}\n\n" for q, a in entries), encoding="utf-8")
        drafts = [draft.texts[0] for draft in read([path]).drafts][-3:]
        assert [text.body for text in drafts] == [answer for _, answer in PAIRS]
        assert all(q in text.title for text, (q, _) in zip(drafts, PAIRS, strict=True))


@pytest.mark.parametrize(
    "rule", ["A frog has jumped. May it jump again?", "Example: A frog sits. May it jump?"]
)
@pytest.mark.parametrize("sign", ["", "- "])
def test_a_rule_that_asks_at_its_end_takes_no_other_rule(
    sign: str, rule: str, tmp_path: Path
) -> None:
    rules = [f"Frog {letter} stays in its pond." for letter in "ABCDEFGH"]
    text = "".join(f"{sign}{one}\n\n" for one in (*rules[:3], rule, *rules[3:]))
    (tmp_path / "rules.md").write_text(f"# Rules\n\n{text}", encoding="utf-8")
    bodies = [draft.texts[0].body for draft in read([tmp_path / "rules.md"]).drafts]
    assert sorted(bodies) == sorted([*rules, rule])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("- Can I block?\n- No.\n- Never.\n- Do ties count?\n- Yes.\n", [1, 2, 3, 4, 5]),
        ("Units fly.\n\n1.2 May they block?\n1.3 Pilots swim.\n", [3, 4]),
        ("A frog:\n  It jumps.\n  Can it swim?\n  Yes.\nA toad:\n  It sits.\n", [3, 4]),
    ],
)
def test_an_answer_that_cannot_be_told_is_no_ruling(
    text: str, lines: list[int], tmp_path: Path
) -> None:
    (tmp_path / "faq.txt").write_text(text, encoding="utf-8")
    made = read([tmp_path / "faq.txt"])
    untold = "in no draft: a question without an answer that can be told; write Q: and A:"
    assert [problem.line for problem in made.skipped if problem.message == untold] == lines
    assert all("?" not in draft.texts[0].title for draft in made.drafts)


ANSWERED = {
    "title.md": "## Q1: Deck size\nExactly 50 cards.\n\n**Q2: Copies**\nUp to four.\n",
    "tabs.txt": "Q:\tDeck size\nA:\tExactly 50 cards.\nQ:\tCopies\nA:\tUp to four.\n",
    "note.md": "> [!question]- Deck size?\n> Exactly 50 cards.\n\n> [!faq] Copies?\n"
    "> Up to four.\n",
    "contents.md": "<!-- TOC -->\n- [Q: Deck size](#a)\n1. [Q: Copies](#b)\n\n# Q: Deck size\n"
    "Exactly 50 cards.\n[top](#top)\n# Q: Copies\nUp to four.\n",
    "dots.txt": "Q: Deck size ..... 1\nQ: Copies . . . . 12\n\nQ: Deck size\nA: Exactly 50 cards.\n"
    "Q: Copies\nA: Up to four.\n",
    "mail.csv": "Question,Answer\nDeck size,Exactly 50 cards.\nCopies,Up to four.\n",
}


@pytest.mark.parametrize("name", ANSWERED)
def test_titles_tabs_and_contents(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(ANSWERED[name], encoding="utf-8")
    drafts = [draft.texts[0] for draft in read([tmp_path / name]).drafts]
    assert [(text.title.rstrip("?"), text.body.lstrip("\\> ")) for text in drafts] == [
        ("Deck size", "Exactly 50 cards."),
        ("Copies", "Up to four."),
    ]


def test_no_address_of_a_person_lands_in_a_record(tmp_path: Path) -> None:
    for name, text in (
        ("a.csv", "Question,Answer,Mail\nWho asks?,Ask x@example.org now.,y@example.org\n"),
        ("a.txt", "Q: Who asks?\nA: Ask x@example.org or y@example.org for all of it.\n"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        made = read([tmp_path / name])
        assert len(made.drafts) == 1 and "@" not in repr(made)
        assert [p.line for p in made.skipped if "e-mail address was cut" in p.message] == [2]


def test_a_line_that_ends_with_a_comma_is_no_heading(tmp_path: Path) -> None:
    path = tmp_path / "faq.txt"
    path.write_text("Why?\nANSWER: Look at it.\nAlternatively,\nCards differ.\n", encoding="utf-8")
    (draft,) = read([path]).drafts
    assert draft.texts[0].body == "Look at it.\n\nAlternatively,\n\nCards differ."


def test_the_number_of_a_part_makes_a_heading_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(
        "1. Combat\n1.1 Frogs attack first.\n\n2. Turn\nA turn has steps.\nEach step ends.\n\n"
        "2.1 To attack:\n1. Tap the frog\n2. Choose a toad\nToads defend.\n\n3. End\nIt ends.\n",
        encoding="utf-8",
    )
    made = read([path])
    assert [(draft.lines, draft.topic) for draft in made.drafts] == [
        ((1, 2), "combat"),
        ((4, 5), "turn"),
        ((6, 6), "turn"),
        ((8, 10), "turn"),
        ((11, 11), "turn"),
        ((13, 14), "end"),
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Frogs and Toads – questions of 2021\n\n- A frog is a card.\n", ["ruling"]),
        ("Frogs – small cards\nToads – large cards\n", ["definition"] * 2),
        ("Frogs – small cards.\n\nA frog is a card.\n", ["definition", "ruling"]),
    ],
)
def test_a_title_with_a_dash_defines_nothing(text: str, kinds: list[str], tmp_path: Path) -> None:
    (tmp_path / "faq.txt").write_text(text, encoding="utf-8")
    made = read([tmp_path / "faq.txt"])
    assert [draft.header.kind for draft in made.drafts] == kinds
