"""Rulings read in several processes: the same as one after another, problems among them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kb.core import parallel
from kb.core.memo import Memo
from kb.core.problems import KbError
from kb.pipeline import reading
from kb.pipeline.build import SiteOptions, build
from kb.pipeline.cache import EMPTY, read_cache
from kb.pipeline.paths import Paths
from kb.pipeline.reading import read_files
from kb.pipeline.stat_cache import StatCache
from kb.records.library import load
from tests.pipeline.test_growth import files


@pytest.fixture
def root(good_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setattr(reading, "_CHUNK", 2)
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    return Path(shutil.copytree(good_root, tmp_path / "rulings"))


def one_ruling(root: Path) -> Path:
    return sorted((root / "demo").glob("*/*.md"))[0]


def test_rulings_are_those_of_one_process(root: Path) -> None:
    checksums = StatCache(root).checksums
    found = read_files(root, checksums)
    assert found
    library = load(root)
    assert {key: replace(one.ruling, lines={}) for key, one in found.by_key.items()} == {
        key: replace(ruling, lines={}) for key, ruling in library.rulings.items()
    }
    # Taken over as they are, not read again.
    again = load(root, found.parse_cache(Memo(keep=False)), checksums)
    assert all(again.rulings[key] is one.ruling for key, one in found.by_key.items())


def test_few_files_are_left(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CHUNK", 500)
    assert read_files(root, StatCache(root).checksums) is None


def broken(path: Path) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace("status:", "state:"), encoding="utf-8")


def not_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


def linked(path: Path) -> None:
    target = path.with_name("elsewhere.txt")
    path.rename(target)
    path.symlink_to(target)


@pytest.mark.parametrize("spoil", [broken, not_text, linked])
def test_files_with_a_problem_are_left(root: Path, spoil: Callable[[Path], None]) -> None:
    path = one_ruling(root)
    spoil(path)
    found = read_files(root, StatCache(root).checksums)
    assert found
    assert path.relative_to(root).as_posix() not in found.by_path


def test_a_file_that_changes_meanwhile_is_left(root: Path) -> None:
    checksums = StatCache(root).checksums
    path = one_ruling(root)
    path.write_text(path.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    gone = sorted((root / "demo").glob("*/*.md"))[-1]
    gone.unlink()
    found = read_files(root, checksums)
    assert found
    assert not {one.relative_to(root).as_posix() for one in (path, gone)} & found.by_path.keys()


@pytest.mark.parametrize("cores", [1, 2])
def test_a_build_has_the_same_bytes(
    cores: int, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "cpu_count", lambda: cores)
    built = []
    for chunk in (10_000, 2):
        monkeypatch.setattr(reading, "_CHUNK", chunk)
        output, data = tmp_path / f"site{chunk}", tmp_path / f"data{chunk}"
        build(Paths(root, data), output, site=SiteOptions(interfaces=("en",)))
        stages = read_cache(data / "builds" / "1")
        # Times of files are others with every look.
        built.append((files(output), {**stages, "stat": EMPTY}))
    assert built[0] == built[1]


def test_checks_of_all_records_find_the_same(root: Path, tmp_path: Path) -> None:
    path = one_ruling(root)
    text = path.read_text(encoding="utf-8")
    # Two rulings with one id, and a tie to a ruling that is not there.
    folder = next(one for one in path.parents[1].iterdir() if one.is_dir() and one != path.parent)
    (folder / path.name).write_text(text, encoding="utf-8")
    other = sorted((root / "demo").glob("*/*.md"))[-1]
    changed = other.read_text(encoding="utf-8").replace(
        "\nkind:", "\nrelated:\n  - nowhere\nkind:", 1
    )
    other.write_text(changed, encoding="utf-8")
    with pytest.raises(KbError) as raised:
        build(Paths(root, tmp_path / "data"), tmp_path / "site")
    assert list(raised.value.problems) == load(root).problems
    assert len(load(root).problems) > 1
