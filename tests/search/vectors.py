"""Vectors of the search: inputs, and what the Python functions give for them.

`vectors.json` keeps them; `test_vectors.py` holds Python and the browser's modules to it.
KB_RENEW=1 writes it anew.
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
from tests.conftest import stored

FILE = Path(__file__).with_name("vectors.json")

QUERIES = [
    "",
    "pilot",
    "pilot w strefie budowy",
    '"strefa budowy" pilot',
    "„strefie budowy”",
    "«зона» “zone”",
    '"unfinished quote',
    "pil* -strefa",
    "pi* a*",
    "(pilot OR speeder) LUB (ALEBO ИЛИ |)",
    "-(pilot OR strefa) budowa",
    "((((((deep))))))",
    ")(",
    "- -- -a",
    "game:demo card:„Anakin Skywalker” -status:any",
    "GAME:demo kind: topic:pilots,errata",
    "a:b:c https://example.org/x",
    "п. 113.5 и 113.5.2",
    "r2-d2 don't Vader’s",
    "pilot " * 60,
    "x" * 500,
    "\u200bpi\xadlot\u200e w\xa0stre\ufefffie\u3000\u061cbud\u2060owy\u200f",
    'card:"Ana\u200bkin\u202fSkywalker" "stre\xadfa\u2003budowy" pi\u200dl*',
    "می\u200cخواهم \u202epilot\u202c \U000e0041 \u2800 \x07 👩\u200d🚀",
    "NUL\0byte \u2028 separator\u00a0space",
    "zażółć gęślą jaźń",
    # Decomposed letters.
    'zaz\u0307o\u0301łc\u0301 "ge\u0328s\u0301la\u0328 jaz\u0301n\u0301" card:o\u0308\u0308',
    "<script>alert(1)</script>",
    # Signs of numbers, and minuses that exclude.
    "-1/-1 counter",
    "counter -1/-1 +1/+1 -2 +2 −3 –4",
    "-X/-X -N/+0 -x -xx/-1",
    "a-b a -b -а –c −d —e ‐f - g -_h --i -*",
    "pilot -(a OR b) c-(d) e - (f) (-g h) i|-j",
    '-"a b" c-"d e" "f g"-h - "i j" -"k"',
    "-game:demo -foo:bar x-game:demo -п.113.5 -R2-D2 -pil*",
    "-OR a -| b",
    # Phrases keep their signs.
    '"-1/-1 counter" "- a" "-a b"',
    '"game:demo pilot" "OR" "(" "pil*" "a OR b"',
    # Quotation marks of all languages, also those without their pair.
    "“a b” „c d“ „e f” ”g h” ‟i j” ＂k l＂",
    "«a b» »c d« ‹e f› ›g h‹ «i ‹j k» l›",
    '"a b” „c d" “e f“ card:»g h« -card:“i j“',
    "'a b' ‘c d’ ‚e f‘ don’t `g h`",
    '6" "a b" 5" c',
    '"pilot "council quorum"',
    '"a b" "c d',
    'a"b c" "',
    '" a b "c d" "e "',
    "„a „b c” d” « »",
    # Question marks.
    "pilot? ¿pilot? ‽ pilot？ ?pilot p?lot ;",
]
TEXTS = [
    "",
    "Zażółć GĘŚLĄ jaźń, ŁÓDŹ i łódź.",
    "Vader’s droid R2-D2 isn't at 113.5.2, 1.a or 12.",
    "Ёлка, ещё и йод; подъезд",
    "Straße, cœur, İstanbul, ﬁne ½ ², Ångström e\u0301tude",
    "co‑operate a–b _under_score a_b",
    "tři želé ďábel ľúbiť ŕba",
    "  …!?  ",
]
SPELLINGS = [
    ("pilot", "pliot"),
    ("pilot", "pilto"),
    ("overkill", "overkil"),
    ("strefa", "strzefa"),
    ("abc", "cba"),
    ("конфронтация", "канфронтацыя"),
    ("anakin", "nakain"),
    ("unit", "unit"),
    ("zaplecze", "zaplace"),
    ("przetrzymac", "przytrzymac"),
    ("konfortnacja", "konfrontacja"),
    ("trigerred", "triggered"),
    ("odlozyc", "dolozyc"),
    ("units", "unit"),
    ("атака", "аттакка"),
]
WORDS = [
    ("piloci", "pl"),
    ("pilotow", "pl"),
    ("PILOTÓW", "pl"),
    ("units", "en"),
    ("Anakin's", "en"),
    ("Anakinem", "pl"),
    ("neutralised", "en"),
    ("honouring", "en"),
    ("nieprzewidziane", "pl"),
    ("R2-D2", "en"),
]
SEARCHES = [
    "pilot",
    "piloci w strefie budowy",
    "pilotow",
    "anakin",
    "damage counters",
    "one pilot per unit",
    "strefa budowy pilot erata",
    "errata speeder",
    "build zon",
    "pilto",
    "pil*",
    '"build zone"',
    '"the unit"',
    "kind:errata",
    "status:any pilot",
    "asof:2001 pilot",
    "asof:2002-06 pilot",
    "asof:1990 status:any pilot",
    "status:any after:2002 pilot",
    "status:any before:2003 after:2001 pilot",
    "asof:2003-13 pilot",
    "after:2003-02-30 pilot",
    "card:anakina",
    "pilot -speeder",
    "xyzzyqwv",
    "can two pilots sit on the same ship at once",
    "njkrj pilot",
    "pilot y jednostce",
    "darth",
    "anakn skywalker",
    "(pilot OR speeder) zone",
    "\ufeffpi\xadlo\u200bci\xa0w\u200e strefie\u2003bu\u2060dowy",
    "anakn\u202fsky\u200bwalker",
    "pilot na zapleczu",
    "anakin skyw",
    "sidous",
    "pilto wxyzq qwvxy",
    "pilot destroyer xyzzy",
    "back row",
    "corusant speeder",
    "sidiousa status:any",
    "anakina after:2050",
    "anakin kind:question status:any",
    "speeder -errata",
    "speeder pilot build -coruscant",
    "pilot -xyzzy",
    "-pilot",
    '-1/+1 "-one pilot"',
]


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
        "suggestion": answer.suggestion or "",
        "searchedFor": answer.searched_for or "",
        "cards": cards,
        "results": results,
    }


def vectors(folder: Path) -> dict[str, object]:
    """All vectors; `folder` is that of a build of the small game."""
    with FormTable(folder / "forms.sqlite") as table, Searcher(folder) as searcher:
        return {
            "queries": [parsed(text) for text in QUERIES],
            "texts": [read(text) for text in TEXTS],
            "spellings": [spelled(word, other) for word, other in SPELLINGS],
            "words": [analyzed(word, lang, table) for word, lang in WORDS],
            "searches": [
                *(searched(text, searcher) for text in SEARCHES),
                *(searched("pil*", searcher, interface=lang) for lang in ("en", "pl")),
            ],
        }


def check_stored(file: Path, current: dict[str, object]) -> None:
    """Compare vectors with those of a file, kind by kind."""
    text = json.dumps(current, ensure_ascii=False, indent=1) + "\n"
    given, expected = json.loads(text), json.loads(stored(file, text))
    assert given.keys() == expected.keys()
    for kind in expected:
        assert given[kind] == expected[kind], kind
