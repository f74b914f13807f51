"""Card names in a game's own language, Czech and Slovak: every case form, and nothing else.

A sentence a line, its mentions in square brackets. The rules of `declined_names` were tuned on
every other card of `mentions-own.tsv` (the rest is `kept`). The author of `mentions-unseen.tsv` has
never seen the rules, and its misses are never printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.language import FormTable
from kb.language.forms import build_form_table
from kb.language.tokens import words_of
from kb.linking.card_finder import CardFinder
from kb.records.model import Card
from tests.gold import read_rows

MENTION = re.compile(r"\[(.*?)\]")


@pytest.mark.parametrize("lang", ["cs", "sk"])
def test_names_in_their_own_language(lang: str, tmp_path: Path) -> None:
    rows = [row for row in read_rows("mentions-own.tsv") if row["lang"] == lang]
    names = list(dict.fromkeys(row["card"] for row in rows if row["card"]))
    right = {"tuned": 0, "kept": 0, "none": 0}
    wrong = []
    for row, is_right, surfaces in _judged(rows, lang, tmp_path):
        part = ("tuned", "kept")[names.index(row["card"]) % 2] if row["card"] else "none"
        right[part] += is_right
        if not is_right:
            wrong.append((part, row["sentence"], surfaces))
    print(f"\n{lang}: sentences right {right}")
    assert right["none"] == 24 and right["tuned"] >= 97 and right["kept"] >= 88, wrong


@pytest.mark.parametrize("lang", ["cs", "sk"])
def test_names_that_no_rule_was_tuned_on(lang: str, tmp_path: Path) -> None:
    # Names in lower case are common words in running text, so they count as none.
    rows = [row for row in read_rows("mentions-unseen.tsv") if row["lang"] == lang]
    right = {"card": 0, "lower case": 0, "none": 0}
    for row, is_right, _ in _judged(rows, lang, tmp_path):
        kind = "none" if not row["card"] else "card"
        right["lower case" if kind == "card" and row["sentence"].islower() else kind] += is_right
    print(f"\n{lang}: sentences right {right}, of 90, 10 and 30")
    assert right["card"] >= 85
    assert right["none"] == 30


def _judged(
    rows: list[dict[str, str]], lang: str, folder: Path
) -> Iterator[tuple[dict[str, str], bool, list[str]]]:
    """Yield each row, whether exactly its mentions are found, and the mentions found."""
    names = list(dict.fromkeys(row["card"] for row in rows if row["card"]))
    texts = [row["sentence"].replace("[", "").replace("]", "") for row in rows]
    words = {word for text in texts for word in words_of(text)}
    table_path = folder / "forms.sqlite"
    build_form_table(table_path, {lang: words}, {lang: {w for n in names for w in words_of(n)}}, [])
    with FormTable(table_path) as table:
        cards = [Card(name=name, label=name, other_names=()) for name in names]
        finder = CardFinder(cards, (), lang, table)
        for row, text in zip(rows, texts, strict=True):
            mentions = finder.find(text)
            surfaces = [mention.surface for mention in mentions]
            is_right = surfaces == MENTION.findall(row["sentence"]) and all(
                row["card"] in ("", mention.label) for mention in mentions
            )
            yield row, is_right, surfaces
