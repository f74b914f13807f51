"""A build replaces and deletes only what a build has made, wherever it is killed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.pipeline import build as pipeline
from kb.pipeline.output_folder import LIST, STAMP, read_stamp
from kb.site.settings import SiteOptions
from tests.command_line import RunCommand
from tests.conftest import contents
from tests.reliability.conftest import Base, is_killed_at

HIDDEN = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/ab/cdef": "unpushed",
    ".well-known/security.txt": "Contact: x",
    ".nojekyll": "",
}


@pytest.fixture()
def shared(base: Base) -> Base:
    """A built base, in whose site somebody else has hidden files, folders and links."""
    for name, text in HIDDEN.items():
        path = base.site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (base.site / ".git" / "hooks").mkdir(mode=0o700)
    (base.site / ".latest").symlink_to("demo")
    return base


def check_hidden(site: Path) -> None:
    assert {name: (site / name).read_text(encoding="utf-8") for name in HIDDEN} == HIDDEN
    assert (site / ".git" / "hooks").stat().st_mode & 0o777 == 0o700
    assert os.readlink(site / ".latest") == "demo"


def remove_hidden(site: Path) -> None:
    for path in site.glob(".[a-z]*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


@pytest.mark.parametrize("is_changed", [True, False])
def test_hidden_entries_stay_and_pages_of_a_deleted_ruling_go(
    is_changed: bool, shared: Base
) -> None:
    if is_changed:
        (shared.places.rulings / "demo" / "pilots" / "example.md").unlink()
    assert shared.build(keep_going=is_changed).unchanged != is_changed
    check_hidden(shared.site)
    assert (shared.site / "demo/rulings/example/index.html").exists() != is_changed
    assert not shared.litter()
    remove_hidden(shared.site)
    shared.check_site()


@pytest.mark.parametrize("name", ["demo/notes.txt", "latest"])
def test_a_file_of_somebody_else_is_named_and_stays(name: str, shared: Base) -> None:
    mine = shared.site / name
    if name == "latest":
        mine.symlink_to("demo")
    else:
        mine.write_text("mine", encoding="utf-8")
    before = contents(shared.site)
    shared.edit("inny")
    with pytest.raises(KbError, match=f"{name}: kb did not write this file.*static/"):
        shared.build()
    assert contents(shared.site) == before
    assert shared.found("zerowy") == ["one-pilot"] and not shared.litter()


def test_static_files_beside_the_records_are_copied(shared: Base) -> None:
    static = shared.folder / "static"
    for name, text in {"CNAME": "example.org", ".htaccess": "x", "deep/robots.txt": "x"}.items():
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).write_text(text, encoding="utf-8")
    options = SiteOptions("https://rulings.example.org")
    shared.build(site=options)
    robots = shared.site / "robots.txt"
    assert (shared.site / "CNAME").read_text(encoding="utf-8") == "example.org"
    assert (shared.site / ".htaccess").exists() and (shared.site / "deep" / "robots.txt").exists()
    assert "sitemap.xml" in robots.read_text(encoding="utf-8")
    assert shared.build(site=options).unchanged
    (static / "robots.txt").write_text("mine", encoding="utf-8")
    shared.build(site=options)
    assert robots.read_text(encoding="utf-8") == "mine"
    (static / "robots.txt").unlink()
    (static / "CNAME").unlink()
    shared.build(site=options)
    assert "sitemap.xml" in robots.read_text(encoding="utf-8")
    assert not (shared.site / "CNAME").exists()
    check_hidden(shared.site)
    (static / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(KbError, match=r"static/index.html: the build writes this file itself"):
        shared.build(site=options)


def taken_places(event: str, arguments: tuple[object, ...]) -> bool:
    """Before something takes a place or is removed; of a tree's many files only the first."""
    if event in ("os.rename", "shutil.rmtree"):
        return True
    return event in ("os.remove", "os.mkdir") and "kb-" in str(arguments[0])[-8:]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_kill_loses_nothing(shared: Base) -> None:
    number, build = 0, partial(shared.build, site=SiteOptions(interfaces=("en",)))
    while True:
        word = f"wyraz{number}abc"
        shared.edit(word)
        is_killed = is_killed_at(number, taken_places, build)
        shared.check_data()
        # Killed between two renames: the next build brings the old site back first.
        assert shared.site.exists() or shared.folder.joinpath(".site.kb-old", STAMP).exists()
        if not is_killed:
            break
        build()
        assert read_stamp(shared.site)["build"] == shared.index_build()
        check_hidden(shared.site)
        assert shared.found(word) == ["one-pilot"]
        number += 1
    # A build that finds nothing changed leaves the clearing away to the next.
    assert number >= 6 and not shared.litter()
    remove_hidden(shared.site)
    shared.check_site()


def test_a_site_moved_away_by_a_killed_build_is_back_though_a_record_is_faulty(
    shared: Base,
) -> None:
    shared.site.rename(shared.site.with_name(".site.kb-old"))
    record = shared.folder / "rulings" / "demo" / "pilots" / "one-pilot.md"
    record.write_text("nothing", encoding="utf-8")
    with pytest.raises(KbError, match="the last build is unchanged"):
        shared.build()
    assert read_stamp(shared.site)["build"] == shared.index_build() and not shared.litter()


def test_a_second_build_leaves_a_swap_of_the_first_alone(
    shared: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the two renames of the first, the second must not bring the old site back."""
    rename, refusals = Path.rename, []

    def rename_during_a_build(path: Path, target: Path) -> Path:
        if path.name == ".site.kb-new":
            with pytest.raises(KbError, match="another build is running") as refusal:
                shared.build()
            refusals.append(refusal)
        return rename(path, target)

    monkeypatch.setattr("kb.pipeline.data_folder._PATIENCE", 0)
    monkeypatch.setattr(Path, "rename", rename_during_a_build)
    shared.edit("inny")
    shared.build()
    assert len(refusals) == 1
    assert shared.found("inny") == ["one-pilot"] and not shared.litter()
    check_hidden(shared.site)


def foreign_old_site(base: Base) -> None:
    notes = base.folder / ".site.kb-old" / "notes"
    notes.parent.mkdir()
    notes.write_text("mine", encoding="utf-8")


def no_list(base: Base) -> None:
    (base.site / LIST).unlink()


def foreign_data(base: Base) -> None:
    shutil.rmtree(base.places.data)
    path = base.places.data / "builds" / "7" / "plan.txt"
    path.parent.mkdir(parents=True)
    path.write_text("mine", encoding="utf-8")


def builds_behind_a_link(base: Base) -> None:
    builds = base.places.data / "builds"
    builds.rename(base.folder / "other")
    builds.symlink_to(base.folder / "other")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (foreign_old_site, r"\.site\.kb-old: kb did not make this; move it away"),
        (no_list, "holds files that no build of the site made"),
        (foreign_data, "kb did not make this; name a new or an empty folder"),
        (builds_behind_a_link, "kb did not make this"),
    ],
)
def test_a_folder_of_somebody_else_is_refused(
    harm: Callable[[Base], None], message: str, shared: Base
) -> None:
    harm(shared)
    shared.edit("inny")
    before = contents(shared.folder)
    with pytest.raises(KbError, match=message):
        shared.build()
    assert contents(shared.folder) == before
    check_hidden(shared.site)


def test_a_data_folder_of_another_user_is_refused(
    shared: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else could make it lead to folders of ours, which a build would delete."""
    before = contents(shared.places.data)
    shared.edit("inny")
    monkeypatch.setattr(os, "getuid", lambda: shared.folder.stat().st_uid + 1)
    with pytest.raises(KbError, match="belongs to another user; name a folder of your own"):
        pipeline.derive(shared.places)
    assert contents(shared.places.data) == before


@pytest.mark.parametrize("output", ["rulings/demo/site", ".kb/rulings/site", "."])
def test_no_site_among_the_records_or_around_them(
    output: str, shared: Base, kb: RunCommand
) -> None:
    (shared.folder / STAMP).write_text('{"generator": "kb"}', encoding="utf-8")
    shared.edit("inny")
    before = contents(shared.folder)
    done = kb("build", "--output", output, cwd=shared.folder, code=1)
    assert "name another" in done.stderr, done.stderr
    assert contents(shared.folder) == before
