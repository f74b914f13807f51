"""`schema.json`: a JSON Schema of the records and of the lines of `rulings.jsonl`."""

from __future__ import annotations

from kb.core.json import Json
from kb.records.model import (
    AUTHORITIES,
    KINDS,
    STATUSES,
    Card,
    GameHeader,
    Header,
    Record,
    Source,
    Term,
)

_TEXT: Json = {"type": "string"}
_OPTIONAL: Json = {"type": ["string", "null"]}
_LIST: Json = {"type": "array", "items": _TEXT}
_BY_LANGUAGE: Json = {"type": "object", "additionalProperties": _TEXT}


def schema() -> Json:
    """Return the JSON Schema of the records, made from the models.

    `ruling` describes a line of `rulings.jsonl`, `header` the header of a ruling's file, the others
    the entries of a game's files.
    """
    models: dict[str, type[Record]] = {
        "header": Header,
        "game": GameHeader,
        "source": Source,
        "term": Term,
        "card": Card,
    }
    definitions: Json = {}
    for name, model in models.items():
        definition = model.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
        definitions |= definition.pop("$defs", {})
        for internal in ("line", "lines"):
            definition.get("properties", {}).pop(internal, None)
        definitions[name] = definition
    definitions["ruling"] = _ruling_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rulings of trading card games",
        "description": (
            "The records of the knowledge base; every value of a header is written as text"
        ),
        "$ref": "#/$defs/ruling",
        "$defs": dict(sorted(definitions.items())),
    }


def _ruling_schema() -> Json:
    properties: Json = {
        "id": _TEXT,
        "game": _TEXT,
        "kind": {"enum": list(KINDS)},
        "authority": {"enum": list(AUTHORITIES)},
        "status": {"enum": list(STATUSES)},
        "date": _OPTIONAL,
        "effective": _OPTIONAL,
        "effective_until": _OPTIONAL,
        "rules": _LIST,
        "reviewed": _OPTIONAL,
        "topics": _LIST,
        "about": _LIST,
        "cards": _LIST,
        "sources": {**_LIST, "description": "document#provision"},
        "title": _BY_LANGUAGE,
        "text": {**_BY_LANGUAGE, "description": "Markdown with card marks, by language"},
        "asked_as": {
            "type": "object",
            "additionalProperties": _LIST,
            "description": "questions that people ask, by language",
        },
        "supersedes": _LIST,
        "because": _TEXT,
        "superseded_by": _LIST,
        "related": _LIST,
        "example_of": _LIST,
        "examples": _LIST,
        "overrides": _LIST,
        "formerly": _LIST,
        "different_from": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "because"],
                "properties": {"id": _TEXT, "because": _TEXT},
                "additionalProperties": False,
            },
        },
        "asked": _OPTIONAL,
        "asked_of": _TEXT,
        "translated_from": {**_BY_LANGUAGE, "description": "the original's fingerprint"},
        "url": _TEXT,
    }
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }
