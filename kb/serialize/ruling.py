"""One ruling as JSON, as `kb export`, `kb show --json`, the API and the site give it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kb.core import urls
from kb.core.json import Json
from kb.records.marks import ruling_cards

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Header, Ruling
    from kb.store.queries import StoredRuling


def ruling_to_json(ruling: Ruling, library: Library) -> Json:
    """Return one ruling of a library as JSON data; texts are Markdown with card marks."""
    differences = [
        {"id": each.id, "because": each.because} for each in ruling.header.different_from
    ]
    return _to_json(
        ruling, ruling.header, library.related(ruling), ruling_cards(ruling), differences
    )


def stored_ruling_to_json(ruling: StoredRuling) -> Json:
    """Return one ruling of the store as JSON data, the same as `ruling_to_json` gives."""
    links = {"superseded_by": ruling.superseded_by, "related": ruling.related}
    links["examples"] = ruling.examples
    return _to_json(ruling, ruling, links, ruling.cards, [*ruling.different_from])


def _to_json(
    ruling: Ruling | StoredRuling,
    header: Header | StoredRuling,
    links: Mapping[str, tuple[str, ...]],
    cards: Iterable[str],
    differences: list[dict[str, str]],
) -> Json:
    return {
        "id": ruling.id,
        "game": ruling.game,
        "kind": header.kind,
        "authority": header.authority,
        "status": header.status,
        "date": header.date,
        "effective": header.effective,
        "effective_until": header.effective_until,
        "rules": list(header.rules),
        "reviewed": header.reviewed,
        "topics": list(header.topics),
        "about": list(header.about),
        "cards": list(cards),
        "sources": [str(citation) for citation in header.sources],
        "title": {text.lang: text.title for text in ruling.texts},
        "text": {text.lang: text.body for text in ruling.texts},
        "asked_as": {lang: list(asked) for lang, asked in ruling.asked_as.items()},
        "supersedes": list(header.supersedes),
        "because": header.because,
        "superseded_by": list(links["superseded_by"]),
        "related": list(links["related"]),
        "example_of": list(header.example_of),
        "examples": list(links["examples"]),
        "overrides": list(header.overrides),
        "formerly": list(header.formerly),
        "different_from": differences,
        "asked": header.asked,
        "asked_of": header.asked_of,
        "translated_from": dict(header.translated_from),
        "url": urls.ruling(ruling.game, ruling.id),
    }
