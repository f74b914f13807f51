"""How well the search finds what judges ask for, on the project's own rulings.

`queries.tsv` was written from the provisions before anything was tuned; rows marked `held` stay out
of tuning. Run with -s for the figures. The floors are lowered only with a written reason.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from kb.language import FormTable
from kb.linking.autolink import autolink
from kb.pipeline.build import derive
from kb.pipeline.paths import Paths
from kb.search.analyzer import documents
from kb.search.engines.base import ENGINES, engine, engine_of
from kb.search.searcher import Answer, Searcher
from tests.conftest import RULINGS, BuildOnce
from tests.gold import read_rows, success

FLOORS = {"tune": (0.91, 0.965), "held": (0.93, 0.97), "example": (0.85, 0.95)}
# (success at 1, at 3) of the rows used for tuning, and of the others.
# The first two were 0.9 and 0.93 until each ruling got a third more questions: one query of thirty
# lost its place to a ruling where a Slovak question has both of its words. Queries kept out of all
# tuning gained much more: 0.745 to 0.800 at 1, 0.875 to 0.930 at 3.
CZECH = ((0.86, 0.9), (0.8, 0.9))
Row = dict[str, str]


@pytest.fixture(scope="module")
def all_engines(real_base: Path, build_once: BuildOnce) -> Path:
    """A build of the project's rulings with the indexes of all engines."""

    def fill(folder: Path) -> None:
        places = Paths(RULINGS, shutil.copytree(real_base / "data", folder / "data"))
        derived = derive(places)
        with FormTable(places.current / "forms.sqlite") as table:
            for name in ENGINES:
                if name != engine_of(places.current):
                    found = documents(autolink(derived, table), table)
                    engine(name).build(places.current, found, ())

    return Paths(RULINGS, build_once("all-engines", fill) / "data").current


def _rank(searcher: Searcher, row: Row) -> int:
    """The rank of the first expected ruling among the best ten; 0 when none is there."""
    expected = set(row["expected"].split(","))
    hits = searcher.search(row["query"], limit=10).results
    return next(
        (n for n, hit in enumerate(hits, 1) if expected & set(map(str, hit.ruling.sources))), 0
    )


def test_floors(real_searcher: Searcher) -> None:
    ranks = [(row, _rank(real_searcher, row)) for row in read_rows("queries.tsv")]
    missed = [row["query"] for row, rank in ranks if not 0 < rank <= 3]
    for part, floors in FLOORS.items():
        places = [rank for row, rank in ranks if part in (row["set"], row["kind"])]
        first, third = success(places)
        mean = sum(1 / rank for rank in places if rank) / len(places)
        print(
            f"\n{part}: {len(places)} queries, at 1 {first:.3f}, at 3 {third:.3f}, MRR {mean:.3f}"
        )
        assert len(places) >= 20
        assert (first, third) >= floors and third >= floors[1], (part, missed)


def test_czech_queries_find_slovak_rulings(real_searcher: Searcher) -> None:
    """`czech.tsv`, written by Czech players; only its odd rows were used for tuning."""
    rows = read_rows("czech.tsv")
    assert len(rows) >= 40
    for name, part, floors in (("tune", rows[::2], CZECH[0]), ("held", rows[1::2], CZECH[1])):
        ranks = [_rank(real_searcher, row) for row in part]
        first, third = success(ranks)
        print(f"\nCzech, {name}: success at 1 {first:.3f}, at 3 {third:.3f}")
        missed = [row["query"] for row, rank in zip(part, ranks, strict=True) if not 0 < rank <= 3]
        assert first >= floors[0] and third >= floors[1], missed


def differing(folder: Path, queries: list[str], *more: Searcher) -> list[str]:
    """The queries that the engines and further searchers do not all answer in the same way."""
    searchers = [
        Searcher.over(FormTable(folder / "forms.sqlite"), engine(name).open_index(folder))
        for name in ENGINES
    ]
    searchers += more
    different = []
    for query in queries:
        first, *others = (searcher.search(query, limit=3) for searcher in searchers)
        for other in others:
            if replace(other, took_ms=0.0) != replace(first, took_ms=0.0):
                different.append(query)
    return different


SYNTAX = ["status:any", "asof:2003 pilot", "-kind:ruling", "before:2005", '"strefie budowy"']
SYNTAX += ["kart*", "pilot OR vir", "a -b"]


@pytest.mark.thorough
def test_engines_give_the_same_answers(all_engines: Path) -> None:
    """Candidates are the engines' own; in a base of this size they are the same."""
    assert_alike(all_engines)


def assert_alike(folder: Path, *more: Searcher) -> None:
    """Fail if answers on the project's rulings differ for more than a query in fifty."""
    queries = [row["query"] for name in ("queries.tsv", "asker.tsv") for row in read_rows(name)]
    queries = queries[::3]
    different = differing(folder, [*queries, *SYNTAX], *more)
    assert len(different) <= 0.02 * len(queries), different


def test_examples_given_with_the_sources(shared: Path) -> None:
    mine = {row["query"]: row["expected"] for row in read_rows("queries.tsv")}
    for line in (shared / "queries.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            query, expected = line.split("\t")
            assert mine[query] == expected


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        # Its title asks about a pilot in the build zone; that of build-zone-pilot asks about
        # abilities, and is third.
        ("pilot w strefie budowy", "pilots-build-zone"),
        ("vira londo", "rotate-effect"),
        ("невтидой", "113-2-example"),
        ("overkil", "overkill-text"),
        ("113.5", "113-5"),
        ("п. 113.5", "113-5"),
        ("inner circle promote", "promote"),
        ("ekwipunkiem pilota", "equipment-piloting"),
        # Words that people put around a subject are no subject.
        ("how does overkill work", "overkill-text"),
        ("everyone passes", "pass"),
        ("wytłumacz kontest", "contest-several-pairs"),
        ("ako funguje mercenary", "mercenary"),
        ("как работает приоритет", "how-priority-works"),
        # Nor are courtesies, and an address beside a question.
        ("ilu pilotów może mieć jednostka, proszę https://forum.example", "pilots-one-per-unit"),
        # A word in quotation marks counts, whatever it is.
        ("особенность с «может»", "113-6"),
        # A hyphen in place of a space.
        ("vynechať-akciu", "pass"),
        # A slip beside a word that no ruling has.
        ("povýiť Lenniera", "promote"),
        ("приоритеетом пользоваться", "how-priority-works"),
    ],
)
def test_what_a_judge_would_expect(query: str, wanted: str, real_searcher: Searcher) -> None:
    assert wanted in [hit.ruling.id for hit in real_searcher.search(query).results[:2]]


@pytest.mark.parametrize("courtesy", ["{}? thanks", "hi, {}", "{}, please", "“{}?”"])
def test_courtesies_make_an_answer_no_guess(courtesy: str, real_searcher: Searcher) -> None:
    query = courtesy.format("how many pilots may a unit have")
    answer = real_searcher.search(query, game="swtcg")
    assert answer.confidence == "answer"
    assert answer.results[0].ruling.id == "pilots-one-per-unit"


def test_an_open_question_denies_no_ruling_that_follows_closely(real_searcher: Searcher) -> None:
    answer = real_searcher.search("получает приоритет объявить особенность")
    first, second = answer.results[:2]
    assert (first.ruling.kind, second.ruling.id) == ("question", "113-2")
    assert answer.confidence == "close"


# First, and in the first three, by kind of query. The floors of keyboards, paraphrases and
# situations were 0.83, 0.8 and 0.92 at 1 while 5,730 questions stood below the rulings, a third of
# them written for such queries. With the 2,093 that players ask, and names of terms in their stead,
# a new set of 150 questions that was kept out of tuning fell from 0.873 / 0.967 to 0.800 / 0.933.
# Of the 217 queries 179 had the right ruling first and 202 among three with the rulings before
# their revision, measured with the same code; 177 and 199 with those after it. In seven of them a
# record stands first that says what the documents leave open; without these records 179 are first.
# Floors of other kinds are raised.
# Twice as many questions of players raised all but two, which fell by one query each: paraphrases
# at 3 from 0.833, slips at 1 from 0.885.
# Paraphrases had 0.72 until the possessives of questions became forms of their owners: before,
# opponent's found 19 rulings of 87. One query of 48 lost its place.
ASKER_FLOORS = {
    "card": (0.94, 0.94),
    "keyboard": (0.93, 1.0),
    "paraphrase": (0.7, 0.81),
    "situation": (0.93, 0.96),
    "slang": (0.88, 0.97),
    "slips": (0.84, 0.92),
    "word": (1.0, 1.0),
}


@pytest.fixture(scope="module")
def asked(real_searcher: Searcher) -> list[tuple[Row, Answer]]:
    """The queries of `asker.tsv`, with their first three results."""
    return [(row, real_searcher.search(row["query"], limit=3)) for row in read_rows("asker.tsv")]


@pytest.mark.thorough
def test_questions_in_the_askers_words(asked: list[tuple[Row, Answer]]) -> None:
    """Queries of people who know the rules but not the rulings.

    What happened, slang, slips, other keyboards.
    """
    places: dict[str, list[int]] = {}
    for row, answer in asked:
        if row["kind"] == "unanswered":
            continue
        expected = set(row["expected"].split(","))
        hits = answer.results
        ranks = (n for n, hit in enumerate(hits, 1) if expected & set(map(str, hit.ruling.sources)))
        places.setdefault(row["kind"], []).append(next(ranks, 0))
    assert places.keys() == ASKER_FLOORS.keys()
    for kind, (first, third) in ASKER_FLOORS.items():
        share, among = success(places[kind])
        print(f"\n{kind}: {len(places[kind])} queries, at 1 {share:.3f}, at 3 {among:.3f}")
        assert share >= first and among >= third, kind
    share, among = success([rank for several in places.values() for rank in several])
    assert share >= 0.87 and among >= 0.93


@pytest.mark.thorough
def test_what_no_ruling_decides_is_seldom_an_answer(asked: list[tuple[Row, Answer]]) -> None:
    """And what one decides is hardly ever denied."""
    answered = [row["kind"] != "unanswered" for row, _ in asked]
    said = [answer.confidence for _, answer in asked]
    # A record that says that the documents leave a question open is the right answer to it.
    wrong = [
        answer.confidence == "answer" and answer.results[0].ruling.kind != "question"
        for row, answer in asked
        if row["kind"] == "unanswered"
    ]
    denied = [one == "none" for one, is_decided in zip(said, answered, strict=True) if is_decided]
    print(f"\nanswers to {sum(wrong)} of {len(wrong)} open questions; denied {sum(denied)}")
    assert sum(wrong) <= 0.2 * len(wrong) and sum(denied) <= 0.06 * len(denied)


def test_slips_are_named(real_searcher: Searcher) -> None:
    assert real_searcher.search("overkil").suggestion == "overkill"
    assert real_searcher.search("overkill").suggestion is None
    # Words of the language that only look like words of the texts.
    for query in ("karta na zaplecze", "przetrzymać kartę", "мне откатить карту", "swinging"):
        assert real_searcher.search(query).suggestion is None


def test_a_guess_says_so_and_unknown_words_find_nothing(real_searcher: Searcher) -> None:
    answer = real_searcher.search("can I disrupt hidden cost")
    assert answer.match == "all" and answer.results[0].ruling.id == "hidden-cost"
    # The ruling on Hidden Cost is about disrupting, and says nothing of other responses. First is
    # what another game's documents leave open about responding.
    answer = real_searcher.search("can I respond to hidden cost")
    assert answer.match == "near" and answer.confidence != "answer"
    assert "hidden-cost" in [hit.ruling.id for hit in answer.results[:2]]
    answer = real_searcher.search("banana policy 9999", interface="en")
    assert (answer.match, answer.suggestion, answer.results) == ("none", None, ())


def test_languages_are_kept_apart(real_searcher: Searcher) -> None:
    assert {hit.ruling.game for hit in real_searcher.search("jednostka").results} == {"swtcg"}
    assert {hit.lang for hit in real_searcher.search("neutralized", lang="en").results} == {"en"}
    assert real_searcher.search("jednostka", lang="en").total == 0
