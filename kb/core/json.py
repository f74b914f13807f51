"""JSON as kb writes it."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def dumps(value: object, indent: int | None = 1) -> str:
    """JSON text, letters of every language as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def compact(value: object) -> str:
    """JSON text on one line and without spaces; half a surrogate pair, which UTF-8 has no bytes for, as an escape."""
    import orjson

    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"))
