"""`kb search`, `kb show`, `kb card`: over the current build; made anew from the records when it is missing or damaged."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kb.build.integrity import verify_small_files
from kb.build.paths import Paths
from kb.commands.backend import Backend, Database, DatabaseBackend, FolderBackend, Target
from kb.core.problems import KbError, NotBuilt, Problem
from kb.store.queries import Store, StoredCard, StoredRuling

if TYPE_CHECKING:
    from kb.language import FormTable

T = TypeVar("T")
Say = Callable[[str], None]
# So many builds may take each other's place while one answer is read.
_SWAPS = 20


def _over(target: Target, work: Callable[[Backend], T], say: Say) -> T:
    """Does `work` on the current build; if that is missing or damaged in a folder, makes it anew first and says so."""
    if isinstance(target, Database):
        try:
            return work(DatabaseBackend(target.url))
        except NotBuilt as error:
            raise KbError(str(error)) from None
    places = target
    for _ in range(_SWAPS):
        tried = _current(places)
        try:
            verify_small_files(places.current)
            return work(FolderBackend(places.current))
        except NotBuilt as error:
            reason = error
        # Another build has taken its place while this one was opened: nothing is wrong.
        if tried == _current(places):
            break
    say(f"kb: {reason}; making the index from the records now")
    from kb.build.pipeline import derive

    library = derive(places)
    if library.problems:
        say(
            f"kb: {len(library.problems)} problems in the records, {len(library.left_out)} left out; `kb check` lists them"
        )
    return work(FolderBackend(places.current))


def _current(places: Paths) -> Path | None:
    try:
        return places.current
    except NotBuilt:
        return None


def search(
    places: Target,
    query: str,
    *,
    game: str | None,
    lang: str | None,
    limit: int,
    say: Say,
    as_of: str = "",
    engine: str | None = None,
) -> Any:
    """The `kb.search.searcher.Answer` to a query, of what stands or stood on a day.

    Raises KbError for an unknown game, language or engine, or one that the build has no index of.
    """

    def run(base: Backend) -> Any:
        with base.searcher(engine) as searcher:
            return searcher.search(query, game=game, lang=lang, limit=limit, as_of=as_of)

    _known(places, game, lang, say)
    answer = _over(places, run, say)
    if isinstance(places, Paths) and places.changed_since_build():
        say("kb: records have changed since the last build; `kb build` takes them in")
    return answer


def _known(places: Target, game: str | None, lang: str | None, say: Say) -> None:
    languages = _over(places, _languages, say)
    if game is not None and game not in languages:
        raise KbError(f"no game {game!r}; there are {', '.join(languages)}")
    known = {one for group in languages.values() for one in group}
    if lang is not None and lang not in known:
        raise KbError(f"no rulings in {lang!r}; there are {', '.join(sorted(known))}")


def _languages(base: Backend) -> dict[str, tuple[str, ...]]:
    with base.store() as store:
        return store.languages()


def find_mentions(
    places: Target, text: str, game: str, lang: str, say: Say
) -> list[dict[str, Any]]:
    """The card names in a text, in the shape of `kb link --json`. Raises KbError for an unknown game or language."""
    from kb.linking.card_finder import CardFinder

    def run(base: Backend) -> list[dict[str, Any]]:
        with base.table() as table, base.store() as store:
            finder = CardFinder(store.cards(game), store.not_cards(game), lang, table)
            return [
                {
                    "start": one.start,
                    "end": one.end,
                    "surface": one.surface,
                    "card": one.card or None,
                    "version": one.version or None,
                    "candidates": list(one.candidates),
                }
                for one in finder.find(text)
            ]

    _known(places, game, None, say)
    languages = _over(places, _languages, say)[game]
    if lang not in languages:
        raise KbError(f"{game} has no texts in {lang!r}; there are {', '.join(languages)}")
    return _over(places, run, say)


def suggestions(places: Paths, say: Say) -> list[Problem]:
    """What `kb check --suggest` lists: cards that texts name and nobody has marked, each with its line and the mark to paste."""
    from kb.linking.autolink import suggestions as find
    from kb.records.library import load

    def run(base: Backend) -> list[Problem]:
        with base.table() as table:
            return list(find(load(places.rulings), table))

    return _over(places, run, say)


def find_ruling(places: Target, wanted: str, say: Say, as_of: str = "") -> StoredRuling:
    """The ruling with an id, a former id or a key `game/id`; with `as_of` the one of its chain that stood on that day.

    Raises KbError, with near ids, when there is none or several, or when none of the chain stood.
    """

    def run(base: Backend) -> StoredRuling:
        with base.store() as store:
            game, _, name = wanted.strip().rpartition("/")
            keys = [
                key
                for key in store.keys(name)
                if not game or key == f"{game}/{name}" or key.startswith(f"{game}/")
            ]
            if len(keys) > 1:
                raise KbError(f"{name} is the id of several rulings: {', '.join(keys)}")
            found = store.ruling(keys[0]) if keys else None
            if found is None:
                near = difflib.get_close_matches(
                    name, sorted({ruling.id for ruling in store.rulings()}), 3, 0.6
                )
                raise KbError(
                    f"no ruling {wanted!r}"
                    + (
                        f"; did you mean {', '.join(near)}?"
                        if near
                        else "; `kb search` finds rulings by words"
                    )
                )
            return stood(store, found, as_of, say) if as_of else found

    return _over(places, run, say)


def stood(store: Store, ruling: StoredRuling, as_of: str, say: Say) -> StoredRuling:
    """The ruling of a chain that stood on a day, the newest where several did. Raises KbError when none did."""
    from kb.records.validity import chain, day_range_end

    seen: dict[str, StoredRuling] = {}

    def known(ruling_id: str) -> StoredRuling | None:
        if ruling_id not in seen:
            found = store.ruling(f"{ruling.game}/{ruling_id}")
            if found:
                seen[ruling_id] = found
        return seen.get(ruling_id)

    earlier, later = _Ties(known, "supersedes"), _Ties(known, "superseded_by")
    links = [one for one in map(known, chain(ruling.id, earlier, later)) if one]
    standing = [one for one in links if one.stood(day_range_end(as_of))]
    if not standing:
        dated = ", ".join(f"{one.id} ({one.effective or one.date or 'no date'})" for one in links)
        raise KbError(f"nothing of this chain is known to have stood on {as_of}: {dated}")
    best = max(standing, key=lambda one: (one.begins, one.id == ruling.id))
    if best.id != ruling.id:
        say(f"kb: on {as_of} {best.id} stood, not {ruling.id}")
    return best


class _Ties(Mapping[str, Iterable[str]]):
    """The ids that a ruling of the store is tied to, looked up when they are asked for."""

    def __init__(self, known: Callable[[str], StoredRuling | None], name: str) -> None:
        self.known, self.name = known, name

    def __getitem__(self, ruling_id: str) -> Iterable[str]:
        found = self.known(ruling_id)
        return tuple(getattr(found, self.name)) if found else ()

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def find_cards(places: Target, wanted: str, game: str | None, say: Say) -> list[dict[str, Any]]:
    """The cards, by name, that a text may mean, as `kb.serialize.answers.card` shows them: the best kind of match only.

    Kinds, best first: a label or name as it is, another name, either without case and diacritics, a case form, a near spelling.
    """
    from kb.serialize.answers import card

    def run(base: Backend) -> list[dict[str, Any]]:
        with base.store() as store, base.table() as table:
            by_name = cards_by_name(store, game)
            return [
                card(name, by_name[owner, name], store)
                for owner, name in meant(wanted, by_name, store, table)
            ]

    if game is not None:
        _known(places, game, None, say)
    return _over(places, run, say)


CardsByName = dict[tuple[str, str], list[StoredCard]]


def cards_by_name(store: Store, game: str | None = None) -> CardsByName:
    """The cards of a game, or of all, by game and name, in the order of their catalogues."""
    by_name: CardsByName = {}
    for one in store.cards(game):
        by_name.setdefault((one.game, one.name), []).append(one)
    return by_name


def meant(wanted: str, cards: CardsByName, store: Store, table: FormTable) -> list[tuple[str, str]]:
    """The games and names of the cards that a text may mean, the best kind of match only (`find_cards` tells the kinds)."""
    from kb.language import fold

    folded = fold(wanted).strip()
    exact: list[tuple[str, str]] = []
    other: list[tuple[str, str]] = []
    for key, group in cards.items():
        names = {
            key[1],
            *(one.label for one in group),
            *(f"{one.name} {one.version}" for one in group),
        }
        if folded in {fold(name) for name in names}:
            exact.append(key)
        elif folded in {fold(name) for one in group for name in one.other_names}:
            other.append(key)
    return exact or other or _inflected(wanted, cards, store, table) or _near(folded, cards)


def _inflected(
    wanted: str, cards: CardsByName, store: Store, table: FormTable
) -> list[tuple[str, str]]:
    """Names of which every word can be the form of the word that was typed, in a language of the base."""
    from kb.language import fold, tokenize

    words = [token.text for token in tokenize(wanted)]
    if not words:
        return []
    languages = {lang for group in store.languages().values() for lang in group}
    typed = [
        {fold(word), *(lemma for lang in languages for lemma in table.analyse(word, lang).lemmas)}
        for word in words
    ]
    found = []
    for key in cards:
        name = [token.text for token in tokenize(key[1])]
        if len(name) == len(words) and all(
            meant
            & {
                fold(word),
                *(lemma for lang in languages for lemma in table.analyse(word, lang).lemmas),
            }
            for word, meant in zip(name, typed, strict=True)
        ):
            found.append(key)
    return found


def _near(folded: str, cards: CardsByName) -> list[tuple[str, str]]:
    from kb.language import fold

    names: dict[str, list[tuple[str, str]]] = {}
    for key, group in cards.items():
        for name in {key[1], *(other for one in group for other in one.other_names)}:
            names.setdefault(fold(name), []).append(key)
    return [
        key
        for name in difflib.get_close_matches(folded, sorted(names), 3, 0.8)
        for key in dict.fromkeys(names[name])
    ]
