"""A killed build or command leaves no process, no lock and no torn file.

See also tests/pipeline/test_folders.py.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import time
from functools import partial
from pathlib import Path

import pytest

from kb.core.files import TEMPORARY
from kb.core.problems import KbError
from kb.pipeline import data_folder
from kb.pipeline.data_folder import staging_build
from tests.command_line import RunCommand, call_kb
from tests.conftest import GOOD, contents
from tests.reliability.conftest import Base, is_killed_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def test_a_killed_build_takes_its_processes_with_it(base: Base) -> None:
    base.edit("inny")
    assert is_killed_at(30, lambda event, _: event == "open", partial(base.build, force=True))
    # None is left that would hold the lock, or write on into what the next build clears away.
    base.build()
    assert not base.litter()


def test_two_builds_at_once(base: Base, kb: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is refused while the first lives; the lock of a killed one hinders nobody."""
    monkeypatch.setattr(data_folder, "_PATIENCE", 0.3)
    base.edit("inny")
    context = multiprocessing.get_context("fork")
    locked = context.Event()

    def hold() -> None:
        with staging_build(base.places.data):
            locked.set()
            time.sleep(600)

    holder = context.Process(target=hold, daemon=True)
    holder.start()
    try:
        assert locked.wait(60)
        done = kb("build", cwd=base.folder, code=1)
        assert "another program is writing there; wait for it to end" in done.stderr
        with pytest.raises(KbError, match="another program"):
            base.build()
        assert base.found("zerowy") == ["one-pilot"]
        kb("search", "zerowy", cwd=base.folder)
    finally:
        holder.kill()
        holder.join()
    kb("build", cwd=base.folder)
    assert base.found("inny") == ["one-pilot"]


# Commands that write several files. A single file is tried in tests/core/test_files.py.
CALLS = [
    "translated",
    "new base fresh",
    "import jsonl drafts.jsonl --game demo --into drafts",
]


@pytest.fixture()
def drafts(tmp_path: Path) -> Path:
    """A base with stale translations, and a file to import."""
    folder = tmp_path / "base"
    shutil.copytree(GOOD, folder / "rulings")
    for path in folder.glob("rulings/demo/pilots/*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("\n\n# en: ", " Zmiana.\n\n# en: ", 1), encoding="utf-8")
    lines = [
        json.dumps({"id": name, "title": {"pl": "Tytuł"}, "text": {"pl": f"Treść {name}."}})
        for name in ("first", "second", "third")
    ]
    (folder / "drafts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    """The files of a user: neither temporary ones nor what is derived or remembered."""
    derived = (".kb/", "/.import/", TEMPORARY)
    files = contents(folder).items()
    return {name: data for name, data in files if not any(part in name for part in derived)}


# Events of Python before a file is put in its place or removed.
_PLACES = {"os.rename", "os.link", "os.remove", "os.truncate"}


@pytest.mark.parametrize("words", CALLS)
def test_nothing_is_lost_wherever_it_is_killed(words: str, drafts: Path, tmp_path: Path) -> None:
    call = words.split()
    before = _files(drafts)
    whole = tmp_path / "whole"
    shutil.copytree(drafts, whole)
    done = call_kb(*call, cwd=whole)
    after = _files(whole)
    assert done.returncode == 0 and after != before, done.stderr
    kills = 0
    while True:
        folder = tmp_path / str(kills) / "base"
        shutil.copytree(drafts, folder)

        def changes(event: str, arguments: tuple[object, ...], folder: Path = folder) -> bool:
            if event not in _PLACES or not isinstance(arguments[0], str | Path):
                return False
            return os.path.abspath(arguments[0]).startswith(str(folder))

        if not is_killed_at(kills, changes, partial(call_kb, *call, cwd=folder)):
            break
        left = _files(folder)
        assert before.keys() <= left.keys(), f"gone after {kills} steps"
        for name, data in left.items():
            assert data in (before.get(name), after.get(name)), f"{name} is torn: {kills} steps"
        again = call_kb(*call, cwd=folder)
        # What is new only may be there already, whole.
        is_refused = again.returncode and call[0] == "new" and left == after
        assert is_refused or _files(folder) == after, f"{kills} steps: {again.stderr}"
        kills += 1
    assert kills
