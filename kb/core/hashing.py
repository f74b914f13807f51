"""Hashes of plain data: equal data gives the same hash in every process."""

from __future__ import annotations

import hashlib
from typing import Any

LENGTH = 16


def data_hash(value: object) -> str:
    """Hash dataclasses, lists, dictionaries with text keys, texts and numbers.

    Dictionaries are hashed in their order. An object of another type is hashed by its `key`.
    """
    import orjson

    try:
        data = orjson.dumps(value, default=_key)
    except TypeError:
        # Half a surrogate pair, for which JSON has no bytes.
        data = repr(value).encode("utf-8", "backslashreplace")
    return bytes_hash(data)


def bytes_hash(data: bytes) -> str:
    """Hash bytes: the beginning of their SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()[:LENGTH]


def _key(value: Any) -> str:
    try:
        return str(value.key)
    except AttributeError:
        raise TypeError(f"{type(value).__name__} is not plain data") from None
