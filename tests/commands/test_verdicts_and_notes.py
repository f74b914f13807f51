"""Verdicts and notes of the editors stand apart from a ruling's words, wherever it is shown."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.command_line import RunCommand
from tests.conftest import GOOD, BuildOnce

JUDGED, NOTED = "one-pilot", "pilot-build-zone"
VERDICT = "verdict: if\nwhen:\n  pl: tylko w bitwie\n  en: only in battle\n"


@pytest.fixture(scope="session")
def annotated(build_once: BuildOnce, kb: RunCommand) -> Path:
    """The small game with a verdict on one ruling and notes on another; not to be changed."""

    def fill(folder: Path) -> None:
        shutil.copytree(GOOD, folder / "rulings")
        pilots = folder / "rulings" / "demo" / "pilots"
        text = (pilots / f"{JUDGED}.md").read_text(encoding="utf-8")
        text = text.replace("about:", f"{VERDICT}about:", 1)
        (pilots / f"{JUDGED}.md").write_text(text, encoding="utf-8")
        polish, english = (pilots / f"{NOTED}.md").read_text(encoding="utf-8").split("\n# en: ")
        polish += "\n> [!editors]\n> Instrukcja milczy o [[Łowca Światów|Łowcach]].\n"
        english += "\n> [!editors]\n> The rulebook is silent.\n\nUnits are **large**.\n"
        (pilots / f"{NOTED}.md").write_text(f"{polish}\n# en: {english}", encoding="utf-8")
        kb("check", cwd=folder)
        kb("build", cwd=folder)

    return build_once("annotated-base", fill)


def page(base: Path, address: str) -> str:
    return (base / "site" / address / "index.html").read_text(encoding="utf-8")


def test_commands_show_a_note_with_its_author(annotated: Path, kb: RunCommand) -> None:
    shown = kb("show", NOTED, "--lang", "en", cwd=annotated).stdout
    assert "\n\nEditors’ note:\nThe rulebook is silent.\n\nUnits are" in shown
    assert "[!" not in shown
    both = kb("show", NOTED, cwd=annotated).stdout
    assert "Uwaga redakcji:\nInstrukcja milczy o Łowcach." in both and "Editors’ note:" in both
    data = json.loads(kb("show", NOTED, "--json", cwd=annotated).stdout)
    assert data["notes"] == {
        "pl": [{"by": "editors", "text": "Instrukcja milczy o [[Łowca Światów|Łowcach]]."}],
        "en": [{"by": "editors", "text": "The rulebook is silent."}],
    }
    assert "> [!editors]\n> The rulebook is silent." in data["text"]["en"]
    assert data in map(json.loads, kb("export", cwd=annotated).stdout.splitlines())


def test_a_search_finds_words_of_a_note_and_shows_the_answer(
    annotated: Path, kb: RunCommand
) -> None:
    for query, lang in (("silent rulebook", "en"), ("instrukcja milczy", "pl")):
        words = ("search", query, "--json", "--interface", lang)
        found = json.loads(kb(*words, cwd=annotated).stdout)
        hit = found["results"][0]
        assert (found["match"], hit["id"], hit["lang"]) == ("all", NOTED, lang)
        assert [note["by"] for note in hit["notes"]] == ["editors"]
        assert "silent" not in hit["snippet"] and "milczy" not in hit["snippet"]
    assert hit["notes"][0]["text"] == "Instrukcja milczy o Łowcach."


def test_pages_show_a_note_with_its_author(annotated: Path) -> None:
    for folder, label in (("", "Editors’ note"), ("pl/", "Uwaga redakcji")):
        text = page(annotated, f"{folder}demo/rulings/{NOTED}")
        (first, _) = re.findall(r'<aside class="note note-editors".*?</aside>', text, re.DOTALL)
        assert label in first and "[!" not in text


def test_commands_show_a_verdict_before_the_answer(annotated: Path, kb: RunCommand) -> None:
    """The verdict is in the language of the answer, whatever the language of the interface."""
    shown = kb("show", JUDGED, cwd=annotated).stdout
    assert "\nZależy: tylko w bitwie.\nNa jednostce" in shown
    assert "\nDepends: only in battle.\nA unit" in shown
    deck = "1 Anakin Skywalker (C)"
    for interface, words in (("pl", ("search", "units", "-l", "en")), ("en", ("deck", "-"))):
        shown = kb(*words, "--interface", interface, cwd=annotated, text=deck).stdout
        assert "Depends: only in battle. A unit can have" in shown


def test_data_has_the_verdict(annotated: Path, kb: RunCommand) -> None:
    when = {"pl": "tylko w bitwie", "en": "only in battle"}
    data = json.loads(kb("show", JUDGED, "--json", cwd=annotated).stdout)
    assert (data["verdict"], data["when"]) == ("if", when)
    found = json.loads(kb("search", "one pilot", "--json", cwd=annotated).stdout)["results"]
    (hit,) = (hit for hit in found if hit["id"] == JUDGED)
    assert (hit["verdict"], hit["when"]) == ("if", when)
    assert {hit["verdict"] for hit in found} == {"if", None}
    rows = csv.DictReader(kb("export", "--format", "csv", cwd=annotated).stdout.splitlines())
    cells = {row["lang"]: (row["verdict"], row["when"]) for row in rows if row["id"] == JUDGED}
    assert cells == {lang: ("if", text) for lang, text in when.items()}


def test_pages_show_a_verdict_before_the_answer(annotated: Path) -> None:
    text = page(annotated, f"pl/demo/rulings/{JUDGED}")
    answers = re.findall(r'<div class="answer">(.*?)</div>', text, re.DOTALL)
    said = [" ".join(re.sub(r"<[^>]+>", " ", answer).split()) for answer in answers]
    assert said[0].startswith("Zależy : tylko w") and said[1].startswith("Depends : only in")
    (citation,) = re.findall(r'class="plain icon cite" data-copy="([^"]+)"', text)
    assert citation.startswith("> Zależy: tylko w bitwie. Na jednostce może")
    row = page(annotated, "demo/topics/pilots").partition(f"{JUDGED}/index.html")[2]
    verdict = r'class="verdict verdict-if">.*only in battle'
    assert re.search(verdict, row.partition("</li>")[0], re.DOTALL)
