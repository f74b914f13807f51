"""JSON shapes of the commands' answers, and the lines of `kb export`."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from kb.core import urls
from kb.core.json import Json, dumps
from kb.records.marks import plain_text
from kb.serialize.ruling import ruling_to_json
from kb.store.queries import Store, StoredCard, StoredRuling

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Game

_FORMULAS, _BEFORE_FORMULAS = frozenset("=+-@＝＋－＠"), frozenset("\t\r\n")


def jsonl_lines(library: Library) -> Iterator[str]:
    """The lines of `kb export --format jsonl`: one ruling each, by game and id."""
    for ruling in library.rulings.values():
        yield dumps(ruling_to_json(ruling, library), None)


def csv_lines(library: Library) -> Iterator[str]:
    """The lines of `kb export --format csv`: one ruling and language each, with a header line.

    A cell that a spreadsheet would take for a formula gets an apostrophe before it, as OWASP
    advises: one that begins with = + - @ (wide ones too) or a tab or the end of a line, be there
    spaces before it or not.
    """
    columns = (
        "game",
        "id",
        "lang",
        "kind",
        "authority",
        "status",
        "date",
        "topics",
        "cards",
        "sources",
        "title",
        "text",
        "url",
    )
    yield _row(columns)
    for ruling in library.rulings.values():
        whole = ruling_to_json(ruling, library)
        for text in ruling.texts:
            cells = {
                **whole,
                "lang": text.lang,
                "title": text.title,
                "text": plain_text(text.body),
                "date": whole["date"] or "",
            }
            yield _row(
                "; ".join(cells[one]) if isinstance(cells[one], list) else str(cells[one])
                for one in columns
            )


def _row(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(
        f"'{cell}" if _is_formula(cell) else cell for cell in cells
    )
    return out.getvalue().removesuffix("\n")


def _is_formula(cell: str) -> bool:
    return cell[:1] in _BEFORE_FORMULAS or cell.lstrip()[:1] in _FORMULAS if cell.strip() else False


def search_answer_to_json(answer: Any) -> Json:
    """Return a search's answer as `kb search --json` gives it.

    `answer` is a `kb.search.searcher.Answer`.
    """
    return {
        "query": answer.query,
        "total": answer.total,
        "took_ms": round(answer.took_ms, 2),
        "relaxed": answer.relaxed,
        "suggestion": answer.suggestion,
        "results": [_hit(hit) for hit in answer.results],
    }


def _hit(hit: Any) -> Json:
    ruling: StoredRuling = hit.ruling
    return {
        "id": ruling.id,
        "game": ruling.game,
        "title": {text.lang: text.title for text in ruling.texts},
        "snippet": hit.snippet,
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
    name: str, cards: list[StoredCard], store: Store, pieces: Mapping[str, str] | None = None
) -> Json:
    """All cards of one name of one game, and the rulings on them, as `kb card --json` gives it.

    `pieces`: the addresses of the game's cards (`kb.core.urls.slugs`), for whoever asks often.
    """
    game = cards[0].game
    labels = {name, *(one.label for one in cards)}
    about, mentioned = store.rulings_on(game, labels)
    if pieces is None and (about or mentioned):
        pieces = urls.slugs(one.name for one in store.cards(game))
    return {
        "game": game,
        "name": name,
        "cards": [
            {
                "label": one.label,
                "version": one.version,
                "sets": list(one.sets),
                "type": one.type,
                "side": one.side,
                "subtypes": one.subtypes,
                "other_names": list(one.other_names),
            }
            for one in cards
        ],
        "about": [_brief(store, game, one) for one in about],
        "mentioned": [_brief(store, game, one) for one in mentioned],
        "url": urls.card(game, pieces[name]) if pieces and (about or mentioned) else None,
    }


def _brief(store: Store, game: str, ruling_id: str) -> Json:
    ruling = store.ruling(f"{game}/{ruling_id}")
    titles = {text.lang: text.title for text in ruling.texts} if ruling else {}
    return {"id": ruling_id, "title": titles, "url": urls.ruling(game, ruling_id)}


def change_to_json(one: Any) -> Json:
    """A change as `kb changes --format json` gives it. `one` is a `kb.commands.changes.Changed`."""
    game, _, ruling_id = one.key.partition("/")
    titles = {text.lang: text.title for text in one.ruling.texts} if one.ruling else {}
    return {
        "id": ruling_id,
        "game": game,
        "what": one.what,
        "moment": one.moment,
        "revision": one.revision or None,
        "status": one.ruling.header.status if one.ruling else None,
        "title": titles,
        "url": urls.ruling(game, ruling_id) if one.ruling else None,
    }


def import_to_json(done: Any) -> Json:
    """An import as `kb import --json` gives it. `done` is a `kb.commands.importing.Run`."""
    made = done.written
    return {
        "new": made.new,
        "changed": made.changed,
        "same": made.same,
        "edited": made.edited,
        "gone": made.gone,
        "drafts": [
            {
                "id": one.id,
                "topic": one.topic,
                "kind": one.kind,
                "authority": one.authority,
                "status": one.status,
                "title": {text.lang: text.title for text in one.texts},
                "sources": list(one.sources),
                "file": one.file,
                "lines": list(one.lines),
            }
            for one in done.drafts
        ],
        "left": [{"path": one.path, "line": one.line, "message": one.message} for one in done.left],
    }


def coverage(game: Game, library: Library) -> tuple[int, int]:
    """How many of a game's provisions good rulings cite, and how many there are."""
    cited = {
        str(citation) for ruling in library.of_game(game.id) for citation in ruling.header.sources
    }
    all_of_them = [f"{source.id}#{one}" for source in game.sources for one in source.provisions]
    return sum(one in cited for one in all_of_them), len(all_of_them)
