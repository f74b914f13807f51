"""Checksums of a build's files: what it shares with the last build is not read again."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from kb.core.problems import NotBuilt
from kb.pipeline import integrity
from kb.pipeline.integrity import CHECKSUMS, verify_checksums, write_checksums


def test_only_files_of_its_own_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last, new = tmp_path / "1", tmp_path / "2"
    for folder in (last, new):
        (folder / "index").mkdir(parents=True)
    for name in ("forms.sqlite", "index/a", "kb.sqlite", "gone"):
        (last / name).write_text(name, encoding="utf-8")
    write_checksums(last)
    (last / "gone").unlink()
    for name in ("forms.sqlite", "index/a"):
        os.link(last / name, new / name)
    (new / "kb.sqlite").write_text("another", encoding="utf-8")
    read: list[str] = []
    checksum = integrity._checksum

    def noted(path: Path) -> int:
        read.append(path.name)
        return checksum(path)

    monkeypatch.setattr(integrity, "_checksum", noted)
    write_checksums(new, last)
    assert read == ["kb.sqlite"]
    verify_checksums(new)
    (new / "index" / "a").write_text("damaged", encoding="utf-8")
    with pytest.raises(NotBuilt, match="index/a"):
        verify_checksums(new)


@pytest.mark.parametrize("text", ["", "[]", "null", '{"a": 1}', None])
def test_a_last_build_without_checksums_is_no_help(tmp_path: Path, text: str | None) -> None:
    last, new = tmp_path / "1", tmp_path / "2"
    last.mkdir()
    new.mkdir()
    (new / "kb.sqlite").write_text("x", encoding="utf-8")
    if text is not None:
        (last / CHECKSUMS).write_text(text, encoding="utf-8")
    write_checksums(new, last)
    verify_checksums(new)
    assert [*json.loads((new / CHECKSUMS).read_text(encoding="utf-8"))] == ["kb.sqlite"]
