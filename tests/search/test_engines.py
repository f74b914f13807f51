"""The engines: an index that was brought up to date answers as one built anew; damage is found."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from pathlib import Path

import pytest
from kb.search.postings import KEY, field_term, pack, unpack
from kb.search.postings_builder import gathered

from kb.core.problems import KbError, NotBuilt
from kb.search.document import Document, TermStream
from kb.search.engines.base import ENGINES, Index, build_index, chosen, open_index, update_index
from kb.search.filters import LAST

WEIGHTS = (40, 13, 10, 20, 7, 60, 5)
GAMES, DATES = ("one", "two"), ("00000000", "20030601", "20040701", "20110101")
TERMS = [
    f"{lang}{sign}{word}"
    for lang in ("pl", "ru")
    for sign in "=:"
    for word in ("a", "b", "żółw", "срабатывает", "x\ud800")
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


def made(key: str, rnd: random.Random) -> Document:
    words = TermStream([], [], [])
    for place in range(rnd.choice((0, 1, 5, 40, 400))):
        words.put(tuple(rnd.sample(TERMS, rnd.choice((1, 1, 2, 3)))), place, rnd.choice(WEIGHTS))
    fields = {
        ("game", rnd.choice(GAMES)),
        ("date", rnd.choice(DATES)),
        ("card", f"card {rnd.randrange(4)}"),
        ("card", "both"),
    }
    return Document(key, words, tuple(sorted(fields)))


def everything(index: Index) -> dict[str, object]:
    """All that an index tells, by keys instead of numbers."""
    numbers = [doc for _, docs in index.between(KEY, "", LAST) for doc in docs]
    keys = index.keys(numbers)
    told: dict[str, object] = {
        "count": index.count,
        "average": index.average_length,
        "keys": [keys[doc] for doc in numbers],
    }
    told["live"] = sorted(keys[doc] for doc, here in enumerate(index.live) if here)
    told["lengths"] = {keys[doc]: index.lengths[doc] for doc in numbers}
    for field in ("game", "date", "card"):
        told[field] = [
            (value, sorted(keys[doc] for doc in docs))
            for value, docs in index.between(field, "", LAST)
        ]
    told["some"] = [
        (value, sorted(keys[doc] for doc in docs))
        for value, docs in index.between("date", "2003", "20040701")
    ]
    for term in (*TERMS, "none"):
        found = index.postings(term)
        assert list(found.docs) == sorted(found.docs)
        places = index.places(term, numbers)
        told[term] = {
            keys[doc]: (weight, list(places[doc]))
            for doc, weight in zip(found.docs, found.weights, strict=True)
        }
        assert len(places) == len(found.docs)
    return told


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


@pytest.mark.parametrize("seed", range(6))
def test_an_update_answers_as_a_new_index(
    name: str, seed: int, folder: Path, tmp_path: Path
) -> None:
    rnd = random.Random(seed)
    held = {key: made(key, rnd) for key in (f"game/r{number}" for number in range(60))}
    build_index(folder, gathered(held.values()), name)
    for turn in range(12):
        removed = set(rnd.sample(sorted(held), rnd.choice((0, 1, 2, 20 if len(held) > 30 else 0))))
        edited = set(rnd.sample(sorted(held.keys() - removed), rnd.choice((0, 1, 1, 10))))
        added = {f"game/n{turn}-{number}" for number in range(rnd.choice((0, 1, 8)))}
        back = {"game/r1"} - held.keys() - removed
        for key in removed:
            del held[key]
        changes = {key: made(key, rnd) for key in sorted(edited | added | back)}
        held |= changes
        before = contents(folder)
        new = linked(folder, tmp_path / f"turn{turn}")
        update_index(new, changes.values(), {*removed, "game/never-there"})
        assert contents(folder) == before
        fresh = empty(tmp_path / f"fresh{turn}")
        build_index(fresh, gathered(held.values()), name)
        with_update, anew = open_index(new), open_index(fresh)
        assert everything(with_update) == everything(anew)
        with_update.close()
        anew.close()
        folder = new


def test_an_empty_index(name: str, folder: Path) -> None:
    assert build_index(folder, gathered(()), name) == 0
    index = open_index(folder)
    assert (index.count, list(index.postings("pl=a").docs), index.average_length) == (0, [], 1.0)
    index.close()
    update_index(folder, [made("game/first", random.Random(3))], ())
    index = open_index(folder)
    assert index.count == 1
    index.close()


def test_the_work_of_an_update_is_that_of_the_change(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rnd = random.Random(1)
    build_index(folder, gathered(made(f"game/r{number}", rnd) for number in range(300)), name)
    packed = []
    module = "kb.search.postings" if name == "whoosh" else "kb.search.engines.database"
    monkeypatch.setattr(f"{module}.pack", lambda *columns: packed.append(columns) or pack(*columns))
    update_index(
        folder,
        [
            Document(
                "game/r1", TermStream([("pl=a",), ("pl=b",)], [0, 1], [10, 10]), (("game", "one"),)
            )
        ],
        (),
    )
    written = {len(column) for columns in packed for column in columns}
    # Whoosh writes the new document alone; the database the blocks of its terms.
    assert len(packed) < 2 * len(TERMS) + 30 and (name != "whoosh" or max(written) <= 2)


def test_the_engine_is_kept_with_the_build(name: str, folder: Path) -> None:
    build_index(folder, gathered(()), name)
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


def test_damaged_postings_are_found_when_they_are_read(folder: Path) -> None:
    build_index(
        folder,
        gathered(made(f"game/r{number}", random.Random(number)) for number in range(40)),
        "whoosh",
    )
    path = next((folder / "index").glob("*.pst"))
    data = bytearray(path.read_bytes())
    for place in range(0, len(data), 3):
        data[place] ^= 1
    path.write_bytes(bytes(data))
    index = open_index(folder)
    for term in ("pl=a", field_term("game", "one")):
        with pytest.raises(NotBuilt):
            index.postings(term)
    index.close()


def test_packed_numbers_come_back() -> None:
    columns = [[], [0, 255], [256, 65535, 3], [65536, 4_000_000_000]]
    data = pack(*columns)
    assert [list(column) for column in unpack(data)] == columns
    assert [column.itemsize for column in unpack(data)] == [1, 1, 2, 4]
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        with pytest.raises(NotBuilt):
            unpack(bytes(changed))
    with pytest.raises(NotBuilt):
        unpack(b"")
