"""The query language: what it means, and that nothing makes it fail or run away."""

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
ONE, X = Leaf("word", "1"), Leaf("word", "X")
PHRASE = Leaf("phrase", "a1 b1")
# As Polish, Czech, English, Swedish, Russian and German texts have them, and as keyboards mix them.
QUOTES = ('""', "„”", "„“", "“”", "””", "«»", "»«", "‹›", "›‹", "＂＂", '„"', '"”', "““")


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a1", A),
        ("a1 b1", And((A, B))),
        ("a1 OR b1", Or((A, B))),
        ("a1 | b1 c1", Or((A, And((B, C))))),
        ("(a1 OR b1) c1", And((Or((A, B)), C))),
        ("a1 -b1", And((A, Not(B)))),
        ("-(a1 b1)", Not(And((A, B)))),
        ('"a1 b1"', PHRASE),
        ("over*", Leaf("prefix", "over")),
        ("ov*", Leaf("word", "ov")),
        ("R2-D2", Leaf("word", "R2-D2")),
        ("п.113.5", And((Leaf("word", "п"), Leaf("word", "113.5")))),
        ("foo:a1", And((Leaf("word", "foo"), A))),
        ('"a1', A),
        ("a1)", A),
        ("((a1", A),
        ("()", None),
        ("", None),
        ("-1/-1 a1", And((ONE, ONE, A))),
        ("-1", ONE),
        ("-X/-X", And((X, X))),
        ("-X", Not(X)),
        ("a1 –b1", And((A, B))),
        ("a1 - b1", And((A, B))),
        ("a1 - (b1 c1)", And((A, And((B, C))))),
        ("a1-(b1)", And((A, B))),
        ("(-a1 b1)", And((Not(A), B))),
        ('"-1/-1 a1"', Leaf("phrase", "1 1 a1")),
        ('-"a1 b1" c1', And((Not(PHRASE), C))),
        ('"OR"', Leaf("word", "OR")),
        ('"game:a1 b1"', Leaf("phrase", "game a1 b1")),
        ('1" "a1 b1"', And((ONE, PHRASE))),
        ('"c1 "a1 b1"', And((C, PHRASE))),
        ("pilot? a1？", And((Leaf("word", "pilot"), A))),
        ("- *", None),
    ],
)
def test_trees(text: str, root: Node | None) -> None:
    assert parse(text).root == root


@pytest.mark.parametrize("quotes", QUOTES)
@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("{}a1 b1{}", Query(PHRASE)),
        ("{}-a1 b1{}", Query(PHRASE)),
        ("-{}a1 b1{} c1", Query(And((Not(PHRASE), C)))),
        ("-card:{}a1 b1{}", Query(None, (Filter("card", "a1 b1", True),))),
        ("a1 {}b1", Query(And((A, B)))),
        ("a1 b1{}", Query(And((A, B)))),
    ],
)
def test_quotes_of_all_languages(quotes: str, text: str, query: Query) -> None:
    assert parse(text.format(*quotes)) == query


WORDS = st.text(alphabet="abcżЖ", min_size=1, max_size=8)
NUMBERS = st.integers(0, 99).map(str)


@given(st.lists(st.tuples(st.sampled_from(["+", "-", "−", "–"]), NUMBERS), min_size=1, max_size=6))
def test_a_number_with_a_sign_is_the_number(numbers: list[tuple[str, str]]) -> None:
    signed = ["".join(number) for number in numbers]
    for text in (" ".join(signed), "/".join(signed)):
        assert [leaf.text for leaf in leaves(parse(text).root)] == [plain for _, plain in numbers]


@given(
    WORDS, st.text(alphabet="ab1:/+-–−*|()", max_size=6).filter(lambda text: text[-1:] not in "(|")
)
def test_only_a_minus_after_a_space_excludes(word: str, before: str) -> None:
    quoted, bare = f'"{before} {word}"', f"x1{before}-{word}"
    for text in (quoted, bare):
        assert not any(isinstance(node, Not) for node in nodes(parse(text).root))
    assert Not(Leaf("word", word)) in nodes(parse(f"x1 -{word}").root)


def nodes(node: Node | None) -> list[Node]:
    """All nodes of a tree."""
    if isinstance(node, And | Or):
        return [node, *(inner for part in node.nodes for inner in nodes(part))]
    if isinstance(node, Not):
        return [node, *nodes(node.node)]
    return [node] if node else []


def depth(node: Node | None) -> int:
    if isinstance(node, And | Or):
        return 1 + max(depth(one) for one in node.nodes)
    return 1 + depth(node.node) if isinstance(node, Not) else 0


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
    assert parse("word " + "a" * MAX_LENGTH).root == Leaf("word", "word")
    assert parse("a" * (MAX_LENGTH + 1)).root == Leaf("word", "a" * MAX_LENGTH)
