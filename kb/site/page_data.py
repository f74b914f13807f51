"""Records as JSON, and pages in the words of schema.org."""

from __future__ import annotations

from kb.core import urls
from kb.core.json import Json
from kb.records.library import Library
from kb.records.marks import ruling_cards
from kb.records.model import (
    AUTHORITIES,
    KINDS,
    STATUSES,
    Card,
    GameHeader,
    Header,
    Record,
    Ruling,
    Source,
    Term,
)
from kb.site.pages import GlossaryPage, RulingPage


def exported(ruling: Ruling, library: Library) -> Json:
    """One ruling as `kb export --format jsonl` and `kb show --json` give it; texts are Markdown with card marks."""
    head, ties = ruling.header, library.related(ruling)
    return {
        "id": ruling.id,
        "game": ruling.game,
        "kind": head.kind,
        "authority": head.authority,
        "status": head.status,
        "date": head.date,
        "effective": head.effective,
        "effective_until": head.effective_until,
        "rules": list(head.rules),
        "reviewed": head.reviewed,
        "topics": list(head.topics),
        "about": list(head.about),
        "cards": list(ruling_cards(ruling)),
        "sources": [str(citation) for citation in head.sources],
        "title": {text.lang: text.title for text in ruling.texts},
        "text": {text.lang: text.body for text in ruling.texts},
        "supersedes": list(head.supersedes),
        "because": head.because,
        "superseded_by": list(ties["superseded_by"]),
        "related": list(ties["related"]),
        "example_of": list(head.example_of),
        "examples": list(ties["examples"]),
        "overrides": list(head.overrides),
        "formerly": list(head.formerly),
        "different_from": [{"id": one.id, "because": one.because} for one in head.different_from],
        "asked": head.asked,
        "asked_of": head.asked_of,
        "translated_from": dict(head.translated_from),
        "url": urls.ruling(ruling.game, ruling.id),
    }


def schema() -> Json:
    """A JSON Schema of the records, made from the models: the header of a ruling and the entries of a game's files.

    `ruling` describes a line of `rulings.jsonl`; `header` what stands between the two lines of --- in a record.
    """
    models: dict[str, type[Record]] = {
        "header": Header,
        "game": GameHeader,
        "source": Source,
        "term": Term,
        "card": Card,
    }
    made: Json = {}
    for name, model in models.items():
        told = model.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
        made |= told.pop("$defs", {})
        for inner in ("line", "lines"):
            told.get("properties", {}).pop(inner, None)
        made[name] = told
    texts = {"type": "object", "additionalProperties": {"type": "string"}}
    listed = {"type": "array", "items": {"type": "string"}}
    made["ruling"] = {
        "type": "object",
        "required": ["id", "game", "kind", "authority", "status", "title", "text"],
        "properties": {
            "id": {"type": "string"},
            "game": {"type": "string"},
            "kind": {"enum": list(KINDS)},
            "authority": {"enum": list(AUTHORITIES)},
            "status": {"enum": list(STATUSES)},
            "date": {"type": ["string", "null"]},
            "title": texts,
            "text": {**texts, "description": "Markdown with card marks, by language"},
            "topics": listed,
            "about": listed,
            "cards": listed,
            "sources": {**listed, "description": "document#provision"},
            "supersedes": listed,
            "superseded_by": listed,
            "related": listed,
            "example_of": listed,
            "examples": listed,
            "overrides": listed,
            "formerly": listed,
            "rules": listed,
            "url": {"type": "string"},
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rulings of trading card games",
        "description": "The records of the knowledge base; every value of a header is written as text",
        "$ref": "#/$defs/ruling",
        "$defs": dict(sorted(made.items())),
    }


def question(page: RulingPage, lang: str, base_url: str) -> Json:
    """A ruling in the words of schema.org: a question with its answer."""
    text = next((text for text in page.texts if text.lang == lang), page.texts[0])
    here = urls.absolute(urls.localized(page.exported["url"], lang), base_url)
    answer: Json = {"@type": "Answer", "text": text.plain, "inLanguage": text.lang}
    if page.date:
        answer["dateCreated"] = page.date
    names = (page.game.title(lang), *(link.titles[0][1] for link in page.about))
    data: Json = {
        "@context": "https://schema.org",
        "@type": "Question",
        "name": text.title,
        "inLanguage": text.lang,
        "identifier": page.key,
        "about": [{"@type": "Thing", "name": name} for name in names],
        "acceptedAnswer": answer,
    }
    return {**data, "url": here} if here else data


def terms(page: GlossaryPage, lang: str) -> Json:
    """A glossary in the words of schema.org."""
    defined = [
        {
            "@type": "DefinedTerm",
            "name": term.title(lang),
            "description": term.meanings.get(lang, ""),
            "termCode": term.id,
        }
        for term in page.terms
    ]
    return {
        "@context": "https://schema.org",
        "@type": "DefinedTermSet",
        "name": page.game.title(lang),
        "hasDefinedTerm": defined,
    }
