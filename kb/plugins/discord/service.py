"""The service `discord` of `kb serve`; only signed requests are read."""

from __future__ import annotations

import os
import re
import time
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
from kb.plugins.discord import EXTRA, interactions
from kb.server.services import Host, RunningService, Service

PATH = "/discord"
# Maximum difference between the time of a request and this machine's clock, in seconds.
MAX_AGE = 300
_KEY = re.compile("[0-9a-fA-F]{64}")
_SIGNATURE = re.compile("[0-9a-fA-F]{128}")
_TIMESTAMP = re.compile("[0-9]{1,12}")


class SignatureVerifier:
    """Verifies the Ed25519 signature of a timestamp followed by a body."""

    def __init__(self, public_key: str) -> None:
        """`public_key`: in hexadecimal digits. Raises WrongUsage for an invalid one."""
        if not _KEY.fullmatch(public_key):
            raise WrongUsage(
                "discord needs the application's public key in the environment variable"
                " KB_DISCORD_PUBLIC_KEY: 64 hexadecimal digits, which the application's page in"
                " Discord's developer portal shows"
            )
        from nacl.signing import VerifyKey

        self._key = VerifyKey(bytes.fromhex(public_key))

    def accepts(self, signature: str, timestamp: str, body: bytes) -> bool:
        """Return whether the signature fits and the timestamp is within MAX_AGE of now."""
        from nacl.exceptions import BadSignatureError

        if not _SIGNATURE.fullmatch(signature) or not _TIMESTAMP.fullmatch(timestamp):
            return False
        if abs(time.time() - int(timestamp)) > MAX_AGE:
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
        interaction = parse(interactions.Interaction, body)
        if interaction is None:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "Unsupported interaction type.")
        recipient = recipients.of_locale(interaction.locale)
        respond = partial(interactions.respond, interaction)
        return JSONResponse(await answer_in_time(lend, recipient, respond))

    return Route(PATH, endpoint, methods=["POST"])


def start(host: Host) -> RunningService:
    """Return the route for Discord's interactions."""
    return RunningService([discord_route(host.lend, _verifier(), Recipients(host.templates))])


def _verifier() -> SignatureVerifier:
    return SignatureVerifier(os.environ.get("KB_DISCORD_PUBLIC_KEY", "").strip())


SERVICE = Service(start, lambda host: _verifier(), EXTRA, needs_base_url=True)
