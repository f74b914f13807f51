"""Python and the browser's script give what `vectors.json` holds."""

from __future__ import annotations

import json
from pathlib import Path

from kb.search.browser import settings
from tests.browsers import run_node
from tests.conftest import stored
from tests.decks.vectors import FILE, vectors

STATIC = Path(__file__).parent.parent.parent / "templates" / "static"


def test_python_gives_the_vectors(small_build: Path) -> None:
    text = json.dumps(vectors(small_build), ensure_ascii=False, indent=1) + "\n"
    given, expected = json.loads(text), json.loads(stored(FILE, text))
    for kind in expected:
        assert given[kind] == expected[kind], kind


def test_the_browser_gives_the_vectors(small_base: Path, tmp_path: Path) -> None:
    search = tmp_path / settings.SCRIPT
    search.write_text(settings.joined(STATIC), encoding="utf-8")
    site = small_base / "site" / "static"
    words = [search, STATIC / "deck-core.js", site / "search", site / "decks" / "demo.js", FILE]
    assert run_node(Path(__file__).with_name("vectors.cjs"), *words) == []
