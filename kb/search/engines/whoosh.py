"""The engine `whoosh`: a folder of a build, named after the layout of what it stores.

Whoosh keeps its schema, its stored fields and parts of its postings as pickles, and a pickle may
call whatever it names. While an index is read, only the classes that an index has may be named.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import is_dataclass
from functools import cached_property, lru_cache
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from whoosh import fields, query
from whoosh.index import create_in, open_dir

from kb.core.problems import NotBuilt
from kb.records.values import Card
from kb.search.document import EVERYTHING, Document, pack_segments, value_term
from kb.search.engines.base import (
    CACHED_CANDIDATES,
    AllOf,
    AnyOf,
    Candidate,
    Condition,
    Without,
    decode_term,
    encode_term,
    searched_terms,
)
from kb.store.model import StoredRuling

if TYPE_CHECKING:
    from kb.records.model import Game

_LAYOUT = 10
# Memory for the postings of one segment while it is written, in megabytes.
_MEMORY = 128
_INDEX = f"index-{_LAYOUT}"
# What the pickles of Whoosh name, beside the records that kb stores; by module and name.
_PICKLED = {
    ("_codecs", "encode"),
    ("__builtin__", "int"),
    ("builtins", "int"),
    ("collections", "defaultdict"),
    ("re", "_compile"),
    ("whoosh.analysis.tokenizers", "IDTokenizer"),
    ("whoosh.analysis.tokenizers", "RegexTokenizer"),
    ("whoosh.codec.whoosh3", "W3Codec"),
    ("whoosh.codec.whoosh3", "W3Segment"),
    ("whoosh.columns", "VarBytesColumn"),
    ("whoosh.fields", "ID"),
    ("whoosh.fields", "KEYWORD"),
    ("whoosh.fields", "STORED"),
    ("whoosh.fields", "Schema"),
    ("whoosh.formats", "Existence"),
    ("whoosh.formats", "Frequency"),
}
# The term of the documents that hold games.
_GAME = "@catalogue"


# `words`: the terms of a ruling, repeated by their counts; `values`: terms for filters.
_SCHEMA = fields.Schema(
    key=fields.ID(stored=True, unique=True, sortable=True),
    kind=fields.STORED,
    segments=fields.STORED,
    stored=fields.STORED,
    words=fields.KEYWORD(scorable=True),
    values=fields.KEYWORD(),
)


def build(folder: Path, documents: Iterable[Document], games: Iterable[Game]) -> None:
    """Write an index of all the documents; see kb.search.engines.base.Engine."""
    place = folder / _INDEX
    place.mkdir(parents=True)
    writer = create_in(str(place), _SCHEMA).writer(limitmb=_MEMORY)
    for document in documents:
        words = (repeat(encode_term(term), count) for term, count in document.terms.items())
        writer.add_document(
            key=document.key,
            kind=document.kind,
            segments=pack_segments(document.segments),
            stored=document.ruling,
            words=[*chain(*words)],
            values=[*map(encode_term, document.value_terms())],
        )
    for game in games:
        facts = (game.languages, game.header.not_cards, game.cards)
        writer.add_document(key=game.id, stored=facts, values=[_GAME])
    writer.commit()


class _Foreign(Exception):
    """A pickle names something that no index has."""


# Whether this thread, or task, is reading an index.
_IS_READING: ContextVar[bool] = ContextVar("is_reading", default=False)


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    if event == "pickle.find_class" and _IS_READING.get():
        module, name = map(str, arguments)
        if (module, name) not in _PICKLED and not _is_own_record(module, name):
            raise _Foreign(f"{module}.{name}")


def _is_own_record(module: str, name: str) -> bool:
    """Whether a record that kb stores has this name."""
    if not module.startswith(("kb.records.", "kb.store.")) or module not in sys.modules:
        return False
    value = vars(sys.modules[module]).get(name)
    return (
        isinstance(value, type)
        and value.__module__ == module
        and (is_dataclass(value) or issubclass(value, tuple))
    )


sys.addaudithook(_audit)


@contextmanager
def _damage() -> Iterator[None]:
    """Turn any error of Whoosh into NotBuilt, and let its pickles name nothing foreign."""
    before = _IS_READING.set(True)
    try:
        yield
    except NotBuilt:
        raise
    except Exception as error:
        raise NotBuilt(f"the index cannot be read ({type(error).__name__})") from None
    finally:
        _IS_READING.reset(before)


class _Game(NamedTuple):
    languages: tuple[str, ...] = ()
    not_cards: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()


class WhooshIndex:
    """An index opened for reading; see kb.search.engines.base.Index and kb.store.model.Reader."""

    def __init__(self, place: Path) -> None:
        """Raises NotBuilt if the index is missing or damaged."""
        with _damage():
            self._searcher = open_dir(str(place)).searcher()
        self.count = self.total(EVERYTHING)
        self.reader = self
        self._candidate = lru_cache(maxsize=CACHED_CANDIDATES)(self._read_candidate)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        reader = self._searcher.reader()
        with _damage():
            return {term: reader.doc_frequency(_field(term), encode_term(term)) for term in terms}

    def best(self, condition: Condition, limit: int) -> list[int]:
        terms = [
            query.Term("words", encode_term(term)) for term in sorted(searched_terms(condition))
        ]
        wanted = query.Or(terms) if terms else query.Every()
        with _damage():
            hits = self._searcher.search(wanted, limit=limit, filter=_query(condition))
            return [hit.docnum for hit in hits]

    def first(self, condition: Condition, limit: int) -> list[int]:
        with _damage():
            hits = self._searcher.search(_query(condition), limit=limit, sortedby="key")
            return [hit.docnum for hit in hits]

    def total(self, condition: Condition) -> int:
        with _damage():
            return sum(1 for _ in self._searcher.docs_for_query(_query(condition)))

    def candidates(self, numbers: Iterable[int]) -> list[Candidate]:
        with _damage():
            return [self._candidate(number) for number in numbers]

    def _read_candidate(self, number: int) -> Candidate:
        stored = self._searcher.stored_fields(number)
        return Candidate(stored["key"], stored["kind"], stored["segments"])

    def values(self, name: str, low: str, high: str) -> list[str]:
        with _damage():
            terms = self._searcher.reader().expand_prefix("values", value_term(name, ""))
            values = [decode_term(term.decode("utf-8")) for term in terms]
        return [text for text in values if low <= text < high]

    def close(self) -> None:
        self._searcher.close()
        # The caches refer to the reader, which would keep Whoosh's files open.
        vars(self).clear()

    @cached_property
    def _games(self) -> dict[str, _Game]:
        with _damage():
            games = self._searcher.documents(values=_GAME)
            return {game["key"]: _Game(*game["stored"]) for game in games}

    def languages(self) -> dict[str, tuple[str, ...]]:
        return {name: game.languages for name, game in self._games.items()}

    def cards(self, game: str) -> tuple[Card, ...]:
        return self._games.get(game, _Game()).cards

    def not_cards(self, game: str) -> tuple[str, ...]:
        return self._games.get(game, _Game()).not_cards

    def keys(self, ruling_id: str, game: str = "") -> list[str]:
        for field in ("id", "formerly"):
            keys = self._keys(value_term(field, ruling_id))
            if keys := [key for key in keys if not game or key.startswith(f"{game}/")]:
                return keys
        return []

    def ruling_ids(self, game: str) -> list[str]:
        return [key.partition("/")[2] for key in self._keys(value_term("game", game))]

    def _keys(self, condition: Condition) -> list[str]:
        numbers = self.first(condition, self.count or 1)
        return [candidate.key for candidate in self.candidates(numbers)]

    def rulings(self, keys: Iterable[str]) -> Iterator[StoredRuling]:
        return filter(None, map(self.ruling, keys))

    def ruling(self, key: str) -> StoredRuling | None:
        with _damage():
            document = self._searcher.document(key=encode_term(key)) if "/" in key else None
        return document and document["stored"]

    def rulings_on(self, game: str, labels: Iterable[str]) -> tuple[list[str], list[str]]:
        cards = set(labels)
        condition = AllOf(
            (
                value_term("game", game),
                AnyOf(tuple(value_term("label", label) for label in sorted(cards))),
            )
        )
        about: list[str] = []
        mentioned: list[str] = []
        for ruling in self.rulings(self._keys(condition)):
            (mentioned if cards.isdisjoint(ruling.about) else about).append(ruling.id)
        return about, mentioned


def _field(term: str) -> str:
    return "values" if term.startswith("@") else "words"


def _query(condition: Condition) -> query.Query:
    """A condition as a query of Whoosh."""
    if isinstance(condition, str):
        return query.Term(_field(condition), encode_term(condition))
    if isinstance(condition, Without):
        return query.And([_query(condition.wanted), query.Not(_query(condition.unwanted))])
    parts = [_query(part) for part in condition.conditions]
    if isinstance(condition, AnyOf):
        return query.Or(parts) if parts else query.NullQuery
    return query.And(parts) if parts else _query(EVERYTHING)


def open_index(folder: Path) -> WhooshIndex:
    """The index of a build; see kb.search.engines.base.Engine."""
    return WhooshIndex(folder / _INDEX)
