"""What differs from the last build: which rulings are to be linked, stored, indexed and shown again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from kb.build.manifest import BuildManifest, CachedRuling, Words, counted
from kb.core.parallel import map_chunks
from kb.language import FormTable, build_form_table, changed_forms, same_forms, touched_by, words_of
from kb.linking.autolink import autolink_rulings
from kb.records.library import Library
from kb.records.marks import ruling_cards
from kb.records.model import Game, Ruling
from kb.records.parse_cache import ruling_to_json

if TYPE_CHECKING:
    from kb.search.browser.rows import Contribution

# Where more of the base than this has changed, store and index are made from nothing.
MUCH = 0.2
_HASH = 16
# Rulings that one process looks at before it says so.
_PART = 1_000
Progress = Callable[[str, int, int], None]
Forms = dict[str, set[str]]


@dataclass(frozen=True)
class Changes:
    """A library, its rulings with marks for their cards, and how it differs from the last build (`before`, if any).

    `indexed`: keys of rulings whose documents may be others or are new; `gone`: of those that are no more; `stored`: of all
    whose data, ties or days differ, with those that are gone. `games`: ids of games whose own files differ. `reworded`: whether
    the table of forms has other rows.
    """

    library: Library
    kept: dict[str, CachedRuling]
    words: Words
    before: BuildManifest | None = None
    indexed: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    stored: frozenset[str] = frozenset()
    games: frozenset[str] = frozenset()
    reworded: bool = True

    @contextmanager
    def table_before(self) -> Iterator[FormTable]:
        """The table of forms of the last build."""
        assert self.before is not None
        with FormTable.open(self.before.folder / "forms.sqlite") as table:
            yield table

    def contributions(self, table: FormTable) -> dict[str, Contribution]:
        """What rulings that are gone or may be others added to the last build's index."""
        from kb.search.browser.rows import contribution
        from kb.search.browser.streams import StreamAnalyzer

        assert self.before is not None
        old = self.before.library(self.library)
        analysers = {key: StreamAnalyzer(game, table) for key, game in old.games.items()}
        found = [old.rulings[key] for key in sorted(self.indexed | self.gone) if key in old.rulings]
        return {
            one.key: contribution(one, old.games[one.game], analysers[one.game]) for one in found
        }


def changes_since(
    library: Library, before: BuildManifest | None, data: Path, forms: Path | None, tell: Progress
) -> Changes:
    """Makes the table of forms in `data`, marks the cards, and compares with the last build.

    `forms`: the folder of a build with a table of forms whose languages can be taken over.
    """
    tell("word forms", 0, 1)
    read = library.rulings
    old = before.rulings if before else {}
    fresh = [key for key, one in read.items() if key not in old or old[key].read is not one]
    replaced = [
        kept.read for key, kept in old.items() if key not in read or kept.read is not read[key]
    ]
    words = counted(before.words if before else None, replaced, [read[key] for key in fresh])
    _table(library, words, data / "forms.sqlite", forms / "forms.sqlite" if forms else None)
    tell("links", 0, 1)
    with FormTable.open(data / "forms.sqlite") as table:
        if before is None:
            linked = autolink_rulings(library, table, list(read))
            whole = replace(library, rulings=linked)
            return Changes(whole, _kept(whole, read, {}, set(), words), words)
        games = frozenset(
            key for key, files in library.game_files.items() if before.game_files.get(key) != files
        )
        games |= before.game_files.keys() - library.games.keys()
        tables = before.folder / "forms.sqlite", data / "forms.sqlite"
        reworded = not same_forms(*tables)
        remeant = _remeant(library, before, words, changed_forms(*tables)) if reworded else set()
        again = {*fresh, *remeant, *(key for key, one in read.items() if one.game in games)}
        made = autolink_rulings(library, table, sorted(again))
    whole = replace(library, rulings={key: made.get(key) or old[key].linked for key in read})
    kept = _kept(
        whole,
        read,
        {key: old[key] for key in read if key in old and key not in again},
        remeant,
        words,
    )
    gone = frozenset(old.keys() - read.keys())
    indexed = frozenset(key for key in read if key not in old or _differs(kept[key], old[key]))
    stored = indexed | gone | _tied(before, whole, [*fresh, *gone]) | frozenset(fresh)
    return Changes(whole, kept, words, before, indexed, gone, stored, games, reworded)


def _differs(new: CachedRuling, old: CachedRuling) -> bool:
    return new.stamp != old.stamp or new.around != old.around


def _table(library: Library, words: Words, path: Path, before: Path | None) -> None:
    from kb.search.analyzer import games_vocabulary

    known, names, groups = games_vocabulary(library.games.values())
    for lang, counts in words.items():
        known.setdefault(lang, set()).update(counts)
    build_form_table(path, known, names, groups, before)


def _remeant(library: Library, before: BuildManifest, words: Words, forms: Forms) -> set[str]:
    """The rulings with a word, in their texts or around them, that means something else than in the last build."""
    from kb.search.analyzer import game_texts, words_in

    if not forms:
        return set()
    # Words that are new stand in rulings that are new; what matters are those that were there before.
    old = {
        lang: before.words.get(lang, {}).keys() & counts.keys()
        for lang, counts in words.items()
        if lang in forms
    }
    affected = {
        (lang, word)
        for lang, several in old.items()
        for word in several
        if touched_by(word, forms[lang])
    }
    found: set[str] = set()
    for game in library.games.values():
        rulings = library.of_game(game.id)
        texts = ((lang, text) for lang in forms for text in game_texts(game, lang))
        if any(touched_by(word, forms[lang]) for lang, text in texts for word in words_of(text)):
            found.update(one.key for one in rulings)
            continue
        labels = _labels(game, forms)
        for ruling in rulings:
            if (
                (affected and not affected.isdisjoint(words_in(ruling)))
                or (labels and not labels.isdisjoint(ruling_cards(ruling)))
                or ("en" in forms and _named(ruling, forms["en"]))
            ):
                found.add(ruling.key)
    return found


def _labels(game: Game, forms: Forms) -> set[str]:
    """The labels of cards with a word among some forms, in a language of their game."""
    changed = [forms[lang] for lang in game.header.languages if lang in forms]
    touched = {
        card.name
        for card in game.cards
        for name in (card.name, *card.other_names)
        if any(touched_by(word, several) for word in words_of(name) for several in changed)
    }
    return {
        label
        for label in game.card_labels
        if any(card.name in touched for card in game.cards_named(label))
    }


def _named(ruling: Ruling, forms: Collection[str]) -> bool:
    """Whether a word of a ruling's id or provisions is among some forms: they are searched for as English."""
    parts = [ruling.id, *(one.provision for one in ruling.header.sources)]
    return any(touched_by(word, forms) for part in parts for word in part.split("-"))


def _kept(
    whole: Library,
    read: dict[str, Ruling],
    same: dict[str, CachedRuling],
    remeant: set[str],
    words: Words,
) -> dict[str, CachedRuling]:
    """What is kept of every ruling; `same` are those whose text and game are those of the last build."""
    from kb.search.document import surroundings

    standing = whole.spans
    terms = {key: _hashed(repr(_indexed_of(game)).encode()) for key, game in whole.games.items()}
    meaning = words_key(words) if remeant else ""

    def told(key: str) -> tuple[str, str, dict[str, bool]]:
        one, held = whole.rulings[key], same.get(key)
        around = repr((terms[one.game], surroundings(one, whole.games[one.game], standing[key])))
        stamp = held.stamp if held else _hashed(orjson.dumps({**ruling_to_json(one), "path": ""}))
        if key in remeant:
            # A word of its means something else: the text may be the same, its terms are not.
            stamp = _hashed(f"{stamp} {meaning}".encode())
        return _hashed(around.encode("utf-8", "backslashreplace")), stamp, ruling_cards(one)

    again = [key for key in whole.rulings if key not in same or same[key].span != standing[key]]
    made = zip(
        again,
        (one for part in map_chunks(lambda keys: [*map(told, keys)], again, _PART) for one in part),
        strict=True,
    )
    new = {
        key: CachedRuling(read[key], whole.rulings[key], around, stamp, standing[key], cards)
        for key, (around, stamp, cards) in made
    }
    return {key: new.get(key) or same[key] for key in whole.rulings}


def words_key(words: Words) -> str:
    """What tells one vocabulary from another."""
    told = " ".join(f"{lang} {' '.join(sorted(counts))}" for lang, counts in sorted(words.items()))
    return _hashed(told.encode("utf-8", "backslashreplace"))


def _indexed_of(game: Game) -> object:
    """What every document of a game depends on."""
    return game.header.language, game.header.languages, [(one.id, one.names) for one in game.terms]


def _hashed(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HASH]


def _tied(before: BuildManifest, new: Library, differ: Collection[str]) -> frozenset[str]:
    """The rulings whose ties to others differ, where those that `differ` came, went or were changed."""
    if all(
        _relations(before.published.get(key)) == _relations(new.rulings.get(key)) for key in differ
    ):
        return frozenset()
    old = before.library(new)
    return frozenset(
        key
        for key, one in new.rulings.items()
        if key in old.rulings and new.related(one) != old.related(old.rulings[key])
    )


def _relations(ruling: Ruling | None) -> object:
    """What a ruling says of others; nothing like it for one that is not there."""
    return (
        (ruling.header.supersedes, ruling.header.example_of, ruling.header.related)
        if ruling
        else None
    )
