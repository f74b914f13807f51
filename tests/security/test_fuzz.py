"""Random input: readers give problems, the search an answer."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.library import load
from kb.records.parse import read_game, read_ruling
from kb.records.tables import read_cards
from kb.search.searcher import Searcher
from tests.security.imports import FUZZ, bytes_of


@FUZZ
@given(bytes_of)
def test_readers(data: bytes) -> None:
    ruling, problems = read_ruling(data, "x.md", "demo", "pilots")
    assert bool(problems) == (ruling is None)
    assert all(1 <= one.line <= len(data.splitlines()) + 1 for one in problems)
    read_cards(data, "cards.tsv", "{name} ({version})")
    for name in ("game.yaml", "sources.yaml", "terms.yaml", "cards.tsv"):
        files = {
            "game.yaml": b"id: demo\nname:\n  pl: D\nlanguage: pl\nlanguages:\n  - pl\n",
            name: data,
        }
        game, problems = read_game(files, "demo")
        assert game or problems


@FUZZ
@given(
    st.lists(st.tuples(st.sampled_from(["a.md", "b.md", "c.txt", "d"]), bytes_of), max_size=4),
    bytes_of,
)
def test_a_whole_folder(files: list[tuple[str, bytes]], game: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "demo" / "pilots").mkdir(parents=True)
        (root / "demo" / "game.yaml").write_bytes(game)
        for name, data in files:
            (root / "demo" / "pilots" / name).write_bytes(data)
        library = load(root)
        assert all(str(one) for one in library.problems)


WORDS = """( ) -( OR | - " „ ” « game: card: status:any asof: before:2003 after:x rules: lang:pl
    topic:pilots pilot pilot* a* pil* * jednostki jednsotki 113.5 1.1.1.1.1 R2-D2 a-b-c-d 's ż İ ß ﬀ
    😀 __proto__ constructor %s {} <b> ';--""".split()
WORDS += ["\0", "\u202e", "\ud800", "\u0301", " ", "\n", "\t"]
queries = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8)), max_size=25).flatmap(
    lambda words: st.sampled_from([" ", "", ":", '"']).map(lambda mark: mark.join(words))
)


# What ran away in other parsers, far longer than a query may be, and dates that are none.
HOSTILE = [piece * 5_000 for piece in (*'( ) " - . x ß і ﷺ -( a- game:'.split(), "a\u0301", "1.")]
WORDS_OF_MANY = """pilot|pilot OR|((a OR b) OR (c OR d))|a*|"pilot pilot pilot"
jednsotkai pliot zaloag krata wresja miisa bduowa""".replace("\n", "|")
HOSTILE += [f"{words} " * 5_000 for words in WORDS_OF_MANY.split("|")]
HOSTILE += ["a* pil* jed* kar* zal* wer*", "before:99999999999", "after:-1", "before:2003-99"]


@FUZZ
@given(text=queries, lang=st.sampled_from([None, "", "pl", "en"]), limit=st.integers(1, 20))
def test_the_whole_search(
    small_searcher: Searcher, text: str, lang: str | None, limit: int
) -> None:
    answer = small_searcher.search(text, lang=lang, limit=limit)
    assert len(answer.results) <= min(limit, answer.total + answer.partial)
    assert all(
        0 <= start <= end <= len(hit.snippet)
        for hit in answer.results
        for start, end in hit.shown.best.highlights
    )


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_queries_are_answered(small_searcher: Searcher, text: str) -> None:
    """What ran away took minutes, and ends at the limit of a test."""
    answer = small_searcher.search(text)
    assert len(answer.results) <= 10
