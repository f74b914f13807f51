"""Writes plain data as JSON, and hashes it: equal data has the same hash in every process."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

Json = dict[str, Any]
HASH_LENGTH = 16


def dumps(value: object, indent: int | None = 1) -> str:
    """Return plain data and dataclasses as JSON text, without escapes for letters."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_fields)


def compact(value: object) -> str:
    """Return plain data and dataclasses as JSON text on one line, without spaces.

    A lone surrogate, which UTF-8 cannot encode, becomes an escape.
    """
    import orjson

    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"), default=_fields)


def data_hash(value: object) -> str:
    """Hash plain data and dataclasses; the order of dictionaries counts."""
    return bytes_hash(compact(value).encode())


def bytes_hash(data: bytes) -> str:
    """Return the beginning of the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()[:HASH_LENGTH]


def _fields(value: Any) -> Json:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
