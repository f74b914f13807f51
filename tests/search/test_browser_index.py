"""The browser's index: made from the one before it has the bytes of one made from nothing."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kb.core import derived_data
from kb.core.derived_data import DerivedData
from kb.language import FormTable
from kb.language.lookup import CORPUS
from kb.pipeline.paths import Paths
from kb.records.library import Library, load
from kb.records.model import Ruling
from kb.search.analyzer import Analyzer
from kb.search.browser import (
    Before,
    Offline,
    index_writer,
    modules,
    rows,
    update_offline,
    write_offline,
)
from kb.search.browser.index_writer import IndexWriter
from kb.search.browser.rows import Meant, contribution
from kb.search.browser.shards import Cutter, Files, Row, Shard, order
from kb.search.browser.table_lines import TableLines
from kb.search.browser.word_lines import KINDS, WordLines
from tests.selection import thorough

Rulings = dict[str, Ruling]
PROJECT = Path(__file__).resolve().parent.parent.parent
RULINGS, TEMPLATES = PROJECT / "rulings", PROJECT / "templates"


@pytest.fixture(scope="module", params=["small", *thorough("real")])
def records(request: pytest.FixtureRequest) -> str:
    """Which records a test reads: those of the small game, or the project's own."""
    return request.param


@pytest.fixture(params=["small", *thorough("large")])
def kind_of_base(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether the base counts as a small one, in which words have their postings beside them."""
    if request.param == "large":
        monkeypatch.setattr(index_writer, "SMALL", 0)
    return request.param


@pytest.fixture(scope="module")
def library(records: str, good_root: Path) -> Library:
    return load(good_root if records == "small" else RULINGS)


@pytest.fixture(scope="module")
def table(records: str, request: pytest.FixtureRequest) -> Iterator[FormTable]:
    data = request.getfixturevalue(f"{records}_base") / "data"
    with FormTable.open(Paths(RULINGS, data).current / "forms.sqlite") as table:
        yield table


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def before(made: Offline, library: Library, table: FormTable, after: Library) -> Before:
    changed = [one for key, one in library.rulings.items() if after.rulings.get(key) is not one]
    games = library.games
    return Before(
        made,
        table,
        {
            one.key: contribution(one, games[one.game], Analyzer(games[one.game], table))
            for one in changed
        },
    )


def reworded(rulings: Rulings, chance: random.Random) -> None:
    key, other = chance.choice(list(rulings)), chance.choice(list(rulings))
    first, *rest = rulings[key].texts
    longer = replace(first, body=f"{rulings[other].original.body}\n\n{first.body}")
    rulings[key] = replace(rulings[key], texts=(longer, *rest))


def shorter(rulings: Rulings, chance: random.Random) -> None:
    key = chance.choice(list(rulings))
    texts = tuple(replace(text, body=text.answer) for text in rulings[key].texts)
    rulings[key] = replace(rulings[key], texts=texts)


def removed(rulings: Rulings, chance: random.Random) -> None:
    del rulings[chance.choice(list(rulings))]


def added(rulings: Rulings, chance: random.Random) -> None:
    one = rulings[chance.choice(list(rulings))]
    more = replace(one, id=f"{chance.choice('amz')}{chance.randint(0, 10**6)}-{one.id}")
    rulings[more.key] = more


def nothing(rulings: Rulings, chance: random.Random) -> None:
    pass


@pytest.mark.usefixtures("kind_of_base")
def test_a_second_index_goes_through_no_forms_and_has_the_same_bytes(
    library: Library, table: FormTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(derived_data, "_MIN_SIZE", 0)
    derived = DerivedData("1")
    plain = write_offline(library, table, tmp_path / "plain")
    first = write_offline(library, table, tmp_path / "first", None, derived)
    lines = IndexWriter.lines
    filled: list[object] = []
    monkeypatch.setattr(
        IndexWriter, "lines", lambda *arguments: filled.append(0) or lines(*arguments)
    )
    second = write_offline(library, table, tmp_path / "second", None, derived)
    assert not filled and plain == first == second
    assert files(tmp_path / "plain") == files(tmp_path / "first") == files(tmp_path / "second")
    # Other lemmas, in forms that the table has already.
    rulings = dict(library.rulings)
    del rulings[min(rulings)]
    less = replace(library, rulings=rulings)
    assert write_offline(less, table, tmp_path / "less", None, derived) == write_offline(
        less, table, tmp_path / "plain-less"
    )
    assert filled and files(tmp_path / "less") == files(tmp_path / "plain-less")


@pytest.mark.parametrize(
    "edits",
    [
        *thorough([nothing], [reworded], [shorter], [removed], [added]),
        [reworded, removed, added, shorter, added],
    ],
)
@pytest.mark.usefixtures("kind_of_base")
def test_an_update_has_the_bytes_of_a_new_index(
    library: Library,
    table: FormTable,
    tmp_path: Path,
    edits: list[Callable[[Rulings, random.Random], None]],
) -> None:
    chance = random.Random(len(edits[0].__name__))
    made = write_offline(library, table, tmp_path / "index")
    for turn in range(3):
        rulings = dict(library.rulings)
        for edit in edits:
            edit(rulings, chance)
        after = replace(library, rulings=dict(sorted(rulings.items())))
        made = update_offline(after, table, tmp_path / "index", before(made, library, table, after))
        fresh = write_offline(after, table, tmp_path / f"fresh-{turn}")
        assert files(tmp_path / "index") == files(tmp_path / f"fresh-{turn}") and made == fresh
        library = after


def with_words(library: Library, words: str) -> Library:
    """The library with more words in the text of its first ruling."""
    key, one = next(iter(library.rulings.items()))
    text = replace(one.original, body=f"{one.original.body}\n\n{words}")
    longer = replace(one, texts=(text, *one.texts[1:]))
    return replace(library, rulings={**library.rulings, key: longer})


def counted_calls(patch: pytest.MonkeyPatch, owner: type, name: str) -> list[object]:
    """Have the calls of a method noted in the list that is returned."""
    calls: list[object] = []
    method = getattr(owner, name)

    def counted(self: object, *args: object) -> object:
        calls.append(args)
        return method(self, *args)

    patch.setattr(owner, name, counted)
    return calls


def test_a_language_more_is_written_too(
    library: Library, table: FormTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.search.browser.update._MUCH", 1)
    one_language = {"language": "pl", "languages": ()}
    games = {
        key: replace(game, header=game.header.model_copy(update=one_language))
        for key, game in library.games.items()
    }
    first = replace(library, games=games)
    made = write_offline(first, table, tmp_path / "index")
    last = before(made, first, table, replace(library, rulings={}))
    update_offline(library, table, tmp_path / "index", last)
    write_offline(library, table, tmp_path / "fresh")
    assert files(tmp_path / "index") == files(tmp_path / "fresh")


def test_rows_from_the_table_are_those_kept_in_memory(table: FormTable) -> None:
    languages, lemmas = ["en", "pl"], {"pl:karta", "en:card"}
    kept, read = WordLines(), TableLines(table, languages, lemmas)
    kept.fill(table, languages, lemmas)
    assert read.words == kept.words
    chance = random.Random(1)
    for kind in KINDS:
        keys = [order(key) for key, _, _ in kept.rows(kind)]
        assert len(keys) > 100
        for _ in range(20):
            start, end = sorted(chance.sample(range(len(keys)), 2))
            bounds = (keys[start], keys[end])
            for first, last in (bounds, (b"", bounds[0]), (bounds[1], None)):
                assert [as_values(row) for row in read.rows(kind, first, last)] == [
                    as_values(row) for row in kept.rows(kind, first, last)
                ]


def as_values(row: Row) -> object:
    """A row with what its forms can mean as values, which compare."""
    key, value, length = row
    if isinstance(value, str):
        return row
    folded, forms = value
    return key, folded, [(form, meant.code, meant.lemmas) for form, meant in forms], length


@pytest.mark.parametrize("change", [added, removed])
def test_a_base_that_becomes_large_or_small_has_the_bytes_of_a_new_index(
    library: Library,
    table: FormTable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Rulings, random.Random], None],
) -> None:
    count = len(library.rulings)
    monkeypatch.setattr(index_writer, "SMALL", count if change is added else count - 1)
    made = write_offline(library, table, tmp_path / "index")
    rulings = dict(library.rulings)
    change(rulings, random.Random(1))
    after = replace(library, rulings=dict(sorted(rulings.items())))
    again = update_offline(after, table, tmp_path / "index", before(made, library, table, after))
    assert again == write_offline(after, table, tmp_path / "fresh")
    assert files(tmp_path / "index") == files(tmp_path / "fresh")


QUERIES = ["pilot", "pilotów na jednostkach", "overkil", "sidiousa", "невтидой", "113.5", "vira"]


@pytest.mark.parametrize("query", ['card:"Darth Sidious" token', "a", *thorough("w*", "ничего -a")])
def test_a_small_base_gives_the_answers_of_a_large_one_from_fewer_files(
    library: Library,
    table: FormTable,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
) -> None:
    node = shutil.which("node")
    if not node:
        pytest.skip("no node: the answers of small and large bases were NOT compared")
    core = tmp_path / modules.SCRIPT
    core.write_text(modules.joined(TEMPLATES / "static"), encoding="utf-8")
    (tmp_path / "queries.json").write_text(json.dumps([*QUERIES, query]), encoding="utf-8")
    printed = []
    for most in (index_writer.SMALL, 0):
        monkeypatch.setattr(index_writer, "SMALL", most)
        write_offline(library, table, tmp_path / str(most))
        program = Path(__file__).with_name("loaded.cjs")
        command = [node, program, core, tmp_path / str(most), tmp_path / "queries.json"]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        printed.append(json.loads(done.stdout))
    small, large = printed
    assert [one["answer"] for one in small] == [one["answer"] for one in large]
    assert sum(len(one["files"]) for one in small) < sum(len(one["files"]) for one in large)


def test_a_changed_ruling_changes_few_files(
    records: str, library: Library, table: FormTable, tmp_path: Path
) -> None:
    made = write_offline(library, table, tmp_path / "index")
    old = set(files(tmp_path / "index"))
    key = sorted(library.rulings)[len(library.rulings) // 2]
    one = library.rulings[key]
    text = replace(one.original, title=one.original.title + " " + one.original.title.split()[0])
    after = replace(
        library,
        rulings={**library.rulings, key: replace(one, texts=(text, *one.texts[1:]))},
    )
    update_offline(after, table, tmp_path / "index", before(made, library, table, after))
    new = set(files(tmp_path / "index"))
    assert new != old and (records == "small" or len(new - old) < len(old) / 3)


@pytest.mark.parametrize("seed", range(20))
def test_cutting_again_is_cutting(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    (tmp_path / "again").mkdir()
    (tmp_path / "fresh").mkdir()
    held = {
        f"{chance.randint(0, 10**5)}": chance.randint(1, 90)
        for _ in range(chance.choice([0, 1, 5, 200]))
    }

    def rows(found: dict[str, int], start: bytes = b"", end: bytes | None = None) -> Iterator[Row]:
        for key in sorted(found, key=order):
            if start <= order(key) and (end is None or order(key) < end):
                yield key, f"{key} {found[key]}", found[key]

    made: list[Shard] = Cutter(Files(tmp_path / "again"), "f", 100, list).all(rows(held))
    for _ in range(5):
        after = {key: length for key, length in held.items() if chance.random() < 0.97}
        after |= {
            f"{chance.randint(0, 10**5)}": chance.randint(1, 400)
            for _ in range(chance.randint(0, 3))
        }
        changed = {key for key in {**held, **after} if held.get(key) != after.get(key)}

        def present(
            _: Shard, start: bytes, end: bytes | None, after: dict[str, int] = after
        ) -> Iterator[Row]:
            return rows(after, start, end)

        made = Cutter(Files(tmp_path / "again"), "f", 100, list).again(made, changed, present)
        assert made == Cutter(Files(tmp_path / "fresh"), "f", 100, list).all(rows(after))
        held = after


def test_forms_name_the_words_that_mean_the_same_elsewhere() -> None:
    go = Meant("pl", CORPUS, ("iść",))
    packed = rows.packed_forms(
        {"pl:iść": "ide szedl szla"}, [("ide", [("idę", go)]), ("idz", [("idź", go)])]
    )
    assert packed == "pl! iść\tszedl szla\npl* id iść\tę ź"
    assert "!" not in rows.packed_forms({"pl:iść": "ide"}, [("ide", [("idę", go)])])


def test_codes_of_two_and_three_letters() -> None:
    assert rows.is_lemma("pl:jednostka") and rows.is_lemma("szl:ćpa")
    assert not rows.is_lemma("szl=cpa") and not rows.is_lemma("@card:x") and not rows.is_lemma("#1")
    assert rows.key_of("szl:^ćpa") == rows.key_of("pl=cpa") == "cpa"
    assert rows.key_of("szl!kill") == "!kill"
