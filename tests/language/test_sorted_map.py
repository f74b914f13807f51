"""Sorted lines searched in a file: what is found, and what happens to damaged and shared files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language.sorted_map import SortedMap, cached_map, line

WORDS = {"form kot": ["kot"], "form kota": ["kot"], "form żółw": ["żółw"], "lemma kot": ["a", "b"]}


def entries() -> Iterator[bytes]:
    return (line(key, words) for key, words in WORDS.items())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "kb" / "dictionaries"


def refuse() -> Iterator[bytes]:
    raise AssertionError("the file is there already")


def test_look_up(folder: Path) -> None:
    words = cached_map("pl", "1", entries)
    assert {key: words.get(key) for key in WORDS} == WORDS
    unknown = ("", "form ", "form ko", "form kotak", "lemma", "zzz", "\udcff", "\U0010ffff")
    assert [words.get(key) for key in unknown] == [[]] * 8
    assert list(words.items("form ")) == [("kot", ["kot"]), ("kota", ["kot"]), ("żółw", ["żółw"])]
    assert dict(words.items()) == WORDS


@given(
    st.dictionaries(st.text("abcż", max_size=4), st.lists(st.text("ab", min_size=1), min_size=1))
)
def test_any_words(known: dict[str, list[str]]) -> None:
    lines = sorted(line(key, words) for key, words in known.items())
    words = SortedMap(b"\n".join([*lines, b"\xff end\n"]))
    assert dict(words.items()) == known
    for key in {*known, "a", "b", "ż", "abc", ""}:
        assert words.get(key) == known.get(key, [])


def test_a_file_is_made_once(folder: Path) -> None:
    cached_map("pl", "1", entries)
    assert cached_map("pl", "1", refuse).get("form kota") == ["kot"]
    assert [path.suffix for path in sorted(folder.iterdir())] == [".txt", ".lock"]


def test_a_damaged_file_is_made_again(folder: Path) -> None:
    cached_map("pl", "1", entries)
    (path,) = folder.glob("*.txt")
    for damaged in (b"", path.read_bytes()[:-3]):
        path.write_bytes(damaged)
        assert cached_map("pl", "1", entries).get("form kota") == ["kot"]
        assert dict(cached_map("pl", "1", refuse).items()) == WORDS


def test_old_versions_go(folder: Path) -> None:
    for number in range(6):
        cached_map("pl", str(number), entries)
        cached_map("pl-spellings", "1", entries)
        for path in folder.glob("*.txt"):
            os.utime(path, (path.stat().st_mtime - 60,) * 2)
    assert len([path for path in folder.glob("*.txt") if "spellings" not in path.name]) == 3
    assert cached_map("pl", "5", refuse).get("form kota") == ["kot"]
    assert cached_map("pl-spellings", "1", refuse).get("form kota") == ["kot"]


def test_without_a_cache_the_words_are_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cached_map("pl", "1", entries).get("form kota") == ["kot"]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_cache_is_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("kb.language.sorted_map.replacing_file", full)
    assert cached_map("pl", "1", entries).get("form kota") == ["kot"]
    assert not list(folder.glob("*.txt"))
