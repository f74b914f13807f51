"""Readable messages for pydantic's validation errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MESSAGES = {
    "missing": "missing",
    "extra_forbidden": "unknown key",
    "unexpected_keyword_argument": "unknown argument",
    "string_type": "a text is expected",
    "dict_type": "values by name are expected",
    "string_too_short": "empty",
    "list_type": "a list is expected",
    "tuple_type": "a list is expected",
    "model_type": "an object with keys and values is expected",
    "int_type": "a whole number is expected",
    "int_parsing": "a whole number is expected",
    "string_too_long": "more than {max_length} characters",
    "too_long": "more than {max_length} values",
    "too_short": "needs {min_length} or more",
    "greater_than_equal": "less than {ge}",
    "less_than_equal": "more than {le}",
}


def explain(error: Mapping[str, Any], messages: Mapping[str, str] = _MESSAGES) -> str:
    """Return the message of an error of pydantic; `messages` by its type, else the general ones."""
    kind, facts = error["type"], error.get("ctx", {})
    if kind == "literal_error" and not isinstance(error["input"], str):
        kind = "string_type"
    if kind == "literal_error":
        return f"{error['input']!r} is not one of {facts['expected']}"
    if kind == "union_tag_invalid":
        return f"{facts['tag']!r} is not one of {facts['expected_tags']}"
    if kind == "value_error":
        return str(facts["error"])
    if kind == "string_pattern_mismatch":
        return f"{error['input'][:60]!r} is not of the expected form"
    known = messages.get(kind) or _MESSAGES.get(kind)
    return known.format(**facts) if known else str(error["msg"])
