"""The engines: an index that was brought up to date answers as one built anew; damage is found."""

from __future__ import annotations

import gc
import os
import random
import shutil
import sqlite3
from pathlib import Path
from weakref import ref

import pytest

from kb.core.problems import KbError, NotBuilt
from kb.search.document import Document, Segment, pack_segments, value_term
from kb.search.engines.base import (
    AllOf,
    AnyOf,
    Condition,
    Index,
    Without,
    build_index,
    open_index,
    update_index,
)
from kb.search.engines.choice import ENGINES, OUTGROWN, chosen, requested, suitable, write_choice
from kb.search.filters import LAST
from tests.selection import thorough

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


@pytest.fixture(params=list(ENGINES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return empty(tmp_path / "build")


def empty(folder: Path) -> Path:
    folder.mkdir()
    sqlite3.connect(folder / "kb.sqlite").close()
    return folder


def test_a_closed_index_keeps_no_file_open(folder: Path) -> None:
    document = random_document("demo/one", random.Random(1))
    build_index(folder, [document], "whoosh")
    index = open_index(folder)
    index.candidates(index.best(AllOf(()), 5))
    reader = ref(index._reader)  # type: ignore[attr-defined]
    gc.disable()
    try:
        index.close()
        # Whoosh's files are mapped as long as there is a reader.
        assert reader() is None
    finally:
        gc.enable()


def random_document(key: str, rnd: random.Random) -> Document:
    terms = " ".join(rnd.choices(TERMS, k=rnd.choice((0, 1, 5, 40))))
    values = {
        ("game", rnd.choice(GAMES)),
        ("date", rnd.choice(DATES)),
        ("card", f"card {rnd.randrange(4)}"),
        ("card", "both"),
    }
    segments = (Segment("t", "pl", ["x", str(rnd.random())]), Segment("n", "", ["1.2"]))
    return Document(key, "ruling", pack_segments(segments), terms, tuple(sorted(values)))


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


def linked(old: Path, new: Path) -> Path:
    """A build's folder as the next build starts from: the store copied, the index linked."""
    shutil.copytree(old, new, copy_function=os.link)
    (new / "kb.sqlite").unlink()
    shutil.copyfile(old / "kb.sqlite", new / "kb.sqlite")
    return new


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("seed", [0, *thorough(1, 2, 3)])
def test_an_update_answers_as_a_new_index(
    name: str, seed: int, folder: Path, tmp_path: Path
) -> None:
    rnd = random.Random(seed)
    current = {
        key: random_document(key, rnd) for key in (f"game/r{number}" for number in range(60))
    }
    build_index(folder, current.values(), name)
    for turn in range(10):
        count = rnd.choice((0, 1, 2, 20 if len(current) > 30 else 0))
        removed = set(rnd.sample(sorted(current), count))
        edited = set(rnd.sample(sorted(current.keys() - removed), rnd.choice((0, 1, 1, 10))))
        added = {f"game/n{turn}-{number}" for number in range(rnd.choice((0, 1, 8)))}
        back = {"game/r1"} - current.keys() - removed
        for key in removed:
            del current[key]
        changes = {key: random_document(key, rnd) for key in sorted(edited | added | back)}
        current |= changes
        before = contents(folder)
        new = linked(folder, tmp_path / f"turn{turn}")
        update_index(new, changes.values(), {*removed, "game/never-there"})
        assert contents(folder) == before
        fresh = empty(tmp_path / f"fresh{turn}")
        build_index(fresh, [current[key] for key in sorted(current)], name)
        with_update, anew = open_index(new), open_index(fresh)
        assert everything(with_update) == everything(anew)
        with_update.close()
        anew.close()
        folder = new


def test_engines_tell_the_same(folder: Path, tmp_path: Path) -> None:
    rnd = random.Random(7)
    documents = [random_document(f"game/r{number:02}", rnd) for number in range(60)]
    states = []
    for name in ENGINES:
        build = empty(tmp_path / name)
        assert build_index(build, documents, name) == 60
        index = open_index(build)
        states.append(everything(index))
        index.close()
    assert all(state == states[0] for state in states)


def test_an_empty_index(name: str, folder: Path) -> None:
    assert build_index(folder, (), name) == 0
    index = open_index(folder)
    assert (index.count, index.best("pl:a", 5), index.total(AllOf(()))) == (0, [], 0)
    index.close()
    update_index(folder, [random_document("game/first", random.Random(3))], ())
    index = open_index(folder)
    assert index.count == 1
    index.close()


def test_an_update_leaves_what_does_not_change(folder: Path) -> None:
    """Whoosh writes the new document as a segment of its own."""
    rnd = random.Random(1)
    build_index(
        folder, (random_document(f"game/r{number}", rnd) for number in range(300)), "whoosh"
    )
    before = contents(folder / "index")
    update_index(folder, [random_document("game/r1", rnd)], ())
    after = contents(folder / "index")
    segments = {path for path in before if path.endswith(".seg")}
    assert segments and all(after[path] == before[path] for path in segments)


def test_the_engine_is_kept_with_the_build(name: str, folder: Path) -> None:
    build_index(folder, (), name)
    assert chosen(folder) == name
    open_index(folder).close()
    open_index(folder, name).close()
    for other in ENGINES.keys() - {name}:
        with pytest.raises(NotBuilt):
            open_index(folder, other)
    with pytest.raises(KbError):
        open_index(folder, "lucene")
    (folder / "engine").write_text("of another day\n", encoding="utf-8")
    with pytest.raises(NotBuilt):
        open_index(folder)
    (folder / "engine").unlink()
    with pytest.raises(NotBuilt):
        update_index(folder, (), ())


def test_an_engine_that_was_asked_for_is_written_down(tmp_path: Path) -> None:
    assert requested(tmp_path) == ""
    write_choice(tmp_path, "database")
    assert (chosen(tmp_path), requested(tmp_path)) == ("database", "")
    write_choice(tmp_path, "database", requested=True)
    assert (chosen(tmp_path), requested(tmp_path)) == ("database", "database")


def test_the_engine_that_suits_a_base() -> None:
    assert suitable(OUTGROWN) == "whoosh"
    assert suitable(OUTGROWN + 1) == "database"
