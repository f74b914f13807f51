"""Plain documents: a draft for every provision, nothing lost, no traceback."""

from __future__ import annotations

import csv
import re
import textwrap
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.importers.drafts import Draft, Imported
from kb.importers.text import read
from kb.importers.text_fill import Filler, slug, title_of
from kb.importers.text_rows import boilerplate, language
from kb.records.library import Library
from kb.records.model import SLUG
from tests.selection import thorough

DATA = Path(__file__).parent / "data"
GOAL = 0.95
Place = tuple[int, int]


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


def lines_named(made: Imported) -> set[int]:
    """Every line that a draft, a draft's note or `left` names."""
    named = {problem.line for problem in made.skipped}
    for draft in made.drafts:
        named |= set(range(draft.lines[0], draft.lines[1] + 1))
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", draft.note):
            named |= set(range(int(first), int(last or first) + 1))
    return named


def check(made: Imported, path: Path) -> None:
    """What holds for every document: unique ids, known provisions, no line lost or twice."""
    ids = [draft.id for draft in made.drafts]
    assert len(ids) == len(set(ids))
    assert all(SLUG.fullmatch(one) and len(one) <= 100 for one in ids)
    assert all(SLUG.fullmatch(draft.topic) and len(draft.topic) <= 100 for draft in made.drafts)
    cited = [draft.sources for draft in made.drafts]
    assert cited == [
        (f"{source.id}#{provision}",) for source in made.sources for provision in source.provisions
    ]
    assert set(solid_lines(path)) <= lines_named(made)
    ends = sorted(draft.lines for draft in made.drafts)
    assert all(before[1] < after[0] for before, after in pairwise(ends))
    said = repr(made)
    assert not re.search(r"\w@\w", said)
    assert all(
        text.title.strip() and text.body.strip() for draft in made.drafts for text in draft.texts
    )


def test_provisions_of_the_source_documents(shared: Path, rulings: Library) -> None:
    reached, total = 0, 0
    for document, wanted in outline(shared / "sources" / "outline.tsv").items():
        path = next((shared / "sources").glob(f"{document}.*.txt"))
        for game in (None, rulings.games.get(document.partition("-")[0])):
            made = read([path], game)
            check(made, path)
            found = matched(wanted, made.drafts, solid_lines(path))
        missing = sorted(set(wanted) - found)
        print(
            f"\n{document}: {len(found)} of {len(wanted)} provisions, {len(made.drafts)} drafts,"
            f" missing {missing}",
            end="",
        )
        reached, total = reached + len(found), total + len(wanted)
    print(f"\nall: {reached} of {total} = {reached / total:.1%}")
    assert total == 135
    assert reached >= GOAL * total


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


@pytest.mark.parametrize("shape", ["spaced", "tight", "wrapped"])
def test_other_spacing_changes_little(shared: Path, tmp_path: Path, shape: str) -> None:
    reached = 0
    for document, wanted in outline(shared / "sources" / "outline.tsv").items():
        path = next((shared / "sources").glob(f"{document}.*.txt"))
        text, old = reshaped(path, shape)
        (tmp_path / path.name).write_text(text, encoding="utf-8")
        order = solid_lines(path)
        drafts = read([tmp_path / path.name], None).drafts
        reached += len(
            matched(
                wanted,
                [replace(one, lines=(old[one.lines[0]], old[one.lines[1]])) for one in drafts],
                order,
            )
        )
    print(f"\n{shape}: {reached} of 135", end="")
    assert reached >= GOAL * 135


@pytest.mark.parametrize("path", sorted(DATA.glob("*.txt")), ids=lambda path: path.name)
def test_small_documents_lose_nothing_and_are_read_alike_again(path: Path) -> None:
    made = read([path], None)
    check(made, path)
    assert read([path], None) == made


def summary(name: str) -> tuple[list[tuple[Place, str, str]], set[int]]:
    made = read([DATA / name], None)
    drafts = [
        (draft.lines, draft.kind, draft.sources[0].partition("#")[2]) for draft in made.drafts
    ]
    return drafts, {problem.line for problem in made.skipped}


def test_headings_and_paragraphs() -> None:
    made = read([DATA / "headings.pl.txt"], None)
    assert summary("headings.pl.txt") == (
        [
            ((6, 7), "definition", "zeton"),
            ((8, 8), "definition", "talia"),
            ((10, 11), "ruling", "atak"),
            ((12, 12), "ruling", "atak-2"),
            ((13, 13), "example", "atak-example"),
            ((14, 14), "note", "atak-note"),
            ((16, 19), "ruling", "obrona"),
            ((20, 20), "ruling", "obrona-2"),
            ((21, 21), "ruling", "obrona-3"),
            ((23, 24), "errata", "errata"),
        ],
        {1, 3, 4, 11, 26},
    )
    assert (made.language, made.sources[0].title) == ("pl", "Wyjaśnienia do dodatku Burza")
    assert [draft.authority for draft in made.drafts].count("translator") == 1
    assert made.drafts[6].texts[0].body == "Bronić mogą tylko jednostki:\n\n- Smoki\n- Rycerze"
    assert made.topics["obrona"] == "Obrona"


def test_numbered_provisions_among_the_page() -> None:
    drafts, left = summary("numbered.ru.txt")
    assert drafts == [
        ((5, 5), "ruling", "100.2"),
        ((9, 9), "ruling", "100.1"),
        ((11, 11), "example", "100.1-example"),
        ((13, 13), "definition", "101.1"),
    ]
    assert left == {1, 3, 7, 15, 16, 17}
    assert read([DATA / "numbered.ru.txt"], None).language == "ru"


def test_repeated_text_is_named_and_not_drafted() -> None:
    made = read([DATA / "twice.sk.txt"], None)
    assert [(draft.lines, draft.note) for draft in made.drafts] == [
        ((1, 2), "also line 7"),
        ((3, 3), "also line 8"),
        ((4, 5), "also line 9"),
        ((6, 6), "also line 10"),
    ]
    assert not made.skipped


def test_questions_and_answers() -> None:
    made = read([DATA / "questions.txt"], None)
    assert [(draft.lines, draft.status, draft.texts[0].lang) for draft in made.drafts] == [
        ((1, 3), "current", "pl"),
        ((5, 6), "current", "en"),
        ((8, 9), "current", "sk"),
        ((11, 12), "current", "ru"),
        ((14, 14), "unanswered", "pl"),
    ]
    first = made.drafts[0].texts[0]
    assert first.title == "Czy mogę zaatakować tapniętą jednostką?"
    assert first.body.startswith("Nie, jednostka musi być gotowa.")
    assert {draft.kind for draft in made.drafts} == {"question"}
    assert made.drafts[4].id.endswith("question-5")


def test_lines_broken_at_a_width() -> None:
    drafts, left = summary("wrapped.en.txt")
    assert [lines for lines, _, _ in drafts] == [(4, 8), (10, 11), (13, 14), (15, 18), (20, 23)]
    assert left == {1, 2}


def test_cards_and_topics_of_a_game(rulings: Library, tmp_path: Path) -> None:
    filler = Filler(rulings.games["swtcg"])
    assert filler.about("Kopia karty Artoo's Repairs, Anakin Skywalker C i Anakin Skywalker.") == (
        "Artoo's Repairs",
        "Anakin Skywalker (C)",
    )
    assert filler.about("Artoos") == ()
    assert (
        filler.topic("Piloci", "Jednostka może mieć jednego pilota.", "ruling", frozenset())
        == "pilots"
    )
    assert (
        filler.topic("Zwyczaje przy stole", "Nic.", "ruling", frozenset()) == "zwyczaje-przy-stole"
    )


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("binary.txt", bytes(range(256)) * 20),
        ("latin.pl.txt", "Zażółć gęślą jaźń.".encode("cp1250")),
        ("wide.txt", "Rules of the game".encode("utf-16")),
        ("missing.txt", None),
    ],
)
def test_not_a_text(tmp_path: Path, name: str, data: bytes | None) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(KbError, match=re.escape(name)):
        read([tmp_path / name], None)


@pytest.mark.parametrize("text", ["", "\n\n \n", "\ufeff"])
def test_an_empty_file_is_a_problem(tmp_path: Path, text: str) -> None:
    (tmp_path / "empty.txt").write_text(text, encoding="utf-8")
    made = read([tmp_path / "empty.txt"], None)
    assert not made.drafts
    assert [problem.line for problem in made.skipped] == [1]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "word " * 200_000,
        "- (" * 300_000,
        "1." * 500_000,
        "Przykład: " * 100_000,
        "x@" * 500_000,
        *thorough("Everything is alike in this line of the rules, really.\n" * 20_000),
        "\n".join(f"Everything is alike in line {n} of the rules, really." for n in range(10_000)),
        *thorough("\n".join(["a - b"] * 50_000)),
        *thorough("\n".join("(" * 9_000 for _ in range(50))),
        *thorough("\n".join("a-" * 9_000 for _ in range(50))),
        *thorough("\n".join("a " * 9_000 for _ in range(50))),
        *thorough("\n".join("aa@" * 6_000 for _ in range(50))),
        "Q: why?\n" * 10_000 + "A: so.\n",
        *thorough("Q: why?\nA: so.\n" + "And then some more.\n\n" * 20_000),
        *thorough("Q: why?\n" + "\n".join(f"A: so {n}." for n in range(10_000))),
        *thorough("These:\n" + "\n".join(f"Word{n}" for n in range(50_000))),
        *thorough("\n".join(f"Heading {n}\n\nA sentence about {n} things." for n in range(10_000))),
        "#" * 1000 + " x\n[[ ]] # pl: <b>\r\n\x0c\u2028\x07 odd\r",
    ],
)
def test_strange_text_is_read_quickly(tmp_path: Path, text: str) -> None:
    path = tmp_path / "strange.txt"
    path.write_bytes(text.encode())
    # Time of this process alone: a square would take minutes, a busy machine counts for nothing.
    started = time.process_time()
    made = read([path], None)
    assert time.process_time() - started < 20
    named = lines_named(made)
    assert all(
        line in named
        for line, row in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
        if row.strip()
    )


def test_an_address_is_cut_out_and_not_told(tmp_path: Path) -> None:
    path = tmp_path / "mail.txt"
    path.write_text(
        "Ask judge@example.org\nA unit may attack once, says other.one@example.com.\nWrite to"
        " me@example.org!\n"
    )
    made = read([path], None)
    check(made, path)
    assert {problem.line for problem in made.skipped} == {1, 2, 3}
    assert made.drafts[0].texts[0].body == "A unit may attack once, says […]."


def test_two_documents_keep_their_ids_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "Rules of Żółw.pl.txt").write_text(
            "Jednostka może atakować raz na turę.\n", encoding="utf-8"
        )
    made = read(sorted(tmp_path.glob("*/*.txt")), None)
    assert [source.id for source in made.sources] == ["rules-of-zolw", "rules-of-zolw-2"]
    assert len({draft.id for draft in made.drafts}) == 2


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Jednostka nie może atakować, jeśli jest w strefie.", "pl"),
        ("Postava môže zaútočiť, ak nie je neutralizovaná.", "sk"),
        ("Карта не может атаковать в этот ход.", "ru"),
        ("A unit may not attack when it is tapped.", "en"),
        ("123", "sk"),
    ],
)
def test_the_language_of_a_text(text: str, lang: str) -> None:
    assert language(text, "sk") == lang


@pytest.mark.parametrize(
    "text",
    [
        "Share damage equally among the defenders.",
        "Home world",
        "Sponsored characters enter the row.",
        "A unit has 3 views of the game.",
    ],
)
def test_rules_are_not_taken_for_boilerplate(text: str) -> None:
    assert boilerplate(text) == ""


def test_slugs_and_titles() -> None:
    assert slug("Żółw i Ёж: щит!") == "zolw-i-ezh-schit"
    assert len(slug("word " * 50)) <= 60
    assert slug("!?") == ""
    assert title_of("A short rule. And more.") == "A short rule"
    assert len(title_of("x" * 500)) <= 72
