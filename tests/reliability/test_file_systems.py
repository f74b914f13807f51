"""File systems without links, modes, locks or syncs of folders: FAT, network shares."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.core.files import link_or_copy
from kb.pipeline import output_folder
from tests.command_line import call_kb
from tests.reliability.conftest import Base
from tests.selection import thorough

Refuse = Callable[[str], None]
_OWN = {"CNAME": "rulings.example.org", ".well-known/security.txt": "Contact: x"}


# The calls that fail, by what a file system lacks; for folders those that fail for these alone.
CALLS = {
    "links": [(os, "link")],
    "modes": [(os, "chmod"), (os, "fchmod")],
    "exchange": [],
    "folder-locks": [(fcntl, "flock")],
    "folder-sync": [(os, "fsync")],
}


@pytest.fixture()
def refuse(monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """Let calls of the system fail as on a file system without something."""

    def failing(call: Callable[..., Any], number: int, only_folders: bool) -> Callable[..., Any]:
        def fail(first: Any, *rest: Any, **options: Any) -> Any:
            if not only_folders or stat.S_ISDIR(os.fstat(first).st_mode):
                raise OSError(number, os.strerror(number))
            return call(first, *rest, **options)

        return fail

    def lack(what: str) -> None:
        kind, _, name = what.partition(" ")
        number = getattr(errno, name or "EPERM")
        if kind == "exchange":
            monkeypatch.setattr(output_folder, "_exchange", lambda one, other: False)
        for module, call in CALLS[kind]:
            fail = failing(getattr(module, call), number, kind.startswith("folder"))
            monkeypatch.setattr(module, call, fail)

    return lack


LACKS = [
    # What a FAT or a network file system lacks, all at once.
    ("links EPERM", "modes", "exchange", "folder-locks EBADF", "folder-sync EINVAL"),
    *thorough((("links EXDEV", "modes EOPNOTSUPP", "folder-locks ENOLCK"),)),
]


@pytest.mark.parametrize("lacks", LACKS, ids=str)
def test_builds_and_saves_do_without(lacks: tuple[str, ...], base: Base, refuse: Refuse) -> None:
    for name, text in _OWN.items():
        (base.site / name).parent.mkdir(exist_ok=True)
        (base.site / name).write_text(text, encoding="utf-8")
    page = base.site / "demo" / "cards" / "index.html"
    os.utime(page, (1_000_000_000, 1_000_000_000))
    for what in lacks:
        refuse(what)
    base.edit("inny")
    base.build()
    for name, text in _OWN.items():
        assert (base.site / name).read_text(encoding="utf-8") == text
        (base.site / name).unlink()
    (base.site / ".well-known").rmdir()
    base.check_site()
    base.check_data()
    assert base.found("inny") == ["one-pilot"] and not base.litter()
    # What stays the same keeps its time, for programs that copy what is new.
    assert page.stat().st_mtime == 1_000_000_000
    for words, code in (
        (("translated",), 0),
        (("new", "demo", "pilots", "fresh"), 0),
        (("new", "demo", "pilots", "fresh"), 1),
        (("export", "--format", "csv", "--output", "all.csv"), None),
    ):
        done = call_kb(*words, cwd=base.folder)
        assert done.returncode == code or code is None, (words, done.stderr)
        assert "Traceback" not in done.stderr


def test_links_of_nfs_to_files_in_use_are_not_taken_for_somebodys(base: Base) -> None:
    left = base.site / "demo" / ".nfs000000000001234500000012"
    left.write_text("open elsewhere", encoding="utf-8")
    base.edit("inny")
    base.build()
    assert not left.exists()
    base.check_site()


def test_a_copy_is_as_a_link_would_be(tmp_path: Path, refuse: Refuse) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text("x", encoding="utf-8")
    source.chmod(0o640)
    os.utime(source, (1, 2))
    (tmp_path / "link").symlink_to("a")
    refuse("links EXDEV")
    link_or_copy(source, target)
    link_or_copy(tmp_path / "link", tmp_path / "other")
    assert target.stat().st_mtime == 2 and stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.readlink(tmp_path / "other") == "a"
    with pytest.raises(FileExistsError):
        link_or_copy(source, target)


@pytest.mark.thorough
def test_on_a_file_system_of_its_own(base: Base, mount: Callable[[str, str], Path]) -> None:
    """Records, data and site each on another file system."""
    site, data = mount("mounted-site", "64m") / "site", mount("mounted-data", "64m")
    shutil.copytree(base.site, site)
    for word in ("inny", "dalszy"):
        base.edit(word)
        done = call_kb("build", "--output", str(site), cwd=base.folder, KB_DATA=str(data))
        assert done.returncode == 0
        found = call_kb("search", word, "--json", cwd=base.folder, KB_DATA=str(data))
        assert "one-pilot" in found.stdout
