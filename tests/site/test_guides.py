"""The guides as HTML pages: every guide, with links that lead to another page of them."""

from __future__ import annotations

import os
from pathlib import Path

import html5lib
import pytest

from kb.commands.help import FOR_CONTRIBUTORS, read_guides, write_guides
from kb.core.files import TEMPORARY
from kb.core.problems import KbError
from tests.command_line import call_kb


def test_every_guide_is_a_page_and_links_lead_on(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    assert write_guides(folder) == write_guides(folder) == len(read_guides())
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    assert pages.keys() == {"index.html", *(f"{name}.html" for name in read_guides())}
    for name, text in pages.items():
        tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)
        links = [link.get("href").partition("#")[0] for link in tree.iter("a")]
        assert {link for link in links if link.endswith(".html")} <= pages.keys(), name
        assert not [link for link in links if link.removesuffix(".md") in read_guides()], name
    assert "<table>" in pages["searching.html"] and (folder / "kb.css").is_file()


def test_guides_for_contributors_come_last(tmp_path: Path) -> None:
    users, _, contributors = call_kb("help", cwd=tmp_path).stdout.partition("To change kb itself:")
    assert "  searching " in users and "  decks " in users and "  testing " not in users
    assert "  testing " in contributors and "  glossary " in contributors
    assert set(read_guides()) >= FOR_CONTRIBUTORS


def test_what_a_killed_command_left_is_no_hindrance(tmp_path: Path) -> None:
    left = tmp_path / f"{TEMPORARY}x"
    left.touch()
    os.utime(left, (0, 0))
    write_guides(tmp_path)
    assert (tmp_path / "index.html").is_file() and not left.exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(KbError, match=r"has other files, such as mine\.txt"):
        write_guides(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
