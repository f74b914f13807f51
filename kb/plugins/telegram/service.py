"""The service `telegram` of `kb serve`; only requests with the secret token are read."""

from __future__ import annotations

import hmac
import os
import re
from functools import partial
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kb.core.problems import WrongUsage
from kb.pipeline.open_base import Lender
from kb.plugins.chats.http import answer_in_time, parse
from kb.plugins.chats.replies import Recipients
from kb.plugins.telegram import updates
from kb.server.services import Host, RunningService, Service

PATH = "/telegram"
# Telegram allows 1 to 256 characters; fewer than 16 could be guessed.
_SECRET = re.compile("[A-Za-z0-9_-]{16,256}")


def start(host: Host) -> RunningService:
    """Return the route for Telegram's updates."""
    return RunningService([telegram_route(host.lend, _secret(), Recipients(host.templates))])


def _secret() -> str:
    """Return the secret token of Telegram's requests. Raises WrongUsage for a bad one."""
    secret = os.environ.get("KB_TELEGRAM_SECRET", "").strip()
    if not _SECRET.fullmatch(secret):
        raise WrongUsage(
            "telegram needs a secret token in the environment variable KB_TELEGRAM_SECRET: 16 to"
            " 256 letters, digits, _ and -; `openssl rand -hex 32` makes one"
        )
    return secret


def telegram_route(lend: Lender, secret: str, recipients: Recipients) -> Route:
    """Return the route for Telegram's updates; only requests with the secret token are read."""

    async def endpoint(request: Request) -> Response:
        token = request.headers.get("x-telegram-bot-api-secret-token", "")
        if not hmac.compare_digest(token.encode(), secret.encode()):
            raise HTTPException(HTTPStatus.UNAUTHORIZED, "The secret token is missing or wrong.")
        update = parse(updates.Update, await request.body())
        # Telegram repeats an update until it gets a status of success.
        message = update.message if update else None
        if message is None or not updates.is_for_us(message):
            return Response()
        recipient = recipients.of_locale(message.locale)
        respond = partial(updates.respond, message)
        return JSONResponse(await answer_in_time(lend, recipient, respond))

    return Route(PATH, endpoint, methods=["POST"])


SERVICE = Service(start, lambda host: _secret(), needs_base_url=True)
