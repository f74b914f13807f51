"""Records and pages as data: what `kb export` gives, and the JSON beside each page."""

from __future__ import annotations

from collections.abc import Iterable

from kb.core import urls
from kb.core.json import Json
from kb.records.library import Library
from kb.records.marks import plain_text, ruling_cards
from kb.records.model import (
    AUTHORITIES,
    KINDS,
    STATUSES,
    Card,
    Game,
    GameHeader,
    Header,
    Record,
    Ruling,
    Source,
    Term,
)
from kb.site.pages import (
    CardPage,
    CardsPage,
    ErrataPage,
    GamePage,
    GlossaryPage,
    RulingLink,
    RulingPage,
    SourcePage,
    TopicPage,
)


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


def beside(page: object, library: Library) -> Json | None:
    """A page as data, None for a page that has no JSON; addresses are relative to the site's root."""
    match page:
        case RulingPage():
            return exported(page.ruling, library)
        case CardPage():
            return {
                "game": page.game.id,
                "name": page.name,
                "cards": [_card(card) for card in page.cards],
                "about": [one.key for one, _ in page.about],
                "mentioned": [one.key for one, _ in page.mentioned],
            }
        case CardsPage():
            links = [link for _, group in page.letters for link in group]
            return {
                "game": page.game.id,
                "cards": [
                    {"name": link.titles[0][1], "rulings": count, "url": link.address}
                    for link, count in links
                ],
            }
        case TopicPage():
            return {
                "game": page.game.id,
                "id": page.topic.id,
                "title": page.topic.title,
                "rulings": _keys(page.rulings),
            }
        case SourcePage():
            return {
                "game": page.game.id,
                **_dumped(page.source),
                "provisions": {name: _keys(found) for name, found in page.provisions},
            }
        case GlossaryPage():
            return {
                "game": page.game.id,
                "terms": [
                    entry.term.model_dump(mode="json", exclude={"line", "lines"})
                    for entry in page.entries
                ],
            }
        case GamePage():
            return _game(page)
        case ErrataPage() if len(page.games) == 1:
            return {"game": page.games[0].game.id, "rulings": _keys(page.games[0].errata)}
    return None


def _keys(rulings: Iterable[RulingLink]) -> list[str]:
    return [one.key for one in rulings]


def _card(card: Card) -> Json:
    return {**_dumped(card), "label": card.label}


def _dumped(record: Record) -> Json:
    """A record without the places where it stands in its file."""
    return record.model_dump(mode="json", exclude={"line", "lines"}, exclude_none=True)


def _game(page: GamePage) -> Json:
    game = page.game
    return {
        "id": game.id,
        "name": game.header.name,
        "language": game.language,
        "languages": list(game.header.languages),
        "rulings": page.rulings,
        "cards": page.cards,
        "topics": [
            {"id": topic.id, "title": topic.title, "url": urls.topic(game.id, topic.id)}
            for topic in game.header.topics
        ],
        "sources": [
            {"id": one.id, "title": one.title, "url": urls.source(game.id, one.id)}
            for one in game.sources
        ],
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
    """A ruling in the words of schema.org: a question with its answer, and where it stands among the pages."""
    text = page.ruling.text(lang) or page.ruling.original
    here = urls.absolute(urls.localized(urls.ruling(page.game.id, page.ruling.id), lang), base_url)
    answer: Json = {
        "@type": "Answer",
        "text": " ".join(plain_text(text.answer).split()),
        "inLanguage": text.lang,
    }
    if page.ruling.header.date:
        answer["dateCreated"] = page.ruling.header.date
    made: Json = {
        "@context": "https://schema.org",
        "@type": "Question",
        "name": text.title,
        "inLanguage": text.lang,
        "identifier": page.ruling.key,
        "about": [
            {"@type": "Thing", "name": name}
            for name in (page.game.title(lang), *(one.titles[0][1] for one in page.about))
        ],
        "acceptedAnswer": answer,
    }
    return {**made, "url": here} if here else made


def terms(game: Game, lang: str) -> Json:
    """A glossary in the words of schema.org."""
    found = [
        {
            "@type": "DefinedTerm",
            "name": term.title(lang),
            "description": term.meaning.get(lang, ""),
            "termCode": term.id,
        }
        for term in game.terms
    ]
    return {
        "@context": "https://schema.org",
        "@type": "DefinedTermSet",
        "name": game.title(lang),
        "hasDefinedTerm": found,
    }
