"""The rules of good content: off unless a game asks for them, each at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.checks.texts import MAX_ANSWER_WORDS, check_content
from kb.records.library import Library, load

ZONE, SPEEDER = "pilots/pilot-build-zone.md", "errata/errata-speeder.md"
# What keeps the small game from passing as it is.
MENDED = {
    "sources.yaml": [("  authority: official\n", "  authority: official\n  edition: first\n")],
    "terms.yaml": [
        (
            "  en:\n    - unit\n",
            "  en:\n    - unit\n  meaning:\n    pl: Karta.\n    en: A card.\n"
            "  not:\n    - vessel\n    - space ship\n",
        )
    ],
    SPEEDER: [("---\n\n# pl", "related:\n  - one-pilot\n---\n\n# pl")],
}


def edit(root: Path, name: str, old: str, new: str) -> None:
    path = root / "demo" / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


@pytest.fixture
def root(records: Path) -> Path:
    for name, changes in MENDED.items():
        for old, new in changes:
            edit(records, name, old, new)
    return records


def strict(root: Path) -> list[str]:
    edit(root, "game.yaml", "language: pl\n", "language: pl\nchecks: strict\n")
    return [
        f"{problem.path.partition('/demo/')[2]}:{problem.line}: {problem.message}"
        for problem in load(root).problems
    ]


def test_only_a_game_that_asks_for_them_is_checked(good: Library, root: Path) -> None:
    problems = list(check_content(good.games, good.rulings))
    assert len(problems) == 4 and not good.problems
    assert not strict(root)


def placed(root: Path, problem: str) -> str:
    """A problem with the number of the line that begins so, and some lines more."""
    name, _, rest = problem.partition(":")
    marker, mark, message = rest.removeprefix("<").partition(">:")
    if not mark:
        return problem
    start, _, more = marker.partition("+")
    lines = (root / "demo" / name).read_text(encoding="utf-8").splitlines()
    at = next(at for at, line in enumerate(lines, 1) if line.startswith(start))
    return f"{name}:{at + int(more or 0)}:{message}"


NOTE = "\n\n> [!editors]\n> "
LONG = " ".join(["słowo"] * (MAX_ANSWER_WORDS + 1))


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        ("terms.yaml", "    en: A card.\n", "", "terms.yaml:18: unit: no meaning in en"),
        (
            "sources.yaml",
            "  kind: rulebook\n  language: en\n  authority: official\n  edition: first\n",
            "  kind: rulebook\n  language: en\n  authority: official\n",
            "sources.yaml:19: demo-rulebook: no edition; write what you know, as in `before 2014`",
        ),
        (
            ZONE,
            "Pilota wolno",
            f"{LONG} Pilota wolno",
            f"{ZONE}:<# pl+2>: the first paragraph has 74 words; 60 can be read out",
        ),
        (
            ZONE,
            "Pilota wolno",
            "Taki pilot może",
            f"{ZONE}:<# pl+2>: the first paragraph begins with 'Taki'; name what it is about",
        ),
        (
            ZONE,
            "A pilot may",
            "“These pilots may",
            f"{ZONE}:<# en+2>: the first paragraph begins with 'These'; name what it is about",
        ),
        (
            ZONE,
            "A pilot may",
            "2 pilots of 10 may",
            f"{ZONE}:<# pl>: the text in pl lacks the numbers 10, 2 of the one in en",
        ),
        (
            ZONE,
            "Pilota wolno",
            "3 pilotów wolno",
            f"{ZONE}:<# en>: the text in en lacks the number 3 of the one in pl",
        ),
        (
            ZONE,
            "A pilot may",
            "Pilot (A) may",
            f"{ZONE}:<# pl>: the text in pl lacks the version A of the one in en",
        ),
        (
            ZONE,
            "[[Darth Sidious (C)|Darth Sidious]]",
            "Darth Sidious",
            f"{ZONE}:<# en>: the text in en lacks the card mark Darth Sidious (C) of the one in pl",
        ),
        (
            ZONE,
            "moved to a unit",
            "moved to a Space ship",
            f"{ZONE}:<# en+2>: 'Space ship' is called 'unit' in English (terms.yaml, unit)",
        ),
        (
            ZONE,
            "# en: A pilot",
            "# en: Vessels: a pilot",
            f"{ZONE}:<# en>: 'Vessels' is called 'unit' in English (terms.yaml, unit)",
        ),
        (
            ZONE,
            "[[Darth Sidious (C)|Dartha Sidiousa]].",
            f"[[Darth Sidious (C)|Dartha Sidiousa]].{NOTE}Uwaga.{NOTE}Druga.",
            f"{ZONE}:<# en>: notes in en: none; in pl: editors, editors",
        ),
        (
            SPEEDER,
            "powinno być [[Coruscant Speeder]].",
            "powinno być [[Coruscant Speeder]].\n\n(Uwaga tłumacza: to nowość.)",
            f"{SPEEDER}:<(Uwaga>: 'Uwaga tłumacza': whose? write a block `> [!editors]` or"
            " `> [!translator]`",
        ),
        (
            ZONE,
            "# en: A pilot in the build zone",
            "# en: May a pilot be in the build zone?",
            f"{ZONE}:<# en>: the title asks, but the header has no `verdict:` (yes, no, if or a"
            " number)",
        ),
        (
            ZONE,
            "status: current\n",
            "status: current\nverdict: if\nwhen:\n  en: sometimes\n",
            f"{ZONE}:<when>: when: no condition in pl",
        ),
        (
            SPEEDER,
            "related:\n  - one-pilot\n",
            "",
            f"{SPEEDER}:<topics>: topics: no other ruling of these topics, and no relation to any",
        ),
    ],
)
def test_each_rule_at_its_line(root: Path, name: str, old: str, new: str, problem: str) -> None:
    assert old in (root / "demo" / name).read_text(encoding="utf-8")
    edit(root, name, old, new)
    assert not load(root).problems
    assert strict(root) == [placed(root, problem)]


@pytest.mark.parametrize(
    ("polish", "english"),
    [
        ("Anakin A wolno", "Anakin (A) may"),
        ("Trzech pilotów: 3 wolno", "3 pilots may"),
        ("Takiemu wolno", "Thisness may"),
        ("Karta A. Wolno", "Card (A). May"),
    ],
)
def test_what_is_no_difference(root: Path, polish: str, english: str) -> None:
    edit(root, ZONE, "Pilota wolno", polish)
    edit(root, ZONE, "A pilot may", english)
    assert not strict(root)


def test_a_misspelt_level_is_a_problem(root: Path) -> None:
    edit(root, "game.yaml", "language: pl\n", "language: pl\nchecks: severe\n")
    messages = [problem.message for problem in load(root).problems]
    assert "checks: 'severe' is not one of 'usual' or 'strict'" in messages


def test_a_term_is_no_name_in_the_language_not(root: Path) -> None:
    (term,) = (term for term in load(root).games["demo"].terms if term.id == "unit")
    assert term.wrong_english == ("vessel", "space ship") and set(term.names) == {"pl", "en"}
