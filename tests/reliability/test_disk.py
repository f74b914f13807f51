"""Full disks and flipped bits: reported, and nothing is lost."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from operator import methodcaller
from pathlib import Path

import pytest

from kb.commands.backend import with_searcher
from kb.pipeline.data_folder import CHECKSUMS, write_checksums
from tests.command_line import RunCommand, run_kb
from tests.reliability.conftest import Base


def test_no_file_may_grow(base: Base, kb: RunCommand) -> None:
    """A build that cannot write says so, and leaves site and index as they were.

    The table of forms, or the store, the index or a page, is the first that has no room.
    """
    site, built = base.check_site(), base.places.current
    base.edit("inny")
    for size in (2_000, 60_000):
        limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size))
        done = run_kb("build", "--force", cwd=base.folder, before=limit)
        assert done.returncode == 1, (done.stdout, done.stderr)
        assert done.stderr.startswith("kb: ") and len(done.stderr.splitlines()) == 1
        assert "the last build is unchanged" in done.stderr
        assert base.check_site() == site
        assert base.places.current == built
        assert base.found("zerowy") == ["one-pilot"]
    kb("build", cwd=base.folder)
    assert base.found("inny") == ["one-pilot"]
    assert not base.litter()


def flipped(content: bytes) -> bytes:
    """One bit of what the file says, not of what lies unused in it."""
    data = bytearray(content)
    place = data.find(b"zerowy")
    data[place if place >= 0 else len(data) // 2] ^= 0x04
    return bytes(data)


DAMAGE: dict[str, Callable[[bytes], bytes | None]] = {
    "flipped": flipped,
    "cut": lambda data: data[: len(data) // 2],
    "gone": lambda data: None,
}


def harm(path: Path, damage: str = "flipped") -> None:
    """Damage a file, or all files of a folder."""
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if content := file.read_bytes():
            file.unlink()
            if (harmed := DAMAGE[damage](content)) is not None:
                file.write_bytes(harmed)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("kb.sqlite", "flipped"),
        ("forms.sqlite", "gone"),
        ("engine", "cut"),
        ("index-*", "flipped"),
        (CHECKSUMS, "cut"),
    ],
)
def test_what_is_damaged_is_found_and_made_anew(
    name: str, damage: str, base: Base, capsys: pytest.CaptureFixture[str]
) -> None:
    search = methodcaller("search", "zerowy")
    (path,) = base.places.current.glob(name)
    harm(path, damage)
    answer = with_searcher(base.places, search)
    assert [hit.ruling.id for hit in answer.results] == ["one-pilot"]
    texts = answer.results[0].ruling.texts
    assert "Wyraz: zerowy." in texts[-1].body + texts[0].body
    assert "building the index from the records now" in capsys.readouterr().err
    with_searcher(base.places, search)
    assert not capsys.readouterr().err


def other_layout(base: Base) -> None:
    with closing(sqlite3.connect(base.places.current / "forms.sqlite")) as db:
        db.execute("PRAGMA user_version = 99")
        db.commit()
    # Another version's build is whole.
    write_checksums(base.places.current)


def wrong_pointer(base: Base) -> None:
    (base.places.data / "current").write_text("../../..\n", encoding="utf-8")


@pytest.mark.parametrize("change", [other_layout, wrong_pointer])
def test_what_cannot_be_used_is_made_anew(
    change: Callable[[Base], None], base: Base, kb: RunCommand
) -> None:
    change(base)
    done = kb("search", "zerowy", cwd=base.folder)
    assert "building the index from the records now" in done.stderr and "zerowy" in done.stdout


def test_a_build_goes_on_from_nothing_damaged(base: Base, kb: RunCommand) -> None:
    harm(base.places.current / "kb.sqlite")
    done = kb("build", cwd=base.folder)
    assert "nothing has changed" not in done.stdout
    base.check_data()
    assert base.found("zerowy") == ["one-pilot"]


def test_a_forced_build_repairs_changed_bytes_of_the_site(base: Base) -> None:
    """A build does not read the whole site again."""
    page = base.site / "demo" / "rulings" / "one-pilot" / "index.html"
    whole = page.read_bytes()
    harm(page)
    assert page.read_bytes() != whole
    base.build(force=True)
    assert page.read_bytes() == whole
    base.check_site()
