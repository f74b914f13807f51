"""A build deletes nothing in its output folder that is not in the list of a build."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.core import parallel
from kb.core.problems import KbError
from kb.pipeline import assembly, own_files, pipeline, publish, saved_spare, spare, staging
from kb.pipeline.data_folder import SPARE
from kb.pipeline.inputs import STAMP
from kb.pipeline.own_files import LIST, files_below, write_list
from kb.pipeline.paths import Paths
from tests.command_line import RunCommand
from tests.conftest import GOOD, BuildOnce
from tests.selection import thorough

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
WAYS = ("change", "force", "nothing", "no-data", "no-ruling")


@pytest.fixture(scope="module")
def built(build_once: BuildOnce) -> Path:
    def fill(folder: Path) -> None:
        shutil.copytree(GOOD, folder / "rulings")
        build(folder)

    return build_once("own-files-base", fill)


def build(folder: Path, **options: bool) -> pipeline.BuildResult:
    places = Paths(folder / "rulings", folder / ".kb" / "rulings")
    site = pipeline.SiteOptions(interfaces=("en",))
    return pipeline.build(places, folder / "site", site=site, **options)


@pytest.fixture()
def folder(built: Path, tmp_path: Path) -> Path:
    """A built base, in whose site somebody else has files, folders and links."""
    place = tmp_path / "base"
    shutil.copytree(built, place, copy_function=shutil.copy2)
    add_others(place / "site")
    return place


def add_others(site: Path) -> None:
    for name, text in OTHERS.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    for name in EMPTY:
        (site / name).mkdir(parents=True)
    (site / "latest").symlink_to("demo")
    (site / "dangling").symlink_to("nowhere")
    (site / ".git" / "hooks").mkdir(mode=0o700)


def check_others(site: Path) -> None:
    assert {name: (site / name).read_text(encoding="utf-8") for name in OTHERS} == OTHERS
    assert all((site / name).is_dir() for name in EMPTY)
    assert os.readlink(site / "latest") == "demo" and os.readlink(site / "dangling") == "nowhere"
    assert (site / ".git" / "hooks").stat().st_mode & 0o777 == 0o700


def own(folder: Path) -> dict[str, bytes]:
    site = folder / "site"
    return {name: (site / name).read_bytes() for name in own_files.own_files(site) or ()}


def edit(folder: Path) -> None:
    path = folder / "rulings" / "demo" / "pilots" / "example.md"
    path.write_text(path.read_text(encoding="utf-8").replace("# en: ", "# en: Now "), "utf-8")


def litter(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".kb-new"))


@pytest.mark.parametrize(
    ("way", "exchange"),
    [
        ("change", False),
        *((way, True) for way in WAYS),
        *thorough(*((way, False) for way in WAYS[1:])),
    ],
)
def test_a_build_carries_over_what_is_not_its_own(
    way: str, exchange: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not exchange:
        monkeypatch.setattr(staging, "_exchange", lambda one, other: False)
    if way == "change":
        edit(folder)
    elif way == "no-data":
        shutil.rmtree(folder / ".kb")
    elif way == "no-ruling":
        (folder / "rulings" / "demo" / "pilots" / "example.md").unlink()
    result = build(folder, force=way == "force", keep_going=way == "no-ruling")
    # Files of others do not make a build write everything again.
    assert result.unchanged == (way == "nothing")
    check_others(folder / "site")
    assert {*files_below(folder / "site")} - {*own(folder)} == {*OTHERS, "latest", "dangling"}
    assert (folder / "site" / "demo/rulings/example/index.html").exists() == (way != "no-ruling")
    assert not litter(folder)


@pytest.fixture()
def saved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the spare site, which a build of the base has saved."""
    monkeypatch.setattr(spare, "MIN_FILES", 0)
    edit(folder)
    build(folder)
    place = folder / ".kb" / "rulings" / SPARE
    assert (place / "note.json").is_file()
    return place


def test_a_saved_spare_becomes_the_next_site(folder: Path, saved: Path, tmp_path: Path) -> None:
    before = {name: (folder / "site" / name).stat().st_ino for name in own(folder)}
    site = (saved / "site").stat().st_ino
    # It has nothing but files of the build, without what says that it is finished.
    assert {*files_below(saved / "site")} == {*own(folder)} - {LIST, STAMP}
    (folder / "site" / "demo" / "notes.txt").write_text("more", encoding="utf-8")
    (folder / "site" / "later").write_text("later", encoding="utf-8")
    edit(folder)
    build(folder)
    assert (folder / "site").stat().st_ino == site and (saved / "note.json").is_file()
    assert (folder / "site" / "demo" / "notes.txt").read_text(encoding="utf-8") == "more"
    assert (folder / "site" / "later").read_text(encoding="utf-8") == "later"
    (folder / "site" / "demo" / "notes.txt").write_text("mine", encoding="utf-8")
    check_others(folder / "site")
    shutil.copytree(folder / "rulings", tmp_path / "other" / "rulings")
    build(tmp_path / "other")
    assert own(folder) == own(tmp_path / "other") and not litter(folder)
    stays = "static/kb.css"
    assert (folder / "site" / stays).stat().st_ino == before[stays]


@pytest.mark.parametrize("what", ["site", "elsewhere", "note", "folder", "link", "force"])
def test_a_spare_that_is_not_as_noted_is_deleted(
    what: str, folder: Path, saved: Path, tmp_path: Path
) -> None:
    places = Paths(folder / "rulings", tmp_path / "data")
    if what == "site":
        # Another site in the same place, by another build.
        edit(folder)
        pipeline.build(places, folder / "site", site=pipeline.SiteOptions(interfaces=("en",)))
    elif what == "elsewhere":
        shutil.copytree(folder / "site", tmp_path / "copy", symlinks=True)
        shutil.rmtree(folder / "site")
        (tmp_path / "copy").rename(folder / "site")
    elif what == "note":
        (saved / "note.json").unlink()
    elif what == "folder":
        shutil.rmtree(saved / "site")
        (saved / "site").mkdir()
    elif what == "link":
        shutil.rmtree(saved)
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "file").write_text("mine", encoding="utf-8")
        saved.symlink_to(tmp_path / "mine")
    edit(folder)
    build(folder, force=what == "force")
    check_others(folder / "site")
    assert not litter(folder)
    if what == "link":
        assert (tmp_path / "mine" / "file").read_text(encoding="utf-8") == "mine"
    shutil.copytree(folder / "rulings", tmp_path / "other" / "rulings")
    build(tmp_path / "other")
    assert own(folder) == own(tmp_path / "other")


def test_no_spare_is_saved_where_it_would_take_room(
    folder: Path, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system without hard links each file would lie there twice."""

    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", link)
    shutil.rmtree(saved)
    edit(folder)
    build(folder)
    check_others(folder / "site")
    assert not saved.exists() and not litter(folder)


def test_the_list_is_that_of_a_build_from_nothing(folder: Path, tmp_path: Path) -> None:
    edit(folder)
    build(folder)
    shutil.copytree(folder / "rulings", tmp_path / "other" / "rulings")
    build(tmp_path / "other")
    assert own(folder) == own(tmp_path / "other")
    assert {*own(folder)} == {*files_below(tmp_path / "other" / "site")}


def test_a_git_checkout_stays_one(folder: Path) -> None:
    shutil.rmtree(folder / "site" / ".git")

    def git(*words: str) -> str:
        command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words]
        run = subprocess.run(
            command, cwd=folder / "site", check=True, capture_output=True, text=True
        )
        return run.stdout

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "not pushed")
    edit(folder)
    build(folder)
    git("fsck", "--strict")
    assert "not pushed" in git("log") and "demo/rulings/example/index.html" in git("status", "-s")


@pytest.mark.parametrize("name", ["demo/rulings/new/index.html", "demo/rulings/new"])
def test_a_file_in_the_place_of_a_page_is_named(name: str, folder: Path) -> None:
    mine = folder / "site" / name
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine", encoding="utf-8")
    example = folder / "rulings" / "demo" / "pilots" / "example.md"
    shutil.copyfile(example, example.with_name("new.md"))
    before = own(folder)
    with pytest.raises(KbError, match=f"{name}: is not the build's"):
        build(folder, keep_going=True)
    assert mine.read_text(encoding="utf-8") == "mine" and own(folder) == before
    check_others(folder / "site")
    assert not litter(folder)


class Killed(BaseException):
    """Stands for a kill, after which nothing is cleared up."""


def _stop(*_: object, **__: object) -> None:
    raise Killed


_MOMENTS: dict[str, tuple[object, str]] = {
    "before the copy": (publish, "carry_over"),
    "before the swap": (publish, "swap"),
    "after the swap": (publish, "publish_data"),
    "in the middle of the removal": (own_files, "_hand_over"),
}


@pytest.mark.parametrize(
    ("moment", "exchange"),
    [
        ("before the swap", False),
        *((moment, True) for moment in _MOMENTS),
        *thorough(*((moment, False) for moment in _MOMENTS if moment != "before the swap")),
    ],
)
def test_a_kill_loses_nothing_of_others(
    moment: str, exchange: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others write between the copy and the swap is carried over by the next build too."""
    module, name = _MOMENTS[moment]
    late = folder / "site" / ".git" / "objects" / "ab" / "late"
    swap = publish.swap

    def swap_late(new: Path, place: Path) -> None:
        late.write_text("written meanwhile", encoding="utf-8")
        swap(new, place)

    monkeypatch.setattr(publish, "swap", swap_late)
    if not exchange:
        monkeypatch.setattr(staging, "_exchange", lambda one, other: False)
    if module is publish and name == "publish_data":
        monkeypatch.setattr(assembly, name, _stop)
    else:
        monkeypatch.setattr(module, name, _stop)
    if moment != "in the middle of the removal":
        # A killed process removes nothing.
        monkeypatch.setattr(staging, "_remove", lambda staged: None)
    monkeypatch.setattr(Path, "unlink", _unlink_but_locks(Path.unlink))
    edit(folder)
    with pytest.raises(Killed):
        build(folder)
    assert litter(folder)
    monkeypatch.undo()
    swapped = late.exists() or moment not in ("before the copy", "before the swap")
    for _ in range(2):
        build(folder)
        check_others(folder / "site")
    assert not swapped or late.read_text(encoding="utf-8") == "written meanwhile"
    assert not litter(folder)
    assert {*own(folder)} <= {*files_below(folder / "site")}


_SPARE_MOMENTS: dict[str, tuple[object, str]] = {
    "taken": (spare, "others_in"),
    "before the swap": (publish, "swap"),
    "after the swap": (assembly, "publish_data"),
    "before it is brought up to date": (saved_spare, "bring_up_to_date"),
    "while it is brought up to date": (saved_spare, "link_or_copy"),
    "before its note": (saved_spare, "write_file"),
}


@pytest.mark.parametrize("moment", _SPARE_MOMENTS)
def test_a_kill_of_a_build_with_a_spare_loses_nothing(
    moment: str, folder: Path, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = folder / "site" / ".git" / "objects" / "ab" / "late"
    swap = publish.swap

    def swap_late(new: Path, place: Path) -> None:
        late.write_text("written meanwhile", encoding="utf-8")
        swap(new, place)

    with monkeypatch.context() as patch:
        # Nothing is done by a process of its own, which would not be killed.
        patch.setattr(parallel, "cpu_count", lambda: 1)
        patch.setattr(publish, "swap", swap_late)
        patch.setattr(*_SPARE_MOMENTS[moment], _stop)
        patch.setattr(staging, "_remove", lambda staged: None)
        patch.setattr(Path, "unlink", _unlink_but_locks(Path.unlink))
        edit(folder)
        with pytest.raises(Killed):
            build(folder)
    assert not (saved / "note.json").exists()
    for _ in range(2):
        build(folder)
        check_others(folder / "site")
        edit(folder)
    build(folder)
    swapped = moment not in ("taken", "before the swap")
    assert late.exists() == swapped and not litter(folder)
    shutil.copytree(folder / "rulings", tmp_path / "other" / "rulings")
    build(tmp_path / "other")
    assert own(folder) == own(tmp_path / "other")


def _unlink_but_locks(unlink: Callable[..., None]) -> Callable[..., None]:
    def unlinked(path: Path, missing_ok: bool = False) -> None:
        if not path.name.endswith(".lock"):
            unlink(path, missing_ok=missing_ok)

    return unlinked


def test_what_differs_from_the_new_site_is_not_deleted_after_a_kill(folder: Path) -> None:
    old = folder / ".kb-new-site-abcdefgh"
    (old / "deep").mkdir(parents=True)
    for name in ("CNAME", "deep/page.html", "deep/mine"):
        (old / name).write_text("other", encoding="utf-8")
    write_list(old, ["deep/page.html"])
    edit(folder)
    build(folder)
    # CNAME is another than the site's: both stay. What the site lacks is moved there.
    assert (old / "CNAME").read_text(encoding="utf-8") == "other"
    assert (folder / "site" / "deep" / "mine").read_text(encoding="utf-8") == "other"
    assert not (folder / "site" / "deep" / "page.html").exists()
    check_others(folder / "site")


def test_a_site_of_an_earlier_version_is_taken_over_or_refused(folder: Path, built: Path) -> None:
    site = folder / "site"
    (site / LIST).unlink()
    edit(folder)
    with pytest.raises(KbError, match="move yours away"):
        build(folder)
    check_others(site)
    shutil.rmtree(site)
    shutil.copytree(built / "site", site)
    (site / LIST).unlink()
    stamp = (site / STAMP).read_text(encoding="utf-8")
    count = len([*files_below(site)])
    (site / STAMP).write_text(stamp.replace(f'"files": {count + 1}', f'"files": {count}'), "utf-8")
    build(folder)
    assert {*files_below(site)} == {*own(folder)}


@pytest.mark.parametrize(
    "output", ["rulings", "rulings/demo", "rulings/demo/site", ".kb/rulings/site", "."]
)
def test_no_site_among_the_records_or_around_them(
    output: str, folder: Path, kb: RunCommand
) -> None:
    (folder / STAMP).write_text('{"generator": "kb"}', encoding="utf-8")
    edit(folder)
    before = {*files_below(folder)}
    done = kb("build", "--output", output, cwd=folder, code=1)
    assert "name another" in done.stderr, done.stderr
    assert {*files_below(folder)} - before <= {".kb/rulings/lock"}


def test_only_builds_are_deleted_where_builds_are_kept(folder: Path) -> None:
    builds = folder / ".kb" / "rulings" / "builds"
    for name in ("mine", "7.old", "12", "²"):
        (builds / name).mkdir()
        (builds / name / "notes").write_text("mine", encoding="utf-8")
    for _ in range(3):
        edit(folder)
        build(folder)
    assert {"mine", "7.old", "12", "²"} <= {path.name for path in builds.iterdir()}


def test_publishing_reads_only_the_files_of_the_build(folder: Path) -> None:
    from kb.postgres.publish import _own_files

    site = folder / "site"
    assert {path.relative_to(site).as_posix() for path in _own_files(site)} == {*own(folder)}
