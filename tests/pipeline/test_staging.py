"""Staging directories and their locks."""

from __future__ import annotations

from pathlib import Path

from kb.pipeline import staging


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
