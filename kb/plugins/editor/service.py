"""The service `editor` of `kb serve`, with its token."""

from __future__ import annotations

import os
from pathlib import Path

from kb.core.problems import WrongUsage
from kb.server.services import Host, RunningService, Service

MIN_TOKEN_LENGTH = 12
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def start(host: Host) -> RunningService:
    """Return the editor's routes; without a token they answer to this machine alone."""
    from kb.plugins.editor.access import Access
    from kb.plugins.editor.records import EditableRecords
    from kb.plugins.editor.routes import Editor

    assert host.live is not None
    host.live.offer_editing(Path(__file__).with_name("templates"))
    token = _token()
    editor = Editor(EditableRecords(host.live.records), Access(token), host.live)
    return RunningService(editor.routes(), local_only=not token)


def check(host: str) -> None:
    """Raise WrongUsage for a short token, and without one where others reach the server."""
    token = _token()
    if token and len(token) < MIN_TOKEN_LENGTH:
        raise WrongUsage(
            f"the token in KB_TOKEN needs at least {MIN_TOKEN_LENGTH} characters;"
            " `openssl rand -hex 16` makes one"
        )
    if not token and host not in _LOOPBACK:
        raise WrongUsage(
            f"the editor at {host} needs a token in the environment variable KB_TOKEN: anyone who"
            " reaches this address could write"
        )


def _token() -> str:
    return os.environ.get("KB_TOKEN", "")


SERVICE = Service(start, check, watches=True, notice="edit/ edits the records")
