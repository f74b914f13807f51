"""The browser's index: its bytes, its buckets, and answers of any words."""

from __future__ import annotations

import json
import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kb.language import FormTable
from kb.pipeline.build import build_forms
from kb.records.library import Library
from kb.search.analyzer import documents
from kb.search.browser import write_index
from kb.search.browser.writer import cut, order, starts
from kb.site.assets import SEARCH_SCRIPT, asset
from kb.site.templates import PACKAGED, Templates
from tests.browsers import run_node
from tests.conftest import contents


@pytest.fixture
def table(small_build: Path) -> Iterator[FormTable]:
    with FormTable(small_build / "forms.sqlite") as table:
        yield table


def retitled(library: Library, key: str, title: str) -> Library:
    """The library with another title of the original text of a ruling."""
    ruling = library.rulings[key]
    first, *rest = ruling.texts
    changed = replace(ruling, texts=(replace(first, title=title), *rest))
    return replace(library, rulings={**library.rulings, key: changed})


def write(library: Library, table: FormTable, folder: Path) -> str:
    return write_index(library, table, documents(library, table), folder)


def test_the_same_library_gives_the_same_bytes_and_another_text_another_folder(
    good: Library, table: FormTable, tmp_path: Path
) -> None:
    first, second = (write(good, table, tmp_path / name) for name in ("first", "second"))
    assert first == second and contents(tmp_path / "first") == contents(tmp_path / "second")
    # An index stays while the next one is written beside it.
    key = next(iter(good.rulings))
    newer = write(retitled(good, key, "Speeder"), table, tmp_path / "second")
    assert newer != first
    assert set(contents(tmp_path / "first")) < set(contents(tmp_path / "second"))


def asked(index: Path, work: Path, *queries: str) -> list[dict[str, Any]]:
    """What a browser that has nothing answers to each query, and what it loads."""
    core = work / SEARCH_SCRIPT
    core.write_text(asset(Templates((PACKAGED,)), SEARCH_SCRIPT), encoding="utf-8")
    (work / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
    program = Path(__file__).with_name("loaded.cjs")
    answers: list[dict[str, Any]] = run_node(program, core, index, work / "queries.json")
    return answers


# Letters that browsers count as two, and sort before others that Python sorts first.
@pytest.mark.parametrize("word", ["\U00010400koliczności", "\ufb50koliczności", "ab\U00010400bcd"])
def test_words_of_any_letters_are_found(good: Library, tmp_path: Path, word: str) -> None:
    key = list(good.rulings)[-1]
    library = retitled(good, key, f"{word} \uff76\uff76\uff76")
    build_forms(library, tmp_path / "forms.sqlite")
    with FormTable(tmp_path / "forms.sqlite") as table:
        write(library, table, tmp_path / "index")
    for found in asked(tmp_path / "index", tmp_path, word, word[:-2], "\uff76\uff76\uff76"):
        assert [hit["key"] for hit in found["answer"]["hits"]] == [key]


@pytest.mark.parametrize("seed", range(5))
def test_each_key_is_in_the_bucket_that_begins_at_or_before_it(seed: int) -> None:
    chance = random.Random(seed)
    letters = "ab\U00010400\uff76"
    keys = {"".join(chance.choices(letters, k=chance.randint(1, 8))) for _ in range(300)}
    lengths = {key: chance.randint(1, 60) for key in keys}
    buckets = list(cut(lengths, 100))
    assert [key for bucket in buckets for key in bucket] == sorted(keys, key=order)
    assert len(buckets) > 10
    begins = [order(start) for start in starts(buckets)]
    assert begins[0] == b""
    for number, bucket in enumerate(buckets):
        assert sum(lengths[key] for key in bucket) <= 400
        for key in bucket:
            assert bisect_right(begins, order(key)) == number + 1
