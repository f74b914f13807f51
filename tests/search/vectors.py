"""Vectors of the search: inputs, and what the Python functions give for them.

`vectors.json` keeps both; `test_vectors.py` holds Python and the browser's modules to it. A new
vector is its input, added to the file; KB_RENEW=1 writes what is given for it.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from kb.language import FormTable, fold, parts, tokenize
from kb.language.spelling import allowed, distance, is_slip
from kb.search.query import Leaf, Node, Not, parse
from kb.search.searcher import Searcher
from kb.search.snippets import Passage
from kb.site.assets import SEARCH_SCRIPT
from tests.browsers import run_node
from tests.conftest import stored

FILE = Path(__file__).with_name("vectors.json")


def tree(node: Node | None) -> object:
    """A node of a query in the form that the browser's parser gives."""
    if node is None:
        return None
    if isinstance(node, Leaf):
        words = {"words": node.words} if node.kind == "phrase" else {}
        return {"kind": node.kind, **words, "text": node.text}
    kind = type(node).__name__.lower()
    if isinstance(node, Not):
        return {"kind": kind, "node": tree(node.node)}
    return {"kind": kind, "nodes": [tree(child) for child in node.nodes]}


def parsed(text: str) -> dict[str, object]:
    """The tree and the filters of a query."""
    query = parse(text)
    filters = [
        {"name": filter.name, "value": filter.value, "negated": filter.negated}
        for filter in query.filters
    ]
    return {"text": text, "root": tree(query.root), "filters": filters}


def read(text: str) -> dict[str, object]:
    """The tokens of a text; of each word its folded form and the pieces of a hyphenated one."""
    tokens = list(tokenize(text))
    words = [[token.text, fold(token.text), list(parts(token.text))] for token in tokens]
    return {"text": text, "places": [[token.start, token.end] for token in tokens], "words": words}


def spelled(word: str, other: str) -> dict[str, object]:
    """How far two words are apart, how many slips the first may hold, and whether it is one."""
    return {
        "word": word,
        "other": other,
        "distance": distance(word, other, 3),
        "allowed": allowed(word),
        "isSlip": is_slip(word, other),
    }


def analyzed(word: str, lang: str, table: FormTable) -> dict[str, object]:
    """What a word can mean."""
    analysis = table.analyse(word, lang)
    return {"word": word, "lang": lang, "lemmas": sorted(analysis.lemmas), "how": analysis.how}


def pieces(passage: Passage | None) -> str | None:
    """A passage with bars around its matches."""
    if not passage:
        return None
    ends = [0, *(place for match in passage.highlights for place in match), len(passage.text)]
    return "|".join(passage.text[start:end] for start, end in pairwise(ends))


def searched(text: str, searcher: Searcher, interface: str = "") -> dict[str, object]:
    """What a query finds, with scores and snippets."""
    answer = searcher.search(text, interface=interface)
    results = [
        [
            hit.ruling.key,
            round(hit.score, 6),
            hit.match,
            hit.lang,
            hit.snippet,
            [pieces(hit.shown.answer), pieces(hit.shown.elsewhere)],
            hit.shown.decides,
            hit.ruling.standing,
        ]
        for hit in answer.results
    ]
    cards = [[card.game, card.name, card.rulings, card.url, card.foreign] for card in answer.cards]
    return {
        "text": text,
        "interface": interface,
        "total": answer.total,
        "match": answer.match,
        "confidence": answer.confidence,
        "hiddenBy": answer.hidden_by,
        "isExcluded": answer.excluded,
        "suggestion": answer.suggestion or "",
        "searchedFor": answer.searched_for or "",
        "cards": cards,
        "results": results,
    }


def vectors(folder: Path) -> dict[str, object]:
    """All vectors; `folder` is that of a build of the small game."""
    given = json.loads(FILE.read_text(encoding="utf-8"))
    with FormTable(folder / "forms.sqlite") as table, Searcher(folder) as searcher:
        return {
            "queries": [parsed(one["text"]) for one in given["queries"]],
            "texts": [read(one["text"]) for one in given["texts"]],
            "spellings": [spelled(one["word"], one["other"]) for one in given["spellings"]],
            "words": [analyzed(one["word"], one["lang"], table) for one in given["words"]],
            "searches": [
                searched(one["text"], searcher, one.get("interface", ""))
                for one in given["searches"]
            ],
        }


def check_stored(file: Path, current: dict[str, object]) -> None:
    """Compare vectors with those of a file, kind by kind."""
    text = json.dumps(current, ensure_ascii=False, indent=1) + "\n"
    given, expected = json.loads(text), json.loads(stored(file, text))
    assert given.keys() == expected.keys()
    for kind in expected:
        assert given[kind] == expected[kind], kind


def differing(site: Path, file: Path) -> object:
    """What the browser's modules give otherwise than a file of vectors."""
    static = site / "static"
    program = Path(__file__).with_name("vectors.cjs")
    return run_node(program, static / SEARCH_SCRIPT, static / "search", file)


def differing_searches(site: Path, searches: list[dict[str, object]], folder: Path) -> object:
    """What the browser's modules answer otherwise than Python did; `folder` is for a file."""
    file = folder / "vectors.json"
    file.write_text(json.dumps({"searches": searches}), encoding="utf-8")
    return differing(site, file)
