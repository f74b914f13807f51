"""What the command line prints and exports.

No cell is a formula, nothing steers the terminal, nothing asks the network.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kb.records.library import load
from kb.serialize.ruling import CSV_COLUMNS, csv_lines, jsonl_lines
from tests.command_line import RunCommand

HEAD = "---\nkind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots\n---\n\n"
FORMULAS = [*"=1+1 +1 -1 @SUM(A1) ＝1+1 ＋1 －1 ＠x =cmd|'/C".split(), " =1+1"]


def test_no_cell_of_a_table_is_a_formula(records: Path) -> None:
    for number, text in enumerate(FORMULAS):
        body = f'# pl: {text.strip()}\n\n{text}\n\nDalej, "w cudzysłowie",\n=1 w wierszu.\n'
        path = records / "demo" / "pilots" / f"formula-{number}.md"
        path.write_text(HEAD + body, encoding="utf-8")
    library = load(records)
    assert not library.problems
    rows = list(csv.reader("".join(f"{line}\n" for line in csv_lines(library)).splitlines(True)))
    assert {len(row) for row in rows} == {len(CSV_COLUMNS)}
    assert len(rows) == 1 + sum(len(ruling.texts) for ruling in library.rulings.values())
    for cell in filter(None, (cell for row in rows for cell in row)):
        assert cell[0] not in "\t\r\n" and cell.lstrip()[:1] not in tuple("=+-@＝＋－＠"), cell
    cells = next(dict(zip(rows[0], row, strict=True)) for row in rows if row[1] == "formula-0")
    assert cells["title"] == "'=1+1"
    assert cells["text"].startswith("'=1+1\n\nDalej") and cells["text"].endswith("=1 w wierszu.")
    # Lines for programs stay as they are.
    texts = {one["id"]: one for one in map(json.loads, jsonl_lines(library))}["formula-0"]
    assert texts["title"]["pl"] == "=1+1" and texts["text"]["pl"].startswith("=1+1")


WICKED = "\x1b[2J\u202eevil\x07\x9b1m\u2028"


@pytest.mark.parametrize(
    "words",
    """show *|search pilot --game *|new demo pilots *|changes --since *|translated *|check *
    import jsonl * --game demo --into drafts|build --interface *|export --output */x""".replace(
        "\n", "|"
    ).split("|"),
)
def test_what_is_typed_steers_no_terminal(words: str, records: Path, kb: RunCommand) -> None:
    done = kb(*(word.replace("*", WICKED) for word in words.split()), cwd=records.parent, code=None)
    assert done.returncode in (1, 2)
    assert "evil" in done.stderr
    assert not re.search("[\x1b\u202e\x07\x9b\u2028]", done.stderr + done.stdout)


LONG = "x" * 5_000


@pytest.mark.parametrize(
    "words",
    f"""show ../../etc/passwd|show {LONG * 20}|translated ../../../etc/passwd|new ../x pilots y
    new demo pilots {LONG}|check {LONG}|build --rulings {LONG}|build --output {LONG}
    build --output rulings/demo/game.yaml|pack --output {LONG}.html|export --output {LONG}
    export --format sqlite --output none/x|import jsonl {LONG} --game demo --into drafts
    changes --since --output=x|changes --since "HEAD; touch x"|build --interface ../../x""".replace(
        "\n", "|"
    ).split("|"),
    ids=lambda words: words[:40].strip(),
)
def test_no_path_that_is_typed_leads_out_or_ends_in_a_traceback(
    words: str, records: Path, kb: RunCommand
) -> None:
    before = sorted(records.rglob("*"))
    done = kb(*shlex.split(words), cwd=records.parent, code=None)
    assert done.returncode in (1, 2), (done.stdout, done.stderr)
    assert done.stderr.strip()
    assert len(done.stderr) < 20_000 or LONG in done.stderr
    assert sorted(records.rglob("*")) == before
    assert {path.name for path in records.parent.iterdir()} <= {"rulings", ".kb", "drafts", "site"}


NETWORK = ("socket.connect", "socket.bind", "socket.get", "socket.sendto", "urllib.", "http.client")


@pytest.fixture()
def network() -> Iterator[list[str]]:
    """What asks the network in this process, which in tests builds without others."""
    heard: list[str] = []
    is_open = True

    def hear(event: str, _: object) -> None:
        if is_open and event.startswith(NETWORK):
            heard.append(event)

    sys.addaudithook(hear)
    yield heard
    is_open = False


QUIETLY = """check
build --base-url https://rulings.example.org
search pilot http://example.org/
export --format sqlite --output x.sqlite
import jsonl given.jsonl --game other --into drafts
pack --output x.html
changes --since 2003"""


def test_nothing_is_fetched(records: Path, network: list[str], kb: RunCommand) -> None:
    links = "[x](http://192.0.2.1/x) <http://192.0.2.1/>"
    record = records / "demo" / "pilots" / "fetch.md"
    record.write_text(f"{HEAD}# pl: Adres\n\n{links}\n", encoding="utf-8")
    given = {"id": "x", "kind": "ruling", "authority": "official", "status": "current"}
    given |= {"title": {"en": "Topic"}, "text": {"en": links}, "topics": ["x"]}
    (records.parent / "given.jsonl").write_text(json.dumps(given), encoding="utf-8")
    for words in QUIETLY.splitlines():
        kb(*words.split(), cwd=records.parent)
    assert (records.parent / "drafts" / "other" / "x" / "x.md").is_file()
    made = {path.name for path in records.parent.iterdir()}
    assert {"site", "x.sqlite", "drafts", "x.html"} <= made
    assert not network
    with suppress(OSError), socket.create_connection(("127.0.0.1", 9), 1):
        pass
    assert network[-1] == "socket.connect", "the listener hears"
