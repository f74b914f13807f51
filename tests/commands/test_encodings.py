"""Files of Windows, macOS and spreadsheets, from the command line: read, or named and kept."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from tests.command_line import RunCommand

DECK = "4 Łowca Światów\n1 Anakin Skywalker (C)\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1250"])
def test_a_deck_list_in_any_encoding(
    encoding: str, small_base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    path = tmp_path / "deck.txt"
    path.write_bytes(DECK.replace("\n", "\r\n").encode(encoding))
    done = kb("deck", str(path), "--json", cwd=small_base)
    cards = [card["card"] for card in json.loads(done.stdout)["cards"]]
    assert cards == ["Łowca Światów", "Anakin Skywalker (C)"]
    assert ("read as" in done.stderr) == (encoding == "cp1250")


def test_decomposed_letters_keep_their_places(small_base: Path, kb: RunCommand) -> None:
    text = unicodedata.normalize("NFD", "Gdy Łowcą Światów gra Anakin Skywalker.\r\n")
    options = ("--game", "demo", "--lang", "pl", "--json")
    found = json.loads(kb("link", *options, cwd=small_base, text=text).stdout)
    assert [one["card"] for one in found] == ["Łowca Światów", "Anakin Skywalker"]
    assert all(text[one["start"] : one["end"]] == one["surface"] for one in found)


def test_a_question_is_added_to_a_table_of_any_program(records: Path, kb: RunCommand) -> None:
    path = records / "demo" / "questions.tsv"
    rows = 'ruling\tlang\tquestion\r\none-pilot\ten\t"Pilots, how ""many""?"\r\n'
    path.write_bytes(b"\xef\xbb\xbf" + rows.encode())
    kb("check", cwd=records.parent)
    kb("new", "one-pilot", "--asked", "May I have two?", "--lang", "en", cwd=records.parent)
    added = f"{rows}one-pilot\ten\tMay I have two?\r\n"
    assert path.read_bytes() == b"\xef\xbb\xbf" + added.encode()
    kb("check", cwd=records.parent)


@pytest.mark.parametrize(
    "data",
    [
        "ruling\tlang\tquestion\none-pilot\tpl\tIlu pilotów łąka?\n".encode("cp1250"),
        "ruling\tlang\tquestion\none-pilot\tpl\tIlu pilotów?\n".encode("utf-16"),
        b"ruling;lang;question\none-pilot;en;How many?\n",
    ],
)
def test_nothing_is_added_to_what_cannot_be_read(
    data: bytes, records: Path, kb: RunCommand
) -> None:
    path = records / "demo" / "questions.tsv"
    path.write_bytes(data)
    words = ("new", "one-pilot", "--asked", "May I have two?", "--lang", "en")
    assert "questions.tsv" in kb(*words, cwd=records.parent, code=1).stderr
    assert path.read_bytes() == data
