"""What a browser loads before it is asked for, while somebody types."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from kb.language import FormTable
from kb.records.library import Library
from kb.search.browser import index_writer, modules, write_offline

Loaded = list[dict[str, list[str]]]


class Reader:
    """A browser with the index of the project's rulings."""

    def __init__(self, site: Path, folder: Path) -> None:
        self.script, self.index = site / "static" / modules.SCRIPT, folder

    def asks(self, work: Path, *questions: dict[str, object], **connection: object) -> Loaded:
        """The files that each question waits for, and those loaded after its answer."""
        node = shutil.which("node")
        if not node:
            pytest.skip("no node: loading ahead was NOT tested")
        (work / "options.json").write_text(json.dumps(questions), encoding="utf-8")
        program = Path(__file__).with_name("ahead.cjs")
        command = [node, program, self.script, self.index, work / "options.json"]
        command.append(json.dumps(connection))
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        loaded: Loaded = json.loads(done.stdout)
        return loaded


@pytest.fixture(scope="module")
def reader(real_base: Path) -> Reader:
    return Reader(real_base / "site", real_base / "site" / "static" / "search")


def kinds(files: list[str]) -> set[str]:
    return {name.partition("-")[0] for name in files}


def typed(text: str) -> dict[str, object]:
    return {"text": text, "typing": True}


@pytest.mark.parametrize("first", [{"text": ""}, typed("pil")], ids=["opened", "typed"])
def test_who_types_finds_the_words_and_texts_there(
    reader: Reader, tmp_path: Path, first: dict[str, object]
) -> None:
    before, after = reader.asks(tmp_path, first, typed("overkil"))
    loaded = [*before["waited"], *before["ahead"]]
    there = {path.name for path in reader.index.glob("[wspx]-*.js")}
    assert there <= set(loaded) and len(loaded) == len(set(loaded))
    assert after["waited"] and not kinds(after["waited"]) & set("wspx")


@pytest.mark.parametrize(
    "text",
    ["pil", "jed", "zdol", "af", "ek", "ja"],
    ids=["begins", "forms", "slip", "name", "keyboard", "lemmas"],
)
def test_what_a_word_may_go_on_to_need_is_loaded_ahead(
    reader: Reader, tmp_path: Path, text: str
) -> None:
    start = typed(text[:-1])
    before, after = reader.asks(tmp_path, start, typed(text), effectiveType="3g")
    anew, _ = reader.asks(tmp_path, typed(text), {"text": ""}, effectiveType="3g")
    assert 0 < len(before["ahead"]) < 40 and kinds(before["ahead"]) <= set("cfpsw")
    # The columns of all documents are there, and texts are not guessed.
    assert kinds(anew["waited"]) - set("ax") and not kinds(after["waited"]) - set("x")


def test_the_first_letters_of_words_are_loaded_ahead(reader: Reader, tmp_path: Path) -> None:
    letters = [typed("pilot " + letter) for letter in "bdtzпк"]
    _, _, *asked = reader.asks(tmp_path, {"text": ""}, typed("pilot"), *letters)
    assert [loaded["waited"] for loaded in asked] == [[]] * len(letters)


@pytest.mark.parametrize(
    ("question", "connection"),
    [
        (typed("pil"), {"saveData": True}),
        ({"text": ""}, {"saveData": True}),
        ({"text": ""}, {"effectiveType": "3g"}),
        ({"text": "pilot"}, {}),
        ({"text": "", "browse": True}, {}),
    ],
    ids=["typed", "opened", "slow", "asked-whole", "browsed"],
)
def test_nothing_is_loaded_ahead_where_it_costs_or_nobody_types(
    reader: Reader, tmp_path: Path, question: dict[str, object], connection: dict[str, object]
) -> None:
    (loaded,) = reader.asks(tmp_path, question, **connection)
    assert loaded["ahead"] == []


def test_of_a_large_base_only_what_a_word_may_need_is_loaded(
    reader: Reader,
    rulings: Library,
    real_base: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from kb.pipeline.paths import Paths

    monkeypatch.setattr(index_writer, "SMALL", 0)
    with FormTable.open(Paths(tmp_path, real_base / "data").current / "forms.sqlite") as table:
        write_offline(rulings, table, tmp_path / "index")
    large = Reader(real_base / "site", tmp_path / "index")
    (loaded,) = large.asks(tmp_path, typed("pi"))
    assert 0 < len(loaded["ahead"]) < 40 and kinds(loaded["ahead"]) <= set("cfpsw")
