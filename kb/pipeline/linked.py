"""Rulings with a link for each card that they name: the stage `link` of the build cache.

Also tells which rulings have to be stored and indexed again: those whose hashes differ.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson

from kb.core.derived_data import DerivedData
from kb.core.files import link_or_copy
from kb.core.json import bytes_hash, data_hash, json_bytes
from kb.core.memo import Memo
from kb.language import FormTable
from kb.language.forms import FormSession, build_form_table
from kb.linking.autolink import autolink_rulings
from kb.pipeline.cache import Row, Stage
from kb.pipeline.meanings import GameMeanings, GameWords, WordMeanings
from kb.pipeline.parsed import (
    ParsedRuling,
    Words,
    file_rows,
    game_rows,
    parse_all,
    parse_some,
    record_path,
    rulings_by_path,
    with_links,
)
from kb.pipeline.previous import FormsFor, PreviousBuild
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.records.validity import Validity
from kb.search.analyzer import games_vocabulary, surroundings

Progress = Callable[[str, int, int], None]
# What hashes of meanings are kept as, for builds from nothing.
_MEANINGS = "meanings"


@dataclass(frozen=True)
class LinkedLibrary:
    """A library whose texts link the cards that they name.

    `read`: the library as it was read. `meanings`: by ruling, a hash of what its words and its
    game's terms mean; `words`: of what its words mean. `games`: what their own words mean.
    `contents`: a hash of a ruling's own content and of the links in its texts. `stages`: the rows
    for the build cache; `store` and `index` have a row for each ruling that is there. `parsed`: the
    rulings as they were read, by key, and `by_path`. `forms_for`: what the table of forms was made
    for.
    """

    library: Library
    read: Library
    meanings: Mapping[str, str]
    words: Mapping[str, str]
    games: Mapping[str, GameMeanings]
    contents: Mapping[str, str]
    stages: Mapping[str, Stage]
    parsed: Mapping[str, ParsedRuling]
    by_path: Mapping[str, Sequence[ParsedRuling]]
    forms_for: FormsFor


def link_library(
    library: Library,
    previous: PreviousBuild,
    data: Path,
    old_forms: Path | None,
    report: Progress,
    session: LinkSession,
) -> LinkedLibrary:
    """Build the table of forms in `data`, and link the rulings whose text or words are others.

    `old_forms`: a table whose languages can be taken over where their words are the same.
    """
    report("word forms", 0, 1)
    memo, words = session.memo, session.meanings
    last = _last_with_other_texts(library, previous)
    by_path: dict[str, Sequence[ParsedRuling]]
    if last:
        changed = _other_values(last.read.rulings, library.rulings)
        parsed = parse_some(library, changed, last.parsed)
        paths = {record_path(library.rulings[key]) for key in changed}
        others = {
            path: [parsed[one.ruling.key] for one in last.by_path[path]] for path in sorted(paths)
        }
        by_path = {**last.by_path, **others}
        files = {**last.stages["file"], **file_rows(others, library, previous.files)}
    else:
        parsed = parse_all(library, previous.files)
        by_path = {**rulings_by_path(parsed)}
        files = file_rows(by_path, library, previous.files)
    forms = data / "forms.sqlite"
    forms_for = _build_forms(library, parsed, forms, previous, old_forms, session)
    report("links", 0, 1)
    with FormTable.open(forms, session.forms) as table:
        words.use(table)
        game_words = {key: memo.call(key, GameWords, game) for key, game in library.games.items()}
        session.resume_meanings(previous, table, game_words.values())
        keep_meanings = session.derive_meanings(previous, table)
        games = {key: GameMeanings(key, own, words) for key, own in game_words.items()}
        meanings = {
            key: words.of_key(key, one.hash, partial(_words_and_around, one))
            for key, one in parsed.items()
        }
        if last and all(games[key].is_same(own) for key, own in last.games.items()):
            keys = _other_values(last.parsed, parsed) | _other_values(last.words, meanings)
            # In the order of all, for whoever looks at them.
            some = {key: one for key, one in parsed.items() if key in keys}
        else:
            some, last = parsed, None
        cached = last.stages["link"] if last else previous.stage("link")
        links = _link(library, table, some, games, meanings, cached, memo)
        rulings = {
            key: memo.call(key, with_links, library.rulings[key], row.blob)
            for key, row in links.items()
        }
        contents = {
            key: memo.call(key, _content_hash, parsed[key].hash, row.blob)
            for key, row in links.items()
        }
        pages = {key: f"{meanings[key]} {games[one.ruling.game].page}" for key, one in some.items()}
        linked = library.with_texts({**last.library.rulings, **rulings} if last else rulings)
        stages = {
            "link": links,
            "store": _store_rows(linked, contents, memo),
            "index": _index_rows(linked, contents, meanings, games, memo),
        }
        keep_meanings()
        if last:
            stages = {name: {**last.stages[name], **rows} for name, rows in stages.items()}
        saved = {
            "words": {**words.saved(), **session.counts.saved()},
            "forms": session.saved_forms(),
        }
    return LinkedLibrary(
        library=linked,
        read=library,
        meanings={**last.meanings, **pages} if last else pages,
        words=meanings,
        games=games,
        contents={**last.contents, **contents} if last else contents,
        stages={"file": files, "game": game_rows(library, memo), **stages, **saved},
        parsed=parsed,
        by_path=by_path,
        forms_for=forms_for,
    )


def _last_with_other_texts(library: Library, previous: PreviousBuild) -> LinkedLibrary | None:
    """The last library of this process, where the new one differs from it in texts alone."""
    last = previous.in_memory.linked if previous.in_memory else None
    return last if last and library.has_other_texts_than(last.read) else None


def _other_values(old: Mapping[str, object], new: Mapping[str, object]) -> set[str]:
    """The keys of which the values are other objects; both have the same keys."""
    return {key for key, value in new.items() if old[key] is not value}


class WordCounts:
    """How often rulings have each word, in lower case, kept from one library to the next."""

    def __init__(self) -> None:
        self._rulings: dict[str, ParsedRuling] = {}
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        self._words: dict[str, frozenset[str]] = {}

    def use(self, parsed: Mapping[str, ParsedRuling]) -> Mapping[str, frozenset[str]]:
        """Count the words of a library; return them by language.

        Where no word has come or gone, it is the same object as the last time.
        """
        old, self._rulings = self._rulings, dict(parsed)
        gone = [one for key, one in old.items() if parsed.get(key) is not one]
        new = [one for key, one in parsed.items() if old.get(key) is not one]
        for lang in {lang for one in (*gone, *new) for lang in one.words}:
            counts = self._counts[lang]
            counts.subtract(word for one in gone for word in _split(one.words, lang))
            counts.update(word for one in new for word in _split(one.words, lang))
            for word in {word for one in gone for word in _split(one.words, lang)}:
                if not counts[word]:
                    del counts[word]
            if counts.keys() != self._words.get(lang, frozenset()):
                self._words[lang] = frozenset(counts)
        return {lang: words for lang, words in self._words.items() if words}

    def resume(self, saved: Stage, rulings: Mapping[str, ParsedRuling]) -> None:
        """Go on from what `saved` has returned in another process, and the rulings of then."""
        if saved:
            counts = orjson.loads(saved["counts"].blob)
            self._rulings = dict(rulings)
            self._counts.update((lang, Counter(words)) for lang, words in counts.items())
            self._words = {lang: frozenset(words) for lang, words in counts.items()}

    def saved(self) -> dict[str, Row]:
        """What `resume` needs, as rows of the build cache."""
        return {"counts": Row("", json_bytes(self._counts))}

    def all_words(self, lang: str) -> set[str]:
        """The words of a language, those that are only looked up for a ruling among them."""
        words = {word for one in self._rulings.values() for word in _split(one.around, lang)}
        return words.union(self._words.get(lang, ()))


def _split(words: Words, lang: str) -> Sequence[str]:
    line = words.get(lang)
    return line.lower().split(" ") if line else ()


def _nothing() -> None:
    """Keep nothing."""


class LinkSession:
    """What linking keeps for the next library; in `derived`, for one that is read from nothing."""

    def __init__(self, memo: Memo, derived: DerivedData | None = None) -> None:
        self.memo = memo
        self.derived = derived
        self.counts = WordCounts()
        self.forms = memo.state("", FormSession)
        self.forms.keeps_rows = memo.keep
        self.meanings = WordMeanings()

    def resume_counts(self, previous: PreviousBuild) -> None:
        """Go on from the words that another process has counted, where this one has not begun."""
        if not self.memo.keep:
            self.counts.resume(previous.stage("words"), previous.files.by_key)

    def resume_forms(self, previous: PreviousBuild) -> None:
        """The same for the rows of each language in the table of forms."""
        if not self.memo.keep:
            saved = previous.stage("forms").items()
            self.forms.saved = {lang: (row.hash, row.blob) for lang, row in saved}

    def saved_forms(self) -> Stage:
        """What `resume_forms` needs, as rows of the build cache."""
        return {lang: Row(key, data) for lang, (key, data) in self.forms.saved.items()}

    def resume_meanings(
        self, previous: PreviousBuild, table: FormTable, games: Collection[GameWords]
    ) -> None:
        """The same for what words mean, after the words have been counted."""

        def words(lang: str) -> set[str]:
            return {
                word for game in games for line in game.lines(lang) for word in line.split(" ")
            } | self.counts.all_words(lang)

        if not self.memo.keep:
            self.meanings.resume(previous.stage("words"), table, words)

    def derive_meanings(self, previous: PreviousBuild, table: FormTable) -> Callable[[], None]:
        """Take over what words mean where a build from nothing has kept it for the same table.

        Return what keeps it for the next one, once all words have been asked for.
        """
        derived = self.derived
        if derived is None or previous.stage("words"):
            return _nothing
        key = data_hash(table.keys())
        known = derived.read_json(_MEANINGS, key)
        if known is None:
            return lambda: derived.keep_json(_MEANINGS, key, self.meanings.hashes())
        self.meanings.take_over(known)
        return _nothing

    def forget_unused(self) -> None:
        """Forget what the last library has not asked for."""
        self.meanings.forget_unused()


def _build_forms(
    library: Library,
    parsed: Mapping[str, ParsedRuling],
    path: Path,
    previous: PreviousBuild,
    old_forms: Path | None,
    session: LinkSession,
) -> FormsFor:
    games = tuple(library.games.values())
    own, names, groups = session.memo.call("", games_vocabulary, games)
    session.resume_counts(previous)
    session.resume_forms(previous)
    words = session.counts.use(parsed)
    vocabulary = {
        lang: session.memo.call(lang, _union, own.get(lang, ()), words.get(lang, ()))
        for lang in sorted({*own, *words})
    }
    # The same object as long as all of it is equal.
    wanted = session.memo.call("", FormsFor, vocabulary, names, groups)
    known = previous.in_memory and previous.in_memory.linked.forms_for == wanted
    if known and previous.forms and not session.forms.prepares:
        link_or_copy(previous.forms, path)
    else:
        build_form_table(path, vocabulary, names, groups, old_forms, session.forms)
    return wanted


def _union(own: Collection[str], words: Collection[str]) -> frozenset[str]:
    return frozenset(map(str.lower, own)).union(words)


def _link(
    library: Library,
    table: FormTable,
    parsed: Mapping[str, ParsedRuling],
    games: Mapping[str, GameMeanings],
    meanings: Mapping[str, str],
    cached: Stage,
    memo: Memo,
) -> dict[str, Row]:
    """The rows of the stage `link`: bodies of texts with links, null where none has a new one."""
    hashes = {
        key: bytes_hash(f"{one.hash} {games[one.ruling.game].link} {meanings[key]}".encode())
        for key, one in parsed.items()
    }
    wanted = [
        key for key, hash_ in hashes.items() if key not in cached or cached[key].hash != hash_
    ]
    linked = autolink_rulings(library, table, wanted, memo)
    return {
        key: Row(hash_, _bodies(linked[key], library.rulings[key]))
        if key in linked
        else cached[key]
        for key, hash_ in hashes.items()
    }


def _bodies(linked: Ruling, plain: Ruling) -> bytes:
    return json_bytes(None if linked is plain else [text.body for text in linked.texts])


def _content_hash(parsed: str, blob: bytes) -> str:
    """A hash of a ruling's content and of the links in its texts."""
    return bytes_hash(parsed.encode() + blob)


def _store_rows(library: Library, contents: Mapping[str, str], memo: Memo) -> dict[str, Row]:
    """A hash of all that the rows of each ruling with `contents` in the store are made from."""
    related, spans = library.related, library.spans
    return {
        key: memo.call(key, _store_row, content, spans[key], related(library.rulings[key]))
        for key, content in contents.items()
    }


def _store_row(text: str, span: Validity, related: Mapping[str, Sequence[str]]) -> Row:
    return Row(data_hash([text, span, related]))


def _index_rows(
    library: Library,
    contents: Mapping[str, str],
    meanings: Mapping[str, str],
    games: Mapping[str, GameMeanings],
    memo: Memo,
) -> dict[str, Row]:
    """The same of the document of each ruling in the search index."""
    rows = {}
    for key, content in contents.items():
        ruling = library.rulings[key]
        own = games[ruling.game]
        words = (
            meanings[key],
            own.index,
            *map(own.card, memo.call(key, _labels, ruling)),
            *map(own.topic, ruling.header.topics),
        )
        game, span = library.games[ruling.game], library.spans[key]
        rows[key] = memo.call(key, _index_row, content, words, ruling, game, span)
    return rows


def _words_and_around(ruling: ParsedRuling) -> tuple[Words, Words]:
    return ruling.words, ruling.around


def _labels(ruling: Ruling) -> tuple[str, ...]:
    return tuple(ruling.cards())


def _index_row(text: str, words: Sequence[str], ruling: Ruling, game: Game, span: Validity) -> Row:
    return Row(data_hash([text, words, surroundings(ruling, game, span)]))
