"""What a build does again after which change: work counted, not seconds; and the same bytes whichever way it was made."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from kb.commands.build import Built, build
from kb.commands.places import Places
from kb.language import LANGUAGES
from kb.problems import KbError
from kb.processes import apart


@pytest.fixture
def places(good_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    shutil.copytree(good_root, tmp_path / "rulings")
    return Places(tmp_path / "rulings", tmp_path / "data")


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages whose words were put through an analyser."""
    seen: list[str] = []

    for lang, language in LANGUAGES.items():

        def forms(lemmas: set[str], lang: str = lang, real: object = language.forms) -> object:
            seen.append(lang)
            return real(lemmas)  # type: ignore[operator]

        monkeypatch.setattr(language, "forms", forms)
    return seen


def made(places: Places, **more: object) -> Built:
    return build(places, places.data.parent / "site", **more)  # type: ignore[arg-type]


def edit(places: Places, old: str, new: str) -> None:
    record = places.rulings / "demo" / "pilots" / "one-pilot.md"
    text = record.read_text(encoding="utf-8")
    assert old in text
    record.write_text(text.replace(old, new, 1), encoding="utf-8")


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return sorted(db.iterdump())


def test_nothing_changed_nothing_done(places: Places, analysed: list[str]) -> None:
    first = made(places)
    assert not first.unchanged and set(analysed) == {"en", "pl"}
    times = {path: path.stat().st_mtime_ns for path in (places.data.parent / "site").rglob("*")}
    analysed.clear()
    os.utime(places.rulings / "demo" / "cards.tsv", (time.time() + 60, time.time() + 60))
    again = made(places)
    assert again.unchanged and again.pages == first.pages and not analysed
    assert {path: path.stat().st_mtime_ns for path in (places.data.parent / "site").rglob("*")} == times
    assert not made(places, anew=True).unchanged


def test_problems_are_told_again(places: Places) -> None:
    bad = places.rulings / "demo" / "pilots" / "bad.md"
    bad.write_text("---\nkind: rulling\n---\n\n# pl: T\n\nX.\n", encoding="utf-8")
    for _ in range(2):
        done = made(places, keep_going=True)
        assert done.problems and not done.unchanged
        with pytest.raises(KbError):
            made(places)
    bad.unlink()
    assert not made(places).unchanged and made(places).unchanged


def test_only_the_languages_with_new_words_are_analysed(places: Places, analysed: list[str]) -> None:
    made(places)
    analysed.clear()
    edit(places, "\n# en:", "\nPozostali piloci.\n\n# en:")
    assert not made(places).unchanged and not analysed
    edit(places, "\n# en:", "\nNiespodziewane słowo.\n\n# en:")
    made(places)
    assert analysed == ["pl"]


def test_a_changed_record_gives_the_bytes_of_a_cold_build(places: Places, tmp_path: Path) -> None:
    made(places)
    edit(places, "\n# en:", "\nNiespodziewane słowo.\n\n# en:")
    made(places)
    cold = Places(places.rulings, tmp_path / "cold" / "data")
    build(cold, tmp_path / "cold" / "site")
    assert files(tmp_path / "site") == files(tmp_path / "cold" / "site")
    for name in ("kb.sqlite", "forms.sqlite"):
        assert rows(places.current / name) == rows(cold.current / name)


def test_what_was_lost_is_made_again(places: Places) -> None:
    made(places)
    site = places.data.parent / "site"
    page = next((site / "demo" / "rulings").rglob("index.html"))
    page.unlink()
    assert not made(places).unchanged and page.is_file()
    stamp = site / "build.json"
    stamp.write_text(json.dumps({"generator": "kb"}), encoding="utf-8")
    assert not made(places).unchanged
    shutil.rmtree(places.data)
    assert not made(places).unchanged


@pytest.mark.parametrize("cores", [1, 2])
def test_one_core_and_two_give_the_same(places: Places, tmp_path: Path, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made(places)
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    other = Places(places.rulings, tmp_path / "other" / "data")
    build(other, tmp_path / "other" / "site")
    assert files(tmp_path / "site") == files(tmp_path / "other" / "site")


@pytest.mark.parametrize("cores", [1, 2])
def test_what_fails_apart_fails_here(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)

    def refuse() -> None:
        raise KbError("no")

    with pytest.raises(KbError, match="no"), apart(refuse):
        pass
    with pytest.raises(ZeroDivisionError), apart(lambda: time.sleep(5)):
        raise ZeroDivisionError
