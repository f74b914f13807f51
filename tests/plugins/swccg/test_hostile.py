"""Card files of SWCCG as somebody may send them who means harm, and random ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kb.plugins.swccg.html import markdown
from kb.records.library import Library
from kb.site.markdown import render
from tests.command_line import RunCommand
from tests.security.imports import check_bombs, check_random_files
from tests.security.test_links import LINKS, hrefs, leads_out

SAMPLE = b"""{"cards": [{"id": 1, "gempId": "1_1", "side": "Dark", "set": "1",
    "abbr": ["A"], "front": {"title": "T", "type": "Interrupt", "subType": "Used"},
    "rulings": ["A <u>b</u> <ol><li>c</li></ol>"]}]}"""


@pytest.mark.thorough
def test_bombs(tmp_path: Path) -> None:
    check_bombs("swccg", "in.json", tmp_path)


@pytest.mark.hypothesis
def test_random_files(good: Library) -> None:
    check_random_files("swccg", "in.json", SAMPLE, good.games["demo"])


@pytest.mark.parametrize("html", ["<a", "<!--", "</", "<ul><li>", '<a href="', "&#"])
def test_html_makes_no_more_of_itself(html: str) -> None:
    html *= 9_000 // len(html)
    made, _ = markdown(html)
    assert len(made) < 20 * len(html) + 100


def test_html_brings_no_link_in_that_leads_out() -> None:
    text, _ = markdown('<a href="//host/">x</a> <a href="file://host/">y</a>')
    assert not [href for href in hrefs(render(text, LINKS)) if leads_out(href)]


def test_a_name_steers_no_terminal(tmp_path: Path, kb: RunCommand) -> None:
    cards = {"cards": [{"id": 1, "front": {"title": "[\x1b[2J\u202eevil\x07"}, "rulings": []}]}
    (tmp_path / "in.json").write_text(json.dumps(cards), encoding="utf-8")
    words = "import swccg in.json --game demo --into drafts"
    done = kb(*words.split(), cwd=tmp_path, code=None)
    assert "evil" in done.stderr
    assert not re.search("[\x1b\u202e\x07]", done.stderr + done.stdout)
