"""A ruling has one JSON shape, whoever gives it."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from kb.language import text_in
from kb.records.library import Library
from kb.serialize.ruling import csv_lines, ruling_to_json
from kb.serialize.schema import ruling_model, schema
from kb.store.load import build_store
from kb.store.model import stored_ruling
from kb.store.queries import Store


def test_the_store_gives_what_the_records_give(
    good: Library, rulings: Library, tmp_path: Path
) -> None:
    for number, library in enumerate((good, rulings)):
        path = tmp_path / f"{number}.sqlite"
        build_store(library, path)
        with Store(path) as store:
            for stored in store.rulings(library.rulings):
                made = stored_ruling(library.rulings[stored.key], library)
                assert ruling_to_json(stored) == ruling_to_json(made)


def test_the_schema_has_the_keys_of_a_ruling(good: Library) -> None:
    definitions = schema()["$defs"]
    assert set(re.findall(r"#/\$defs/([\w-]+)", str(definitions))) <= definitions.keys()
    header = definitions["header"]["properties"]
    assert {"kind", "effective-until", "different-from"} <= header.keys()
    described = definitions["ruling"]
    assert described["additionalProperties"] is False
    date = described["properties"]["date"]["anyOf"][0]["pattern"]
    assert re.match(date, "2003-04") and not re.match(date, "13.4.2003")
    for ruling in good.rulings.values():
        given = ruling_to_json(stored_ruling(ruling, good))
        ruling_model().model_validate(given, strict=True)
        assert set(given) == set(described["properties"]) == set(described["required"])


def test_the_csv_has_every_field_of_a_header(good: Library, rulings: Library) -> None:
    check_csv(good)
    check_csv(rulings)


def check_csv(library: Library) -> None:
    lines = "".join(f"{line}\n" for line in csv_lines(library))
    rows = csv.DictReader(lines.splitlines(True))
    shown = {(row["game"], row["id"], row["lang"]): row for row in rows}
    for ruling in library.rulings.values():
        for text in ruling.texts:
            row, header = shown[ruling.game, ruling.id, text.lang], ruling.header
            assert row["related"] == "; ".join(header.related)
            assert row["different_from"] == "; ".join(map(str, header.different_from))
            assert row["effective"] == (header.effective or "")
            assert row["when"] == (text_in(header.when, text.lang) if header.when else "")
