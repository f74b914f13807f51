"""A build is always whole; it is left out where nothing has changed."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from kb.core import parallel
from kb.core.problems import KbError
from kb.pipeline.build import build
from kb.pipeline.data_folder import verify_checksums
from kb.pipeline.inputs import input_hash
from kb.pipeline.paths import Paths
from kb.site.settings import SiteOptions
from tests.command_line import RunCommand
from tests.conftest import contents
from tests.reliability.conftest import Base


def test_nothing_is_done_where_nothing_has_changed(base: Base) -> None:
    times = {path: path.stat().st_mtime_ns for path in base.site.rglob("*")}
    later = time.time() + 60
    os.utime(base.record, (later, later))
    result = base.build()
    assert result.unchanged and result.pages == len([*base.site.rglob("*.html")])
    assert {path: path.stat().st_mtime_ns for path in base.site.rglob("*")} == times
    assert not base.build(force=True).unchanged
    # Files that are the same keep their times, for programs that copy what is new.
    page = base.site / "demo" / "index.html"
    assert page.stat().st_mtime_ns == times[page]


def test_any_other_input_makes_a_whole_build(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    options = dict[str, object]()

    def is_whole() -> None:
        assert not base.build(**options).unchanged
        assert base.build(**options).unchanged
        verify_checksums(base.places.current)

    options["site"] = SiteOptions("https://example.org/other", ("en",))
    is_whole()
    base.edit("inny")
    is_whole()
    options["engine"] = "database"
    is_whole()
    static = base.folder / "templates" / "static"
    static.mkdir(parents=True)
    (static / "new.txt").write_text("x")
    is_whole()
    (base.folder / "site.yaml").write_text("accent: '#1d4f73'\n")
    is_whole()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    is_whole()
    next((base.site / "demo" / "rulings").rglob("index.html")).unlink()
    is_whole()
    (base.site / "build.json").write_text(json.dumps({"generator": "kb"}))
    is_whole()
    shutil.rmtree(base.places.data)
    is_whole()


def test_a_record_that_changes_while_it_is_read_is_built_again(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.edit("inny")
    before = base.record.read_bytes()

    def changed_after(*arguments: object) -> object:
        inputs = input_hash(*arguments)  # type: ignore[arg-type]
        base.edit("dalszy")
        return inputs

    with monkeypatch.context() as patch:
        patch.setattr("kb.pipeline.build.input_hash", changed_after)
        base.build()
    base.record.write_bytes(before)
    assert not base.build().unchanged


def test_content_counts_for_a_build_not_times(base: Base) -> None:
    base.edit("dawny")
    os.utime(base.record, (0, 0))
    base.build()
    assert base.found("dawny") == ["one-pilot"]


def test_any_day_that_a_build_is_said_to_be_of(base: Base, kb: RunCommand) -> None:
    kb("build", "--force", cwd=base.folder, SOURCE_DATE_EPOCH="0")
    base.check_site()
    for epoch in ("x", "9" * 30, "-99999999999999"):
        done = kb("build", "--force", cwd=base.folder, code=1, SOURCE_DATE_EPOCH=epoch)
        assert "SOURCE_DATE_EPOCH" in done.stderr, epoch


def test_the_day_counts_and_not_the_hour(base: Base, kb: RunCommand) -> None:
    """What is in force, and with it decks and the panel of other sites, changes with the day."""
    for epoch, is_same in (("1767225600", True), ("1767229200", True), ("1767312000", False)):
        built = kb("build", cwd=base.folder, SOURCE_DATE_EPOCH=epoch).stdout
        assert ("nothing has changed" in built) is is_same, epoch


def test_problems_are_reported_again(base: Base) -> None:
    bad = base.record.with_name("bad.md")
    bad.write_text("---\nkind: rulling\n---\n\n# pl: T\n\nX.\n", encoding="utf-8")
    for _ in range(2):
        done = base.build(keep_going=True)
        assert done.problems and not done.unchanged
    with pytest.raises(KbError):
        base.build()
    bad.unlink()
    assert not base.build().unchanged and base.build().unchanged


def test_the_same_records_give_the_same_bytes(
    base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was built before, on one core or several."""
    base.edit("inny")
    monkeypatch.setattr(parallel, "cpu_count", lambda: 1)
    base.build()
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    build(Paths(base.places.rulings, tmp_path / "cold-data"), tmp_path / "cold-site")
    assert contents(base.site) == contents(tmp_path / "cold-site")
