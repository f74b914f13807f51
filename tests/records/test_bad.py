"""Deliberately bad records, one mistake a file: each is reported at its line, all in one run.

`bad.expected` is what `kb check tests/records/bad` prints, read through by hand; write it anew with
KB_RENEW=1 and read it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.commands.check import check_records
from kb.records.library import load
from tests.conftest import stored

HERE = Path(__file__).parent
EXPECTED = HERE / "bad.expected"


@pytest.fixture()
def printed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(HERE.parent.parent)
    return [str(problem) for problem in check_records([Path("tests/records/bad")]).problems]


def test_every_problem_at_its_line(printed: list[str]) -> None:
    assert printed == stored(EXPECTED, "\n".join(printed) + "\n").splitlines()


def test_every_bad_file_is_reported(printed: list[str]) -> None:
    files = {
        path
        for path in (HERE / "bad" / "demo").rglob("*")
        if path.parent.name in ("pilots", "errata")
    }
    fine = {
        "good-beside-bad.md",
        "accepted-bom-and-crlf.md",
        "cycle-b.md",
        "cycle-c.md",
        "supersedes-it.md",
        "related-to-unreadable.md",
    }
    fine |= {"answers-old.md", "answers-one.md", "answers-newer.md"}
    silent = {path.name for path in files if not any(f"/{path.name}:" in line for line in printed)}
    assert silent == fine


def test_good_ones_are_kept() -> None:
    library = load(HERE / "bad")
    assert {"demo/good-beside-bad", "demo/accepted-bom-and-crlf"} <= set(library.rulings)
    assert "demo/unknown-card" in library.left_out
    # Not listed, since they follow from what is.
    consequences = {
        "demo/related-to-unreadable",
        "bad-sources/cites-a-bad-source",
        "bad-cards-head/names-a-card",
    }
    assert consequences <= library.left_out.keys()
    plain, windows = (
        library.rulings["demo/good-beside-bad"],
        library.rulings["demo/accepted-bom-and-crlf"],
    )
    assert [(text.title, text.body) for text in plain.texts] == [
        (text.title, text.body) for text in windows.texts
    ]


def test_a_part_of_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE.parent.parent)
    found = check_records(
        [Path("tests/records/bad/demo/pilots/bad-date.md"), Path("tests/records/bad/bad-cards")]
    ).problems
    assert {problem.path.rpartition("/")[2] for problem in found} == {"bad-date.md", "cards.tsv"}


def test_a_record_without_a_game(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("---\nkind: rule\n---\n", encoding="utf-8")
    messages = [problem.message for problem in check_records([tmp_path]).problems]
    assert any("'rule' is not one of" in message for message in messages)
    assert any("belongs to no game" in message for message in messages)
