"""Notes of the editors are told apart from the words of a ruling, wherever it is shown."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.command_line import RunCommand
from tests.conftest import GOOD, BuildOnce

RULING = "pilot-build-zone"


@pytest.fixture(scope="session")
def noted(build_once: BuildOnce, kb: RunCommand) -> Path:
    """The small game with a note in both languages, built; not to be changed."""

    def fill(folder: Path) -> None:
        shutil.copytree(GOOD, folder / "rulings")
        record = folder / "rulings" / "demo" / "pilots" / f"{RULING}.md"
        polish, english = record.read_text(encoding="utf-8").split("\n# en: ")
        polish += "\n> [!editors]\n> Instrukcja milczy o [[Łowca Światów|Łowcach]].\n"
        english += "\n> [!editors]\n> The rulebook is silent.\n\nUnits are **large**.\n"
        record.write_text(f"{polish}\n# en: {english}", encoding="utf-8")
        kb("check", cwd=folder)
        kb("build", cwd=folder)

    return build_once("noted-base", fill)


def test_commands(noted: Path, kb: RunCommand) -> None:
    shown = kb("show", RULING, "--lang", "en", cwd=noted).stdout
    assert "\n\nEditors’ note:\nThe rulebook is silent.\n\nUnits are" in shown
    assert "[!" not in shown
    polish = kb("show", RULING, "--interface", "pl", cwd=noted).stdout
    assert "Uwaga redakcji:\nInstrukcja milczy o Łowcach." in polish
    data = json.loads(kb("show", RULING, "--json", cwd=noted).stdout)
    assert data["notes"] == {
        "pl": [{"by": "editors", "text": "Instrukcja milczy o [[Łowca Światów|Łowcach]]."}],
        "en": [{"by": "editors", "text": "The rulebook is silent."}],
    }
    assert "> [!editors]\n> The rulebook is silent." in data["text"]["en"]
    lines = kb("export", cwd=noted).stdout.splitlines()
    assert data in [json.loads(line) for line in lines]


def test_a_search_finds_words_of_a_note_and_shows_the_answer(noted: Path, kb: RunCommand) -> None:
    for query, lang in (("silent rulebook", "en"), ("instrukcja milczy", "pl")):
        found = json.loads(kb("search", query, "--json", "--interface", lang, cwd=noted).stdout)
        hit = found["results"][0]
        assert (found["match"], hit["id"], hit["lang"]) == ("all", RULING, lang)
        assert [note["by"] for note in hit["notes"]] == ["editors"]
        assert "silent" not in hit["snippet"] and "milczy" not in hit["snippet"]
    assert hit["notes"][0]["text"] == "Instrukcja milczy o Łowcach."


def test_pages(noted: Path) -> None:
    for folder, label in (("", "Editors’ note"), ("pl/", "Uwaga redakcji")):
        page = noted / "site" / folder / "demo" / "rulings" / RULING / "index.html"
        text = page.read_text(encoding="utf-8")
        note = text.partition('<aside class="note note-editors"')[2].partition("</aside>")[0]
        assert label in note and "[!" not in text
    assert text.count("note-editors") == 2
