"""JSON as kb writes it."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def dumps(value: object, indent: int | None = 1) -> str:
    """JSON text, letters of every language as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent)
