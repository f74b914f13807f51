"""The tools that only assistants have; `kb.serialize.answering` has those that chats use too.

Assistants read the docstrings of the tools, and the descriptions of their parameters. A tool raises
KbError for an unknown game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from kb.core import urls
from kb.core.problems import KbError
from kb.core.similar import SimilarIds
from kb.records.types import Date
from kb.serialize.answering import (
    NO_RULING,
    NOT_TO_MAKE_UP,
    GameId,
    Lang,
    Line,
    OptionalDay,
    all_answered,
    answered,
    documents_of,
    search_rulings,
)
from kb.serialize.answers import MAX_ID, doc
from kb.serialize.assistant_answers import Answer, AnsweredRuling
from kb.serialize.markdown import glossary_to_markdown
from kb.serialize.open_base import OpenBase
from kb.serialize.ruling import ruling_to_markdown, stored_ruling_to_json, text_in
from kb.store import lists
from kb.store.model import in_force_on

_NOT_IN_FORCE = "It is no longer in force."
_OPEN = "It is not settled."
_SIMILAR_IDS = 3

WordsOrId = Annotated[
    Line, Field(min_length=1, description="A ruling's id, as game/id, or words to search for.")
]
_KEY_PATTERN = r"^[a-z0-9-]+(/[a-z0-9-]+)?$"
_KEY = "A ruling's id, as game/id."
RulingId = Annotated[str, Field(max_length=2 * MAX_ID + 1, pattern=_KEY_PATTERN, description=_KEY)]
Day = Annotated[Date, Field(description="A day, a month or a year: 2003-06-01, 2003-06 or 2003.")]


@dataclass(frozen=True)
class AnsweredGame:
    """A game of the base."""

    id: str
    name: str
    languages: Sequence[str] = field(metadata=doc("Languages of its rulings, its own first."))
    rulings: int
    glossary: str = field(metadata=doc("URI of the resource with its terms."))
    address: str


@dataclass(frozen=True, kw_only=True)
class GamesAnswer(Answer):
    """The games of the base."""

    games: Sequence[AnsweredGame]


def get_ruling(
    base: OpenBase, ruling_id: RulingId, lang: Lang = "", as_of: OptionalDay = ""
) -> Answer:
    """Get one ruling by its id, with its whole text.

    Exact: the id has to be that of a ruling, a former id leads to the current one. `match` is
    `none` when there is no such ruling; the message then has similar ids.
    """
    store = base.store
    game, _, name = ruling_id.strip().rpartition("/")
    keys = [key for key in store.keys(name) if not game or key.startswith(f"{game}/")]
    if len(keys) > 1:
        rulings = all_answered(base, keys, lang)
        message = "Several games have a ruling with this id; ask again with game/id."
        return Answer(match="most", message=message, rulings=rulings)
    ruling = store.ruling(keys[0]) if keys else None
    if ruling is None:
        hint = _similar_ids(base, game, name)
        return Answer(match="none", message=f"{NO_RULING} with this id.{hint} {NOT_TO_MAKE_UP}")
    if as_of:
        try:
            ruling = in_force_on(store, ruling, as_of)
        except KbError as error:
            return Answer(match="none", message=f"{NO_RULING} for that day: {error}")
    whole = answered(base, ruling, (lang,), whole=True)
    then = f" This is what stood on {as_of}." if as_of else ""
    if as_of and ruling.is_undated:
        then = f" Its date is unknown: it may not have been in force on {as_of}."
    return Answer(match="all", message=f"{_standing_note(whole)}{then}".strip(), rulings=[whole])


def what_stood_on(
    base: OpenBase, day: Day, query: WordsOrId, game: GameId = "", lang: Lang = ""
) -> Answer:
    """Get what was in force on a day in the past.

    `query` is a ruling's id or words. Of an id: the one in force then, of that ruling, its
    predecessors and successors; of words: the rulings found among what was in force then. A
    ruling without a date counts as always in force. `match` is `none` when no ruling is known
    to have stood.
    """
    key = query.strip()
    if key in base.store.keys(key.partition("/")[2]):
        return get_ruling(base, key, lang, day)
    return search_rulings(base, query, game, lang, day)


def list_games(base: OpenBase, lang: Lang = "") -> GamesAnswer:
    """List the games that have rulings here, with their ids, languages and glossaries.

    Complete: there are no rulings of other games.
    """
    store = base.store
    sizes = lists.ruling_counts(store)
    games = [
        AnsweredGame(
            id=game,
            name=text_in(names, lang, "en"),
            languages=base.searcher.languages[game],
            rulings=sizes.get(game, 0),
            glossary=glossary_uri(game),
            address=base.address(urls.game(game)),
        )
        for game, names in store.games().items()
    ]
    return GamesAnswer(
        match="all", message="The base has rulings of these games only.", games=games
    )


def glossary_uri(game: str) -> str:
    """Return the URI of the resource with a game's terms."""
    return f"kb://glossaries/{game}"


def ruling_markdown(base: OpenBase, game: str, ruling_id: str) -> str | None:
    """Return a ruling as Markdown, None when there is none."""
    store = base.store
    key = next((key for key in store.keys(ruling_id) if key.startswith(f"{game}/")), "")
    ruling = store.ruling(key)
    if ruling is None:
        return None
    name = text_in(store.games()[game], "en")
    shape = stored_ruling_to_json(ruling)
    return ruling_to_markdown(shape, documents_of(base, ruling), name, base.base_url)


def glossary_markdown(base: OpenBase, game: str) -> str | None:
    """Return a game's glossary as Markdown, None when there is no such game."""
    games = base.store.games()
    if game not in games:
        return None
    return glossary_to_markdown(game, games[game], base.store.terms(game))


def _standing_note(ruling: AnsweredRuling) -> str:
    if ruling.standing in ("superseded", "reversed", "withdrawn"):
        later = ", ".join(ruling.superseded_by)
        return f"{_NOT_IN_FORCE} Now in force: {later}." if later else _NOT_IN_FORCE
    if ruling.standing in ("disputed", "unanswered"):
        return _OPEN
    return "It is in force."


def _similar_ids(base: OpenBase, game: str, name: str) -> str:
    games: Iterable[str] = [game] if game else base.searcher.languages
    known = [f"{each}/{key}" for each in games for key in base.searcher.reader.ruling_ids(each)]
    ids = {key.partition("/")[2]: key for key in known}
    similar = SimilarIds(ids).similar(name, _SIMILAR_IDS)
    return f" Similar ids: {', '.join(ids[each] for each in similar)}." if similar else ""
