"""Checksums of files that are read only where they may be others."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.pipeline import stat_cache
from kb.pipeline.stat_cache import StatCache


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "rulings"
    (made / "game" / "topic").mkdir(parents=True)
    for name in ("game/game.yaml", "game/topic/one.md", "game/topic/two.md"):
        (made / name).write_text(f"the text of {name}\n", encoding="utf-8")
    (made / "game" / ".hidden").write_text("x", encoding="utf-8")
    return made


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes ten seconds before that of the file system: all files have settled."""
    now = time.time_ns
    monkeypatch.setattr(stat_cache.time, "time_ns", lambda: now() + 10_000_000_000)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read."""
    found: list[str] = []
    read: Callable[[str], bytes] = stat_cache._read

    def told(path: str) -> bytes:
        found.append(Path(path).name)
        return read(path)

    monkeypatch.setattr(stat_cache, "_read", told)
    return found


def _sums(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and path.name[0] != ".")
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _look(root: Path, before: StatCache | None = None) -> StatCache:
    cache = StatCache(root, before.rows if before else {})
    assert cache.checksums == _sums(root)
    return cache


def test_links_and_what_they_lead_to_are_seen(root: Path, later: None) -> None:
    target, link = root.parent / "own.css", root / "game" / "own.css"
    target.write_text("a", encoding="utf-8")
    looks = [StatCache(root).checksums]

    def look() -> None:
        looks.append(StatCache(root).checksums)

    link.symlink_to(target)
    look()
    target.write_text("b", encoding="utf-8")
    look()
    target.unlink()
    look()
    link.unlink()
    link.symlink_to(root / "game")
    look()
    link.unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(link)
        look()
    assert len({tuple(sorted(one.items())) for one in looks}) == len(looks)


def test_settled_files_are_read_once(root: Path, later: None, reads: list[str]) -> None:
    first = _look(root)
    assert sorted(reads) == ["game.yaml", "one.md", "two.md"]
    _look(root, _look(root, first))
    assert len(reads) == 3


def test_a_name_that_is_not_utf_8_is_not_kept(root: Path, later: None) -> None:
    try:
        (root / "game" / os.fsdecode(b"\xff~")).write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("no such names on this file system")
    look = _look(root)
    assert len(look.rows) == len(look.checksums) - 1
    for path in look.rows:
        path.encode("utf-8")


def test_files_written_just_now_are_read_again(root: Path, reads: list[str]) -> None:
    _look(root, _look(root))
    assert len(reads) == 6


def test_a_change_that_keeps_size_and_time_is_seen(
    root: Path, later: None, reads: list[str]
) -> None:
    first = _look(root)
    path = root / "game/topic/one.md"
    was = path.stat()
    path.write_text(path.read_text(encoding="utf-8").swapcase(), encoding="utf-8")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert path.stat().st_size == was.st_size
    _look(root, first)
    assert reads[3:] == ["one.md"]


def test_another_file_in_its_place_is_seen(root: Path, later: None, reads: list[str]) -> None:
    first = _look(root)
    one, two = root / "game/topic/one.md", root / "game/topic/two.md"
    two.replace(one)
    _look(root, first)
    assert reads[3:] == ["one.md"]


def test_what_is_gone_is_forgotten(root: Path, later: None) -> None:
    first = _look(root)
    (root / "game/topic/two.md").unlink()
    second = _look(root, first)
    assert "game/topic/two.md" in first.rows
    assert "game/topic/two.md" not in second.checksums | second.rows
