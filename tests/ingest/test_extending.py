"""The package in the guide "extending" is installed as it stands there, and imports a file."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from kb.records.library import load
from tests.command_line import checked, run_kb
from tests.conftest import PROJECT

GUIDE = PROJECT / "kb" / "help" / "extending.md"
# A file's name before its text, which is indented.
_FILE = re.compile(r"`(\S+\.(?:py|toml))`:\n\n((?:    .*\n|\n)+)")


def test_the_package_of_the_guide_imports_a_file(tmp_path: Path) -> None:
    source, environment = tmp_path / "source", tmp_path / "environment"
    files = dict(_FILE.findall(GUIDE.read_text(encoding="utf-8")))
    assert files.keys() == {"pyproject.toml", "kb_tables/__init__.py", "kb_tables/importer.py"}
    for name, text in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(textwrap.dedent(text), encoding="utf-8")
    options = ("--no-index", "--no-deps", "--no-build-isolation", "--quiet")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", environment, source],
        check=True,
        cwd=tmp_path,
    )
    table = (
        "Who draws first?,The *youngest* player.,Setup\nbroken\nWho draws first?,Nobody.,Setup\n"
    )
    (tmp_path / "faq.csv").write_text(table, encoding="utf-8")
    words = ("import", "csv", "faq.csv", "--game", "chess", "--into", "drafts")
    done = checked(run_kb)(*words, cwd=tmp_path, PYTHONPATH=str(environment))
    assert done.stdout.startswith("2 new")
    assert "faq.csv:2: not a question, an answer and a topic" in done.stderr
    library = load(tmp_path / "drafts")
    assert not library.problems
    ruling = library.rulings["chess/who-draws-first"]
    assert (ruling.header.topics, ruling.header.authority) == (("setup",), "community")
    assert ruling.original.title == "Who draws first?"
    assert ruling.original.body == r"The \*youngest\* player."
    assert "chess/who-draws-first-2" in library.rulings
