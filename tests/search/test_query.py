"""The query language: what it means, and that nothing makes it fail or run away.

`vectors.json` has the trees of many more queries.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.search.query import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_TERMS,
    And,
    Filter,
    Leaf,
    Node,
    Not,
    Or,
    Query,
    leaves,
    parse,
)

A, B, C = (Leaf("word", text) for text in ("a1", "b1", "c1"))
ONE, RULE = Leaf("word", "1"), Leaf("word", "113.5")
PHRASE = Leaf("phrase", "a1 b1")


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a1 | b1 c1", Or((A, And((B, C))))),
        ("(a1 OR b1) c1", And((Or((A, B)), C))),
        ("a1 -b1", And((A, Not(B)))),
        ("-(a1 b1)", Not(And((A, B)))),
        ("over*", Leaf("prefix", "over")),
        ("п.113.5", RULE),
        ("правило 113.5", RULE),
        ("п.113,5", RULE),
        ("113-5", RULE),
        ("113.5b", And((RULE, Leaf("word", "b")))),
        ("113-5-example", Leaf("word", "113-5-example")),
        ("Pravidlo č. 113.5", RULE),
        ("a1 CR 113.5", And((A, RULE))),
        ("rule 113.5 OR ст. 113.5", Or((RULE, RULE))),
        ("правило 113", Leaf("word", "113")),
        ("113.5 rule", And((RULE, Leaf("word", "rule")))),
        ("rule 1", And((Leaf("word", "rule"), ONE))),
        ('"rule 113.5"', Leaf("phrase", "rule 113.5")),
        ("foo:a1", And((Leaf("word", "foo"), A))),
        ('"a1', A),
        ("((a1", A),
        ("()", None),
        ("-1/-1 a1", And((ONE, ONE, A))),
        ("a1-(b1)", And((A, B))),
        ("a1 NOT b1", And((A, Not(B)))),
        ('NOT "a1 b1" c1', And((Not(PHRASE), C))),
        ("a1 NOT (b1 c1)", And((A, Not(And((B, C)))))),
        ("a1 not b1", And((A, Leaf("word", "not"), B))),
        ("a1 NOT", And((A, Leaf("word", "NOT")))),
        ('"NOT" b1', And((Leaf("phrase", "NOT"), B))),
        ('-"a1 b1" c1', And((Not(PHRASE), C))),
        ('"c1 "a1 b1"', And((C, PHRASE))),
        ("a1？", A),
        ("a1 https://forum.example/t?p=1&q=d1 b1 c1", And((A, Leaf("word", "b1"), C))),
        ("“a1 b1?”", And((A, Leaf("word", "b1")))),
    ],
)
def test_trees(text: str, root: Node | None) -> None:
    assert parse(text).root == root


# As Polish, Czech, English, Swedish, Russian and German texts have them, and as keyboards mix them.
@pytest.mark.parametrize("quotes", ['""', "„”", "„“", "“”", "””", "«»", "»«", "‹›", '„"', '"”'])
def test_quotes_of_all_languages(quotes: str) -> None:
    assert parse("{}a1 b1{}".format(*quotes)).root == PHRASE
    card = Query(None, (Filter("card", "a1 b1", True),))
    assert parse("-card:{}a1 b1{}".format(*quotes)) == card


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("game: swtcg a1", Query(A, (Filter("game", "swtcg"),))),
        ('card: "a1 b1" c1', Query(C, (Filter("card", "a1 b1"),))),
        ("NOT kind: errata", Query(None, (Filter("kind", "errata", True),))),
        ("a1 game:", Query(And((A, Leaf("word", "game"))))),
        ("game: kind:errata", Query(Leaf("word", "game"), (Filter("kind", "errata"),))),
        ("game: (a1)", Query(And((Leaf("word", "game"), A)))),
        ("game: -a1", Query(And((Leaf("word", "game"), Not(A))))),
    ],
)
def test_a_space_after_the_colon_of_a_filter(text: str, query: Query) -> None:
    assert parse(text) == query


def depth(node: Node | None) -> int:
    if isinstance(node, And | Or):
        return 1 + max(depth(one) for one in node.nodes)
    return 1 + depth(node.node) if isinstance(node, Not) else 0


@pytest.mark.parametrize(
    ("text", "ruling_id"),
    [
        ("demo/stack-max", "stack-max"),
        ("https://rulings.example/pl/demo/rulings/Stack-max/index.html#text-pl", "stack-max"),
        ("other/stack-max", ""),
        ("https://rulings.example/demo/cards/stack-max/", ""),
        ("demo/a/b", ""),
    ],
)
def test_an_id_with_its_game_and_the_address_of_a_page(text: str, ruling_id: str) -> None:
    named = [item.value for item in parse(text, {"demo"}).filters if item.name == "id"]
    assert named == [ruling_id] * bool(ruling_id)


@given(
    st.text(alphabet=st.sampled_from(list('ab1*-"()|:„”«» \t\n\0\ud800.')), max_size=400)
    | st.text(max_size=300)
)
def test_never_fails_and_stays_small(text: str) -> None:
    query = parse(text)
    assert len(list(leaves(query.root))) <= MAX_TERMS
    assert depth(query.root) <= 2 * MAX_DEPTH + 3


def test_long_texts_are_cut() -> None:
    assert len(list(leaves(parse("ab " * 5000).root))) == MAX_TERMS
    assert parse("a" * (MAX_LENGTH + 1)).root == Leaf("word", "a" * MAX_LENGTH)
