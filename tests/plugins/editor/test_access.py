"""Logging in: guessing is slow, and shuts out nobody but the guesser."""

from __future__ import annotations

import pytest

from kb.plugins.editor.access import Access
from kb.server.responses import HttpError

TOKEN = "correct horse battery"


def guess(access: Access, address: str, status: int) -> None:
    with pytest.raises(HttpError) as refused:
        access.log_in("wrong", address)
    assert refused.value.status_code == status


def test_wrong_tokens_lock_out_their_own_address_for_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr("kb.plugins.editor.access.time.monotonic", lambda: now)
    access = Access(TOKEN)
    for _ in range(10):
        guess(access, "192.0.2.1", 403)
    with pytest.raises(HttpError) as refused:
        access.log_in(TOKEN, "192.0.2.1")
    assert refused.value.status_code == 429 and refused.value.headers
    access.log_in(TOKEN, "192.0.2.2")
    now += 61
    access.log_in(TOKEN, "192.0.2.1")
