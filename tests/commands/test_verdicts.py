"""A verdict stands before the answer, wherever a ruling is shown."""

from __future__ import annotations

import csv
import json
import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from kb.commands.terminal import translate
from kb.records.fields import NOTES, VERDICTS
from kb.site.i18n import interface_languages, read_words
from kb.site.templates import PACKAGED, Templates
from tests.command_line import RunCommand
from tests.conftest import GOOD, BuildOnce

RULING = "one-pilot"
VERDICT = "verdict: if\nwhen:\n  pl: tylko w bitwie\n  en: only in battle\n"


@pytest.fixture(scope="session")
def judged(build_once: BuildOnce, kb: RunCommand) -> Path:
    """The small game with a verdict on a ruling, built; not to be changed."""

    def fill(folder: Path) -> None:
        shutil.copytree(GOOD, folder / "rulings")
        record = folder / "rulings" / "demo" / "pilots" / f"{RULING}.md"
        text = record.read_text(encoding="utf-8")
        record.write_text(text.replace("about:", f"{VERDICT}about:", 1), encoding="utf-8")
        kb("check", cwd=folder)
        kb("build", cwd=folder)

    return build_once("judged-base", fill)


def test_commands(judged: Path, kb: RunCommand) -> None:
    shown = kb("show", RULING, "--interface", "pl", cwd=judged).stdout
    assert "\nZależy: tylko w bitwie.\nNa jednostce" in shown
    assert "\nZależy: only in battle.\nA unit" in shown
    found = kb("search", "one pilot", "--interface", "en", cwd=judged).stdout
    assert "Depends: only in battle. A unit can have" in found
    listed = kb("deck", "-", "--interface", "en", cwd=judged, text="1 Anakin Skywalker (C)").stdout
    assert "Depends: only in battle. A unit can have" in listed


def test_data(judged: Path, kb: RunCommand) -> None:
    when = {"pl": "tylko w bitwie", "en": "only in battle"}
    data = json.loads(kb("show", RULING, "--json", cwd=judged).stdout)
    assert (data["verdict"], data["when"]) == ("if", when)
    found = json.loads(kb("search", "one pilot", "--json", cwd=judged).stdout)["results"]
    (hit,) = (hit for hit in found if hit["id"] == RULING)
    assert (hit["verdict"], hit["when"]) == ("if", when)
    assert {hit["verdict"] for hit in found} == {"if", None}
    rows = csv.DictReader(kb("export", "--format", "csv", cwd=judged).stdout.splitlines())
    cells = {row["lang"]: (row["verdict"], row["when"]) for row in rows if row["id"] == RULING}
    assert cells == {lang: ("if", text) for lang, text in when.items()}
    page = judged / "site" / "demo" / "rulings" / RULING
    assert "- Verdict: Depends: only in battle" in (page / "index.md").read_text(encoding="utf-8")


def test_pages(judged: Path) -> None:
    page = judged / "site" / "pl" / "demo" / "rulings" / RULING / "index.html"
    text = page.read_text(encoding="utf-8")
    answers = re.findall(r'<div class="answer">(.*?)</div>', text, re.DOTALL)
    said = [unescape(re.sub(r"<[^>]+>|\s+", " ", answer)).split() for answer in answers]
    assert [" ".join(words[:4]) for words in said] == [
        "Zależy : tylko w",
        "Depends : only in",
    ]
    (citation,) = re.findall(r'class="plain icon cite" data-copy="([^"]+)"', text)
    assert citation.startswith("> Zależy: tylko w bitwie. Na jednostce może")
    topic = judged / "site" / "demo" / "topics" / "pilots" / "index.html"
    row = topic.read_text(encoding="utf-8").partition(f"{RULING}/index.html")[2]
    verdict = r'class="verdict verdict-if">.*only in battle'
    assert re.search(verdict, row.partition("</li>")[0], re.DOTALL)


def test_words_of_commands_are_those_of_pages() -> None:
    templates = Templates((PACKAGED,))
    for lang in interface_languages(templates):
        words = read_words(templates, lang)
        for message in (*VERDICTS.values(), *NOTES.values()):
            assert translate(message, lang) == words(message)
