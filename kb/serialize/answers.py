"""JSON shapes of the commands' answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from kb.core import urls
from kb.core.json import Json
from kb.store.queries import Store, StoredCard, StoredRuling

if TYPE_CHECKING:
    from kb.decks.answer import DeckAnswer


def search_answer_to_json(answer: Any) -> Json:
    """Return a search's answer as `kb search --json` gives it.

    `answer` is a `kb.search.searcher.Answer`.
    """
    return {
        "query": answer.query,
        "total": answer.total,
        "took_ms": round(answer.took_ms, 2),
        "match": answer.match,
        "relaxed": answer.relaxed,
        "suggestion": answer.suggestion,
        "searched_for": answer.searched_for,
        "cards": [asdict(card) for card in answer.cards],
        "results": [_hit(hit) for hit in answer.results],
    }


def _hit(hit: Any) -> Json:
    ruling: StoredRuling = hit.ruling
    return {
        "id": ruling.id,
        "game": ruling.game,
        "title": {text.lang: text.title for text in ruling.texts},
        "snippet": hit.snippet,
        "answer": hit.answer,
        "lang": hit.lang,
        "kind": ruling.kind,
        "authority": ruling.authority,
        "status": ruling.status,
        "score": round(hit.score, 4),
        "cards": list(ruling.cards),
        "sources": [str(citation) for citation in ruling.sources],
        "url": urls.ruling(ruling.game, ruling.id),
    }


def card_to_json(
    name: str, cards: list[StoredCard], store: Store, slugs: Mapping[str, str] | None = None
) -> Json:
    """Return all cards of a name of a game, and their rulings, as `kb card --json` gives them.

    `slugs`: the addresses of the game's cards (`kb.core.urls.slugs`), for whoever asks often.
    """
    game = cards[0].game
    labels = {name, *(card.label for card in cards)}
    about, mentioned = store.rulings_on(game, labels)
    if slugs is None and (about or mentioned):
        slugs = urls.slugs(card.name for card in store.cards(game))
    return {
        "game": game,
        "name": name,
        "cards": [
            {
                "label": card.label,
                "version": card.version,
                "sets": list(card.sets),
                "type": card.type,
                "side": card.side,
                "subtypes": card.subtypes,
                "other_names": list(card.other_names),
            }
            for card in cards
        ],
        "about": [_brief(store, game, ruling_id) for ruling_id in about],
        "mentioned": [_brief(store, game, ruling_id) for ruling_id in mentioned],
        "url": urls.card(game, slugs[name]) if slugs and (about or mentioned) else None,
    }


def _brief(store: Store, game: str, ruling_id: str) -> Json:
    ruling = store.ruling(f"{game}/{ruling_id}")
    titles = {text.lang: text.title for text in ruling.texts} if ruling else {}
    return {"id": ruling_id, "title": titles, "url": urls.ruling(game, ruling_id)}


def deck_answer_to_json(answer: DeckAnswer) -> Json:
    """Return the answer to a deck list as `kb deck --json` gives it."""
    return {
        "game": answer.game,
        "cards": [{**asdict(card), "rulings": list(card.rulings)} for card in answer.cards],
        "rules": [asdict(rule) for rule in answer.rules],
        "unknown": [
            {**asdict(line), "suggestions": list(line.suggestions)} for line in answer.unknown
        ],
        "without_rulings": answer.without_rulings,
    }


def change_to_json(change: Any) -> Json:
    """Return a `kb.records.changed.ChangedRuling` as `kb changes --format json` gives it."""
    game, _, ruling_id = change.key.partition("/")
    titles = {text.lang: text.title for text in change.ruling.texts} if change.ruling else {}
    return {
        "id": ruling_id,
        "game": game,
        "what": change.what,
        "moment": change.moment,
        "revision": change.revision or None,
        "status": change.status,
        "title": titles,
        "url": urls.ruling(game, ruling_id) if change.ruling else None,
    }


def import_to_json(result: Any) -> Json:
    """Return a `kb.commands.importing.ImportResult` as `kb import --json` gives it."""
    written = result.written
    return {
        "new": written.new,
        "changed": written.changed,
        "same": written.same,
        "edited": written.edited,
        "gone": written.gone,
        "drafts": [
            {
                "id": draft.id,
                "topic": draft.topic,
                "kind": draft.kind,
                "authority": draft.authority,
                "status": draft.status,
                "title": {text.lang: text.title for text in draft.texts},
                "sources": list(draft.sources),
                "file": draft.file,
                "lines": list(draft.lines),
            }
            for draft in result.drafts
        ],
        "left": [
            {"path": problem.path, "line": problem.line, "message": problem.message}
            for problem in result.skipped
        ],
    }
