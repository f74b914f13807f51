"""Is a request signed by Discord, and recent?"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from kb.core.problems import WrongUsage

# How far the time of a request may be from this machine's clock, in seconds.
MAX_AGE = 300
_KEY = re.compile("[0-9a-fA-F]{64}")
_SIGNATURE = re.compile("[0-9a-fA-F]{128}")
_TIMESTAMP = re.compile("[0-9]{1,12}")


class SignatureVerifier:
    """Verifies the Ed25519 signature of a timestamp followed by a body."""

    now: Callable[[], float] = staticmethod(time.time)

    def __init__(self, public_key: str) -> None:
        """`public_key` in hexadecimal. Raises WrongUsage if it is none."""
        if not _KEY.fullmatch(public_key):
            raise WrongUsage(
                "--discord: the application's public key has 64 hexadecimal digits;"
                " the application's page in Discord's developer portal shows it"
            )
        self._key = VerifyKey(bytes.fromhex(public_key))

    def accepts(self, signature: str, timestamp: str, body: bytes) -> bool:
        """Return whether the headers sign the body and the time is within MAX_AGE of now."""
        if not _SIGNATURE.fullmatch(signature) or not _TIMESTAMP.fullmatch(timestamp):
            return False
        if abs(self.now() - int(timestamp)) > MAX_AGE:
            return False
        try:
            self._key.verify(timestamp.encode() + body, bytes.fromhex(signature))
        except BadSignatureError:
            return False
        return True
