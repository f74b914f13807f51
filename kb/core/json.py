"""JSON as kb writes it."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def dumps(value: object, indent: int | None = 1) -> str:
    """JSON text, letters of every language as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent)


def compact(value: object) -> str:
    """Return JSON text on one line, without spaces.

    Half a surrogate pair, which has no UTF-8, becomes an escape.
    """
    import orjson

    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, separators=(",", ":"))
