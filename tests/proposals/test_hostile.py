"""Files of proposals that somebody sends to do harm: refused, bounded, and nothing is written."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from kb.core.diff import bounded_opcodes, unified_diff
from kb.proposals.merge import merge
from kb.records.library import load
from tests.command_line import RunCommand
from tests.proposals.test_apply import base, correction, files, hand_in, section

__all__ = ["base"]

_TEXT = {"pl": {"title": "Pytanie", "body": "Odpowiedź."}}


def new(**more: Any) -> dict[str, Any]:
    return {"kind": "ruling", "game": "demo", "topic": "pilots", "texts": _TEXT, **more}


PATHS = ["../../etc", "..", "a/b", "a\\b", "/etc", "con", "CON", "nul", "com1", "a\0b", ".git", "é"]


@pytest.mark.parametrize(
    "proposal",
    [
        *(new(id=path) for path in PATHS),
        *(new(game=path) for path in PATHS[:3]),
        *(new(topic=path) for path in PATHS[:3]),
        *(correction(f"demo/{path}", "en", None, {}) for path in PATHS[:3]),
        new(id="one-pilot"),
        new(id="a" * 101),
        new(about=["x" * 2_001]),
        new(about=["x"] * 51),
        new(texts={}),
        new(texts={"pl": {"title": "a\nb"}}),
        new(texts={"../pl": {"title": "a"}}),
        new(asked="2003-99-99", kind="question"),
        new(extra="x"),
        new(kind="errata"),
        {"kind": "correction", "ruling": "demo/one-pilot", "sections": []},
        {"__proto__": {}, "\x1b[2J\u202e": 1},
        [],
        None,
    ],
    ids=str,
)
def test_a_hostile_proposal_writes_nothing(proposal: Any, base: Path, kb: RunCommand) -> None:
    before = files(base)
    hand_in(base, proposal)
    done = kb("apply", "proposal.json", cwd=base, code=1)
    assert files(base) == before and not (base / "rulings" / "demo" / "con.md").exists()
    assert "\x1b" not in done.stdout + done.stderr and "\u202e" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


BODIES = [
    "# en: Another section\n\nx",
    "---\nkind: errata\n---",
    "\x1b[2Jx",
    "a\u202eb",
    "pi\u200blot",
    "\ud800",
    "[[Nobody]] [[",
    "x" * 199_999,
    "[x](javascript:alert(1))",
    "<script>alert(1)</script>",
    "\ufeff# x",
    "\r# en: y\r\r\nz",
    "\u2028# en: y\x85# en: z",
]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: ascii(body[:20]))
def test_a_hostile_body_changes_nothing_but_its_section(
    body: str, base: Path, kb: RunCommand
) -> None:
    seen = section(base, "demo/one-pilot", "en")
    others = {key: value for key, value in files(base).items() if "one-pilot" not in key}
    wanted = correction("demo/one-pilot", "en", seen, {"title": seen["title"], "body": "BODY"})
    path = hand_in(base, wanted)
    sent = path.read_text(encoding="utf-8").replace('"BODY"', json.dumps(body))
    path.write_text(sent, encoding="utf-8")
    for options in ((), ("--force",)):
        done = kb("apply", *options, "proposal.json", cwd=base, code=None)
        assert done.returncode in (0, 1) and "Traceback" not in done.stderr
        assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
        after = {key: value for key, value in files(base).items() if "one-pilot" not in key}
        assert after == others
        library = load(base / "rulings")
        if done.returncode == 0:
            assert not library.problems
        if "demo/one-pilot" in library.rulings:
            ruling = library.rulings["demo/one-pilot"]
            assert [text.lang for text in ruling.texts] == ["pl", "en"]
            assert ruling.header.kind == "ruling"


def test_a_file_that_is_too_large_is_not_read_whole(base: Path, kb: RunCommand) -> None:
    path = base / "huge.json"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)
    assert "larger than" in kb("apply", "huge.json", cwd=base, code=1).stderr
    nested = base / "nested.json"
    nested.write_text("[" * 900_000, encoding="utf-8")
    assert "not a file of proposals" in kb("apply", "nested.json", cwd=base, code=1).stderr


@pytest.mark.parametrize("kinds", [1, 2, 101, 1_000])
def test_comparing_long_texts_is_bounded(kinds: int) -> None:
    """Lines that repeat take difflib the cube of their number."""
    old = [chr(0x4E00 + number * 7 % kinds) for number in range(50_000)]
    new_lines = ["x", *reversed(old), "y"]
    start = time.process_time()
    bounded_opcodes(old, new_lines)
    assert list(unified_diff(old, new_lines, "a", "b"))
    assert merge("\n".join(old), "\n".join(new_lines), "\n".join([*old, "z"])) is None
    assert time.process_time() - start < 5


def test_a_diff_is_as_difflib_makes_it() -> None:
    import difflib

    before = [f"line {number}" for number in range(40)]
    for after in (
        before,
        before[1:],
        before[:-1],
        ["new", *before],
        [*before[:5], "x", *before[6:30], "y", "z", *before[30:]],
        [],
    ):
        for one, other in ((before, after), (after, before)):
            expected = list(difflib.unified_diff(one, other, "a", "b", lineterm=""))
            assert list(unified_diff(one, other, "a", "b")) == expected
