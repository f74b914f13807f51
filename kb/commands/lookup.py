"""`kb search`, `kb show`, `kb link`: answers from the current build."""

from __future__ import annotations

import difflib
from typing import Any

from kb.commands.backend import Backend, Notify, Target, with_backend
from kb.commands.query_notes import query_notes
from kb.core.problems import KbError, Problem, WrongUsage
from kb.pipeline.paths import Paths
from kb.store.queries import Store, StoredRuling


def search(
    target: Target,
    query: str,
    *,
    game: str | None,
    lang: str | None,
    limit: int,
    say: Notify,
    as_of: str = "",
    engine: str | None = None,
    interface: str = "",
) -> Any:
    """Search and return the `kb.search.searcher.Answer`; `as_of` is a date, empty for today.

    `interface`: the language that is shown where several match alike. Says which filters of the
    query can match nothing. Raises KbError for an unknown game, language or engine.
    """

    def run(backend: Backend) -> Any:
        require_known(backend, game, lang)
        for note in query_notes(query, backend):
            say(f"kb: {note}")
        with backend.searcher(engine) as searcher:
            return searcher.search(query, game, lang, limit, as_of, interface)

    answer = with_backend(target, run, say)
    if isinstance(target, Paths) and target.changed_since_build():
        say("kb: records have changed since the last build; run kb build to include them")
    return answer


def require_known(backend: Backend, game: str | None, lang: str | None = None) -> None:
    """Raise WrongUsage for a game or language that the build does not have."""
    with backend.store() as store:
        languages = store.languages()
    if game is not None and game not in languages:
        raise WrongUsage(f"no game {game!r}; choose one of {', '.join(languages)}")
    known = {code for codes in languages.values() for code in codes}
    if lang is not None and lang not in known:
        raise WrongUsage(f"no rulings in {lang!r}; choose one of {', '.join(sorted(known))}")


def find_mentions(
    target: Target, text: str, game: str, lang: str, say: Notify
) -> list[dict[str, Any]]:
    """Find card names in a text, in the shape of `kb link --json`.

    Raises KbError for an unknown game or language.
    """
    from kb.linking.card_finder import CardFinder

    def run(backend: Backend) -> list[dict[str, Any]]:
        require_known(backend, game)
        with backend.table() as table, backend.store() as store:
            languages = store.languages()[game]
            if lang not in languages:
                raise WrongUsage(
                    f"{game} has no texts in {lang!r}; choose one of {', '.join(languages)}"
                )
            finder = CardFinder(store.cards(game), store.not_cards(game), lang, table, [text])
            return [
                {
                    "start": mention.start,
                    "end": mention.end,
                    "surface": mention.surface,
                    "card": mention.card or None,
                    "version": mention.version or None,
                    "candidates": list(mention.candidates),
                }
                for mention in finder.find(text)
            ]

    return with_backend(target, run, say)


def suggestions(paths: Paths, say: Notify) -> list[Problem]:
    """List unmarked card names in texts, each with its line and the mark to paste."""
    from kb.linking import autolink
    from kb.records.library import load

    def run(backend: Backend) -> list[Problem]:
        with backend.table() as table:
            return list(autolink.suggestions(load(paths.rulings), table))

    return with_backend(paths, run, say)


def find_ruling(
    target: Target, wanted: str, say: Notify, as_of: str = "", lang: str | None = None
) -> StoredRuling:
    """Find a ruling by id, former id or `game/id`; with `as_of`, what was in force on that day.

    Says when it has no text in `lang`. Raises KbError, with similar ids, when none or several
    match, or when no ruling of the chain was in force; WrongUsage for an unknown language.
    """

    def run(backend: Backend) -> StoredRuling:
        require_known(backend, None, lang)
        with backend.store() as store:
            game, _, name = wanted.strip().rpartition("/")
            keys = [key for key in store.keys(name) if not game or key.startswith(f"{game}/")]
            if len(keys) > 1:
                raise KbError(
                    f"several rulings have the id {name}; choose one of {', '.join(keys)}"
                )
            ruling = store.ruling(keys[0]) if keys else None
            if ruling is None:
                raise KbError(f"no ruling {wanted!r}{_hint(name, store)}")
            return _in_force(store, ruling, as_of, say) if as_of else ruling

    ruling = with_backend(target, run, say)
    if lang and ruling.text(lang) is None:
        languages = ", ".join(text.lang for text in ruling.texts)
        say(f"kb: {ruling.key} has no text in {lang}; it has {languages}")
    return ruling


def _hint(name: str, store: Store) -> str:
    ids = sorted({ruling.id for ruling in store.rulings()})
    similar = difflib.get_close_matches(name, ids, 3, 0.6)
    if similar:
        return f"; did you mean {', '.join(similar)}?"
    return "; kb search finds rulings by words"


def _in_force(store: Store, ruling: StoredRuling, as_of: str, say: Notify) -> StoredRuling:
    from kb.store.in_force import in_force_on

    standing = in_force_on(store, ruling, as_of)
    if standing.id != ruling.id:
        say(f"kb: on {as_of} {standing.id} was in force, not {ruling.id}")
    return standing
