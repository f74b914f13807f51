"""JSON as bytes that are kept."""

from __future__ import annotations

import tracemalloc

import orjson

from kb.core.json import json_bytes


def test_kept_bytes_take_no_more_memory_than_they_have() -> None:
    values = [["title", number, "ó" * 50] for number in range(200)]
    tracemalloc.start()
    try:
        kept = [json_bytes(value) for value in values]
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept == [orjson.dumps(value) for value in values]
    # A list and objects of bytes; the buffers of orjson take 4 KB each.
    assert size < 2 * sum(map(len, kept))
