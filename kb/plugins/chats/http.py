"""Requests of chats over HTTP, and the time-out of their answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from anyio import move_on_after
from anyio.to_thread import run_sync
from pydantic import BaseModel, ValidationError

from kb.core.json import Json
from kb.core.problems import KbError
from kb.pipeline.open_base import Lender
from kb.plugins.chats.replies import Answerer, Recipient
from kb.site.i18n import Catalog

# Longest time for an answer, in seconds: Discord waits for three, transfer included.
ANSWER_TIMEOUT = 2.0
M = TypeVar("M", bound=BaseModel)


def parse(model: type[M], body: bytes) -> M | None:
    """Return a body as a model; None if it does not fit."""
    try:
        return model.model_validate_json(body)
    except ValidationError:
        return None


async def answer_in_time(
    lend: Lender, recipient: Recipient, respond: Callable[[Catalog, Answerer | None], Json]
) -> Json:
    """Return the response; it gets no answerer after ANSWER_TIMEOUT or without a build.

    A slow search goes on until its end and keeps its place in the pool.
    """

    def work() -> Json | None:
        with suppress(KbError):
            return lend(lambda base: respond(recipient.words, Answerer(base, recipient)))
        return None

    response = None
    with move_on_after(ANSWER_TIMEOUT):
        response = await run_sync(work, abandon_on_cancel=True)
    return respond(recipient.words, None) if response is None else response
