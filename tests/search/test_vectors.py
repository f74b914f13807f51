"""The Python functions and the browser's modules give what `vectors.json` holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.pipeline.build import SiteOptions, build
from kb.search.searcher import Searcher
from tests.conftest import paths_of
from tests.gold import all_queries
from tests.search.vectors import (
    FILE,
    check_stored,
    differing,
    differing_searches,
    searched,
    vectors,
)
from tests.selection import thorough

SYNTAX = """
    "council quorum"; "build zone" pilot; overk*; pilot -strefa; ekwipunek OR upkeep; kosc OR; OR
    build-zone abilities; pilot -build-zone; topic:build-zone; dont i have to pay upkeep
    п113.5; CR113.2; 113,5; 113-6; 113.5a; asof:2003-12; build-zone "hidden cost"
    "build-zone pilot"; zone-pilot; -build-zone pilot; "reserves" pilot
    (build-zone OR inner-circle) pilot
    (pilot OR ekwipunek) kontrola; -(pilot OR ekwipunek) strefa; kind:errata; (((; "; -; the; w
    -kind:ruling game:swtcg; card:"Darth Sidious"; card:sidiousa; card:vir; topic:pilots; a:b:c
    authority:translator overkill; source:swtcg-clarifications#hidden-cost; status:any pilot
    after:2003 konfrontacja; before:2003; asof:2003 pilot; asof:1990-01-01 pilot; вир asof:1980
    -asof:2003 pilot; sidiousa after:2050; lang:en pilot; lang:sk vplyv; rules:tournament pilot
    game:berserk 113; game:nothing pilot; п. 113.5; „strefie budowy”; żeton*; avenger; xyzzyqwv
    card:Darth Sidious; card:Dartha Sidiousa (C) kości; -card:Darth Sidious kości; card:Luke OR Leia
    card: vir cotto kind:ruling; card:Vir Cotto or; card:go to the temple unit; card:R2-D2 pilot
    R2D2; C3PO; 4lom; atat; atat driver; c3po in the build zone; r2-d2 e; stackowaniem; atack
    stakc; neutralise; правило 113.5; obi wan kenobi; g kar; at at driver; can ki adi mundi attack
    obi wanowi; qui gonem jinnem; орка мстителя; гулем; lukiem; ivanovej
""".replace("\n", ";").split(";")


def test_python_gives_the_vectors(small_build: Path) -> None:
    check_stored(FILE, vectors(small_build))


def test_the_browser_gives_the_vectors(small_base: Path) -> None:
    assert differing(small_base / "site", FILE) == []


@pytest.mark.parametrize("step", [30, *thorough(1)], ids=["some", "all"])
def test_gold_queries_and_every_kind_of_syntax_are_answered_alike(
    step: int, real_base: Path, real_searcher: Searcher, tmp_path: Path
) -> None:
    queries = (*all_queries()[::step], *map(str.strip, SYNTAX))
    searches = [searched(query, real_searcher) for query in queries]
    czech = ("rotace", "neutralizované postavy", "darth sidious", "atack")
    searches += [searched(query, real_searcher, "cs") for query in czech]
    assert differing_searches(real_base / "site", searches, tmp_path) == []


RULING = """---
kind: ruling
authority: community
status: {}
about: {}
topics: general
date: {}
---

# cs: {}

[[{}]] neprojde přes štít.
"""


def test_what_hides_the_rulings_on_a_card(tmp_path: Path) -> None:
    """Cards with other names in their own language, superseded rulings and filters, everywhere."""
    game = tmp_path / "rulings" / "sopka"
    (game / "general").mkdir(parents=True)
    texts = {
        "game.yaml": "id: sopka\nname:\n  cs: Sopka\nlanguage: cs\nlanguages:\n  - cs\n"
        "topics:\n  - id: general\n    cs: Obecné\n",
        "cards.tsv": "name\tother_names\nLávový proud\tLava Flow\nOhnivý mlok\tFire Newt\n"
        "Bílá vrána\t\nKR-4P\t\nKrakorn Velký\t\nKrakorn\t\n",
    }
    for name, status, card, date, title in (
        ("old", "superseded", "Lávový proud", "2020", "Kdy teče láva"),
        ("new", "current", "Lávový proud", "2023\nsupersedes: old", "Kdy proudí žár"),
        ("droid", "current", "KR-4P", "2023", "Droid a oheň"),
        ("gone", "withdrawn", "Ohnivý mlok", "2023", "Mlok a štít"),
        ("ended", "current", "Bílá vrána", "2020\neffective-until: 2021", "Vrána létala"),
        ("large", "current", "Krakorn Velký", "2023", "Krakorn Velký útočí"),
        ("small", "current", "Krakorn", "2023", "Obrana dravce"),
        ("kept", "superseded", "KR-4P", "2020", "Droid jezdí"),
        ("upcoming", "current", "KR-4P", "2023\neffective: 2999\nsupersedes: kept", "Droid pluje"),
    ):
        texts[f"general/{name}.md"] = RULING.format(status, card, date, title, card)
    for name, text in texts.items():
        (game / name).write_text(text, encoding="utf-8")
    paths = paths_of(tmp_path)
    build(paths, tmp_path / "site", site=SiteOptions(interfaces=("en", "cs")))
    wanted = {
        "lávový": (1, ""),
        "lávového": (1, ""),
        "lava flow": (1, ""),
        "lávový proud status:superseded": (1, ""),
        "lávový proud kind:errata": (0, "filter"),
        "mloka": (0, "standing"),
        "mloka status:any": (1, ""),
        "bílá vrána": (0, "standing"),
        "bílá vrána status:any": (1, ""),
        # A name word for word is that of one card, a part of a name of all that have it.
        "krakorn": (1, ""),
        "velký krakorn": (1, ""),
        "krakor": (2, ""),
        "kr4p": (2, ""),
        "kr 4p": (2, ""),
        "droid pluje status:any": (1, ""),
    }
    with Searcher(paths.current) as searcher:
        searches = [searched(query, searcher) for query in wanted]
        assert [hit.ruling.id for hit in searcher.search("krakorn").results] == ["small"]
        assert {hit.ruling.id for hit in searcher.search("droid").results} == {"droid", "kept"}
    assert {one["text"]: (one["total"], one["hiddenBy"]) for one in searches} == wanted
    assert differing_searches(tmp_path / "site", searches, tmp_path) == []
