"""Tables of forms kept in the user's cache: used where they are for the same words, and whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from kb.core import derived_data
from kb.language import FormTable
from kb.language.forms import build_form_table
from kb.language.lookup import RowsByFolded
from kb.pipeline import form_cache
from kb.pipeline.build import build, derive
from kb.pipeline.form_cache import cached_forms, keep_forms
from kb.pipeline.paths import Paths

GAMES = ["demo"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(form_cache, "_MIN_SIZE", 0)
    return tmp_path / "cache" / "kb" / "forms"


@pytest.fixture(scope="module")
def table(small_base: Path) -> Path:
    return Paths(small_base / "rulings", small_base / "data").current / "forms.sqlite"


def test_a_table_is_kept_once_for_its_games(folder: Path, table: Path, tmp_path: Path) -> None:
    assert cached_forms(GAMES) is None
    keep_forms(table, GAMES)
    known = cached_forms(GAMES)
    assert known and known.read_bytes() == table.read_bytes()
    assert cached_forms([*GAMES, "other"]) is None
    same = tmp_path / "same.sqlite"
    shutil.copyfile(table, same)
    keep_forms(same, GAMES)
    assert [*folder.iterdir()] == [known]


def test_the_table_of_the_last_build_is_the_first_choice(
    folder: Path, table: Path, tmp_path: Path
) -> None:
    others = {"en": ["other"]}
    build_form_table(tmp_path / "other.sqlite", others, {}, [])
    for one in (table, tmp_path / "other.sqlite", table):
        keep_forms(one, GAMES)
        known = cached_forms(GAMES)
        assert known and known.read_bytes() == one.read_bytes()
        for path in folder.iterdir():
            os.utime(path, (path.stat().st_mtime - 60,) * 2)


def test_a_damaged_table_is_not_used(folder: Path, table: Path, tmp_path: Path) -> None:
    copy = tmp_path / "forms.sqlite"
    shutil.copyfile(table, copy)
    keep_forms(copy, GAMES)
    known = cached_forms(GAMES)
    assert known
    content = bytearray(known.read_bytes())
    content[len(content) // 2] ^= 1
    known.write_bytes(content)
    assert cached_forms(GAMES) is None
    assert not [*folder.iterdir()]
    keep_forms(table, GAMES)
    (folder / f"{known.name[:-7]}x.sqlite").write_text("not a table", encoding="utf-8")
    assert cached_forms(GAMES) == known


def test_small_tables_and_old_ones_go(
    folder: Path, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        keep_forms(table, [f"game-{number}"])
        for path in folder.iterdir():
            os.utime(path, (path.stat().st_mtime - 60,) * 2)
    assert len([*folder.iterdir()]) == 4
    assert cached_forms(["game-5"]) and not cached_forms(["game-0"])
    monkeypatch.setattr(form_cache, "_MIN_SIZE", 1 << 30)
    keep_forms(table, GAMES)
    assert cached_forms(GAMES) is None


def test_a_cache_that_cannot_be_written_is_done_without(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    keep_forms(table, GAMES)
    assert cached_forms(GAMES) is None


def test_a_build_from_nothing_inflects_no_word_again(
    folder: Path, good_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(Paths(good_root, tmp_path / "first"), tmp_path / "site")
    analysed: list[list[str]] = []

    def counted(*arguments: object) -> list[str]:
        analysed.append(build_form_table(*arguments))  # type: ignore[arg-type]
        return analysed[-1]

    monkeypatch.setattr("kb.pipeline.linked.build_form_table", counted)
    derive(Paths(good_root, tmp_path / "second"))
    tables = [next(tmp_path.glob(f"{name}/builds/*/forms.sqlite")) for name in ("first", "second")]
    assert analysed == [[]]
    assert tables[0].read_bytes() == tables[1].read_bytes()


def test_a_build_from_nothing_goes_on_from_the_meanings_of_the_last_one(
    folder: Path, good_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived_data, "_MIN_SIZE", 0)
    read: list[str] = []
    by_folded = FormTable.by_folded

    def noted(table: FormTable, lang: str) -> RowsByFolded:
        read.append(lang)
        return by_folded(table, lang)

    monkeypatch.setattr(FormTable, "by_folded", noted)
    build(Paths(good_root, tmp_path / "first"), tmp_path / "site-1")
    assert read
    read.clear()
    build(Paths(good_root, tmp_path / "second"), tmp_path / "site-2")
    assert not read
    sites = [
        {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}
        for site in (tmp_path / "site-1", tmp_path / "site-2")
    ]
    assert sites[0] == sites[1]
