"""Swapping folders and locks."""

from __future__ import annotations

from pathlib import Path

from kb.pipeline import output_folder, staging


def folders(tmp_path: Path) -> tuple[Path, Path]:
    new, place = tmp_path / "new", tmp_path / "place"
    for folder, text in ((new, "new"), (place, "old")):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep" / "changed").write_text(text, encoding="utf-8")
        (folder / "same").write_text("same", encoding="utf-8")
    (place / "gone").write_text("gone", encoding="utf-8")
    return new, place


def test_unchanged_files_stay_the_same_files(tmp_path: Path) -> None:
    new, place = folders(tmp_path)
    before = (place / "same").stat().st_ino
    output_folder.reuse_unchanged_files(new, place)
    output_folder.swap(new, place)
    assert (place / "same").stat().st_ino == before
    assert (place / "deep" / "changed").read_text(encoding="utf-8") == "new"
    assert not (place / "gone").exists() and (new / "gone").exists()


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
