"""The table of a ruling's fields: everything that lists them follows it."""

from __future__ import annotations

import dataclasses

from kb.records.draft import KEYS, LISTS, PAIRS
from kb.records.fields import FIELDS, HEADER_FIELDS, Header, markdown_table
from kb.records.model import HeaderModel


def test_the_table_and_what_checks_it_agree() -> None:
    names = [field.name for field in dataclasses.fields(Header)]
    assert names == [field.name for field in HEADER_FIELDS] == list(HeaderModel.model_fields)
    assert tuple(field.key for field in HEADER_FIELDS) == KEYS
    assert {*LISTS, *PAIRS} < set(KEYS) and {"about", "topics"} <= LISTS
    assert {"translated-from"} == PAIRS
    assert len({field.name for field in FIELDS}) == len(FIELDS)


def test_table_for_the_guide() -> None:
    rows = markdown_table().splitlines()
    assert len(rows) == len(HEADER_FIELDS) + 2
    assert all(row.count("|") == 6 for row in rows)
    assert "| `effective-until` | date | `asof:` | 0.1 | the first day on which" in "\n".join(rows)
