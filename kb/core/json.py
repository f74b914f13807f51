"""Plain data as JSON, and its hash: equal data gives the same in every process."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

Json = dict[str, Any]
HASH_LENGTH = 16


def dumps(value: object, indent: int | None = 1) -> str:
    """Return plain data and dataclasses as JSON text, letters of every language as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_fields)


def compact(value: object) -> str:
    """Return plain data and dataclasses as JSON text on one line, without spaces.

    Half a surrogate pair, which has no UTF-8, becomes an escape.
    """
    import orjson

    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"), default=_fields)


def json_bytes(value: object) -> bytes:
    """JSON as bytes that are kept; those of orjson hold up to ten times the memory that they need.

    Raises TypeError for half a surrogate pair.
    """
    import orjson

    return bytes(memoryview(orjson.dumps(value)))


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
    return hashlib.sha256(data).hexdigest()[:HASH_LENGTH]


def _fields(value: Any) -> Json:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _key(value: Any) -> str:
    try:
        return str(value.key)
    except AttributeError:
        raise TypeError(f"{type(value).__name__} is not plain data") from None
