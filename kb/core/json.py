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


def data_hash(value: object) -> str:
    """Hash plain data and dataclasses; dictionaries in their order."""
    return bytes_hash(compact(value).encode())


def bytes_hash(data: bytes) -> str:
    """Hash bytes: the beginning of their SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()[:HASH_LENGTH]


def _fields(value: Any) -> Json:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
