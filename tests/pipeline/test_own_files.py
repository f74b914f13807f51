"""A build deletes nothing in its output folder that is not in the list of a build."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.pipeline import output_folder, staging
from kb.pipeline.output_folder import LIST, STAMP, finish_site
from kb.site.settings import SiteOptions
from tests.command_line import RunCommand
from tests.reliability.conftest import Base, is_killed_at

OTHERS = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/ab/cdef": "unpushed",
    ".well-known/security.txt": "Contact: x",
    "CNAME": "rulings.example.org",
    "demo/notes.txt": "mine",
    "demo/rulings/one-pilot/mine/deep.txt": "mine",
    "static/mine.js": "mine",
    "files.txt.bak": "mine",
    ".kb-staged": "mine",
}
EMPTY = (".git/refs/tags", "demo/empty")
WAYS = ("change", "nothing", "no-data", "no-ruling")


@pytest.fixture()
def shared(base: Base) -> Base:
    """A built base, in whose site somebody else has files, folders and links."""
    site = base.site
    for name, text in OTHERS.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    for name in EMPTY:
        (site / name).mkdir(parents=True)
    (site / "latest").symlink_to("demo")
    (site / "dangling").symlink_to("nowhere")
    (site / ".git" / "hooks").mkdir(mode=0o700)
    return base


def check_others(site: Path) -> None:
    assert {name: (site / name).read_text(encoding="utf-8") for name in OTHERS} == OTHERS
    assert all((site / name).is_dir() for name in EMPTY)
    assert os.readlink(site / "latest") == "demo" and os.readlink(site / "dangling") == "nowhere"
    assert (site / ".git" / "hooks").stat().st_mode & 0o777 == 0o700


def own(base: Base) -> dict[str, bytes]:
    files = output_folder.own_files(base.site) or ()
    return {name: (base.site / name).read_bytes() for name in files}


def files_below(folder: Path) -> set[str]:
    files = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return {path.relative_to(folder).as_posix() for path in files}


@pytest.mark.parametrize(("way", "exchange"), [("change", False), *((way, True) for way in WAYS)])
def test_a_build_carries_over_what_is_not_its_own(
    way: str, exchange: bool, shared: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchange:
        monkeypatch.setattr(output_folder, "_exchange", lambda one, other: False)
    if way == "change":
        shared.edit("inny")
    elif way == "no-data":
        shutil.rmtree(shared.folder / ".kb")
    elif way == "no-ruling":
        (shared.places.rulings / "demo" / "pilots" / "example.md").unlink()
    result = shared.build(keep_going=way == "no-ruling")
    # Files of others do not make a build write everything again.
    assert result.unchanged == (way == "nothing")
    check_others(shared.site)
    assert files_below(shared.site) - {*own(shared)} == {*OTHERS, "latest", "dangling"}
    assert (shared.site / "demo/rulings/example/index.html").exists() == (way != "no-ruling")
    assert not shared.litter(most=3)


@pytest.mark.parametrize("name", ["demo/rulings/new/index.html", "demo/rulings/new"])
def test_a_file_in_the_place_of_a_page_is_named(name: str, shared: Base) -> None:
    mine = shared.site / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine", encoding="utf-8")
    example = shared.places.rulings / "demo" / "pilots" / "example.md"
    shutil.copyfile(example, example.with_name("new.md"))
    before = own(shared)
    with pytest.raises(KbError, match=f"{name}: is not the build's"):
        shared.build(keep_going=True)
    assert mine.read_text(encoding="utf-8") == "mine" and own(shared) == before
    check_others(shared.site)
    assert not shared.litter(most=3)


def test_a_robots_txt_of_the_webmaster_stays(shared: Base) -> None:
    options = SiteOptions("https://rulings.example.org")
    assert not shared.build(site=options).robots_left_out
    robots = shared.site / "robots.txt"
    assert "sitemap.xml" in robots.read_text(encoding="utf-8") and robots.name in own(shared)
    shared.build()
    robots.write_text("mine", encoding="utf-8")
    for force in (False, True):
        assert shared.build(site=options, force=force).robots_left_out
        assert robots.read_text(encoding="utf-8") == "mine" and robots.name not in own(shared)
    assert shared.build(site=options).unchanged


# The event of Python before which a build is killed: how many are let by, its name, and which of
# its arguments is what.
_MOMENTS = {
    "before the swap": (0, "ctypes.dlsym", 1, "renameat2"),
    "before a swap in two steps": (0, "os.rename", 0, "/site$"),
    "after the swap": (0, "os.rename", 1, "/current$"),
    "in the removal": (50, "os.remove", 0, "/.kb-new-site-"),
}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("moment", _MOMENTS)
def test_a_kill_loses_nothing_of_others(
    moment: str, shared: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others write between the copy and the swap is carried over by the next build too."""
    number, name, place, pattern = _MOMENTS[moment]
    late = shared.site / ".git" / "objects" / "ab" / "late"
    swap_now = output_folder.swap

    def swap_late(new: Path, place: Path) -> None:
        late.write_text("written meanwhile", encoding="utf-8")
        swap_now(new, place)

    monkeypatch.setattr(output_folder, "swap", swap_late)
    if moment == "before a swap in two steps":
        monkeypatch.setattr(output_folder, "_exchange", lambda one, other: False)
    shared.edit("inny")

    def counts(event: str, arguments: tuple[object, ...]) -> bool:
        return event == name and re.search(pattern, str(arguments[place])) is not None

    assert is_killed_at(number, counts, shared.build)
    assert shared.litter(most=3)
    monkeypatch.undo()
    for _ in range(2):
        shared.build()
        check_others(shared.site)
    assert late.read_text(encoding="utf-8") == "written meanwhile"
    assert not shared.litter(most=3)
    assert {*own(shared)} <= files_below(shared.site)


def test_what_killed_builds_left_is_removed(tmp_path: Path) -> None:
    for name in (".kb-new-dead", ".kb-new-moved.lock", ".kb-new-both", ".kb-new-both.lock"):
        path = tmp_path / name
        path.touch() if name.endswith(".lock") else path.mkdir()
    with staging.staging_directory(tmp_path) as staged:
        (staged / "file").write_text("x", encoding="utf-8")
        staging.remove_abandoned(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {staged.name, f"{staged.name}.lock"}
        assert (staged / "file").is_file()
    assert list(tmp_path.iterdir()) == []


def test_what_differs_from_the_new_site_is_not_deleted_after_a_kill(shared: Base) -> None:
    old = shared.folder / ".kb-new-site-abcdefgh"
    (old / "deep").mkdir(parents=True)
    for name in ("CNAME", "deep/page.html", "deep/mine"):
        (old / name).write_text("other", encoding="utf-8")
    finish_site(old, ["deep/page.html"], {})
    shared.edit("inny")
    shared.build()
    # CNAME is another than the site's: both stay. What the site lacks is moved there.
    assert (old / "CNAME").read_text(encoding="utf-8") == "other"
    assert (shared.site / "deep" / "mine").read_text(encoding="utf-8") == "other"
    assert not (shared.site / "deep" / "page.html").exists()
    check_others(shared.site)


def test_a_site_without_its_list_is_refused(shared: Base) -> None:
    (shared.site / LIST).unlink()
    shared.edit("inny")
    with pytest.raises(KbError, match="move yours away"):
        shared.build()
    check_others(shared.site)


@pytest.mark.parametrize(
    "output", ["rulings", "rulings/demo", "rulings/demo/site", ".kb/rulings/site", "."]
)
def test_no_site_among_the_records_or_around_them(
    output: str, shared: Base, kb: RunCommand
) -> None:
    (shared.folder / STAMP).write_text('{"generator": "kb"}', encoding="utf-8")
    shared.edit("inny")
    before = files_below(shared.folder)
    done = kb("build", "--output", output, cwd=shared.folder, code=1)
    assert "name another" in done.stderr, done.stderr
    assert files_below(shared.folder) - before <= {".kb/rulings/lock"}


def test_only_builds_are_deleted_where_builds_are_kept(shared: Base) -> None:
    builds = shared.places.data / "builds"
    for name in ("mine", "7.old", "12", "²"):
        (builds / name).mkdir()
        (builds / name / "notes").write_text("mine", encoding="utf-8")
    assert (builds / "1").exists()
    for word in ("inny", "dalszy"):
        shared.edit(word)
        shared.build()
    assert not (builds / "1").exists()
    assert {"mine", "7.old", "12", "²"} <= {path.name for path in builds.iterdir()}
