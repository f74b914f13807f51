"""The scripts of a site: what old browsers can read, and that they fold as Python does."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

import kb.plugins
from kb.language import fold
from kb.site.templates import PACKAGED
from tests.browsers import run_node

# What Safari 15 cannot read: one such piece stops the whole script.
UNREADABLE = {
    "a look-behind": r"\(\?<[=!]",
    "modifiers within a pattern": r"\(\?[a-z]*-?[a-z]+:",
    "the flag v of a pattern": r"/[a-z]*v[a-z]*[.,;)]|\bRegExp\(.+, \"[a-z]*v",
    "a static block of a class": r"\bstatic \{",
}
PLUGINS = Path(kb.plugins.__file__).parent
SCRIPTS = sorted([*PACKAGED.rglob("*.js"), *PLUGINS.rglob("*.js")])


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_old_browsers_can_read_every_script(path: Path) -> None:
    script = path.read_text(encoding="utf-8")
    assert [name for name, pattern in UNREADABLE.items() if re.search(pattern, script)] == []


def test_the_browser_folds_as_python_does() -> None:
    blocks = [range(0x20, 0x370), range(0x400, 0x530), range(0x1E00, 0x1F00), range(0x2010, 0x2040)]
    every = [chr(code) for block in blocks for code in block]
    letters = [char for char in every if unicodedata.category(char)[0] in "LNP"]
    letters += [unicodedata.normalize("NFD", letter) for letter in letters]
    script = (PACKAGED / "static" / "fold.js").read_text(encoding="utf-8")
    script += "console.log(JSON.stringify(JSON.parse(process.argv[1]).map(KBFold)));"
    folded = run_node("-e", script, json.dumps(letters))
    assert dict(zip(letters, folded, strict=True)) == {letter: fold(letter) for letter in letters}
