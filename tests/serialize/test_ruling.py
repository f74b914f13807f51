"""A ruling has one JSON shape, whoever gives it."""

from __future__ import annotations

import re
from pathlib import Path

from kb.records.library import Library
from kb.serialize.ruling import ruling_to_json, stored_ruling_to_json
from kb.serialize.schema import ruling_model, schema
from kb.store.load import build_store
from kb.store.queries import Store


def test_the_store_gives_what_the_records_give(
    good: Library, rulings: Library, tmp_path: Path
) -> None:
    for number, library in enumerate((good, rulings)):
        path = tmp_path / f"{number}.sqlite"
        build_store(library, path)
        with Store(path) as store:
            for stored in store.rulings(library.rulings):
                assert stored_ruling_to_json(stored) == ruling_to_json(
                    library.rulings[stored.key], library
                )


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
        given = ruling_to_json(ruling, good)
        ruling_model().model_validate(given, strict=True)
        assert set(given) == set(described["properties"]) == set(described["required"])
