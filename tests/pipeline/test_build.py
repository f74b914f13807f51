"""A build is always whole; it is left out where nothing has changed."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from kb.core import parallel
from kb.core.problems import KbError, NotBuilt
from kb.pipeline.build import BuildResult, SiteOptions, build
from kb.pipeline.data_folder import RETIRED, verify_checksums
from kb.pipeline.inputs import read_inputs
from kb.pipeline.paths import Paths
from kb.server.site_files import FolderFiles
from tests.conftest import contents

ENGLISH = SiteOptions("https://example.org/kb", "", ("en",))


@pytest.fixture
def places(records: Path) -> Paths:
    """A copy of the small game, not built."""
    return Paths(records, records.parent / "data")


def made(places: Paths, **more: object) -> BuildResult:
    return build(places, places.data.parent / "site", **{"site": ENGLISH, **more})  # type: ignore[arg-type]


def record(places: Paths) -> Path:
    return places.rulings / "demo" / "pilots" / "one-pilot.md"


def edit(places: Paths, text: str) -> None:
    path = record(places)
    path.write_text(path.read_text(encoding="utf-8").replace("\n# en:", f"\n{text}\n\n# en:", 1))


def test_nothing_is_done_where_nothing_has_changed(places: Paths) -> None:
    first, site = made(places), places.data.parent / "site"
    assert not first.unchanged
    times = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    later = time.time() + 60
    os.utime(places.rulings / "demo" / "cards.tsv", (later, later))
    again = made(places)
    assert again.unchanged and again.pages == first.pages
    assert {path: path.stat().st_mtime_ns for path in site.rglob("*")} == times
    assert not made(places, force=True).unchanged
    # Files that are the same keep their times, for programs that copy what is new.
    assert (site / "demo" / "index.html").stat().st_mtime_ns == times[site / "demo" / "index.html"]


def test_any_other_input_makes_a_whole_build(
    places: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(places)
    site, options = places.data.parent / "site", dict[str, object]()

    def is_whole() -> None:
        assert not made(places, **options).unchanged
        assert made(places, **options).unchanged
        verify_checksums(places.current)

    edit(places, "Niespodziewane słowo.")
    is_whole()
    options["site"] = SiteOptions("https://example.org/other", "", ("en",))
    is_whole()
    options["engine"] = "database"
    is_whole()
    static = site.parent / "templates" / "static"
    static.mkdir(parents=True)
    (static / "new.txt").write_text("x")
    is_whole()
    (site.parent / "site.yaml").write_text("accent: '#1d4f73'\n")
    is_whole()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    is_whole()
    next((site / "demo" / "rulings").rglob("index.html")).unlink()
    is_whole()
    (site / "build.json").write_text(json.dumps({"generator": "kb"}))
    is_whole()
    shutil.rmtree(places.data)
    is_whole()


def test_a_record_that_changes_while_it_is_read_is_built_again(
    places: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = record(places).read_text(encoding="utf-8")

    def changed_after(*arguments: object) -> object:
        inputs = read_inputs(*arguments)  # type: ignore[arg-type]
        edit(places, "Niespodziewane słowo.")
        return inputs

    with monkeypatch.context() as patch:
        patch.setattr("kb.pipeline.build.read_inputs", changed_after)
        made(places)
    record(places).write_text(before, encoding="utf-8")
    assert not made(places).unchanged


def test_problems_are_reported_again(places: Paths) -> None:
    bad = places.rulings / "demo" / "pilots" / "bad.md"
    bad.write_text("---\nkind: rulling\n---\n\n# pl: T\n\nX.\n", encoding="utf-8")
    for _ in range(2):
        done = made(places, keep_going=True)
        assert done.problems and not done.unchanged
    with pytest.raises(KbError):
        made(places)
    bad.unlink()
    assert not made(places).unchanged and made(places).unchanged


def test_the_same_records_give_the_same_bytes(
    places: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was built before, on one core or several; its index stays beside the new one."""
    made(places)
    index = tmp_path / "site" / "static" / "search"
    before = contents(index)
    edit(places, "Niespodziewane żaglowce.")
    monkeypatch.setattr(parallel, "cpu_count", lambda: 1)
    made(places)
    # Open pages search on in the index of the build before.
    assert contents(places.data / RETIRED) == before != contents(index)
    server = FolderFiles(tmp_path / "site", places.data / RETIRED)
    for name in before:
        found = server.get(f"static/search/{name}")
        assert found and found.body in (before[name], contents(index).get(name))
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    cold = Paths(places.rulings, tmp_path / "cold" / "data")
    build(cold, tmp_path / "cold" / "site", site=ENGLISH)
    assert contents(tmp_path / "site") == contents(tmp_path / "cold" / "site")


@pytest.mark.parametrize("text", ["", "[]", "null", '{"a": 1}', None])
def test_a_build_without_checksums_is_of_another_version(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "checksums.json").write_text(text, encoding="utf-8")
    with pytest.raises(NotBuilt):
        verify_checksums(tmp_path, ["kb.sqlite"])
