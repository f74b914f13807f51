"""What the command line prints and exports.

No cell is a formula, nothing steers the terminal, nothing asks the network.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import socket
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from kb.core.problems import Problem
from kb.records.library import load
from kb.serialize.export import csv_lines
from tests.command_line import RunCommand
from tests.conftest import GOOD
from tests.security.hostile import VECTORS

HEAD = "---\nkind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots\n---\n\n"
FORMULAS = "=1+1 +1 -1 @SUM(A1) ＝1+1 ＋1 －1 ＠x".split()
FORMULAS += [" =1+1", "  @x", '=HYPERLINK("http://x","y")', "=cmd|' /C calc'!A0"]


@pytest.fixture()
def root(good_root: Path, tmp_path: Path) -> Path:
    shutil.copytree(good_root, tmp_path / "rulings")
    return tmp_path / "rulings"


def test_no_cell_of_a_table_is_a_formula(root: Path) -> None:
    for number, text in enumerate(FORMULAS):
        body = f'# pl: {text.strip()}\n\n{text}\n\nDalej, "w cudzysłowie",\n=1 w wierszu.\n'
        (root / "demo" / "pilots" / f"formula-{number}.md").write_text(
            HEAD + body, encoding="utf-8"
        )
    library = load(root)
    assert not library.problems
    lines = "".join(line + "\n" for line in csv_lines(library))
    rows = list(csv.reader(io.StringIO(lines), strict=True))
    assert {len(row) for row in rows} == {15}
    assert len(rows) == 1 + sum(len(ruling.texts) for ruling in library.rulings.values())
    for cell in (cell for row in rows for cell in row):
        assert not cell or (
            cell[0] not in "\t\r\n" and cell.lstrip()[:1] not in tuple("=+-@＝＋－＠")
        ), cell
    found = next(row for row in rows if row[1] == "formula-0")
    assert found[10] == "'=1+1"
    assert found[11].startswith("'=1+1\n\nDalej") and found[11].endswith("=1 w wierszu.")


def test_a_hostile_base_is_data_in_a_database(evil: Path, tmp_path: Path, kb: RunCommand) -> None:
    """The same relations as of any other base, and every text as it was written."""
    for records, name in ((evil / "rulings", "evil"), (GOOD, "good")):
        words = ("--format", "sqlite", "--output", str(tmp_path / f"{name}.sqlite"))
        kb("export", *words, "--rulings", str(records), cwd=tmp_path)
    schemas = []
    for name in ("evil", "good"):
        with closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            schemas.append(db.execute("SELECT type, name, sql FROM sqlite_master").fetchall())
    assert sorted(schemas[0]) == sorted(schemas[1])
    library = load(evil / "rulings")
    texts = {
        (ruling.id, text.lang): text for ruling in library.of_game("evil") for text in ruling.texts
    }
    with closing(sqlite3.connect(tmp_path / "evil.sqlite")) as db:
        rows = db.execute("SELECT id, lang, title, text, url FROM ruling_texts").fetchall()
        cards = {name for (name,) in db.execute("SELECT name FROM card")}
    assert len(rows) == len(texts) >= len(VECTORS)
    for ruling_id, lang, title, text, url in rows:
        assert (title, text) == (texts[ruling_id, lang].title, texts[ruling_id, lang].body)
        assert url == f"evil/rulings/{ruling_id}/index.html"
    assert cards == {card.name for card in library.games["evil"].cards}


def test_lines_for_programs_stay_as_they_are(root: Path, kb: RunCommand) -> None:
    (root / "demo" / "pilots" / "formula.md").write_text(
        HEAD + "# pl: =1+1\n\n@SUM(A1)\n", encoding="utf-8"
    )
    done = kb("export", "--format", "jsonl", cwd=root.parent)
    found = next(one for one in map(json.loads, done.stdout.splitlines()) if one["id"] == "formula")
    assert (found["title"]["pl"], found["text"]["pl"]) == ("=1+1", "@SUM(A1)")


@pytest.mark.parametrize(
    "text", ["\x1b[2J", "\x07", "a\nb", "\u202eb", "\x9b1m", "\ud800", "\u2028"]
)
def test_a_problem_steers_no_terminal(text: str) -> None:
    told = str(Problem(f"a{text}.md", 3, f"x{text}y"))
    assert all(char.isprintable() for char in told)
    assert told.encode()


def test_what_is_typed_or_imported_steers_no_terminal(root: Path, kb: RunCommand) -> None:
    wicked = "\x1b[2J\u202eevil\x07"
    for words in (
        ["show", wicked],
        ["card", wicked],
        ["search", "pilot", "--game", wicked],
        ["new", wicked, "pilots", "x"],
        ["new", "demo", "pilots", wicked],
        ["changes", "--since", wicked],
        ["translated", wicked],
        ["check", wicked],
        ["import", "text", wicked, "--game", "demo", "--into", "drafts"],
        ["import", "text", "rulings/demo/game.yaml", "--game", wicked, "--into", "drafts"],
        ["pack", "--output", "x.html", "--game", wicked],
        ["build", "--interface", wicked],
        ["export", "--output", f"{wicked}/x"],
    ):
        done = kb(*words, cwd=root.parent)
        assert done.returncode in (1, 2), words
        assert "\x1b[2J" not in done.stderr + done.stdout, words
        assert "\u202e" not in done.stderr + done.stdout, words
    given = root.parent / "in.json"
    given.write_text(
        json.dumps({"cards": [{"id": 1, "front": {"title": f"[{wicked}"}, "rulings": []}]}),
        encoding="utf-8",
    )
    done = kb("import", "swccg", "in.json", "--game", "demo", "--into", "drafts", cwd=root.parent)
    assert "evil" in done.stderr
    assert "\x1b" not in done.stderr + done.stdout


LONG = "x" * 5_000


@pytest.mark.parametrize(
    "words",
    [
        ["show", "../../etc/passwd"],
        ["show", "/etc/passwd"],
        ["show", LONG * 20],
        ["translated", "../../../etc/passwd"],
        ["card", LONG * 20],
        ["new", "../x", "pilots", "y"],
        ["new", "demo", "../..", "y"],
        ["new", "demo", "pilots", "../../y"],
        ["new", "demo", "pilots", LONG],
        ["new", "game", "../outside"],
        ["new", "game", LONG],
        ["new", "game", "con"],
        ["check", LONG],
        ["check", "--rulings", LONG],
        ["build", "--rulings", LONG],
        ["build", "--output", LONG],
        ["build", "--output", "rulings"],
        ["build", "--output", "rulings/demo/game.yaml"],
        ["pack", "--output", f"{LONG}.html"],
        ["pack", "--output", "rulings"],
        ["pack", "--output", "none/x.html"],
        ["pack", "--output", "x.html", "--game", "../demo"],
        ["export", "--output", LONG],
        ["export", "--output", "rulings"],
        ["export", "--format", "sqlite", "--output", "none/x"],
        ["import", "text", LONG, "--game", "demo", "--into", "drafts"],
        ["import", "text", "rulings/demo/game.yaml", "--game", "demo", "--into", LONG],
        ["changes", "--since", "--output=x"],
        ["changes", "--since", "HEAD; touch x"],
        ["build", "--interface", "../../x"],
    ],
    ids=lambda words: " ".join(word[:30] for word in words),
)
def test_no_path_that_is_typed_leads_out_or_ends_in_a_traceback(
    words: list[str], root: Path, kb: RunCommand
) -> None:
    before = sorted(root.rglob("*"))
    done = kb(*words, cwd=root.parent)
    assert done.returncode in (1, 2), (done.stdout, done.stderr)
    assert done.stderr.strip()
    assert len(done.stderr) < 20_000 or LONG in done.stderr
    assert sorted(root.rglob("*")) == before
    assert {path.name for path in root.parent.iterdir()} <= {"rulings", ".kb", "drafts", "site"}


NETWORK = ("socket.connect", "socket.bind", "socket.get", "socket.sendto", "urllib.", "http.client")


class Listener:
    """Writes what asks the network, in this process and those that it starts, into a file."""

    def __init__(self, path: Path) -> None:
        self.log: int | None = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        sys.addaudithook(self.hear)

    def hear(self, event: str, _: object) -> None:
        if self.log is not None and event.startswith(NETWORK):
            os.write(self.log, f"{event}\n".encode())


@pytest.fixture()
def network(tmp_path: Path) -> Iterator[Path]:
    """The file of events that ask the network."""
    listener = Listener(tmp_path / "network.log")
    yield tmp_path / "network.log"
    if log := listener.log:
        listener.log = None
        os.close(log)


QUIETLY = (
    "check",
    "build --base-url https://rulings.example.org --report https://example.org/{id}",
    "search pilot http://example.org/",
    "export --format sqlite --output x.sqlite",
    "import text given.txt --game other --into drafts",
    "pack --output x.html",
    "changes --since 2003",
)


def test_nothing_is_fetched(root: Path, network: Path, kb: RunCommand) -> None:
    body = (
        "# pl: Adres\n\n[x](http://192.0.2.1/x) <http://192.0.2.1/> ![x](http://192.0.2.1/y.png)\n"
    )
    (root / "demo" / "pilots" / "fetch.md").write_text(HEAD + body, encoding="utf-8")
    (root.parent / "given.txt").write_text(
        "Topic\n\nA rule, see http://192.0.2.1/x.\n", encoding="utf-8"
    )
    for words in QUIETLY:
        done = kb(*words.split(), cwd=root.parent)
        assert done.returncode == 0, done.stderr
    made = {path.name for path in root.parent.iterdir()}
    assert {"site", "x.sqlite", "drafts", "x.html"} <= made
    assert network.read_text() == ""
    with suppress(OSError), socket.create_connection(("127.0.0.1", 9), 1):
        pass
    assert network.read_text().endswith("socket.connect\n"), "the listener hears"
