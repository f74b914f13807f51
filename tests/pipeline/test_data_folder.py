"""A build overwrites and deletes nothing of somebody else's in the folder of its data."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.pipeline import build as pipeline
from kb.pipeline.data_folder import CHECKSUMS, refuse_foreign_data
from kb.pipeline.paths import Paths
from tests.conftest import GOOD, contents

# What stands in the way, with a text where it is a file.
FOREIGN = {
    "lock": "the lock of the garage",
    "current": "the current draft",
    "current/notes.txt": "mine",
    "builds": "houses that were built",
    "builds/plan.txt": "mine",
    "builds/7/plan.txt": "mine",
    "lock/notes.txt": "mine",
    "shards": "broken glass",
    "shards/old-glass.js": "mine",
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("whole", [True, False], ids=["build", "search"])
def test_a_file_of_somebody_else_is_named_and_stays(name: str, whole: bool, tmp_path: Path) -> None:
    data = tmp_path / "data"
    path = data / name
    path.parent.mkdir(parents=True)
    path.write_text(FOREIGN[name], encoding="utf-8")
    os.utime(path, (0, 0))
    paths = Paths(GOOD, data)
    with pytest.raises(KbError) as raised:
        pipeline.build(paths, tmp_path / "site") if whole else pipeline.derive(paths)
    assert f"{data.as_posix()}/{name.partition('/')[0]}" in str(raised.value)
    assert "KB_DATA" in str(raised.value)
    assert contents(data) == {name: FOREIGN[name].encode()}
    assert not (tmp_path / "site").exists()


def test_a_lock_that_leads_to_a_file_of_somebody_else(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "lock").symlink_to(tmp_path / "mine.txt")
    with pytest.raises(KbError, match="data/lock: is not kb's"):
        refuse_foreign_data(tmp_path / "data")
    with pytest.raises(KbError, match=r"mine.txt: is not kb's"):
        refuse_foreign_data(tmp_path / "mine.txt")


def test_what_builds_have_left_is_taken(tmp_path: Path) -> None:
    """Nothing, a build that was killed, one that is damaged, builds that were deleted."""
    data = tmp_path / "data"
    refuse_foreign_data(data)
    data.mkdir()
    (data / "notes.txt").write_text("mine", encoding="utf-8")
    refuse_foreign_data(data)
    (data / "lock").touch()
    (data / "builds" / ".kb-new-x").mkdir(parents=True)
    (data / "builds" / ".kb-new-x.lock").touch()
    refuse_foreign_data(data)
    (data / "builds" / "1").mkdir()
    (data / "builds" / "1" / CHECKSUMS).touch()
    for content in ("1\n", "", "99\n", "../../..\n", "x" * 5_000, "\0\n"):
        (data / "current").write_text(content, encoding="utf-8")
        refuse_foreign_data(data)
    (data / "builds" / "1" / CHECKSUMS).rename(data / "builds" / "1" / "kb.sqlite")
    refuse_foreign_data(data)
    (data / "current").write_text("1\n", encoding="utf-8")
    shutil.rmtree(data / "builds")
    refuse_foreign_data(data)
    (data / "lock").unlink()
    with pytest.raises(KbError, match="data/current: is not kb's"):
        refuse_foreign_data(data)
