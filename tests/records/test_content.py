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
}


def edit(root: Path, name: str, old: str, new: str) -> None:
    path = root / "demo" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


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
    assert len(problems) == 3 and not good.problems
    assert not strict(root)


NOTE = "\n\n> [!editors]\n> "
LONG = " ".join(["słowo"] * (MAX_ANSWER_WORDS + 1))
OFFICIAL = "en\n  authority: official\n"
RULEBOOK = f"{OFFICIAL}  edition: first\n"
WHEN = "verdict: if\nwhen:\n  en: sometimes\n"
SIDIOUS, SPELT = "[[Darth Sidious (C)|Dartha Sidiousa]].", "powinno być [[Coruscant Speeder]]."


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "message"),
    [
        ("terms.yaml", "    en: A card.\n", "", "- id: unit+5", "unit: no meaning in en"),
        ("sources.yaml", RULEBOOK, OFFICIAL, "- id: demo-rulebook", "no edition"),
        (ZONE, "Pilota", f"{LONG} Pilota", "# pl+2", "has 74 words; 60 can be read out"),
        (ZONE, "Pilota wolno", "Taki pilot może", "# pl+2", "begins with 'Taki'"),
        (ZONE, "A pilot may", "“These pilots may", "# en+2", "begins with 'These'"),
        (ZONE, "A pilot", "2 pilots of 10", "# pl", "pl lacks the numbers 10, 2"),
        (ZONE, "Pilota", "3 pilotów", "# en", "en lacks the number 3"),
        (ZONE, "A pilot", "Pilot (A)", "# pl", "pl lacks the version A"),
        (ZONE, "[[Darth Sidious (C)|Darth Sidious]]", "Him", "# en", "lacks the card mark"),
        (ZONE, "to a unit", "to a Space ship", "# en+2", "'Space ship' is called 'unit'"),
        (ZONE, "# en: A", "# en: Vessels: a", "# en", "'Vessels' is called 'unit'"),
        (ZONE, SIDIOUS, f"{SIDIOUS}{NOTE}Raz.{NOTE}Dwa.", "# en", "notes in en: none"),
        (SPEEDER, SPELT, f"{SPELT}\n\n(Uwaga tłumacza: nie.)", "(Uwaga", "whose?"),
        (ZONE, "# en: A pilot in the build zone", "# en: May a pilot?", "# en", "the title asks"),
        (ZONE, "current\n", f"current\n{WHEN}", "when", "when: no condition in pl"),
    ],
)
def test_each_rule_at_its_line(
    root: Path, name: str, old: str, new: str, line: str, message: str
) -> None:
    edit(root, name, old, new)
    assert not load(root).problems
    (problem,) = strict(root)
    start, _, more = line.partition("+")
    lines = (root / "demo" / name).read_text(encoding="utf-8").splitlines()
    at = next(at for at, row in enumerate(lines, 1) if row.startswith(start))
    assert problem.startswith(f"{name}:{at + int(more or 0)}: ") and message in problem


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
