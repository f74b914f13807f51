"""Sister languages: Czech words that stand for Slovak ones, and the reverse."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.language import FormTable
from kb.language.forms import build_form_table
from kb.language.registry import query_stop_words
from tests.conftest import BuildOnce

SLOVAK = (
    "vylepšenie poškodenie vplyv dôsledok žoldnier hodnotenie neutrálny akcia sponzorovanie "
    "povýšiť schopnosť vodcovstvo iný postava veľvyslanec"
).split()
CZECH = "zranění schopnost důsledek akce povýšit vylepšení".split()


@pytest.fixture(scope="module")
def table(build_once: BuildOnce) -> FormTable:
    def fill(folder: Path) -> None:
        words = {"sk": SLOVAK, "cs": CZECH, "pl": ["zdolność"]}
        names: dict[str, list[str]] = {"sk": ["Londo"], "cs": [], "pl": []}
        build_form_table(folder / "forms.sqlite", words, names, [])

    return FormTable(build_once("forms-of-sisters", fill) / "forms.sqlite")


@pytest.mark.parametrize(
    ("czech", "slovak"),
    [
        ("vylepšení", "vylepšenie"),
        ("vylepseni", "vylepšenie"),
        ("zranění", "poškodenie"),
        ("vlivem", "vplyv"),
        ("důsledcích", "dôsledok"),
        ("žoldnéřům", "žoldnier"),
        ("hodnocení", "hodnotenie"),
        ("akcím", "akcia"),
        ("sponzorování", "sponzorovanie"),
        ("povýšil", "povýšiť"),
        ("vůdcovství", "vodcovstvo"),
        ("jiné", "iný"),
        ("velvyslanců", "veľvyslanec"),
        ("Londův", "Londo"),
    ],
)
def test_a_czech_word_means_a_slovak_one(table: FormTable, czech: str, slovak: str) -> None:
    analysis = table.analyse(czech, "sk")
    assert analysis.how != "stem"
    assert set(analysis.lemmas) & set(table.analyse(slovak, "sk").lemmas)


@pytest.mark.parametrize(
    ("slovak", "czech"),
    [("schopnosťami", "schopnost"), ("poškodenie", "zranění"), ("vylepšenia", "vylepšení")],
)
def test_a_slovak_word_means_a_czech_one(table: FormTable, slovak: str, czech: str) -> None:
    assert set(table.analyse(slovak, "cs").lemmas) & set(table.analyse(czech, "cs").lemmas)


def test_own_words_come_first(table: FormTable) -> None:
    assert table.analyse("zranění", "sk").how == "sister"
    assert table.analyse("vylepšení", "sk").how == "exact"


def test_stop_words_of_a_sister() -> None:
    assert "jak" in query_stop_words("sk") and "jak" not in query_stop_words("ru")
