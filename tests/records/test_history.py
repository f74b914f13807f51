"""The history of records in worktrees and shallow clones."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kb.records.changed import lost_ids
from kb.records.history import Change, changes
from kb.records.library import load
from tests.conftest import GOOD


def git(folder: Path, *words: str, date: str = "2020-01-01T12:00:00+00:00") -> str:
    """Run git as a person without settings, on a given day."""
    who = "-c user.name=x -c user.email=x@example.org -c protocol.file.allow=always".split()
    days = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    command = ["git", *who, *words]
    run = subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True, env=os.environ | days
    )
    return run.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commits: two records, a change of one, a change of the other."""
    if not shutil.which("git"):
        pytest.skip("there is no git")
    folder = tmp_path_factory.mktemp("history") / "origin"
    records = folder / "rulings" / "demo" / "pilots"
    records.mkdir(parents=True)
    git(folder, "init", "-q")
    for one, two in (("1", "1"), ("2", "1"), ("2", "2")):
        (records / "one.md").write_text(one, encoding="utf-8")
        (records / "two.md").write_text(two, encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "x")
    return folder


def history(folder: Path) -> list[tuple[str, str]] | None:
    rows = changes(folder / "rulings")
    return None if rows is None else [(row.key, row.what) for row in rows]


WHOLE = [
    ("demo/two", "changed"),
    ("demo/one", "changed"),
    ("demo/one", "created"),
    ("demo/two", "created"),
]


def test_a_worktree_has_the_whole_history(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    assert history(repository) == history(tmp_path / "tree") == WHOLE


@pytest.mark.parametrize(
    ("depth", "expected"), [(1, None), (2, WHOLE[:1]), (3, WHOLE[:2]), (9, WHOLE)]
)
def test_a_shallow_clone_claims_no_new_records(
    depth: int, expected: list[tuple[str, str]] | None, repository: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", f"--depth={depth}", repository.as_uri(), str(tmp_path / "clone"))
    assert history(tmp_path / "clone") == expected


@pytest.mark.parametrize(
    ("steps", "names", "lost"),
    [
        ("a>b", "b", {"a": "b"}),
        ("a>b b>c", "c", {"a": "c", "b": "c"}),
        ("a>b b>a", "a", {"b": "a"}),
        ("a>b,b>a", "ab", {}),
        ("a>b b>c >b", "bc", {"a": "c"}),
        ("a>b b> >z z>b", "b", {"z": "b"}),
    ],
)
def test_a_renamed_record_is_followed_to_the_id_of_today(
    steps: str, names: str, lost: dict[str, str]
) -> None:
    """Steps: old and new name of a record, several of one commit after a comma."""

    def change(revision: int, old: str, new: str) -> Change:
        what = "moved" if old and new else "created" if new else "removed"
        before = f"demo/t/{old}.md" if old and new else ""
        return Change(str(revision), "", f"demo/{new or old}", "", what, before)

    history = [
        change(revision, *step.split(">"))
        for revision, several in enumerate(steps.split())
        for step in several.split(",")
    ]
    library = load(GOOD)
    ruling = library.readable["demo/old-answer"]
    library.readable = {f"demo/{name}": replace(ruling, id=name) for name in names}
    found = lost_ids(library, history[::-1])
    assert found == {f"demo/{before}": f"demo/{now}" for before, now in lost.items()}
