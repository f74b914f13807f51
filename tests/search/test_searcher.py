"""Searching the small game: every kind of query, ranking, snippets."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.pipeline.build import derive
from kb.search.searcher import Searcher
from tests.conftest import paths_of


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("pilotów jednostkach", {"one-pilot", "pilot-build-zone"}),
        ('"build zone"', {"one-pilot", "pilot-build-zone"}),
        ('"zone build"', set()),
        ("spee*", {"errata-speeder"}),
        ("pilot -strefa", {"example"}),
        ("speeder OR niszczyciel", {"errata-speeder", "example"}),
        ("kind:errata", {"errata-speeder"}),
        ("-kind:ruling", {"errata-speeder", "example"}),
        ("status:superseded", {"old-answer"}),
        ("status:any dwóch", {"old-answer", "example"}),
        ("dwóch", {"example"}),
        ('card:"Darth Sidious"', {"pilot-build-zone"}),
        ("card:sidiousa", {"pilot-build-zone"}),
        ("card:anakin", {"one-pilot", "example"}),
        # Several words without quotes, as far as they are a card's name.
        ("card:Darth Sidious", {"pilot-build-zone"}),
        ("CARD: dartha sidiousa pilot kind:ruling", {"pilot-build-zone"}),
        ("card:Darth Sidious (C) pilot", {"pilot-build-zone"}),
        ("-card:Anakin Skywalker pilot", {"pilot-build-zone"}),
        ("card:anakin pilot", {"one-pilot", "example"}),
        ("card:Darth xyzzyq", set()),
        ("topic:errata", {"errata-speeder"}),
        ("authority:translator", {"pilot-build-zone"}),
        ("source:demo-faq#example", {"example"}),
        ("pilot source:demo-faq authority:community", {"example"}),
        ("after:2003-05 pilot", {"one-pilot", "pilot-build-zone", "example"}),
        ("before:2003 status:any", {"old-answer"}),
        ("game:other pilot", set()),
        ("lang:en destroyer", {"example"}),
        ("lang:pl destroyer", {"example"}),
        ("sidousa", {"pilot-build-zone"}),
        ("zzzzqq", set()),
    ],
)
def test_queries(query: str, wanted: set[str], small_searcher: Searcher) -> None:
    assert {hit.ruling.id for hit in small_searcher.search(query).results} == wanted


EXCLUDED = "the words after a minus leave out every ruling that has all the others"


@pytest.mark.parametrize(
    ("query", "is_excluded"),
    [
        ("speeder -name", True),
        ('speeder -"name of coruscant"', True),
        ("(speeder OR xyzzy) -(name OR xyzzy)", True),
        ("kind:errata speeder -name", True),
        # Rulings with some of the words are shown.
        ("unit only pilot anakin build zone -other", True),
        # Another ruling has all words, or none has them even so.
        ("pilot -speeder", False),
        ("pilot -one", False),
        ("xyzzyq -name", False),
        ("kind:example speeder -name", False),
        ("-name", False),
        ("speeder xyzzyq", False),
    ],
)
def test_an_exclusion_of_all_rulings_is_said(
    query: str, is_excluded: bool, small_searcher: Searcher
) -> None:
    answer = small_searcher.search(query)
    said = (answer.excluded, EXCLUDED in answer.notes)
    assert said == (is_excluded, is_excluded)


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("card:Darth Sidous", 'card:Darth matches nothing; did you mean card:"darth sidious"?'),
        ("card:Sidous", 'card:Sidous matches nothing; did you mean card:"sidious"?'),
        (
            'card:"Darth Sidous"',
            'card:Darth Sidous matches nothing; did you mean card:"darth sidious"?',
        ),
        ("topic:erata", 'topic:erata matches nothing; did you mean topic:"errata"?'),
        ("source:faq", 'source:faq matches nothing; did you mean source:"demo-faq"?'),
        ("source:xyzzy", "source:xyzzy matches nothing"),
    ],
)
def test_an_unknown_value_is_said_with_the_nearest(
    query: str, note: str, small_searcher: Searcher
) -> None:
    assert small_searcher.search(query).notes == (note,)


def test_each_result_says_how_it_matches_and_full_matches_are_counted(
    small_searcher: Searcher,
) -> None:
    answer = small_searcher.search("one pilot per unit")
    assert [hit.match for hit in answer.results] == ["all", "near", "near"]
    assert (answer.total, answer.partial, answer.match) == (1, 2, "all")
    answer = small_searcher.search("unit xylophone")
    assert answer.total == 0 and answer.partial == len(answer.results) > 0


@pytest.mark.parametrize(
    ("query", "confidence"),
    [
        ("one pilot per unit", "answer"),
        # A word that no ruling has forbids an answer, and denies nothing.
        ("one pilot per unit xylophone", "close"),
        # A word is found, not answered; the rulings on a card are what was asked for.
        ("pilot", "close"),
        ("darth", "answer"),
        ("kind:errata", "answer"),
        ("unit xylophone", "close"),
        ("xyzzyqwv", "none"),
    ],
)
def test_confidence(small_searcher: Searcher, query: str, confidence: str) -> None:
    assert small_searcher.search(query).confidence == confidence


def test_a_question_that_was_answered_is_an_answer(records: Path) -> None:
    record = records / "demo/pilots/one-pilot.md"
    text = record.read_text(encoding="utf-8").replace("kind: ruling", "kind: question")
    for status in ("current", "unanswered"):
        record.write_text(text.replace("status: current", f"status: {status}"), encoding="utf-8")
        paths = paths_of(records.parent)
        derive(paths)
        with Searcher(paths.current) as searcher:
            answer = searcher.search("one pilot per unit")
        is_answer = answer.results[0].ruling.id == "one-pilot" and answer.confidence == "answer"
        assert is_answer == (status == "current")


def test_the_condition_of_a_verdict_is_searched(records: Path) -> None:
    record = records / "demo/pilots/one-pilot.md"
    verdict = "verdict: if\nwhen:\n  pl: tylko w pełni\n  en: only at bloodmoon\n---"
    text = record.read_text(encoding="utf-8").replace("\n---", f"\n{verdict}", 1)
    record.write_text(text, encoding="utf-8")
    paths = paths_of(records.parent)
    derive(paths)
    with Searcher(paths.current) as searcher:
        for query in ("bloodmoon", "pełnia", "one pilot at bloodmoon"):
            answer = searcher.search(query)
            assert answer.results[0].ruling.id == "one-pilot" and not answer.notes


def test_an_excluded_phrase_is_looked_for_in_more_than_the_best(
    records: Path, tmp_path: Path
) -> None:
    lines = ["kind: ruling", "authority: official", "status: current"]
    lines += ["topics:", "  - pilots", "sources:", "  - demo-faq#one-pilot"]
    header = "\n".join(["---", *lines, "---", ""])
    for number in range(500):
        text = "A red dragon." if number % 2 else "A dragon, red and old."
        body = f"\n# pl: Smok {number}\n\nSmok.\n\n# en: Dragon {number}\n\n{text}\n"
        path = records / "demo" / "pilots" / f"dragon-{number:03}.md"
        path.write_text(header + body, encoding="utf-8")
    paths = paths_of(records.parent)
    derive(paths)
    with Searcher(paths.current) as searcher:
        answer = searcher.search('dragon -"red dragon"')
        assert (answer.match, answer.total) == ("all", 250)


def test_a_game_or_language_narrows_what_the_query_asks_for(real_searcher: Searcher) -> None:
    """Values of a filter are alternatives; the command's option chooses among them."""
    both = "game:swtcg game:babylon5 attack"
    assert {hit.ruling.game for hit in real_searcher.search(both).results} == {"swtcg", "babylon5"}
    one = real_searcher.search(both, game="babylon5")
    assert {hit.ruling.game for hit in one.results} == {"babylon5"}
    assert one.total == real_searcher.search("game:babylon5 attack").total
    assert real_searcher.search("game:swtcg attack", game="babylon5").results == ()
    assert real_searcher.search("lang:pl pilot", lang="en").results == ()


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("qui gon jinn", "Qui-Gon Jinn"),
        ("ki adi mundi", "Ki-Adi-Mundi"),
        ("ig 88", "IG-88"),
        ("4 lom", "4-LOM"),
        ("g kar", "G'Kar"),
        ("акванит лучник", "Акванит-лучник"),
    ],
)
def test_a_name_is_known_with_spaces_in_place_of_its_signs(
    query: str, name: str, real_searcher: Searcher
) -> None:
    answer = real_searcher.search(query)
    assert answer.cards[0].name == name
    # No ruling names the card.
    assert not answer.results


@pytest.mark.parametrize(
    ("query", "first", "confidence"),
    [
        # The ruling states another number than the one that is asked about.
        ("can I have 2 agendas", "agenda", "close"),
        # A number of the title tells which one is meant.
        ("overkill 7 hits", "overkill-7-hits", "answer"),
        ("quadrant 37", "", "none"),
        # Beside words that every text has it is what is looked for.
        ("c 3", "overkill-3-hits", "close"),
    ],
)
def test_a_number_ranks_rulings_but_rules_none_out(
    query: str, first: str, confidence: str, real_searcher: Searcher
) -> None:
    answer = real_searcher.search(query)
    assert [hit.ruling.id for hit in answer.results[:1]] == ([first] if first else [])
    assert answer.confidence == confidence
