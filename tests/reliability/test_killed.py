"""A killed build or command leaves no process, no lock and no torn file.

See also tests/pipeline/test_folders.py.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import select
import time
from functools import partial
from pathlib import Path

import pytest

from kb.core import parallel
from kb.core.problems import KbError
from kb.pipeline import data_folder
from kb.pipeline.data_folder import staging_build
from tests.command_line import RunCommand, call_kb
from tests.conftest import contents
from tests.reliability.conftest import Base, is_killed_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def test_a_killed_build_takes_its_processes_with_it(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.edit("inny")
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    reading, writing = os.pipe()
    # Before the second of them is forked.
    assert is_killed_at(1, lambda event, _: event == "os.fork", partial(base.build, force=True))
    os.close(writing)
    # They have it too. None is left that would write on into what the next build clears away.
    assert select.select([reading], [], [], 60)[0] and not os.read(reading, 1)
    os.close(reading)
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
        assert "another build is running" in done.stderr
        assert "wait for it to end" in done.stderr
        with pytest.raises(KbError, match="another build"):
            base.build()
        assert base.found("zerowy") == ["one-pilot"]
        kb("search", "zerowy", cwd=base.folder)
    finally:
        holder.kill()
        holder.join()
    kb("build", cwd=base.folder)
    assert base.found("inny") == ["one-pilot"]


# Events of Python before a file is put in its place or removed.
_PLACES = {"os.rename", "os.link", "os.remove", "os.truncate"}


def test_an_import_goes_on_wherever_it_was_killed(tmp_path: Path) -> None:
    words = "import jsonl drafts.jsonl --game demo --into drafts".split()
    # No cards of a base are looked for.
    run = partial(call_kb, *words, KB_RULINGS=str(tmp_path / "none"))
    facts = {"kind": "note", "authority": "official", "status": "current", "topics": ["pilots"]}
    texts = {"title": {"pl": "Tytuł"}, "text": {"pl": "Treść."}}
    lines = [json.dumps({"id": name, **facts, **texts}) for name in ("first", "second")]

    def in_new_folder(name: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "drafts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return folder

    def written(folder: Path) -> dict[str, bytes]:
        files = contents(folder).items()
        return {name: data for name, data in files if "/." not in name}

    whole = in_new_folder("whole")
    assert run(cwd=whole).returncode == 0
    after = written(whole)
    assert len(after) == 4
    kills = 0
    while True:
        folder = in_new_folder(str(kills))

        def changes(event: str, arguments: tuple[object, ...], folder: Path = folder) -> bool:
            if event not in _PLACES or not isinstance(arguments[0], str | Path):
                return False
            return os.path.abspath(arguments[0]).startswith(str(folder))

        if not is_killed_at(kills, changes, partial(run, cwd=folder)):
            break
        assert written(folder).items() <= after.items(), f"a torn file after {kills} steps"
        again = run(cwd=folder)
        assert written(folder) == after, f"{kills} steps: {again.stderr}"
        kills += 1
    assert kills
