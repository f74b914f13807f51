"""Results are used again only where all that they were computed from is equal."""

from __future__ import annotations

from kb.core.memo import _ROUNDS, Memo


def test_a_result_is_used_again_for_equal_arguments() -> None:
    calls: list[tuple[object, ...]] = []

    def joined(*words: str) -> str:
        calls.append(words)
        return " ".join(words)

    memo = Memo()
    assert [memo.call("a", joined, "x", "y") for _ in range(3)] == ["x y"] * 3
    assert memo.call("b", joined, "x", "y") == "x y" and len(calls) == 2
    # Only the last result of a key is kept.
    assert memo.call("a", joined, "z") == "z" and memo.call("a", joined, "x", "y") == "x y"
    assert len(calls) == 4
    # Another function has results of its own.
    assert memo.call("a", len, "x") == 1


def test_what_nobody_asks_for_is_forgotten() -> None:
    memo, calls = Memo(), []
    memo.call("old", calls.append, 1)
    for _ in range(2 * _ROUNDS):
        memo.call("used", calls.append, 2)
        memo.end_round()
    assert calls == [1, 2]
    memo.call("old", calls.append, 1)
    assert calls == [1, 2, 1]


def test_without_keeping_everything_is_computed() -> None:
    memo, calls = Memo(keep=False), []
    for _ in range(2):
        memo.call("a", calls.append, 1)
    assert calls == [1, 1]
