"""Files of a user are whole whatever happens, and nothing is written through a link."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from kb.core.files import (
    TEMPORARY,
    FileChanged,
    folder_lock,
    remove_temporary_files,
    replacing_file,
    write_file,
    write_new_folder,
)
from kb.core.problems import KbError
from kb.pipeline.data_folder import staging_build

pytestmark = pytest.mark.skipif(os.name == "nt", reason="tries what only POSIX has")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("call", ["write", "fsync", "replace", "link", "chmod"])
def test_a_file_is_old_or_new_whatever_call_fails(
    call: str, exclusive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cards.tsv"
    if not exclusive:
        path.write_text("old\n", encoding="utf-8")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if call == "write":
        with pytest.raises(OSError, match="No space"), replacing_file(path) as file:
            file.write(b"ne")
            fail()
    else:
        monkeypatch.setattr(os, call, fail)
        try:
            write_file(path, "new\n", exclusive=exclusive)
        except OSError as error:
            # The file that was to be written is named, not one that the user knows nothing of.
            assert error.filename == str(path)
        monkeypatch.undo()
    content = path.read_text(encoding="utf-8") if path.exists() else None
    assert content in ("new\n", None if exclusive else "old\n")
    assert names(tmp_path) == (["cards.tsv"] if content else [])


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "0.md"
    write_file(path, "first", exclusive=True)
    with pytest.raises(FileExistsError):
        write_file(path, "second", exclusive=True)
    assert path.read_text(encoding="utf-8") == "first" and names(tmp_path) == ["0.md"]


@pytest.mark.parametrize("meanwhile", ["theirs", None])
def test_what_somebody_else_wrote_meanwhile_stays(
    meanwhile: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also while the new content is synced, which may take seconds."""
    path, sync = tmp_path / "cards.tsv", os.fsync
    path.write_text("old\n", encoding="utf-8")

    def sync_slowly(descriptor: int) -> None:
        sync(descriptor)
        path.unlink()
        if meanwhile:
            path.write_text(meanwhile, encoding="utf-8")

    monkeypatch.setattr(os, "fsync", sync_slowly)
    with pytest.raises(FileChanged, match="has just written it"):
        write_file(path, "new\n", expected=b"old\n")
    assert names(tmp_path) == (["cards.tsv"] if meanwhile else [])
    assert not meanwhile or path.read_text(encoding="utf-8") == meanwhile


def test_no_other_user_can_open_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can open a file can hold its lock, and so stop every save."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with folder_lock(tmp_path), staging_build(tmp_path / "data"):
        locks = [tmp_path / "data" / "lock", *(tmp_path / "cache" / "kb" / "locks").iterdir()]
        assert [stat.S_IMODE(path.stat().st_mode) for path in locks] == [0o600, 0o600]


def test_mode_stays_and_a_new_file_has_the_usual_one(tmp_path: Path) -> None:
    # The longest name that file systems allow.
    secret, usual, control = tmp_path / "secret", tmp_path / ("x" * 255), tmp_path / "control"
    secret.touch(0o600)
    control.touch()
    for path in (secret, usual):
        write_file(path, "x")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (secret, usual, control)]
    assert modes[0] == 0o600 and modes[1] == modes[2]


@pytest.mark.parametrize("target", ["file", "folder", "nothing", "device"])
def test_nothing_is_written_through_a_link(target: str, tmp_path: Path) -> None:
    place, outside = tmp_path / "here", tmp_path / "outside"
    place.mkdir()
    if target == "file":
        outside.write_text("mine", encoding="utf-8")
    elif target == "folder":
        outside.mkdir()
    link = place / "report.txt"
    link.symlink_to("/dev/null" if target == "device" else outside)
    with pytest.raises(OSError, match="symbolic link"):
        write_file(link, "x")
    assert link.is_symlink() and names(place) == ["report.txt"]
    assert not outside.is_file() or outside.read_text(encoding="utf-8") == "mine"


def test_only_old_temporary_files_are_removed(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    dead = [tmp_path / f"{TEMPORARY}1", tmp_path / "deep" / f"{TEMPORARY}2"]
    for path in dead:
        path.touch()
        os.utime(path, (0, 0))
    (tmp_path / f"{TEMPORARY}link").symlink_to("deep")
    with replacing_file(tmp_path / "alive") as file:
        remove_temporary_files(tmp_path)
        file.write(b"x")
    assert names(tmp_path) == [f"{TEMPORARY}link", "alive", "deep"]
    assert names(tmp_path / "deep") == []


def test_a_new_folder_is_whole_or_missing(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    folder.mkdir()
    with pytest.raises(TypeError):
        write_new_folder(folder, {"a": b"x", "deep/b": None})  # type: ignore[dict-item]
    assert names(tmp_path) == ["base"] and names(folder) == []
    write_new_folder(folder, {"a": b"x", "deep/b": b"y"})
    assert (folder / "deep" / "b").read_bytes() == b"y" and names(tmp_path) == ["base"]
    with pytest.raises(FileExistsError):
        write_new_folder(folder, {"a": b"z"})
    assert (folder / "a").read_bytes() == b"x"


def test_a_lock_excludes_others_by_whatever_name(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "link").symlink_to("records")
    saving = pytest.raises(KbError, match="another program is saving")
    with folder_lock(tmp_path / "records"), saving, folder_lock(tmp_path / "link", patience=0):
        pass
    with folder_lock(tmp_path / "link", patience=0):
        pass
