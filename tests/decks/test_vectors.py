"""Python and the browser's script give what `vectors.json` holds."""

from __future__ import annotations

from pathlib import Path

from kb.site.assets import SEARCH_SCRIPT
from tests.browsers import run_node
from tests.decks.vectors import FILE, vectors
from tests.search.vectors import check_stored


def test_python_gives_the_vectors(small_build: Path) -> None:
    check_stored(FILE, vectors(small_build))


def test_the_browser_gives_the_vectors(small_base: Path) -> None:
    static = small_base / "site" / "static"
    words = [static / SEARCH_SCRIPT, static / "deck-core.js", static / "search"]
    program = Path(__file__).with_name("vectors.cjs")
    assert run_node(program, *words, static / "decks" / "demo.js", FILE) == []
