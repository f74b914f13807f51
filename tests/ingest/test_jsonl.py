from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.ingest.jsonl import read

GOOD = {"id": "one", "game": "demo", "kind": "ruling", "authority": "official", "status": "current"}
GOOD |= {"topics": ["pilots"], "title": {"en": "One"}, "text": {"en": "Text with [[Card (A)]]."}}


def lines(tmp_path: Path, *values: object) -> Path:
    path = tmp_path / "export.jsonl"
    path.write_text(
        "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values),
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("{", "not JSON"),
        ("[" * 99_999, "not JSON"),
        ("[]", "a ruling has an id"),
        ({**GOOD, "id": "Ą b"}, "id: lower-case"),
        ({**GOOD, "id": "zero"}, "id given twice"),
        ({**GOOD, "game": "other"}, "a ruling of other, not of demo"),
        ({**GOOD, "title": {}}, "title: needs 1 or more"),
        ({**GOOD, "text": {"en": 3}}, "text.en: a text is expected"),
        ({**GOOD, "title": {"pl": "x"}}, "not in the same languages"),
        ({**GOOD, "kind": "x"}, "kind: "),
        ({**GOOD, "date": "soon"}, "date: "),
        ({**GOOD, "about": None}, "about: "),
        ({**GOOD, "mood": "x"}, "mood: unknown key"),
        ({**GOOD, "overrides": ["B ook"]}, "overrides"),
        ({**GOOD, "different_from": ["x"]}, "different_from"),
        ({**GOOD, "superseded_by": ["gone"]}, "gone is not in the file"),
        ({**GOOD, "asked_as": ["who?"]}, "asked_as: values by name"),
        ({**GOOD, "asked_as": {"en": "who?"}}, "asked_as.en: a list is expected"),
        ({**GOOD, "asked_as": {"en": ["who?", "Who"]}}, "the question is already on line"),
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
