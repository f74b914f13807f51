"""Builds of one process after another: what is kept in memory changes no byte."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import kb.pipeline.linked as linked_module
import kb.records.library as library_module
import kb.records.parse as parse_module
import kb.records.reread as reread_module
import kb.search.analyzer as indexing_module
from kb.core import parallel, urls
from kb.core.problems import KbError
from kb.language import FormTable
from kb.pipeline import saved_spare, spare
from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from kb.pipeline.session import BuildSession
from kb.site import page_writer
from kb.site.early import EarlyPages, Files
from kb.site.grouping import Groups
from kb.site.page_writer import PageWriter
from kb.site.pages import Page
from kb.site.templates import PACKAGED

Base = tuple[Paths, Path, BuildSession]


@pytest.fixture
def base(small_base: Path, tmp_path: Path) -> Iterator[Base]:
    """A copy of the small game, built again by a session that goes on."""
    shutil.copytree(small_base, tmp_path, dirs_exist_ok=True)
    places, session = Paths(tmp_path / "rulings", tmp_path / "data"), BuildSession()
    edit(places, "Pozostali", "Inni")
    build(places, tmp_path / "site", session=session)
    session.settle(places)
    yield places, tmp_path / "site", session
    session.close()


def edit(places: Paths, old: str, new: str) -> None:
    record = places.rulings / "demo" / "pilots" / "one-pilot.md"
    text = record.read_text(encoding="utf-8")
    assert old in text
    record.write_text(text.replace(old, new), encoding="utf-8")


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def same_as_cold(places: Paths, site: Path, cold: Path) -> None:
    build(Paths(places.rulings, cold / "data"), cold / "site")
    assert files(site) == files(cold / "site")


def counted(
    monkeypatch: pytest.MonkeyPatch, owner: object, name: str, calls: list[object], at: int
) -> None:
    function: Callable[..., object] = getattr(owner, name)

    def count(*arguments: object) -> object:
        calls.append(arguments[at])
        return function(*arguments)

    monkeypatch.setattr(owner, name, count)


def test_one_word_saved_is_the_work_of_one_ruling(
    base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, site, session = base
    parsed: list[object] = []
    linked: list[list[str]] = []
    indexed: list[list[str]] = []
    rendered: list[Page] = []
    tables: list[object] = []
    counted(monkeypatch, library_module, "read_ruling", parsed, 1)
    counted(monkeypatch, reread_module, "read_ruling", parsed, 1)
    counted(monkeypatch, parse_module, "read_cards", parsed, 1)
    counted(monkeypatch, linked_module, "autolink_rulings", linked, 2)
    counted(monkeypatch, indexing_module, "documents", indexed, 2)
    counted(monkeypatch, PageWriter, "write_files", rendered, 1)
    counted(monkeypatch, FormTable, "stored_rows", tables, 1)
    counted(monkeypatch, FormTable, "rows", tables, 1)
    # What is the same for all texts is neither compared nor grouped again.
    counted(monkeypatch, library_module.rules, "check_library", tables, 1)
    counted(monkeypatch, Groups, "__init__", tables, 1)
    # No process is started, whether or not there are cores.
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    counted(monkeypatch, parallel, "_start", tables, 0)
    edit(places, "Inni", "Inni piloci")
    assert not build(places, site, session=session).unchanged
    key = "demo/one-pilot"
    assert [Path(str(path)).stem for path in parsed] == ["one-pilot"]
    assert linked == [[key]] and indexed == [[key]] and not tables
    addresses = {page.address for page in rendered}
    # The ruling, lists that show its answer, and pages that name the files of this build.
    assert urls.ruling("demo", "one-pilot") in addresses and len(addresses) < 14
    monkeypatch.undo()
    same_as_cold(places, site, tmp_path / "cold")


def test_another_template_is_no_work_on_records(
    base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places, site, session = base
    done: list[object] = []
    counted(monkeypatch, library_module, "read_ruling", done, 1)
    counted(monkeypatch, linked_module, "autolink_rulings", done, 2)
    counted(monkeypatch, indexing_module, "documents", done, 2)
    shared: list[list[object]] = []
    counted(monkeypatch, page_writer, "parallel_map", shared, 1)
    monkeypatch.setattr(page_writer, "_CHUNK", 1)
    own = tmp_path / "templates" / "base.html"
    own.parent.mkdir()
    text = (PACKAGED / "base.html").read_text(encoding="utf-8")
    own.write_text(text.replace("</body>", "<!-- ours --></body>"), encoding="utf-8")
    assert not build(places, site, session=session).unchanged
    assert done == [[], []]
    # As soon as one page shows it, all cores render the others.
    assert any(shared)
    assert "<!-- ours -->" in (site / "index.html").read_text(encoding="utf-8")
    monkeypatch.undo()
    same_as_cold(places, site, tmp_path / "cold")


def test_open_pages_are_shown_as_the_build_will_have_them(base: Base, tmp_path: Path) -> None:
    places, site, session = base
    shown: list[Files] = []
    ruling, topic = urls.ruling("demo", "one-pilot"), urls.topic("demo", "pilots")
    errata = urls.ruling("demo", "errata-speeder")
    opened = [f"pl/{ruling}", f"ru/{errata}", topic, urls.HOME, urls.OFFLINE, "nothing"]
    opened += [urls.SEARCH, urls.DECK]

    def save() -> Files:
        build(places, site, session=session, early=EarlyPages(lambda: opened, shown.append))
        assert all(files(site).get(address) == data for address, data in shown[-1].items())
        return shown.pop()

    record = places.rulings / "demo" / "errata" / "errata-speeder.md"
    text = record.read_text(encoding="utf-8")
    record.unlink()
    edit(places, "Inni", "Inni piloci")
    early = save()
    # In every language, and the data beside the pages; what is the same is left out.
    assert {ruling, f"pl/{ruling}", urls.data_address(ruling), topic, urls.HOME} <= early.keys()
    assert not early.keys() & {urls.OFFLINE, *opened[-3:], "static/kb.css"}
    assert early[errata] is None and early[f"ru/{errata}"] is None and early[urls.HOME]
    record.write_text(text, encoding="utf-8")
    sheet = places.rulings.parent / "templates" / "static" / "kb.css"
    sheet.parent.mkdir(parents=True)
    sheet.write_text("body { color: red }", encoding="utf-8")
    early = save()
    assert {"static/kb.css", urls.OFFLINE} <= early.keys()
    # These name the browser's index, which is written later.
    assert not early.keys() & {urls.SEARCH, urls.DECK}
    assert early[errata]
    # Nobody waits for pages that stay.
    opened = [urls.OFFLINE]
    edit(places, "Inni", "Pozostali")
    build(places, site, session=session, early=EarlyPages(lambda: opened, shown.append))
    assert not shown
    same_as_cold(places, site, tmp_path / "cold")


def test_what_others_build_or_change_meanwhile_is_noticed(base: Base, tmp_path: Path) -> None:
    places, site, session = base
    edit(places, "Inni", "Pozostali")
    build(places, site)
    page = site / urls.ruling("demo", "one-pilot")
    page.write_text("another", encoding="utf-8")
    os.utime(page, (2_000_000_000, 2_000_000_000))
    edit(places, "Pozostali", "Inni pozostali")
    build(places, site, session=session)
    page.write_text("another", encoding="utf-8")
    os.utime(page, (2_000_000_000, 2_000_000_000))
    edit(places, "Inni pozostali", "Pozostali")
    build(places, site, session=session)
    same_as_cold(places, site, tmp_path / "cold")


def test_the_files_of_others_in_the_site_stay(base: Base, tmp_path: Path) -> None:
    places, site, session = base
    (site / "CNAME").write_text("a.org", encoding="utf-8")
    for word in ("Pierwsi", "Drudzy", "Trzeci", "Czwarci"):
        edit(places, "Inni", f"Inni {word}")
        build(places, site, session=session)
        # One that comes while the site is swapped is in the older one.
        (before,) = (path for path in tmp_path.glob(".kb-new-*") if path.is_dir())
        (before / "late").write_text(word, encoding="utf-8")
        session.settle(places)
        assert (site / "late").read_text(encoding="utf-8") == word
        (site / "late").unlink()
        assert (site / "CNAME").read_text(encoding="utf-8") == "a.org"
    (site / "CNAME").unlink()
    session.close()
    assert not list(tmp_path.glob(".kb-new-*"))
    same_as_cold(places, site, tmp_path / "cold")


@pytest.mark.parametrize("asked", [0, 1, 2, 7, 40])
def test_a_save_does_not_wait_for_the_copy_of_the_last_site(
    base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: int
) -> None:
    places, site, session = base
    monkeypatch.setattr(saved_spare, "_OFTEN", 1)
    events: list[str] = []
    bring_up_to_date = saved_spare.bring_up_to_date

    def noted(*arguments: Any) -> object:
        events.append("copied")
        return bring_up_to_date(*arguments)

    monkeypatch.setattr(spare, "bring_up_to_date", noted)
    (site / "CNAME").write_text("a.org", encoding="utf-8")
    early = EarlyPages(
        lambda: [urls.ruling("demo", "one-pilot")],
        lambda files: events.append("shown"),
    )
    sheet = places.rulings.parent / "templates" / "static" / "kb.css"
    sheet.parent.mkdir(parents=True)
    words = ["Inni", "Pierwsi", "Drudzy", "Trzeci"]
    for number, (old, new) in enumerate(pairwise(words)):
        # All pages differ, and so does what the copy has of the site before.
        sheet.write_text(f"/* {number} */", encoding="utf-8")
        edit(places, old, new)
        events.clear()
        build(places, site, session=session, early=early)
        assert events == ["shown", "copied"][: 2 if number else 1]
        answers = iter([False] * asked)
        session.settle(places, lambda: next(answers, True))  # noqa: B023
    assert (site / "CNAME").read_text(encoding="utf-8") == "a.org"
    (site / "CNAME").unlink()
    same_as_cold(places, site, tmp_path / "cold")


def test_a_copy_of_the_last_site_that_is_gone_is_made_again(base: Base, tmp_path: Path) -> None:
    places, site, session = base
    (copy,) = tmp_path.glob(".kb-new-site-????????")
    shutil.rmtree((copy / urls.ruling("demo", "errata-speeder")).parent)
    sheet = places.rulings.parent / "templates" / "static" / "kb.css"
    sheet.parent.mkdir(parents=True)
    sheet.write_text("body {}", encoding="utf-8")
    for number in range(2):
        edit(places, "Inni", f"Inni {'nowi ' * number}piloci i")
        with suppress(KbError):
            build(places, site, session=session)
        session.settle(places)
    build(places, site, session=session)
    same_as_cold(places, site, tmp_path / "cold")
    (copy,) = tmp_path.glob(".kb-new-site-????????")
    shutil.rmtree(copy)
    edit(places, "Inni", "Znowu inni")
    with suppress(KbError):
        build(places, site, session=session)
    build(places, site, session=session)
    (tmp_path / "cold-2").mkdir()
    same_as_cold(places, site, tmp_path / "cold-2")
