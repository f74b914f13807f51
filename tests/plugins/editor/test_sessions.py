"""Logging in: guessing is slow, and shuts out nobody but the guesser."""

from __future__ import annotations

import pytest

from kb.plugins.editor.sessions import _MAX_ADDRESSES, Sessions
from kb.server.responses import HttpError

TOKEN = "correct horse battery"


def guess(sessions: Sessions, address: str, count: int = 10) -> None:
    for _ in range(count):
        assert sessions.log_in("wrong", address) == ""


def test_wrong_tokens_lock_out_their_own_address_alone() -> None:
    for guesser, others in (
        ("192.0.2.1", ("192.0.2.2", "2001:db8::1", "127.0.0.1", "")),
        # Whoever has one address of a network has all of them.
        ("2001:db8:0:1::1", ("2001:db8:0:2::1", "192.0.2.1")),
        ("", ("192.0.2.1",)),
    ):
        sessions = Sessions(TOKEN)
        guess(sessions, guesser)
        with pytest.raises(HttpError) as refused:
            sessions.log_in(TOKEN, guesser)
        assert refused.value.status_code == 429 and refused.value.headers
        for other in others:
            assert sessions.log_in(TOKEN, other)
    sessions = Sessions(TOKEN)
    guess(sessions, "2001:db8:0:1::1")
    guess(sessions, "192.0.2.1")
    for same in ("2001:db8:0:1:ffff::2", "2001:db8:0:1::1%eth0", "::ffff:192.0.2.1"):
        with pytest.raises(HttpError):
            sessions.log_in(TOKEN, same)


def test_the_time_passes_and_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("kb.plugins.editor.sessions.time.monotonic", lambda: now)
    sessions = Sessions(TOKEN)
    guess(sessions, "192.0.2.1")
    now += 61
    assert sessions.log_in(TOKEN, "192.0.2.1")
    for number in range(2 * _MAX_ADDRESSES):
        guess(sessions, f"10.0.{number // 250}.{number % 250}", 1)
    assert len(sessions._failures) == _MAX_ADDRESSES
