"""What a page reads is noted, and a page that has read what differs is collected again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from kb.site.tracking import ReadLog, TrackedMapping, differing

VALUES = {"a": [1], "b": [2], "c": [3]}
READS: dict[str, Callable[[TrackedMapping[Any]], object]] = {
    "a value": lambda mapping: mapping.get("b"),
    "a value that may not be there": lambda mapping: mapping.get("z"),
    "whether a key is there": lambda mapping: "z" in mapping,
    "all keys": list,
    "all values": lambda mapping: list(mapping.values()),
    "all items": lambda mapping: list(mapping.items()),
    "how many there are": len,
    "what a function returns": lambda mapping: mapping.derived(str).get("b"),
    "all that it returns": lambda mapping: [*mapping.derived(str).values()],
}
CHANGES: dict[str, Mapping[str, object]] = {
    "nothing": VALUES,
    "a value": {**VALUES, "b": [4]},
    "another": {**VALUES, "c": [4]},
    "one more": {**VALUES, "z": [9]},
    "one less": {"a": [1], "c": [3]},
    "the order": dict(reversed(VALUES.items())),
}


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("change", CHANGES)
def test_what_a_change_would_alter_has_been_noted(read: str, change: str) -> None:
    def collect(values: Mapping[str, object]) -> tuple[object, set[str], dict[str, str]]:
        log = ReadLog("demo", "1")
        mapping = log.tracked("kind", values)
        with log.recording() as names:
            data = READS[read](mapping)
        return data, names, log.hashes()

    old, names, hashes = collect(VALUES)
    new, _, others = collect(CHANGES[change])
    is_noted = not names.isdisjoint(differing(hashes, others))
    assert is_noted or old == new
    if change == "nothing":
        assert not is_noted
    if read == "a value" and change in ("another", "one more", "the order"):
        assert not is_noted


def test_a_recording_has_what_is_always_read_and_nothing_of_another_one() -> None:
    log = ReadLog("demo", "1")
    mapping = log.tracked("kind", VALUES)
    lengths = mapping.derived(len)
    for _ in range(2):
        with log.recording() as outer:
            mapping["a"]
            with log.recording() as inner:
                # Kept from the first time, and noted all the same.
                lengths["b"]
        assert outer == {"demo", "demo kind a"} and inner == {"demo", "demo kind b"}


def test_hashes_that_are_given_stand_for_values_that_are_no_plain_data() -> None:
    log = ReadLog("demo", "1")
    log.tracked("kind", {"a": object()}, {"a": "0123"})
    log.tracked("other", {"a": "\ud800"})
    hashes = log.hashes()
    assert hashes["demo"] == "1" and hashes["demo kind a"] == "0123"
    assert hashes.keys() == {"demo", "demo kind", "demo kind a", "demo other", "demo other a"}
