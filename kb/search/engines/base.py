"""The interface of search engines: the best documents for a condition over terms.

An engine is a module with `build` and `open_index`; it numbers the documents. Query language,
analysis and ranking are the same for all engines.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from kb.core.problems import NotBuilt, WrongUsage
from kb.search.document import Document
from kb.store.model import Reader

if TYPE_CHECKING:
    from kb.records.model import Game

# The engines, modules of this package, the default first.
ENGINES = ("whoosh", "database")
DEFAULT = "whoosh"
# Above this many rulings the database saves a sixth of a build; it is faster at every size.
MAX_WHOOSH_RULINGS = 1_000
# The file with the name of a build's engine.
_NAME = "engine"
# An open index keeps at most this many candidates in memory, 4 KB each.
CACHED_CANDIDATES = 2_000


def require_engine(name: str) -> str:
    """Return the name of an engine. Raises WrongUsage for an unknown name."""
    if name not in ENGINES:
        raise WrongUsage(f"no engine {name!r}; there are {' and '.join(ENGINES)}")
    return name


def default_engine(rulings: int) -> str:
    """The name of the best engine for a number of rulings."""
    return DEFAULT if rulings <= MAX_WHOOSH_RULINGS else "database"


def engine_of(folder: Path) -> str:
    """The name of a build's engine. Raises NotBuilt if the build does not say."""
    try:
        name = (folder / _NAME).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        name = ""
    if name not in ENGINES:
        raise NotBuilt("the index is missing or of another version")
    return name


@dataclass(frozen=True)
class AllOf:
    """Documents that meet every condition; without conditions, all documents."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """Documents that meet any condition; without conditions, none."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Without:
    """Documents that meet `wanted` and not `unwanted`."""

    wanted: Condition
    unwanted: Condition


# A string stands for the documents with this term.
Condition = str | AllOf | AnyOf | Without


class Candidate(NamedTuple):
    """A document that may answer a query; `packed`: its segments, as `pack_segments` gives them."""

    key: str
    kind: str
    packed: str

    @property
    def game(self) -> str:
        return self.key.partition("/")[0]


class Index(Protocol):
    """An open index. Each thread needs its own. All methods raise NotBuilt for a damaged index."""

    # The number of documents.
    count: int
    # Reads rulings and cards of the build, from the index or from the store.
    reader: Reader

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """How many documents have each term; terms of no document may be missing."""

    def best(self, condition: Condition, limit: int) -> list[int]:
        """At most `limit` documents that meet a condition, the best by BM25, in any order."""

    def first(self, condition: Condition, limit: int) -> list[int]:
        """The documents that meet a condition, at most `limit`, in the order of their keys."""

    def total(self, condition: Condition) -> int:
        """How many documents meet a condition."""

    def candidates(self, numbers: Iterable[int]) -> list[Candidate]:
        """The candidates with these numbers, in the same order."""

    def values(self, name: str, low: str, high: str) -> list[str]:
        """The values of a field from `low` to below `high`."""

    def close(self) -> None:
        """End reading."""


class Engine(Protocol):
    """The functions of an engine's module; `folder` is a build's."""

    def build(self, folder: Path, documents: Iterable[Document], games: Iterable[Game]) -> None:
        """Write a new index of all documents."""

    def open_index(self, folder: Path) -> Index:
        """Open the index of a build. Raises NotBuilt if it is missing or damaged."""


def engine(name: str) -> Engine:
    """The engine of a name. Raises WrongUsage for an unknown name."""
    return cast(Engine, import_module(f"kb.search.engines.{require_engine(name)}"))


def build_index(
    folder: Path,
    documents: Iterable[Document],
    games: Iterable[Game] = (),
    name: str = DEFAULT,
) -> None:
    """Write the index of a build, and the name of its engine."""
    engine(name).build(folder, documents, games)
    (folder / _NAME).write_text(f"{name}\n", encoding="utf-8")


def open_index(folder: Path) -> Index:
    """Open the index of a build. Raises NotBuilt if it is missing or damaged."""
    return engine(engine_of(folder)).open_index(folder)


def searched_terms(condition: Condition) -> set[str]:
    """The terms that a condition asks for, except those of values."""
    if isinstance(condition, str):
        return set() if condition.startswith("@") else {condition}
    if isinstance(condition, Without):
        return searched_terms(condition.wanted)
    return {term for part in condition.conditions for term in searched_terms(part)}


def encode_term(term: str) -> str:
    """A term as an index holds it: valid UTF-8 without spaces."""
    return "\u00a0".join(term.encode("utf-8", "replace").decode().split(" "))


def decode_term(term: str) -> str:
    """The value in a field's term that `encode_term` has written."""
    return term.partition(":")[2].replace("\u00a0", " ")
