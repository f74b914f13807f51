"""Random input: readers give problems, the search an answer."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kb.records.parse import read_game, read_ruling
from kb.records.tables import CARD_COLUMNS, read_cards
from kb.search.searcher import Searcher
from tests.selection import examples

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


WORDS = """( ) -( OR | - " „ ” « game: card: status:any asof: before:2003 after:x rules: lang:pl
    topic:pilots pilot pilot* a* pil* * jednostki jednsotki 113.5 1.1.1.1.1 R2-D2 a-b-c-d 's ż İ ß ﬀ
    😀 __proto__ constructor %s {} <b> ';--""".split()
WORDS += ["\0", "\u202e", "\ud800", "\u0301", " ", "\n", "\t"]
queries = st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=8)), max_size=25).flatmap(
    lambda words: st.sampled_from([" ", "", ":", '"']).map(lambda mark: mark.join(words))
)


@FUZZ
@given(text=queries, lang=st.sampled_from([None, "", "pl", "en"]), limit=st.integers(1, 20))
def test_the_whole_search(
    small_searcher: Searcher, text: str, lang: str | None, limit: int
) -> None:
    answer = small_searcher.search(text, lang=lang, limit=limit)
    assert len(answer.results) <= min(limit, answer.total + answer.partial)
    assert all(
        0 <= start <= end <= len(hit.snippet)
        for hit in answer.results
        for start, end in hit.shown.best.highlights
    )
