"""Checksums of files that are read only where they may be others."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.build import stat_cache as seen
from kb.build.stat_cache import FILE, StatCache


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "rulings"
    (made / "game" / "topic").mkdir(parents=True)
    for name in ("game/game.yaml", "game/topic/one.md", "game/topic/two.md"):
        (made / name).write_text(f"the text of {name}\n", encoding="utf-8")
    (made / "game" / ".hidden").write_text("x", encoding="utf-8")
    (made / "game" / "link.md").symlink_to(made / "game" / "topic" / "one.md")
    return made


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes ten seconds before that of the file system: all files have settled."""
    now = time.time_ns
    monkeypatch.setattr(seen.time, "time_ns", lambda: now() + 10_000_000_000)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read."""
    found: list[str] = []
    read: Callable[[str], bytes] = seen._bytes

    def told(path: str) -> bytes:
        found.append(Path(path).name)
        return read(path)

    monkeypatch.setattr(seen, "_bytes", told)
    return found


def _sums(root: Path) -> dict[str, str]:
    files = (
        path
        for path in root.rglob("*")
        if path.is_file() and not path.is_symlink() and path.name[0] != "."
    )
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _again(root: Path) -> StatCache:
    found = StatCache(root, root.parent / FILE)
    assert found.sums == _sums(root)
    found.save()
    return found


def test_settled_files_are_read_once(root: Path, later: None, reads: list[str]) -> None:
    _again(root)
    assert sorted(reads) == ["game.yaml", "one.md", "two.md"]
    _again(root)
    assert len(reads) == 3


def test_files_written_just_now_are_read_again(root: Path, reads: list[str]) -> None:
    _again(root)
    _again(root)
    assert len(reads) == 6


def test_a_change_that_keeps_size_and_time_is_seen(
    root: Path, later: None, reads: list[str]
) -> None:
    _again(root)
    path = root / "game/topic/one.md"
    was = path.stat()
    path.write_text(path.read_text(encoding="utf-8").swapcase(), encoding="utf-8")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert path.stat().st_size == was.st_size
    _again(root)
    assert reads[3:] == ["one.md"]


def test_another_file_in_its_place_is_seen(root: Path, later: None, reads: list[str]) -> None:
    _again(root)
    one, two = root / "game/topic/one.md", root / "game/topic/two.md"
    two.replace(one)
    _again(root)
    assert reads[3:] == ["one.md"]


def test_what_is_gone_is_forgotten(root: Path, later: None) -> None:
    _again(root)
    (root / "game/topic/two.md").unlink()
    assert "game/topic/two.md" not in _again(root).sums
    assert b"two.md" not in (root.parent / FILE).read_bytes()


def test_without_trust_all_are_read(root: Path, later: None, reads: list[str]) -> None:
    _again(root)
    assert StatCache(root, root.parent / FILE, trust=False).sums == _sums(root)
    assert len(reads) == 6


@pytest.mark.parametrize("bad", [b"", b"[]", b"00000000\n", b"00000000\n[]", b"\x00"])
def test_a_keeper_of_something_else_is_passed_over(
    root: Path, later: None, reads: list[str], bad: bytes
) -> None:
    (root.parent / FILE).write_bytes(bad)
    _again(root)
    _again(root)
    assert len(reads) == 3


def test_a_keeper_that_was_cut_off_or_changed_is_passed_over(
    root: Path, later: None, reads: list[str]
) -> None:
    keeper = root.parent / FILE
    _again(root)
    whole = keeper.read_bytes()
    for place in range(0, len(whole), 7):
        for bad in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
            keeper.write_bytes(bad)
            reads.clear()
            assert StatCache(root, keeper).sums == _sums(root)
            assert len(reads) == 3


def test_what_another_folder_had_is_no_use(root: Path, later: None, reads: list[str]) -> None:
    _again(root)
    moved = root.rename(root.parent / "moved")
    _again(moved)
    assert len(reads) == 6


def test_a_keeper_that_cannot_be_written_is_done_without(root: Path, later: None) -> None:
    keeper = root.parent / "none" / FILE
    StatCache(root, keeper).save()
    assert not keeper.exists()
    assert StatCache(root, keeper).sums == _sums(root)
