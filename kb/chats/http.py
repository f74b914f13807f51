"""The chats as routes of `kb serve`: authentication, size limits and time-outs.

`replies` writes the words; `discord` and `telegram` have the formats of requests and responses.
"""

from __future__ import annotations

import hmac
import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import TypeVar

from anyio import move_on_after
from anyio.to_thread import run_sync
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kb.chats import discord, telegram
from kb.chats.replies import Answerer, Recipient, Recipients
from kb.core.json import Json
from kb.core.problems import KbError, WrongUsage
from kb.serialize.open_base import Lender
from kb.site.i18n import Catalog

# Maximum difference between the time of a request and this machine's clock, in seconds.
MAX_AGE = 300
_KEY = re.compile("[0-9a-fA-F]{64}")
_SIGNATURE = re.compile("[0-9a-fA-F]{128}")
_TIMESTAMP = re.compile("[0-9]{1,12}")
DISCORD_PATH = "/discord"
TELEGRAM_PATH = "/telegram"
# Largest body, in bytes; a long message of Telegram has some 60,000.
MAX_BODY = 256_000
_LIMITED = [Middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY)]
# Longest time for an answer, in seconds: Discord waits for three, transfer included.
ANSWER_TIMEOUT = 2.0
M = TypeVar("M", bound=BaseModel)


class SignatureVerifier:
    """Verifies the Ed25519 signature of a timestamp followed by a body."""

    now: Callable[[], float] = staticmethod(time.time)

    def __init__(self, public_key: str) -> None:
        """`public_key`: in hexadecimal digits. Raises WrongUsage for an invalid one."""
        if not _KEY.fullmatch(public_key):
            raise WrongUsage(
                "discord needs the application's public key in the environment variable"
                " KB_DISCORD_PUBLIC_KEY: 64 hexadecimal digits, which the application's page in"
                " Discord's developer portal shows"
            )
        self._key = VerifyKey(bytes.fromhex(public_key))

    def accepts(self, signature: str, timestamp: str, body: bytes) -> bool:
        """Return whether the signature fits and the timestamp is within MAX_AGE of now."""
        if not _SIGNATURE.fullmatch(signature) or not _TIMESTAMP.fullmatch(timestamp):
            return False
        if abs(self.now() - int(timestamp)) > MAX_AGE:
            return False
        try:
            self._key.verify(timestamp.encode() + body, bytes.fromhex(signature))
        except BadSignatureError:
            return False
        return True


def discord_route(lend: Lender, verifier: SignatureVerifier, recipients: Recipients) -> Route:
    """Return the route for Discord's interactions; only signed requests are read."""

    async def endpoint(request: Request) -> Response:
        body, headers = await request.body(), request.headers
        signature = headers.get("x-signature-ed25519", "")
        if not verifier.accepts(signature, headers.get("x-signature-timestamp", ""), body):
            raise HTTPException(HTTPStatus.UNAUTHORIZED, "The signature is missing, wrong or old.")
        interaction = _parsed(discord.Interaction, body)
        if interaction is None:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "This is no interaction that is answered.")
        recipient = recipients.of_locale(interaction.locale)
        response = discord.respond_at_once(interaction, recipient.words)
        if response is None:
            response = await _in_time(lend, recipient, partial(discord.respond, interaction))
        return JSONResponse(response)

    return Route(DISCORD_PATH, endpoint, methods=["POST"], middleware=_LIMITED)


def telegram_route(lend: Lender, secret: str, recipients: Recipients) -> Route:
    """Return the route for Telegram's updates; only requests with the secret token are read."""

    async def endpoint(request: Request) -> Response:
        token = request.headers.get("x-telegram-bot-api-secret-token", "")
        if not hmac.compare_digest(token.encode(), secret.encode()):
            raise HTTPException(HTTPStatus.UNAUTHORIZED, "The secret token is missing or wrong.")
        update = _parsed(telegram.Update, await request.body())
        # Telegram repeats an update until it gets a status of success.
        if update is None or not telegram.is_for_us(update):
            return Response()
        recipient = recipients.of_locale(update.locale)
        return JSONResponse(await _in_time(lend, recipient, partial(telegram.respond, update)))

    return Route(TELEGRAM_PATH, endpoint, methods=["POST"], middleware=_LIMITED)


def _parsed(model: type[M], body: bytes) -> M | None:
    try:
        return model.model_validate_json(body)
    except ValidationError:
        return None


async def _in_time(
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
