"""The folder that a site is written into: what stays the same is left, what is held comes later."""

from __future__ import annotations

import os
from pathlib import Path

from kb.site.output import Output, written


def content(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_file_that_stays_the_same_is_not_written_again(tmp_path: Path) -> None:
    used, folder = tmp_path / "used", tmp_path / "new"
    first = Output(used)
    for name in ("a", "deep/b", "deep/c", "gone/d"):
        first.write(name, name)
    folder.mkdir()
    for name in first.files:
        (folder / name).parent.mkdir(exist_ok=True)
        os.link(used / name, folder / name)
    output = Output(folder, first.files)
    for name, text in {"a": "a", "deep/b": "other", "deep/c": "deep/c", "new/e": "e"}.items():
        output.write(name, text)
    output.finish()
    assert content(folder) == {"a": "a", "deep/b": "other", "deep/c": "deep/c", "new/e": "e"}
    assert (folder / "a").samefile(used / "a") and not (folder / "gone").exists()
    # A link to a file of the site in use is replaced, never written through.
    assert content(used)["deep/b"] == "deep/b"


def test_what_is_held_is_written_when_the_folder_is_ready(tmp_path: Path) -> None:
    before = {"a": written(b"a"), "b": written(b"b")}
    output = Output(tmp_path / "site", before, held=True)
    for name, text in {"a": "a", "b": "other", "deep/c": "c"}.items():
        output.write(name, text)
    assert output.held == {"b": b"other", "deep/c": b"c"} and not (tmp_path / "site").exists()
    assert output.files["b"] == written(b"other")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a").write_text("a", encoding="utf-8")
    (tmp_path / "site" / "b").write_text("b", encoding="utf-8")
    output.begin()
    output.write("d", "d")
    assert output.held is None
    assert content(tmp_path / "site") == {"a": "a", "b": "other", "deep/c": "c", "d": "d"}
