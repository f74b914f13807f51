"""Deliberately bad records, one mistake each: every one is reported at its line, all in one run.

`bad.expected` is what `kb check` prints for the base of `bad_base.py`, read through by hand; write
it anew with KB_RENEW=1 and read it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.commands.check import check_records
from kb.records.library import load
from tests.conftest import stored
from tests.records.bad_base import write_bad_base

EXPECTED = Path(__file__).parent / "bad.expected"


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("base") / "bad"
    write_bad_base(root)
    return root


@pytest.fixture
def printed(bad: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(bad.parent)
    return [str(problem) for problem in check_records([Path("bad")]).problems]


def test_every_problem_at_its_line(printed: list[str]) -> None:
    assert printed == stored(EXPECTED, "\n".join(printed) + "\n").splitlines()


def test_good_ones_are_kept(bad: Path) -> None:
    library = load(bad)
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
        [(text.title, text.body) for text in library.rulings[f"demo/{name}"].texts]
        for name in ("good-beside-bad", "accepted-bom-and-crlf")
    )
    assert plain == windows


def test_a_part_of_the_tree(bad: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bad.parent)
    found = check_records([Path("bad/demo/pilots/bad-date.md"), Path("bad/bad-cards")]).problems
    assert {problem.path.rpartition("/")[2] for problem in found} == {"bad-date.md", "cards.tsv"}
    for folder, path in (("demo/pilots", "bad-date.md"), ("demo", "pilots/bad-date.md")):
        monkeypatch.chdir(bad / folder)
        (problem,) = check_records([Path(path)]).problems
        assert problem.path == (bad / "demo/pilots/bad-date.md").as_posix()


def test_a_record_without_a_game(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("---\nkind: rule\n---\n", encoding="utf-8")
    for path in (tmp_path, tmp_path / "x.md"):
        (problem,) = check_records([path]).problems
        assert problem.path == path.as_posix() and "belongs to no game" in problem.message
