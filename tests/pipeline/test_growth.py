"""What a build does again after which change, and that it gives the bytes of a cold build."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import kb.pipeline.linked as linked_module
import kb.records.library as library_module
import kb.search.analyzer as build_module
from kb.core import parallel, urls
from kb.core.parallel import run_in_child
from kb.core.problems import KbError
from kb.language import LANGUAGES
from kb.pipeline.build import BuildResult, SiteOptions, build
from kb.pipeline.cache import FILE as CACHE
from kb.pipeline.paths import Paths
from kb.pipeline.session import BuildSession
from kb.records.library import Library
from kb.search.engines.choice import ENGINES
from kb.search.searcher import Searcher
from kb.site.page_writer import Content, PageWriter
from kb.site.pages import Page, PageSource
from tests.conftest import BuildOnce


@pytest.fixture
def places(good_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    shutil.copytree(good_root, tmp_path / "rulings")
    return Paths(tmp_path / "rulings", tmp_path / "data")


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages whose words were put through an analyser."""
    seen: list[str] = []
    # Not in processes of their own, where nothing is seen from here.
    monkeypatch.setattr("kb.core.parallel.cpu_count", lambda: 1)

    for lang, language in list(LANGUAGES.items()):

        def forms(lemmas: set[str], lang: str = lang, real: object = language.forms) -> object:
            seen.append(lang)
            return real(lemmas)  # type: ignore[operator]

        monkeypatch.setitem(LANGUAGES, lang, replace(language, forms=forms))
    return seen


def made(places: Paths, **more: object) -> BuildResult:
    return build(places, places.data.parent / "site", **{"site": ENGLISH, **more})  # type: ignore[arg-type]


def edit(places: Paths, old: str, new: str) -> None:
    record = places.rulings / "demo" / "pilots" / "one-pilot.md"
    text = record.read_text(encoding="utf-8")
    assert old in text
    record.write_text(text.replace(old, new, 1), encoding="utf-8")


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return sorted(db.iterdump())


def test_problems_are_told_again(places: Paths) -> None:
    bad = places.rulings / "demo" / "pilots" / "bad.md"
    bad.write_text("---\nkind: rulling\n---\n\n# pl: T\n\nX.\n", encoding="utf-8")
    for _ in range(2):
        done = made(places, keep_going=True)
        assert done.problems and not done.unchanged
        with pytest.raises(KbError):
            made(places)
    bad.unlink()
    assert not made(places).unchanged and made(places).unchanged


def test_a_question_that_another_ruling_has_is_a_problem_after_any_change(places: Paths) -> None:
    """Questions are compared again only where some have changed."""
    made(places)
    edit(places, "\n# en:", "\nPozostali piloci.\n\n# en:")
    assert not made(places).problems
    other = places.rulings / "demo" / "pilots" / "one-pilot.md"
    text = other.read_text(encoding="utf-8")
    question = "# asked-as: en\n\n- Does a pilot go back to the build zone?\n"
    other.write_text(f"{text}\n{question}", encoding="utf-8")
    with pytest.raises(KbError) as error:
        made(places)
    assert "asks the same" in str(error.value.problems)
    other.write_text(text, encoding="utf-8")
    assert not made(places).problems


def test_only_the_languages_with_new_words_are_analysed(places: Paths, analysed: list[str]) -> None:
    made(places)
    analysed.clear()
    edit(places, "\n# en:", "\nPozostali piloci.\n\n# en:")
    assert not made(places).unchanged and not analysed
    edit(places, "\n# en:", "\nNiespodziewane słowo.\n\n# en:")
    made(places)
    assert analysed == ["pl"]


def test_a_changed_record_gives_the_bytes_of_a_cold_build(places: Paths, tmp_path: Path) -> None:
    """In all languages of the interface; the other tests build one."""
    made(places, site=SiteOptions())
    edit(places, "\n# en:", "\nNiespodziewane słowo.\n\n# en:")
    made(places, site=SiteOptions())
    cold = Paths(places.rulings, tmp_path / "cold" / "data")
    build(cold, tmp_path / "cold" / "site")
    assert files(tmp_path / "site") == files(tmp_path / "cold" / "site")
    for name in ("kb.sqlite", "forms.sqlite"):
        assert rows(places.current / name) == rows(cold.current / name)


def test_what_was_lost_is_made_again(places: Paths) -> None:
    made(places)
    site = places.data.parent / "site"
    page = next((site / "demo" / "rulings").rglob("index.html"))
    page.unlink()
    assert not made(places).unchanged and page.is_file()
    stamp = site / "build.json"
    stamp.write_text(json.dumps({"generator": "kb"}), encoding="utf-8")
    assert not made(places).unchanged
    shutil.rmtree(places.data)
    assert not made(places).unchanged


def test_one_core_and_two_give_the_same(
    places: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "cpu_count", lambda: 1)
    made(places)
    monkeypatch.setattr(parallel, "cpu_count", lambda: 2)
    other = Paths(places.rulings, tmp_path / "other" / "data")
    build(other, tmp_path / "other" / "site", site=ENGLISH)
    assert files(tmp_path / "site") == files(tmp_path / "other" / "site")


@pytest.mark.parametrize("cores", [1, 2])
def test_what_fails_apart_fails_here(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "cpu_count", lambda: cores)

    def refuse() -> None:
        raise KbError("no")

    with pytest.raises(KbError, match="no"), run_in_child(refuse):
        pass
    # A process of its own would not end within the test.
    work = (lambda: None) if cores == 1 else (lambda: time.sleep(3600))
    with pytest.raises(ZeroDivisionError), run_in_child(work):
        raise ZeroDivisionError


# ---- the whole base, edited at random: the bytes of a cold build, work only on what differs ----


@dataclass
class Work:
    """What a build put through each step."""

    parsed: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    indexed: list[str] = field(default_factory=list)
    rendered: list[str] = field(default_factory=list)

    def clear(self) -> None:
        for one in (self.parsed, self.linked, self.indexed, self.rendered):
            one.clear()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    done = Work()
    read, link, index, render = (
        library_module.read_ruling,
        linked_module.autolink_rulings,
        build_module.documents,
        PageWriter.write_files,
    )

    def parsed(data: bytes, path: str, game: str, folder: str) -> object:
        done.parsed.append(Path(path).stem)
        return read(data, path, game, folder)

    def linked(library: Library, table: object, keys: list[str], *more: object) -> object:
        done.linked.extend(keys)
        return link(library, table, keys, *more)  # type: ignore[arg-type]

    def indexed(library: Library, table: object, keys: list[str] | None = None) -> object:
        done.indexed.extend(library.rulings if keys is None else keys)
        return index(library, table, keys)  # type: ignore[arg-type]

    def rendered(writer: PageWriter, page: Page, contents: Sequence[Content]) -> object:
        done.rendered.append(page.address)
        return render(writer, page, contents)

    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    monkeypatch.setattr(library_module, "read_ruling", parsed)
    monkeypatch.setattr(linked_module, "autolink_rulings", linked)
    monkeypatch.setattr(build_module, "documents", indexed)
    monkeypatch.setattr(PageWriter, "write_files", rendered)
    return done


@pytest.fixture(scope="session")
def built_with(rulings_root: Path, build_once: BuildOnce) -> Callable[[str], Path]:
    """Return the project's records built with an engine, in English; the tests work on copies."""

    def folder_of(engine: str) -> Path:
        def fill(folder: Path) -> None:
            shutil.copytree(rulings_root, folder / "rulings")
            places = Paths(folder / "rulings", folder / "data")
            build(places, folder / "site", site=ENGLISH, engine=engine)

        return build_once(f"english-{engine}", fill)

    return folder_of


ENGLISH = SiteOptions("https://example.org/kb", "", ("en",))
QUERIES = (
    "pilot",
    "droid",
    '"council quorum"',
    "karta OR jednostka",
    "overkill",
    "gracz kosc",
    "vplyv",
    "карта",
    "topic:pilots",
)


class Base:
    """A base that grows out of the first build."""

    def __init__(self, first: Path, root: Path, engine: str) -> None:
        self.root, self.engine = root, engine
        shutil.copytree(first / "rulings", root / "rulings")
        for name in ("data", "site"):
            shutil.copytree(first / name, root / "grown" / name)
        # Problems and records name the paths that they were read from: the same folder, moved.
        self.places = Paths(root / "rulings", root / "grown" / "data")
        build(self.places, root / "grown" / "site", site=ENGLISH, engine=engine)

    def record(self, key: str) -> Path:
        game, _, name = key.partition("/")
        return next((self.root / "rulings" / game).glob(f"*/{name}.md"))

    def build(self) -> BuildResult:
        return build(self.places, self.root / "grown" / "site", site=ENGLISH)

    def same_as_from_nothing(self) -> None:
        cold = self.root / "cold"
        shutil.rmtree(cold, ignore_errors=True)
        places = Paths(self.places.rulings, cold / "data")
        build(places, cold / "site", site=ENGLISH, engine=self.engine)
        assert files(self.root / "grown" / "site") == files(cold / "site")
        tables = (
            "game topic source card term ruling former text ruling_topic citation mention relation"
        )
        for table in tables.split():
            assert held(self.places.current / "kb.sqlite", table) == held(
                places.current / "kb.sqlite", table
            )
        assert rows(self.places.current / "forms.sqlite") == rows(places.current / "forms.sqlite")
        with Searcher(self.places.current) as grown, Searcher(places.current) as fresh:
            for query in QUERIES:
                one, other = grown.search(query), fresh.search(query)
                assert one.total == other.total
                assert [(hit.ruling, hit.score, hit.snippet) for hit in one.results] == [
                    (hit.ruling, hit.score, hit.snippet) for hit in other.results
                ]


def held(path: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return sorted(db.execute(f"SELECT * FROM {table}"), key=repr)


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(params=["whoosh", "database"])
def base(
    built_with: Callable[[str], Path], tmp_path: Path, request: pytest.FixtureRequest, work: Work
) -> Base:
    made = Base(built_with(request.param), tmp_path, request.param)
    work.clear()
    return made


@pytest.mark.thorough
def test_one_ruling_changed(base: Base, work: Work) -> None:
    record = base.record("swtcg/overkill-3-hits")
    replaced(record, "\n# en: ", "\nJednostka i karta.\n\n# en: ")
    base.build()
    assert (
        work.parsed == ["overkill-3-hits"]
        and work.linked == ["swtcg/overkill-3-hits"]
        and work.indexed == ["swtcg/overkill-3-hits"]
    )
    # Its own page and the front page; built.js says which build it is and names new files.
    assert {urls.ruling("swtcg", "overkill-3-hits"), urls.HOME} <= set(work.rendered)
    # Lists show its answer; the pages of decks and redirects name new files.
    assert len(work.rendered) < 12
    base.same_as_from_nothing()


@pytest.mark.thorough
def test_a_title_changed(base: Base, work: Work) -> None:
    replaced(base.record("swtcg/overkill-3-hits"), "\n# en: ", "\n# en: The card, ")
    base.build()
    assert work.parsed == ["overkill-3-hits"] and work.indexed == ["swtcg/overkill-3-hits"]
    listing = [one for one in work.rendered if "/topics/" in one or "/sources/" in one]
    assert listing and len(work.rendered) < 40
    base.same_as_from_nothing()


@pytest.mark.thorough
def test_rulings_come_and_go(base: Base, work: Work) -> None:
    record = base.record(
        "babylon5/"
        + sorted(one.stem for one in (base.root / "rulings" / "babylon5").glob("*/*.md"))[3]
    )
    other = record.with_name("a-wholly-new-one.md")
    # Two rulings are not asked for with the same words.
    text, _, _ = record.read_text(encoding="utf-8").partition("\n# asked-as")
    other.write_text(text, encoding="utf-8")
    base.build()
    assert work.parsed == ["a-wholly-new-one"] and work.indexed == ["babylon5/a-wholly-new-one"]
    base.same_as_from_nothing()
    other.unlink()
    base.build()
    base.same_as_from_nothing()
    assert not list((base.root / "grown" / "site").rglob("a-wholly-new-one"))


@pytest.mark.thorough
def test_one_card_renamed(base: Base, work: Work) -> None:
    cards = base.root / "rulings" / "swtcg" / "cards.tsv"
    text = cards.read_text(encoding="utf-8")
    name = next(
        row.split("\t")[0] for row in text.splitlines()[1:] if row.startswith("Anakin Skywalker")
    )
    rows_ = text.splitlines()
    at = next(number for number, row in enumerate(rows_) if row.startswith(name + "\t"))
    cells = rows_[at].split("\t")
    cells[6] = "; ".join(filter(None, [cells[6], "Qwertyvader"]))
    cards.write_text(
        "\n".join([*rows_[:at], "\t".join(cells), *rows_[at + 1 :]]) + "\n", encoding="utf-8"
    )
    base.build()
    assert not work.parsed and {one.partition("/")[0] for one in work.linked} == {"swtcg"}
    assert len(work.rendered) < 60
    base.same_as_from_nothing()


@pytest.mark.thorough
def test_terms_topics_and_a_new_word(base: Base, work: Work) -> None:
    replaced(base.root / "rulings" / "swtcg" / "game.yaml", "en: ", "en: Newly ")
    replaced(
        base.record("swtcg/overkill-3-hits"), "\n# en: ", "\nNiespodziewane żaglowce.\n\n# en: "
    )
    base.build()
    assert work.parsed == ["overkill-3-hits"]
    base.same_as_from_nothing()


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_any_edits_give_the_bytes_of_a_cold_build(
    built_with: Callable[[str], Path], tmp_path: Path, seed: int
) -> None:
    engine = list(ENGINES)[seed % len(ENGINES)]
    base = Base(built_with(engine), tmp_path, engine)
    # Edits at random do not keep to the rules of good content.
    for path in (base.root / "rulings").glob("*/game.yaml"):
        path.write_text(
            path.read_text(encoding="utf-8").replace("\nchecks: strict\n", "\n"), encoding="utf-8"
        )
    chance = random.Random(seed)
    for _ in range(3):
        records = sorted((base.root / "rulings").glob("*/*/*.md"))
        for path in chance.sample(records, 3):
            text = path.read_text(encoding="utf-8")
            other = chance.choice(records)
            lines = [
                line
                for line in other.read_text(encoding="utf-8").splitlines()
                if len(line) > 60 and "[[" not in line
            ]
            text, mark, questions = text.partition("\n# asked-as")
            edit = chance.choice(["more", "less", "word"])
            if edit == "more" and lines:
                text += "\n" + chance.choice(lines) + "\n"
            elif edit == "word":
                words = ["trombone", "quagmire", "pilots", "żaglowce", "министр"]
                text += f"\nUnforeseen {chance.choice(words)}.\n"
            elif text.count("\n\n") > 6:
                head, _, _ = text.rpartition("\n\n")
                text = head + "\n"
            text += mark + questions
            path.write_text(text, encoding="utf-8")
        try:
            base.build()
        except KbError as error:
            raise AssertionError(error.problems) from error
    base.same_as_from_nothing()


@pytest.mark.thorough
def test_what_was_kept_and_is_damaged_is_no_hindrance(base: Base, work: Work) -> None:
    for end in (0, 100, 10_000, -5_000):
        path = base.places.current / CACHE
        path.write_bytes(path.read_bytes()[:end])
        replaced(base.record("swtcg/overkill-3-hits"), "\n# en: ", "\nI karta.\n\n# en: ")
        base.build()
    base.same_as_from_nothing()


@pytest.mark.thorough
def test_a_file_of_the_site_that_somebody_changed_is_made_again(base: Base) -> None:
    page = base.root / "grown" / "site" / urls.ruling("swtcg", "overkill-3-hits")
    good = page.read_bytes()
    page.write_bytes(b"<p>something else")
    later = time.time() + 5
    os.utime(page, (later, later))
    base.build()
    assert page.read_bytes() == good


def test_only_pages_that_read_what_differs_are_collected(
    places: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "cpu_count", lambda: 1)
    made(places)
    collected: list[str] = []
    collect = PageSource.page

    def noted(source: PageSource) -> Page:
        if source.log:
            collected.append(source.address)
        return collect(source)

    monkeypatch.setattr(PageSource, "page", noted)
    edit(places, "\n# en:", "\nPozostali piloci.\n\n# en:")
    made(places)
    wanted = {urls.ruling("demo", "one-pilot"), urls.topic("demo", "pilots")}
    assert wanted <= set(collected)
    assert not {urls.ruling("demo", "errata-speeder"), urls.cards("demo")} & set(collected)
    same_as_from_nothing(places, tmp_path / "cold")


def test_lines_of_a_damaged_bulk_file_are_not_taken_over(places: Paths, tmp_path: Path) -> None:
    made(places)
    bulk = tmp_path / "site" / urls.BULK
    good, was = bulk.read_bytes(), bulk.stat()
    bulk.write_bytes(good.replace(b"Star Destroyer", b"Star Destroyed"))
    os.utime(bulk, ns=(was.st_atime_ns, was.st_mtime_ns))
    edit(places, "\n# en:", "\nPozostali piloci.\n\n# en:")
    made(places)
    assert b"Star Destroyed" not in bulk.read_bytes()
    same_as_from_nothing(places, tmp_path / "cold")


# ---- one change after the other in the small game: each build grows out of the one before it ----

Change = tuple[str, str, str]
ONE, OLD, EXAMPLE = "pilots/one-pilot.md", "pilots/old-answer.md", "pilots/example.md"
ZONE, SPEEDER = "pilots/pilot-build-zone.md", "errata/errata-speeder.md"
HUNTER = "Łowca Światów\t\tSecond Set\tSpace\tNeutral\t\t"
FIRST = """---
kind: errata
authority: official
status: current
about: Star Destroyer (First Set)
topics: errata
sources: demo-faq#example
---

# pl: Pierwsza

Darth Sidious i jednostka.
"""
# By what is changed: texts that are replaced in a file of the game; with nothing to replace, the
# file is new; with two names and an arrow, it is moved; with neither text, it goes.
CHANGES: dict[str, list[Change]] = {
    "the text of a ruling that others are tied to": [(ONE, "Pozostali piloci", "Inni piloci")],
    "its title, in the lists of all that it is tied to": [
        (ONE, "# en: One pilot per unit", "# en: A single pilot per unit")
    ],
    "its kind": [(ONE, "kind: ruling", "kind: note")],
    "its day, the last one of what it supersedes": [(ONE, "date: 2003-05", "date: 2003-06")],
    "the day from which it stands": [(ONE, "date: 2003-06", "date: 2003-06\neffective: 2003-07")],
    "the day up to which a ruling stands": [
        (ZONE, "status: current", "status: current\neffective-until: 2031-05")
    ],
    "a tie that is named by one side": [(ONE, "related:\n  - pilot-build-zone\n", "")],
    "a tie of another kind": [(SPEEDER, "topics:", "example-of:\n  - one-pilot\ntopics:")],
    "what supersedes what": [
        (ONE, "supersedes:\n  - old-answer\n", ""),
        (ZONE, "status: current", "status: current\nsupersedes:\n  - old-answer"),
    ],
    "a former id": [(ONE, "  - single-pilot", "  - lone-pilot")],
    "a former id that is given up": [(ONE, "formerly:\n  - lone-pilot\n", "")],
    "what a ruling cites": [(SPEEDER, "demo-faq#errata-speeder", "demo-faq#old-answer")],
    "what it overrides": [(SPEEDER, "topics:", "overrides:\n  - demo-rulebook\ntopics:")],
    "what it is about": [(SPEEDER, "about:\n  - Coruscant Speeder", "about:\n  - Darth Sidious")],
    "a card that a text names": [
        (ZONE, "includes [[Darth Sidious (C)|Darth Sidious]]", "includes Star Destroyers")
    ],
    "a text that names no card any more": [
        (ZONE, "Dotyczy to także [[Darth Sidious (C)|Dartha Sidiousa]].", "")
    ],
    "a translation that is gone": [
        (OLD, "\n# en: Two pilots on a unit\n\nA unit could once have two pilots.\n", "")
    ],
    "a translation that is stale": [
        (EXAMPLE, "example-of:", "translated-from:\n  en: 00000000\nexample-of:")
    ],
    "a card's other name": [("cards.tsv", HUNTER, f"{HUNTER}Hunter")],
    "a card's name": [
        ("cards.tsv", "Łowca Światów\t", "Łowca Mgławic\t"),
        (ONE, "[[Łowca Światów|Łowcy Światów]]", "[[Łowca Mgławic|Łowcy]]"),
        (ONE, "[[Łowca Światów]]", "[[Łowca Mgławic]]"),
    ],
    "a topic's name": [("game.yaml", "en: Pilots", "en: Crew")],
    "a new topic": [
        (
            "game.yaml",
            "  - id: errata\n",
            "  - id: ships\n    pl: Okręty\n    en: Ships\n  - id: errata\n",
        )
    ],
    "a ruling of that topic": [(ZONE, "topics:\n", "topics:\n  - ships\n")],
    "a record in another folder": [(f"{ZONE} -> ships/pilot-build-zone.md", "", "")],
    "a term's name": [("terms.yaml", "    - unit\n", "    - unit\n    - pilot\n")],
    "what a term means": [("terms.yaml", "are built.", "are put together.")],
    "the day of a document": [("sources.yaml", "published: 2003-05", "published: 2002-11")],
    "the order of a document": [
        (
            "sources.yaml",
            " - one-pilot\n    - pilot-build-zone",
            " - pilot-build-zone\n    - one-pilot",
        )
    ],
    "a word that no text had": [(SPEEDER, "The card reads", "Nevertheless, the zorkmid reads")],
    "a word that no text has any more": [(SPEEDER, "Nevertheless, the zorkmid", "The zone")],
    "a new ruling, first of all": [("errata/a-first.md", "", FIRST)],
    "a ruling less": [(EXAMPLE, "", "")],
}


def change(game: Path, name: str, old: str, new: str) -> None:
    source, arrow, target = name.partition(" -> ")
    path = game / source
    if arrow:
        (game / target).parent.mkdir(exist_ok=True)
        path.rename(game / target)
    elif old:
        replaced(path, old, new)
    elif new:
        path.write_text(new, encoding="utf-8")
    else:
        path.unlink()


def same_as_from_nothing(places: Paths, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    cold = Paths(places.rulings, folder / "data")
    build(cold, folder / "site", site=ENGLISH)
    assert files(places.data.parent / "site") == files(folder / "site")
    for name in ("kb.sqlite", "forms.sqlite"):
        assert rows(places.current / name) == rows(cold.current / name)


@pytest.mark.parametrize(
    ("keep", "together", "compared"),
    [
        (True, 1, "at the end"),
        (False, 9, "at the end"),
        pytest.param(True, 1, "each time", marks=pytest.mark.thorough),
        pytest.param(True, 3, "each time", marks=pytest.mark.thorough),
        pytest.param(False, 1, "each time", marks=pytest.mark.thorough),
    ],
)
def test_each_kind_of_change_gives_the_bytes_of_a_cold_build(
    keep: bool,
    together: int,
    compared: str,
    places: Paths,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    session = BuildSession(keep=keep)
    made(places, session=session)
    steps = list(CHANGES.items())
    for at in range(0, len(steps), together):
        if keep:
            session.settle(places)
        if at % 8 == 7 or not keep:
            # Another process goes on from the files, with a session of its own.
            session.close()
            session = BuildSession(keep=keep)
        part = steps[at : at + together]
        for name, old, new in (one for _, several in part for one in several):
            change(places.rulings / "demo", name, old, new)
        assert not made(places, session=session).unchanged, part
        if compared == "each time" or at + together >= len(steps):
            same_as_from_nothing(places, tmp_path / "cold")
    session.close()
