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
@pytest.mark.parametrize("call", ["fsync", "replace", "link", "chmod"])
def test_a_file_is_old_or_new_whatever_call_fails(
    call: str, exclusive: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cards.tsv"
    if not exclusive:
        path.write_text("old\n", encoding="utf-8")

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        try:
            write_file(path, "new\n", exclusive=exclusive)
        except OSError as error:
            # The file that was to be written is named, not one that the user knows nothing of.
            assert error.filename == str(path)
    content = path.read_text(encoding="utf-8") if path.exists() else None
    assert content in ("new\n", None if exclusive else "old\n")
    assert names(tmp_path) == (["cards.tsv"] if content else [])


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

    with pytest.raises(FileExistsError):
        write_file(path, "new\n", exclusive=True)
    monkeypatch.setattr(os, "fsync", sync_slowly)
    with pytest.raises(FileChanged, match="has just written it"):
        write_file(path, "new\n", expected=b"old\n")
    assert names(tmp_path) == (["cards.tsv"] if meanwhile else [])
    assert not meanwhile or path.read_text(encoding="utf-8") == meanwhile


def test_mode_stays_and_a_new_file_has_the_usual_one(tmp_path: Path) -> None:
    # The longest name that file systems allow.
    secret, usual, control = tmp_path / "secret", tmp_path / ("x" * 255), tmp_path / "control"
    secret.touch(0o600)
    control.touch()
    for path in (secret, usual):
        write_file(path, "x")
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (secret, usual, control)]
    assert modes[0] == 0o600 and modes[1] == modes[2]


@pytest.mark.parametrize("target", ["mine", "none", "/dev/null"])
def test_nothing_is_written_through_a_link(target: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    link = tmp_path / "report.txt"
    link.symlink_to(target)
    with pytest.raises(OSError, match="symbolic link"):
        write_file(link, "x")
    assert link.is_symlink() and names(tmp_path) == ["mine", "report.txt"]
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "mine"


def test_only_old_temporary_files_are_removed(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for path in (tmp_path / f"{TEMPORARY}1", tmp_path / "deep" / f"{TEMPORARY}2"):
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
    with pytest.raises(TypeError):
        write_new_folder(folder, {"a": b"x", "deep/b": None})  # type: ignore[dict-item]
    assert names(tmp_path) == []
    write_new_folder(folder, {"a": b"x", "deep/b": b"y"})
    assert (folder / "deep" / "b").read_bytes() == b"y" and names(tmp_path) == ["base"]
    with pytest.raises(FileExistsError):
        write_new_folder(folder, {"a": b"z"})
    assert (folder / "a").read_bytes() == b"x"


def test_a_lock_excludes_others_by_whatever_name_and_no_other_user_can_open_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever can open a file can hold its lock, and so stop every save."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "records").mkdir()
    (tmp_path / "link").symlink_to("records")
    with folder_lock(tmp_path / "records"), staging_build(tmp_path / "data"):
        locks = [tmp_path / "data" / "lock", *(tmp_path / "cache" / "kb" / "locks").iterdir()]
        assert [stat.S_IMODE(path.stat().st_mode) for path in locks] == [0o600, 0o600]
        saving = pytest.raises(KbError, match="another program is saving")
        with saving, folder_lock(tmp_path / "link", patience=0):
            pass
    with folder_lock(tmp_path / "link", patience=0):
        pass
