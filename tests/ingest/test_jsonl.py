from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.ingest.jsonl import read
from kb.records.library import Library
from kb.serialize.ruling import jsonl_lines

GOOD = {
    "id": "one",
    "game": "demo",
    "kind": "ruling",
    "authority": "official",
    "status": "current",
    "topics": ["pilots"],
}
GOOD |= {"title": {"en": "One"}, "text": {"en": "Text with [[Card (A)]]."}}


def lines(tmp_path: Path, *values: object) -> Path:
    path = tmp_path / "export.jsonl"
    path.write_text(
        "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values),
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("known", [True, False])
def test_an_export_comes_back_whole(good: Library, tmp_path: Path, known: bool) -> None:
    game = good.games["demo"]
    path = lines(tmp_path, *jsonl_lines(good))
    made = read([path], game if known else None)
    assert [one.id for one in made.drafts] == [one.id for one in good.rulings.values()]
    for draft in made.drafts:
        ruling = good.rulings[f"demo/{draft.id}"]
        # Either side may name a related ruling.
        related = good.relations(ruling)["related"]
        assert draft.header == replace(ruling.header, related=related)
        assert [(text.lang, text.title, text.body) for text in draft.texts] == [
            (text.lang, text.title, text.body) for text in ruling.texts
        ]
        assert draft.asked_as == ruling.asked_as
    assert not made.skipped
    assert made.language == "pl"
    assert bool(made.cards) != known and bool(made.sources) != known


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{", "not JSON"),
        ("[" * 99_999, "not JSON"),
        ("[]", "a ruling has an id"),
        ({**GOOD, "id": "Ą b"}, "id: lower-case"),
        ({**GOOD, "id": ["x"]}, "id: a text is expected"),
        ({**GOOD, "id": "zero"}, "id given twice"),
        ({**GOOD, "game": "other"}, "a ruling of other, not of demo"),
        ({**GOOD, "title": {}}, "title: needs 1 or more"),
        ({**GOOD, "text": {"en": 3}}, "text.en: a text is expected"),
        ({**GOOD, "title": {"pl": "x"}}, "not in the same languages"),
        ({**GOOD, "topics": []}, "topics: needs 1 or more"),
        ({**GOOD, "kind": "x"}, "kind: "),
        ({**GOOD, "date": "soon"}, "date: "),
        ({**GOOD, "date": ""}, "date: "),
        ({**GOOD, "about": None}, "about: "),
        ({**GOOD, "sources": ["x"]}, "sources"),
        ({**GOOD, "mood": "x"}, "mood: unknown key"),
        ({**GOOD, "overrides": ["B ook"]}, "overrides"),
        ({**GOOD, "different_from": ["x"]}, "different_from"),
        ({**GOOD, "superseded_by": ["gone"]}, "gone is not in the file"),
        ({**GOOD, "asked_as": ["who?"]}, "asked_as: values by name"),
        ({**GOOD, "asked_as": {"en": "who?"}}, "asked_as.en: a list is expected"),
        (
            {**GOOD, "asked_as": {"en": ["who?", "Who"]}},
            "the question is already on line",
        ),
        ({**GOOD, "asked_as": {"English": ["who?"]}}, "'English' is not a language code"),
    ],
)
def test_what_is_odd_is_told_with_its_line(tmp_path: Path, value: object, words: str) -> None:
    made = read([lines(tmp_path, {**GOOD, "id": "zero"}, "", value)], None)
    assert [one.line for one in made.skipped] == [3] and words in made.skipped[0].message, (
        made.skipped
    )


@pytest.mark.parametrize("text", ["", "kind,id\n", "{}", "[1]"])
def test_what_is_no_export_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(KbError, match="no line is a ruling"):
        read([lines(tmp_path, text)], None)
