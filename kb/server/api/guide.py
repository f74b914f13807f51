"""The guide to the API: its OpenAPI description as an HTML page without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kb.core.json import dumps
from kb.server.api.operation import PREFIX
from kb.site.i18n import read_words
from kb.site.render import environment, render
from kb.site.templates import PACKAGED, Templates

Schema = dict[str, Any]


def guide_page(description: Schema) -> str:
    """Return the page of an OpenAPI description."""
    templates = Templates((PACKAGED,))
    env = environment(templates, read_words(templates, "en"))
    context = {
        "api": description["info"],
        "prefix": PREFIX,
        "operations": {path: item["get"] for path, item in description["paths"].items()},
        "shapes": description["components"]["schemas"],
        "type_name": _type_name,
        "dumps": dumps,
    }
    return render(env, "api.html", "the guide to the API", context)


def _type_name(schema: Schema) -> str:
    """Return the type of a value in a few words; another shape by its name."""
    return " | ".join(dict.fromkeys(_type_names(schema)))


def _type_names(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    elif "anyOf" in schema:
        for choice in schema["anyOf"]:
            yield from _type_names(choice)
    elif "enum" in schema or "const" in schema:
        yield from map(str, schema.get("enum", [schema.get("const")]))
    elif "items" in schema:
        yield f"[{_type_name(schema['items'])}]"
    elif isinstance(schema.get("additionalProperties"), dict):
        yield f"{{string: {_type_name(schema['additionalProperties'])}}}"
    else:
        yield schema.get("type", "any")
