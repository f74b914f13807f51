"""Records as somebody may send them who means harm.

They give problems, at once, and nothing is read or written elsewhere.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.core.urls import RESERVED_FOLDERS
from kb.records.fields import read_header
from kb.records.library import load
from kb.records.parse import read_ruling
from kb.records.scaffold import new_game, new_ruling
from kb.records.syntax import MAX_RULING
from kb.records.values import game_id_error

HEAD = "kind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots\n"
TEXT = "# pl: Tytuł\n\nOdpowiedź.\n"


def made(root: Path, topic: str, name: str) -> Path:
    return new_ruling(root, "demo", topic, name, kind="ruling", authority="official", sources=[])


def told(header: str = "", text: str = TEXT, name: str = "x") -> list[str]:
    ruling, problems = read_ruling(
        f"---\n{HEAD}{header}---\n\n{text}".encode(), f"{name}.md", "demo", "pilots"
    )
    assert (ruling is None) == bool(problems)
    return [f"{one.line}: {one.message}" for one in problems]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ('because: "\\ud800"\n', "7: YAML: found invalid Unicode"),
        ("about: " + "[" * 100_000 + "\n", "7: nested deeper"),
        ("about:\n  " + "- " * 100_000 + "x\n", "8: nested deeper"),
    ],
)
def test_yaml_bombs_are_problems(header: str, words: str) -> None:
    assert told(header)[0].startswith(words)


def test_what_is_too_long_for_a_ruling_is_one_problem() -> None:
    text = "# pl: T\n\n" + "# \n" * MAX_RULING
    assert told(text=text) == [f"1: more than {MAX_RULING:,} characters, the limit for a ruling"]


@pytest.mark.parametrize("name", ["A", "..", "a/b", "a\\b", "%2e", "é", "a\u202eb", "a" * 101, ""])
def test_ids_are_names_of_files_on_every_system(name: str, records: Path) -> None:
    assert told(name=name) or name in ("..", "a/b")
    assert game_id_error(name)
    facts = {"kind": "note", "authority": "official", "status": "current", "topics": [name or "?"]}
    with pytest.raises(ValueError, match="id"):
        read_header(facts)
    for wrong in (name, f"../{name}", f"../../{name}", f"/tmp/{name}"):
        with pytest.raises(KbError):
            made(records, "pilots", wrong)
        with pytest.raises(KbError):
            made(records, wrong, "new-one")
        with pytest.raises(KbError):
            new_game(records, wrong, "Name", ["pl"])
    assert [one.name for one in records.parent.iterdir()] == ["rulings"]


def test_no_game_takes_the_place_of_the_sites_own_pages(tmp_path: Path) -> None:
    assert {"search", "static", "glossary", "offline", "errata", "changes"} <= RESERVED_FOLDERS
    # An id has three characters.
    for name in RESERVED_FOLDERS - {"go"}:
        with pytest.raises(KbError, match="pages of its own"):
            new_game(tmp_path, name, "Name", ["en"])


def test_a_symbolic_link_leads_nowhere(records: Path) -> None:
    outside = records.parent / "outside"
    outside.mkdir()
    secret = f"---\n{HEAD}---\n\n# pl: Tajne\n\nTajne.\n"
    (outside / "secret.md").write_text(secret, encoding="utf-8")
    (records / "demo" / "pilots" / "secret.md").symlink_to(outside / "secret.md")
    (records / "demo" / "far").symlink_to(outside)
    (records / "other").symlink_to(records / "demo")
    library = load(records)
    names = sorted(one.path.rpartition("/")[2] for one in library.problems)
    assert names == ["far", "other", "secret.md"] and "demo/secret" not in library.rulings


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_what_is_no_plain_file_is_not_waited_for(records: Path) -> None:
    (records / "demo" / "terms.yaml").unlink()
    for name in ("terms.yaml", "pilots/pipe.md"):
        os.mkfifo(records / "demo" / name)
    assert [one.message for one in load(records).problems].count("not a plain file") == 2
