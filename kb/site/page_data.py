"""Pages as data: the JSON beside each page, and schema.org's data in it."""

from __future__ import annotations

from collections.abc import Iterable

from kb.core import urls
from kb.core.json import Json
from kb.records.library import Library
from kb.records.marks import plain_text
from kb.records.model import Card, Game, Record
from kb.serialize.ruling import ruling_to_json
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


def beside(page: object, library: Library) -> Json | None:
    """A page as data, None for a page that has no JSON; addresses are relative to the site's root."""
    match page:
        case RulingPage():
            return ruling_to_json(page.ruling, library)
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
