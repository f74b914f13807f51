"""The engines give the same answers, and an index that somebody brings runs nothing."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from whoosh import fields
from whoosh.index import open_dir

from kb.core.problems import NotBuilt
from kb.records.library import Library
from kb.search.document import Document, Segment, value_term
from kb.search.engines.base import (
    ENGINES,
    AllOf,
    AnyOf,
    Condition,
    Index,
    Without,
    build_index,
    open_index,
)
from kb.search.filters import LAST
from kb.store.load import build_store

DATES = ("00000000", "20030601", "20040701", "20110101")
TERMS = [f"{lang}:{word}" for lang in ("pl", "ru") for word in ("a", "b", "żółw", "^x-y", 'q"t')]
CONDITIONS: list[Condition] = [
    "pl:a",
    AllOf(()),
    AnyOf(()),
    AllOf(("pl:a", "ru:b")),
    AnyOf(("pl:żółw", "ru:^x-y", "none")),
    AllOf(("pl:a", AnyOf(()))),
    Without("pl:a", AnyOf(("ru:a", 'ru:q"t'))),
    Without(AllOf(()), AnyOf((value_term("card", "card 1"),))),
    AllOf((AnyOf(("pl:b", "pl:a")), AnyOf((value_term("game", "one"),)))),
]


def random_document(key: str, rnd: random.Random) -> Document:
    terms = Counter(rnd.choices(TERMS, k=rnd.choice((0, 1, 5, 40))))
    values = {
        ("game", rnd.choice(("one", "two"))),
        ("date", rnd.choice(DATES)),
        ("card", f"card {rnd.randrange(4)}"),
        ("card", "both"),
    }
    segments = (Segment("t", "pl", ["x", str(rnd.random())]), Segment("n", "", ["1.2"]))
    return Document(key, "ruling", segments, terms, tuple(sorted(values)))


def everything(index: Index) -> dict[str, object]:
    """All that an index tells, by keys instead of numbers."""

    def keys(numbers: list[int]) -> list[str]:
        return [candidate.key for candidate in index.candidates(numbers)]

    counts = index.frequencies([*TERMS, "none", value_term("game", "one")])
    state: dict[str, object] = {
        "count": index.count,
        "documents": index.candidates(index.first(AllOf(()), 1_000)),
        "frequencies": {term: count for term, count in counts.items() if count},
        "some": index.values("date", "2003", "20040701"),
        **{field: index.values(field, "", LAST) for field in ("game", "date", "card")},
    }
    for number, condition in enumerate(CONDITIONS):
        matching = keys(index.first(condition, 1_000))
        assert matching == sorted(matching) == sorted(keys(index.best(condition, 1_000)))
        assert index.total(condition) == len(matching)
        assert keys(index.first(condition, 2)) == matching[:2]
        assert len(index.best(condition, 2)) == len(matching[:2])
        state[f"condition {number}"] = matching
    return state


@pytest.mark.parametrize("count", [60, 0])
def test_engines_tell_the_same(count: int, good: Library, tmp_path: Path) -> None:
    rnd = random.Random(7)
    documents = [random_document(f"game/r{number:02}", rnd) for number in range(count)]
    states = []
    for name in ENGINES:
        folder = tmp_path / name
        folder.mkdir()
        build_store(good, folder / "kb.sqlite")
        build_index(folder, documents, (), name)
        with closing(open_index(folder)) as index:
            states.append(everything(index))
    assert states[0]["count"] == count and all(state == states[0] for state in states)


class Evil:
    """Unpickled, it writes a file."""

    def __init__(self, file: Path) -> None:
        self.file = str(file)

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path(self.file),)


@pytest.mark.parametrize("where", ["table of contents", "stored fields"])
def test_an_index_that_somebody_brings_runs_nothing(where: str, tmp_path: Path) -> None:
    mark, folder = tmp_path / "ran", tmp_path / "build"
    document = random_document("one/a", random.Random(1))
    if where == "stored fields":
        document = replace(document, ruling=cast(Any, Evil(mark)))
    folder.mkdir()
    build_index(folder, [document])
    if where == "table of contents":
        field = fields.STORED()
        field.evil = Evil(mark)
        writer = open_dir(str(next(folder.glob("index-*")))).writer()
        writer.add_field("evil", field)
        writer.commit()
    with pytest.raises(NotBuilt, match="cannot be read"), closing(open_index(folder)) as index:
        cast(Any, index).ruling("one/a")
    assert not mark.exists()
