"""The browser's index finds words of any letters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kb.language import FormTable
from kb.pipeline.build import build_forms
from kb.records.library import Library
from kb.search.analyzer import documents
from kb.search.browser import write_index
from kb.site.assets import SEARCH_SCRIPT, asset
from kb.site.templates import PACKAGED, Templates
from tests.browsers import run_node


# Letters that browsers count as two, and sort before others that Python sorts first.
@pytest.mark.parametrize("word", ["\U00010400koliczności", "\ufb50koliczności", "ab\U00010400bcd"])
def test_words_of_any_letters_are_found(good: Library, tmp_path: Path, word: str) -> None:
    key = list(good.rulings)[-1]
    ruling = good.rulings[key]
    first, *rest = ruling.texts
    title = f"{word} \uff76\uff76\uff76"
    changed = replace(ruling, texts=(replace(first, title=title), *rest))
    library = replace(good, rulings={**good.rulings, key: changed})
    build_forms(library, tmp_path / "forms.sqlite")
    with FormTable(tmp_path / "forms.sqlite") as table:
        write_index(library, table, documents(library, table), tmp_path / "index")
    script, queries = tmp_path / SEARCH_SCRIPT, tmp_path / "queries.json"
    script.write_text(asset(Templates((PACKAGED,)), SEARCH_SCRIPT), encoding="utf-8")
    queries.write_text(json.dumps([word, word[:-2], "\uff76\uff76\uff76"]), encoding="utf-8")
    program = Path(__file__).with_name("loaded.cjs")
    for found in run_node(program, script, tmp_path / "index", queries):
        assert [hit["key"] for hit in found["answer"]["hits"]] == [key]
