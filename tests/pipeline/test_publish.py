"""Publishing a site: what open pages still need of the one before."""

from __future__ import annotations

import os
from pathlib import Path

from kb.pipeline.data_folder import RETIRED
from kb.pipeline.publish import RETENTION, forget_shards, retain_shards
from kb.server.site_files import FolderFiles


def site_with(folder: Path, *shards: str) -> Path:
    (folder / "static" / "search").mkdir(parents=True)
    for name in (*shards, "base"):
        (folder / "static" / "search" / f"{name}.js").write_text(name, encoding="utf-8")
    return folder


def test_shards_of_earlier_builds_are_served_on(tmp_path: Path) -> None:
    data = tmp_path / "data"
    old = site_with(tmp_path / "old", "p-aaaaaaaa", "x-bbbbbbbb")
    new = site_with(tmp_path / "new", "p-aaaaaaaa", "x-cccccccc")
    os.utime(old / "static" / "search" / "x-bbbbbbbb.js", (1, 1))
    with retain_shards(new, old, data):
        # The site in use does not change.
        assert (old / "static" / "search" / "x-bbbbbbbb.js").stat().st_mtime == 1
    assert [path.name for path in (data / RETIRED).iterdir()] == ["x-bbbbbbbb.js"]
    forget_shards(data)
    files = FolderFiles(new, data / RETIRED)
    for name in ("p-aaaaaaaa", "x-bbbbbbbb", "x-cccccccc", "base"):
        file = files.get(f"static/search/{name}.js")
        assert file and file.body == name.encode()
    for other in ("x-bbbbbbbb.js", "search/x-bbbbbbbb.js", "static/search/../x-bbbbbbbb.js"):
        assert files.get(other) is None
    # The next build keeps them while somebody may have them open, and forgets them later.
    newest = site_with(tmp_path / "newest", "x-dddddddd")
    with retain_shards(newest, new, data):
        pass
    assert files.get("static/search/x-bbbbbbbb.js")
    # Also where the clock was put back meanwhile.
    for number, path in enumerate((data / RETIRED).iterdir()):
        away = (RETENTION + 60) * (-1 if number else 1)
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime + away))
    assert number == 2
    forget_shards(data)
    assert not list((data / RETIRED).iterdir())
    with retain_shards(newest, tmp_path / "nothing", data):
        pass
