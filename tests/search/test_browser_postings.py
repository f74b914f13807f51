"""Postings of many documents at once are those of one document after the other."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.language import FormTable, build_form_table
from kb.records.library import load
from kb.search.analyzer import vocabulary
from kb.search.browser import postings_builder as module
from kb.search.browser.postings import Inverted, pack, unpack
from kb.search.browser.postings_builder import PostingsBuilder, contiguous, gathered
from kb.search.browser.streams import Document, TermStream, documents, gather

RULINGS = Path(__file__).resolve().parent.parent.parent / "rulings"
TERMS = ("pl=a", "pl:a", "ru=ж", "#1.2", "sk=x\ud800")
words = st.lists(
    st.tuples(
        st.lists(st.sampled_from(TERMS), min_size=1, max_size=3, unique=True), st.integers(0, 300)
    ),
    max_size=8,
)
fields = st.lists(
    st.tuples(st.sampled_from(("card", "date")), st.sampled_from(("x", "y"))),
    max_size=3,
    unique=True,
)
bases = st.lists(st.tuples(words, fields), max_size=12)


def made(base: list[tuple[list[tuple[list[str], int]], list[tuple[str, str]]]]) -> list[Document]:
    found = []
    for number, (some, values) in enumerate(base):
        here = TermStream([], [], [])
        for (terms, step), place in zip(some, accumulate(step for _, step in some), strict=True):
            here.put(tuple(terms), place, 7 + step)
        found.append(Document(f"game/{number}", here, tuple(values)))
    return found


def inverted(found: list[Document]) -> Inverted:
    one = Inverted()
    for number, document in enumerate(found):
        one.add(number, document)
    return one


@given(bases, st.integers(1, 20))
def test_postings_are_those_of_documents_one_by_one(base: object, chunk: int) -> None:
    found = made(base)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        whole, wanted = gathered(found), inverted(found)
        order = sorted(whole.terms)
        packed = {
            term: both
            for some in whole.sorted(order)
            for term, both in zip(some.terms, some.packed(some.starts), strict=True)
        }
    entries = {term: wanted.terms[term] for term in order}
    assert packed == {
        term: (pack(one.docs, one.weights), pack(one.counts, one.places))
        for term, one in entries.items()
    }
    assert {term: list(docs) for term, docs in whole.values.items()} == {
        term: list(one.docs) for term, one in wanted.terms.items() if term[0] == "@"
    }
    assert whole.lengths == [one.length for one in found]


@given(bases, st.integers(1, 5))
def test_pieces_end_with_a_term_and_with_a_block(base: object, size: int) -> None:
    found = made(base)  # type: ignore[arg-type]
    whole, wanted = gathered(found), inverted(found)
    for some in whole.sorted(sorted(whole.terms)):
        bounds, owners = some.blocks(size)
        seen: dict[str, list[int]] = {}
        for owner, (lists, _) in zip(owners.tolist(), some.packed(bounds), strict=True):
            docs = list(unpack(lists)[0])
            assert len({doc // size for doc in docs}) == 1
            seen.setdefault(some.terms[owner], []).extend(docs)
        assert seen == {term: list(wanted.terms[term].docs) for term in some.terms}


@given(bases, st.integers(0, 12))
def test_parts_are_the_whole(base: object, cut: int) -> None:
    found = made(base)  # type: ignore[arg-type]
    both = PostingsBuilder()
    for part in (found[:cut], found[cut:]):
        some = PostingsBuilder()
        for one in part:
            some.add(one)
        both.take(some)
    whole, joined = gathered(found), both.done()
    assert (joined.keys, joined.lengths, joined.values) == (whole.keys, whole.lengths, whole.values)
    order = sorted(whole.terms)
    for one, other in zip(whole.sorted(order), joined.sorted(order), strict=True):
        assert list(one.stepped()) == list(other.stepped())


@given(bases, st.integers(1, 10))
def test_documents_tell_their_terms(base: object, chunk: int) -> None:
    found = made(base)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        whole = gathered(found)
        names = sorted(whole.terms | whole.values.keys())
        told = list(whole.terms_of_documents({name: number for number, name in enumerate(names)}))
    assert [{names[number] for number in accumulate(unpack(piece)[0])} for piece in told] == [
        {term for terms in one.words.terms for term in terms}
        | {f"@{name}:{value}" for name, value in one.fields}
        for one in found
    ]


@given(
    st.lists(
        st.lists(st.sampled_from((0, 1, 255, 256, 65535, 65536, 2**32 - 1)), max_size=4), max_size=6
    )
)
def test_packing_pieces_is_packing_each(pieces: list[list[int]]) -> None:
    column = np.array([number for piece in pieces for number in piece], dtype=np.int64)
    bounds = np.array([0, *accumulate(map(len, pieces))])
    assert list(module._packed((column, bounds))) == [pack(piece) for piece in pieces]


@given(st.lists(st.integers(0, 9), max_size=20), st.integers(1, 5))
def test_contiguous_parts(sizes: list[int], parts: int) -> None:
    cut = contiguous(sizes, parts)
    assert len(cut) <= parts
    assert [size for part in cut for size in sizes[part]] == sizes


def test_cores_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = load(RULINGS)
    build_form_table(tmp_path / "forms.sqlite", *vocabulary(library))
    monkeypatch.setattr("kb.search.browser.streams._FEW", 10)
    with FormTable.open(tmp_path / "forms.sqlite") as table:
        alone = gathered(documents(library, table))
        monkeypatch.setattr("kb.search.browser.streams.cpu_count", lambda: 3)
        shared = gather(library, table)
    assert (shared.keys, shared.lengths) == (alone.keys, alone.lengths)
    order = sorted(alone.terms)
    assert {
        term: (row, places) for some in shared.sorted(order) for term, row, places in some.stepped()
    } == {
        term: (row, places) for some in alone.sorted(order) for term, row, places in some.stepped()
    }
