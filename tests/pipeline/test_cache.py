"""The build cache: what was written is read, what was damaged is not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kb.core.problems import NotBuilt
from kb.pipeline import stat_cache
from kb.pipeline.build import build
from kb.pipeline.cache import FILE, Row, copy_cache, read_cache, replace_stats, write_cache
from kb.pipeline.paths import Paths
from kb.pipeline.previous import read_previous

STAGES = {
    "file": {"a/b/c.md": Row("1234", b"zerowy" * 50), "a/b/d.md": Row("5678")},
    "build": {"inputs": Row("abcd")},
}


def rows(folder: Path) -> dict[str, dict[str, Row]]:
    stages = read_cache(folder)
    stages["build"].pop("rows")
    return stages


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert read_cache(tmp_path) == {}
    write_cache(tmp_path, STAGES)
    assert rows(tmp_path) == STAGES
    replace_stats(tmp_path, {"a/b/e.md": Row("9", b"\x00")})
    assert rows(tmp_path) == {**STAGES, "stat": {"a/b/e.md": Row("9", b"\x00")}}
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_copy_has_the_rows_that_are_written_and_no_others(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    new.mkdir()
    write_cache(old, {**STAGES, "stat": {"a/b/c.md": Row("1")}})
    known = copy_cache(old, read_cache(old), new)
    # Another process may have replaced these, before or after.
    assert "stat" not in known
    stages = {
        "file": {"a/b/d.md": STAGES["file"]["a/b/d.md"], "a/b/x.md": Row("9", b"new")},
        "build": {"inputs": Row("dcba")},
    }
    write_cache(new, {"file": stages["file"]}, known)
    write_cache(new, {"build": stages["build"], "stat": {"a/b/x.md": Row("2")}}, known)
    assert rows(new) == {**stages, "stat": {"a/b/x.md": Row("2")}}
    assert rows(old) == {**STAGES, "stat": {"a/b/c.md": Row("1")}}


def test_a_cache_that_cannot_be_copied_is_written_anew(tmp_path: Path) -> None:
    known = copy_cache(tmp_path / "gone", STAGES, tmp_path)
    assert not known
    write_cache(tmp_path, STAGES, known)
    assert rows(tmp_path) == STAGES


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: os.urandom(len(data)),
        lambda data: data.replace(b"zerowy", b"zerowx", 1),
        lambda data: data.replace(b"1234", b"1235"),
        lambda data: data.replace(b"a/b/c.md", b"a/b/x.md"),
    ],
    ids=["cut", "empty", "garbled", "blob", "hash", "key"],
)
def test_what_is_damaged_is_refused(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    write_cache(tmp_path, STAGES)
    path = tmp_path / FILE
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(NotBuilt):
        read_cache(tmp_path)


@pytest.mark.parametrize(
    "change",
    ["DELETE FROM row WHERE key = 'a/b/d.md'", "PRAGMA user_version = 99", "DROP TABLE row"],
)
def test_rows_that_are_gone_and_other_versions_are_refused(tmp_path: Path, change: str) -> None:
    write_cache(tmp_path, STAGES)
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute(change)
    with pytest.raises(NotBuilt):
        read_cache(tmp_path)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The records that were read for their checksums."""
    names: list[str] = []
    read = stat_cache._read

    def counted(path: str) -> bytes:
        if "rulings" in path:
            names.append(Path(path).name)
        return read(path)

    monkeypatch.setattr(stat_cache, "_read", counted)
    return names


def test_a_build_without_changes_reads_no_settled_record_twice(
    good_root: Path, tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(good_root, tmp_path / "rulings")
    places = Paths(tmp_path / "rulings", tmp_path / "data")
    build(places, tmp_path / "site")
    now = time.time_ns
    monkeypatch.setattr(stat_cache.time, "time_ns", lambda: now() + 10_000_000_000)
    # The records were written just before the first build, so that the next one reads them again.
    reads.clear()
    assert build(places, tmp_path / "site").unchanged and len(reads) > 5
    reads.clear()
    assert build(places, tmp_path / "site").unchanged and not reads
    # Nor the rows that only builds with something to do need, until somebody writes to them.
    previous, damage = read_previous(places)
    assert not previous.is_whole and previous.inputs and not previous.stage("file")
    assert previous.with_all_rows()[0].stage("file") and not damage
    os.utime(places.current / FILE)
    os.utime(places.data / "current", ns=(0, 0))
    assert read_previous(places)[0].is_whole
    build(places, tmp_path / "site", force=True)
    assert reads


def test_records_that_were_moved_are_looked_at_again(
    good_root: Path, tmp_path: Path, reads: list[str]
) -> None:
    for name in ("rulings", "rulings2"):
        shutil.copytree(good_root, tmp_path / name)
    build(Paths(tmp_path / "rulings", tmp_path / "data"), tmp_path / "site")
    reads.clear()
    moved = Paths(tmp_path / "rulings2", tmp_path / "data")
    build(moved, tmp_path / "site")
    assert len(reads) > 5
