"""`schema.json`: a JSON Schema of the records and of the lines of `rulings.jsonl`."""

from __future__ import annotations

from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, WithJsonSchema, create_model

from kb.core.json import Json
from kb.records import types
from kb.records.fields import FIELDS, field_types, header_type
from kb.records.model import GameHeader, Source, Term
from kb.records.text import Note
from kb.records.values import Card, Citation
from kb.serialize.ruling import AnswerNote


class _RulingShape(BaseModel):
    """One ruling as data."""

    model_config = ConfigDict(extra="forbid")


def schema() -> Json:
    """Return the JSON Schema of the records.

    `ruling` describes a line of `rulings.jsonl`, `header` the header of a ruling's file, the others
    entries of a game's files.
    """
    card = TypeAdapter(Card)
    card.rebuild(_types_namespace=vars(types))
    adapters: dict[str, TypeAdapter[Any]] = {
        "header": header_type(),
        "game": TypeAdapter(GameHeader),
        "source": TypeAdapter(Source),
        "term": TypeAdapter(Term),
        "card": card,
        "ruling": TypeAdapter(ruling_model()),
    }
    definitions: Json = {}
    for name, adapter in adapters.items():
        definition = adapter.json_schema(by_alias=True, ref_template="#/$defs/{model}")
        definitions |= definition.pop("$defs", {})
        definitions[name] = definition
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rulings of trading card games",
        "description": (
            "The records of the knowledge base; every value of a header is written as text"
        ),
        "$ref": "#/$defs/ruling",
        "$defs": dict(sorted(definitions.items())),
    }


def ruling_model() -> type[BaseModel]:
    """Return the pydantic model of a ruling's JSON, in which all fields are required."""
    types = field_types()
    fields: dict[str, Any] = {
        field.name: (_json_type(types[field.name]), Field(description=field.description))
        for field in FIELDS
    }
    return create_model("Ruling", __base__=_RulingShape, **fields)


def _json_type(annotation: Any) -> Any:
    """Return the type of a value in JSON: lists for tuples, texts without checks."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        written = [each for each in arguments[1:] if isinstance(each, WithJsonSchema)]
        if arguments[0] is str and written:
            return annotation
        return _json_type(arguments[0])
    if origin is tuple:
        return list[_json_type(arguments[0])]  # type: ignore[misc]
    if origin is dict:
        return dict[str, _json_type(arguments[1])]  # type: ignore[misc]
    if origin is UnionType or origin is Union:
        return _json_type(arguments[0]) | None
    return {Citation: str, Note: AnswerNote}.get(annotation, annotation)
