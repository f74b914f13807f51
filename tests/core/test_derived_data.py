"""Derived data in the user's cache: read where they are whole, kept where that is worth it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kb.core.derived_data import DerivedData

LARGE = ["x" * 200_000]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "kb" / "derived"


def test_data_are_read_by_their_kind_key_and_version(folder: Path) -> None:
    derived = DerivedData("1")
    assert derived.read("words", "a") is None
    derived.keep("words", "a", b"one")
    derived.keep("words", "b", b"")
    assert derived.read("words", "a") == b"one" and derived.read("words", "b") == b""
    assert derived.read("words", "c") is derived.read("word", "a") is None
    assert DerivedData("2").read("words", "a") is None
    derived.keep_json("words", "c", LARGE)
    assert derived.read_json("words", "c") == LARGE and len([*folder.iterdir()]) == 3


@pytest.mark.parametrize("content", [b"", b"onf", b"one "])
def test_damaged_data_are_deleted(folder: Path, content: bytes) -> None:
    derived = DerivedData("1")
    derived.keep("words", "a", b"one")
    next(folder.iterdir()).write_bytes(content)
    assert derived.read("words", "a") is None and not [*folder.iterdir()]
    derived.keep("words", "a", b"one")
    assert derived.read("words", "a") == b"one"


def test_those_not_read_for_the_longest_go(folder: Path) -> None:
    derived = DerivedData("1", files=2)
    derived.keep("other", "a", b"other")
    for key in "abc":
        derived.keep("words", key, key.encode())
        for path in folder.iterdir():
            os.utime(path, (path.stat().st_mtime - 60,) * 2)
        derived.read("words", "a")
    assert [derived.read("words", key) for key in "abc"] == [b"a", None, b"c"]
    assert derived.read("other", "a") == b"other"


def test_what_is_small_or_has_no_bytes_is_not_kept(folder: Path) -> None:
    derived = DerivedData("1")
    derived.keep_json("words", "a", ["small"])
    derived.keep_json("words", "b", [*LARGE, "\ud800"])
    assert derived.read_json("words", "a") is derived.read_json("words", "b") is None


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    derived = DerivedData("1")
    derived.keep("words", "a", b"one")
    assert derived.read("words", "a") is None
