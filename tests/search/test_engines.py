"""The engines: all give the same answers."""

from __future__ import annotations

import gc
import hashlib
import json
import random
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from whoosh import fields
from whoosh.index import open_dir

from kb.core.problems import KbError, NotBuilt
from kb.records.library import Library
from kb.search.document import Document, Segment, value_term
from kb.search.engines.base import (
    ENGINES,
    MAX_WHOOSH_RULINGS,
    AllOf,
    AnyOf,
    Condition,
    Index,
    Without,
    build_index,
    default_engine,
    engine_of,
    open_index,
)
from kb.search.filters import LAST
from kb.store.load import build_store

GAMES, DATES = ("one", "two"), ("00000000", "20030601", "20040701", "20110101")
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


@pytest.fixture(params=ENGINES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path, good: Library) -> Path:
    return with_store(tmp_path / "build", good)


def with_store(folder: Path, library: Library) -> Path:
    folder.mkdir()
    build_store(library, folder / "kb.sqlite")
    return folder


def test_a_closed_index_keeps_no_file_open(folder: Path) -> None:
    document = random_document("demo/one", random.Random(1))
    build_index(folder, [document])
    index = open_index(folder)
    index.candidates(index.best(AllOf(()), 5))
    index.close()
    # Whoosh's files are mapped as long as anything refers to their reader.
    gc.collect()
    assert str(folder) not in Path("/proc/self/maps").read_text(encoding="utf-8")


def random_document(key: str, rnd: random.Random) -> Document:
    terms = Counter(rnd.choices(TERMS, k=rnd.choice((0, 1, 5, 40))))
    values = {
        ("game", rnd.choice(GAMES)),
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

    state: dict[str, object] = {"count": index.count}
    state["documents"] = index.candidates(index.first(AllOf(()), 1_000))
    state["frequencies"] = {
        term: count
        for term, count in index.frequencies([*TERMS, "none", value_term("game", "one")]).items()
        if count
    }
    for field in ("game", "date", "card"):
        state[field] = index.values(field, "", LAST)
    state["some"] = index.values("date", "2003", "20040701")
    for number, condition in enumerate(CONDITIONS):
        matching = keys(index.first(condition, 1_000))
        assert matching == sorted(matching)
        assert sorted(keys(index.best(condition, 1_000))) == matching
        assert index.total(condition) == len(matching)
        assert keys(index.first(condition, 2)) == matching[:2]
        assert len(index.best(condition, 2)) == len(matching[:2])
        state[f"condition {number}"] = matching
    return state


def test_engines_tell_the_same(good: Library, tmp_path: Path) -> None:
    rnd = random.Random(7)
    documents = [random_document(f"game/r{number:02}", rnd) for number in range(60)]
    states = []
    for name in ENGINES:
        build = with_store(tmp_path / name, good)
        build_index(build, documents, (), name)
        index = open_index(build)
        assert index.count == 60
        states.append(everything(index))
        index.close()
    assert all(state == states[0] for state in states)


def test_an_empty_index(name: str, folder: Path) -> None:
    build_index(folder, (), (), name)
    index = open_index(folder)
    assert (index.count, index.best("pl:a", 5), index.total(AllOf(()))) == (0, [], 0)
    index.close()


def test_the_engine_is_kept_with_the_build(name: str, folder: Path) -> None:
    build_index(folder, (), (), name)
    assert engine_of(folder) == name
    open_index(folder).close()
    open_index(folder, name).close()
    for other in {*ENGINES} - {name}:
        with pytest.raises(NotBuilt):
            open_index(folder, other)
    with pytest.raises(KbError):
        open_index(folder, "lucene")
    (folder / "engine").write_text("of another day\n", encoding="utf-8")
    with pytest.raises(NotBuilt):
        open_index(folder)


def test_the_engine_that_suits_a_base() -> None:
    assert default_engine(MAX_WHOOSH_RULINGS) == "whoosh"
    assert default_engine(MAX_WHOOSH_RULINGS + 1) == "database"


class Evil:
    """Unpickled, it writes a file."""

    def __init__(self, file: Path) -> None:
        self.file = str(file)

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path(self.file),)


def rewritten(place: Path) -> None:
    """Give an index that somebody has changed the right checksums."""
    files = [path for path in place.iterdir() if "LOCK" not in path.name]
    checksums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    manifest = place.with_name("index.manifest.json")
    layout = json.loads(manifest.read_text(encoding="utf-8"))["layout"]
    manifest.write_text(json.dumps({"layout": layout, "files": checksums}), encoding="utf-8")


@pytest.mark.parametrize("where", ["table of contents", "stored fields"])
def test_an_index_that_somebody_brings_runs_nothing(where: str, tmp_path: Path) -> None:
    """With the right checksums, too: they lie beside it."""
    mark, folder = tmp_path / "ran", tmp_path / "build"
    document = random_document("one/a", random.Random(1))
    if where == "stored fields":
        document = replace(document, ruling=cast(Any, Evil(mark)))
    folder.mkdir()
    build_index(folder, [document])
    if where == "table of contents":
        field = fields.STORED()
        field.evil = Evil(mark)
        writer = open_dir(str(folder / "index")).writer()
        writer.add_field("evil", field)
        writer.commit()
        rewritten(folder / "index")
    with pytest.raises(NotBuilt, match="cannot be read"), closing(open_index(folder)) as index:
        cast(Any, index).ruling("one/a")
    assert not mark.exists()
