"""Values that were looked up are not looked up again, and memory stays bounded."""

from __future__ import annotations

from kb.core.lookup_cache import LookupCache


def test_only_what_lacks_is_looked_up() -> None:
    asked: list[list[int]] = []

    def squares(numbers: list[int]) -> list[tuple[int, int]]:
        asked.append(numbers)
        return [(number, number * number) for number in numbers if number >= 0]

    cache = LookupCache(3, squares)
    assert list(cache.get([2, 1, -1, 2]).items()) == [(2, 4), (1, 1)]
    assert cache.get([1, 2, 3]) == {1: 1, 2: 4, 3: 9}
    assert asked == [[2, 1, -1, 2], [3]]
    # The least recently asked are dropped; an answer may be larger than the cache.
    assert cache.get([4, 1]) == {4: 16, 1: 1} and asked[2:] == [[4]]
    assert list(cache.get([2, 3, 4, 5])) == [2, 3, 4, 5] and asked[3:] == [[2, 5]]
    assert cache.get([3, 4, 5]) == {3: 9, 4: 16, 5: 25} and len(asked) == 4
