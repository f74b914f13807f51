"""One ruling as JSON, as `kb export`, `kb show --json`, the API and the site give it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb.core import urls
from kb.core.json import Json
from kb.records.fields import FIELDS
from kb.records.marks import ruling_cards

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Ruling
    from kb.store.queries import StoredRuling


def ruling_to_json(ruling: Ruling, library: Library) -> Json:
    """Return one ruling of a library as JSON data; texts are Markdown with card marks."""
    return published_to_json(ruling, library.related(ruling))


def published_to_json(ruling: Ruling, related: Mapping[str, Sequence[str]]) -> Json:
    """Return one ruling as JSON data; `related`: the ids that it is tied to, by relation."""
    values = {
        **ruling.header.__dict__,
        "cards": ruling_cards(ruling),
        "superseded_by": related["superseded_by"],
        "related": related["related"],
        "examples": related["examples"],
    }
    return _to_json(ruling, values)


def stored_ruling_to_json(ruling: StoredRuling) -> Json:
    """Return one ruling of the store as JSON data, the same as `ruling_to_json` gives."""
    return _to_json(ruling, ruling.__dict__)


def _to_json(ruling: Ruling | StoredRuling, values: Mapping[str, Any]) -> Json:
    """Return all fields of a ruling; `values` are those of its header and of its relations."""
    whole = {
        **values,
        "id": ruling.id,
        "game": ruling.game,
        "title": {text.lang: text.title for text in ruling.texts},
        "text": {text.lang: text.body for text in ruling.texts},
        "asked_as": ruling.asked_as,
        "url": urls.ruling(ruling.game, ruling.id),
    }
    # Most fields have a single value, which is JSON as it is.
    return {
        field.name: whole[field.name]
        if field.shape == "single"
        else field.to_json(whole[field.name])
        for field in FIELDS
    }
