"""The log of queries without an answer: what is written, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.server.unanswered import MAX_BYTES, UnansweredLog


def test_only_day_match_and_query_of_what_has_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "queries.tsv"
    log = UnansweredLog(path, pytest.fail)
    log.check()
    log.record("two pilots", "all")
    log.record("two pilots", "most")
    log.record("tomato\tsoup\n\x1b[31m", "none")
    log.record("żółw", "near")
    log.record(" \t", "none")
    first, second = path.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d\tnone\ttomato soup \[31m", first)
    assert second.endswith("\tnear\tżółw")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_appended_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for path in (tmp_path / "link", tmp_path, tmp_path / "none" / "file"):
        with pytest.raises(KbError):
            UnansweredLog(path, print).check()
    messages: list[str] = []
    log = UnansweredLog(tmp_path / "link", messages.append)
    log.record("soup", "none")
    log.record("soup", "none")
    assert len(messages) == 1 and "unanswered queries are lost" in messages[0]
    assert not (tmp_path / "target").exists()
    full = tmp_path / "full"
    with full.open("wb") as file:
        file.truncate(MAX_BYTES)
    UnansweredLog(full, pytest.fail).record("soup", "none")
    assert full.stat().st_size == MAX_BYTES
