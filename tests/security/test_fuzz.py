"""Random input: readers give problems, importers problems or a KbError, the search an answer."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kb.core.problems import KbError
from kb.ingest.base import format_names
from kb.ingest.write import rendered, write
from kb.records.library import load
from kb.records.parse import CARD_COLUMNS, read_cards, read_game, read_ruling
from kb.search.searcher import Searcher
from tests.selection import examples

DATA = Path(__file__).parent.parent / "ingest" / "data"
# No shrinking: with inputs of this size it takes longer than the search.
FUZZ = settings(
    examples(0.25), phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck)
)
PIECES = (
    "---\n§--- §...\n§# pl: T\n§# en: §## x\n§kind: ruling\n§"
    "authority: official\n§status: current\n§topics:\n  - pilots\n§about:\n§"
    "sources:\n  - demo-faq#x\n§date: 2003-02-30\n§supersedes:\n  - a\n§because: 'x\n§"
    "rules: x\n§different-from:\n  - a (b)\n§translated-from:\n  en: 00000000\n§"
    "id: demo\n§name:\n  pl: D\n§language: pl\n§languages:\n  - pl\n§- id: x\n§  pl: y\n§"
    "  title:\n    pl: y\n§card-version: '{name} {version}'\n§ruled:\n  official: 2002/\n§"
    "editions:\n§- §: §? §| \n§> §&a §*a §!!str §{§}§[§]§[[§]]§|§\"§'§```\n§~~~\n§TODO§"
    "a@b.cz§1.2.3"
).split("§")
PIECES += "\\ \\u202e \t \n \n\n \r\n \ufeff \x00 \u2028 ż é\u0301 \U0001f600".split(" ")
PIECES += ["\t".join(CARD_COLUMNS) + "\n", "a\tb\tc\td\te\tf\tg\n"]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=40).map("".join)
bytes_of = st.one_of(
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=200)
)


@FUZZ
@given(bytes_of)
def test_readers(data: bytes) -> None:
    ruling, problems = read_ruling(data, "x.md", "demo", "pilots")
    assert bool(problems) == (ruling is None)
    assert all(1 <= one.line <= len(data.splitlines()) + 1 for one in problems)
    read_cards(data, "cards.tsv", "{name} ({version})")
    for name in ("game.yaml", "sources.yaml", "terms.yaml", "cards.tsv"):
        files = {
            "game.yaml": b"id: demo\nname:\n  pl: D\nlanguage: pl\nlanguages:\n  - pl\n",
            name: data,
        }
        game, problems = read_game(files, "demo")
        assert game or problems


@FUZZ
@given(
    st.lists(st.tuples(st.sampled_from(["a.md", "b.md", "c.txt", "d"]), bytes_of), max_size=4),
    bytes_of,
)
def test_a_whole_folder(files: list[tuple[str, bytes]], game: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "demo" / "pilots").mkdir(parents=True)
        (root / "demo" / "game.yaml").write_bytes(game)
        for name, data in files:
            (root / "demo" / "pilots" / name).write_bytes(data)
        library = load(root)
        assert all(str(one) for one in library.problems)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["en", "x-1", "2003-01-01", "a#b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "en", "title", "text", "name"]), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = (
    "id game kind authority status date effective topics about cards sources title text supersedes"
    " because related rules different_from asked asked_of translated_from data object oracle_id"
    " comment source published_at name rulings identifiers types printings faceName front abbr side"
    " set set_name layout type_line"
).split()


def containers(value: Any) -> Iterator[Any]:
    """The lists and objects of a JSON value, itself among them."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@st.composite
def given_files(draw: st.DrawFn, form: str) -> bytes:
    """Bytes, a mutated sample, or JSON of the right keys and strange values."""
    kind, sample = draw(st.sampled_from(["bytes", "sample", "keys"])), SAMPLES[form]
    if kind == "sample":
        at, length = draw(st.integers(0, len(sample))), draw(st.integers(0, 30))
        return sample[:at] + draw(bytes_of)[:40] + sample[at + length :]
    if kind == "bytes" or form in ("vtes", "text"):
        return draw(bytes_of)
    value = json.loads(sample)
    for _ in range(draw(st.integers(1, 4))):
        spot = draw(st.sampled_from(list(containers(value))))
        if isinstance(spot, list):
            spot.append(draw(json_values))
        else:
            spot[draw(st.sampled_from([*spot, *KEYS]))] = draw(json_values)
    return json.dumps(value).encode()


SAMPLES: dict[str, bytes] = {
    "scryfall": (DATA / "scryfall-rulings.json").read_bytes(),
    "swccg": b"""{"cards": [{"id": 1, "gempId": "1_1", "side": "Dark", "set": "1", "abbr": ["A"],
        "front": {"title": "T", "type": "Interrupt", "subType": "Used"},
        "rulings": ["A <u>b</u> <ol><li>c</li></ol>"]}]}""",
    "jsonl": b'{"id": "one", "game": "demo", "kind": "ruling", "authority": "official",'
    b' "status": "current", "date": "2003", "topics": ["pilots"], "about": ["A"], "rules": [],'
    b' "sources": ["faq#x"], "title": {"en": "T"}, "text": {"en": "T."}, "supersedes": [],'
    b' "because": "", "different_from": [{"id": "two", "because": "x"}], "translated_from": {}}',
    "vtes": "1|Abbot:\n  - 'Not with {Étienne}. [LSJ 20010101] [LSJ 20010102-2]'\n"
    "  - text: A [RBK x]\n    overrides:\n      2|B: C [LSJ 1]\n"
    "G00001|Circle:\n  - D [ANK 20030230]\n".encode(),
    "text": "FAQ\n\nPiloci\n\n1. Jeden pilot.\n\n2.1 Drugi: przykład: x.\n\n"
    "Pytanie 1: Co?\nOdpowiedź: To.\n\nUwaga tłumacza: y.\n\n- a\n- b\n"
    "term - meaning of it\nother - to znaczenie\n".encode(),
}
FILES = {"vtes": "rulings.yaml", "jsonl": "in.jsonl", "text": "in.txt"}


@pytest.mark.hypothesis
@pytest.mark.parametrize("form", format_names())
def test_importers(form: str, good_root: Path) -> None:
    game = load(good_root).games["demo"]

    @FUZZ
    @given(given_files(form), st.booleans())
    def tried(data: bytes, known: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, into = Path(folder) / FILES.get(form, "in.json"), Path(folder) / "into"
            path.write_bytes(data)
            try:
                made = import_module(f"kb.ingest.{form}").read([path], game if known else None)
            except KbError as error:
                assert str(error)
                return
            assert all(rendered(draft).encode() for draft in made.drafts)
            assert all(str(one) for one in made.skipped)
            if write(made, into, "demo", form).new:
                library = load(into)
                assert "demo" in library.games, library.problems
                again = write(made, into, "demo", form)
                assert not again.new and not again.changed

    tried()


WORDS = """( ) -( OR | - " „ ” « game: card: status:any asof: before:2003 after:x rules: lang:pl
    topic:pilots pilot pilot* a* pil* * jednostki jednsotki 113.5 1.1.1.1.1 R2-D2 a-b-c-d 's ż İ ß ﬀ
    😀 __proto__ constructor %s {} <b> ';--""".split()
WORDS += ["\0", "\u202e", "\ud800", "\u0301", " ", "\n", "\t"]
queries = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8)), max_size=25).flatmap(
    lambda words: st.sampled_from([" ", "", ":", '"']).map(lambda mark: mark.join(words))
)


# What ran away in other parsers, far longer than a query may be, and dates that are none.
HOSTILE = [piece * 5_000 for piece in (*'( ) " - . x ß і ﷺ -( a- game:'.split(), "a\u0301", "1.")]
WORDS_OF_MANY = """pilot|pilot OR|((a OR b) OR (c OR d))|a*|"pilot pilot pilot"
jednsotkai pliot zaloag krata wresja miisa bduowa""".replace("\n", "|")
HOSTILE += [f"{words} " * 5_000 for words in WORDS_OF_MANY.split("|")]
HOSTILE += ["a* pil* jed* kar* zal* wer*", "before:99999999999", "after:-1", "before:2003-99"]


@FUZZ
@given(text=queries, lang=st.sampled_from([None, "pl", "en"]), limit=st.integers(1, 20))
def test_the_whole_search(
    small_searcher: Searcher, text: str, lang: str | None, limit: int
) -> None:
    answer = small_searcher.search(text, lang=lang, limit=limit)
    assert len(answer.results) <= min(limit, answer.total)
    assert all(
        0 <= start <= end <= len(hit.snippet)
        for hit in answer.results
        for start, end in hit.shown.best.highlights
    )


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_queries_are_answered_at_once(small_searcher: Searcher, text: str) -> None:
    start = time.process_time()
    small_searcher.search(text)
    # Not a benchmark: what ran away took 20 s and more.
    assert time.process_time() - start < 2
