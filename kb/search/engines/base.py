"""What searching needs of an engine: the best documents for a condition over terms.

An engine is a module with `build` and `open_index`. Its documents are numbers.
Ranking and the query language are the same for all; a condition is a tree over terms that are
analysed already.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from kb.core.problems import KbError, NotBuilt
from kb.search.document import Document
from kb.store.model import Reader, StoredGame

# The engines by the names that people give them, the default first.
ENGINES = {"whoosh": "kb.search.engines.whoosh", "database": "kb.search.engines.database"}
DEFAULT = "whoosh"
# The name that leaves the choice to the number of rulings.
AUTOMATIC = "auto"
# Above so many rulings the database is the better engine (measured: kb/help/speed.md).
OUTGROWN = 5_000
# The file of a build with the name of its engine, and a second word where somebody asked for it.
_NAME = "engine"
_REQUESTED = "requested"
# An open index keeps so many candidates in memory: 4 KB each.
CACHED_CANDIDATES = 2_000


def known(name: str) -> str:
    """The name of an engine as it was given. Raises KbError when there is none of this name."""
    if name not in ENGINES:
        raise KbError(f"no engine {name!r}; there are {' and '.join(ENGINES)}")
    return name


def requested(folder: Path) -> str:
    """The name of the engine that somebody asked for a build with; empty where nobody did."""
    try:
        name, *request = (folder / _NAME).read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return ""
    return name if name in ENGINES and request == [_REQUESTED] else ""


def suitable(rulings: int) -> str:
    """The name of the engine that serves so many rulings best."""
    return DEFAULT if rulings <= OUTGROWN else "database"


def outgrown(name: str, rulings: int) -> bool:
    """Whether another engine would serve so many rulings better."""
    return name == DEFAULT and suitable(rulings) != name


def chosen(folder: Path) -> str:
    """The name of the engine that a build was made with. Raises NotBuilt when nothing tells."""
    try:
        name = (folder / _NAME).read_text(encoding="utf-8").split()[0]
    except (OSError, ValueError, IndexError):
        raise NotBuilt("the index is missing or of another version") from None
    if name not in ENGINES:
        raise NotBuilt(f"the index was made by an engine of another version, {name!r}")
    return name


def write_choice(folder: Path, name: str, *, requested: bool = False) -> None:
    """Write down the engine of a build, and whether later builds keep it as it was asked for."""
    text = f"{name} {_REQUESTED}\n" if requested else f"{name}\n"
    (folder / _NAME).write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class AllOf:
    """Documents that meet every condition; all documents where there are none."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class AnyOf:
    """Documents that meet any condition; none where there are no conditions."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class Without:
    """Documents that meet a condition and not another."""

    wanted: Condition
    unwanted: Condition


# A plain string is a term: documents that have it.
Condition = str | AllOf | AnyOf | Without


class Candidate(NamedTuple):
    """A document that may answer a query; `packed`: its segments, as `pack_segments` gives them."""

    key: str
    kind: str
    packed: str

    @property
    def game(self) -> str:
        """The id of its game."""
        return self.key.partition("/")[0]


class Index(Protocol):
    """An index opened for reading.

    Use one a thread. Everything raises NotBuilt where the index is damaged.
    """

    # How many documents there are.
    count: int
    # What commands read of the build: in the index where that has it, else in the store.
    reader: Reader

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """How many documents have each term; terms that none has may be left out."""

    def best(self, condition: Condition, limit: int) -> list[int]:
        """At most `limit` documents that meet a condition, the best by BM25, in any order."""

    def first(self, condition: Condition, limit: int) -> list[int]:
        """The documents that meet a condition, at most `limit`, in the order of their keys."""

    def total(self, condition: Condition) -> int:
        """How many documents meet a condition."""

    def candidates(self, numbers: Iterable[int]) -> list[Candidate]:
        """Some documents, in the order of their numbers as given."""

    def values(self, name: str, low: str, high: str) -> list[str]:
        """The values of a field from `low` up to, not with, `high`."""

    def close(self) -> None:
        """End reading."""


class Engine(Protocol):
    """What a module of an engine has. `folder` is that of a build."""

    def build(
        self, folder: Path, documents: Iterable[Document], games: Iterable[StoredGame]
    ) -> int:
        """Write an index of all the documents where there is none; return how many they are."""

    def open_index(self, folder: Path) -> Index:
        """The index of a build. Raises NotBuilt when it is missing or not as it was written."""


def engine(name: str) -> Engine:
    """The engine with a name. Raises KbError when there is none."""
    return cast(Engine, import_module(ENGINES[known(name)]))


def build_index(
    folder: Path,
    documents: Iterable[Document],
    games: Iterable[StoredGame] = (),
    name: str = DEFAULT,
) -> int:
    """Write the index of a build with the engine of a name, which is kept with it.

    Returns how many documents there are.
    """
    count = engine(name).build(folder, documents, games)
    write_choice(folder, name)
    return count


def open_index(folder: Path, name: str | None = None) -> Index:
    """The index of a build, of the engine with a name or of the one it was made with.

    Raises NotBuilt when it is missing or not as it was written.
    """
    return engine(name or chosen(folder)).open_index(folder)


def searched_terms(condition: Condition) -> set[str]:
    """The terms of a condition but those that it excludes and those of values."""
    if isinstance(condition, str):
        return set() if condition.startswith("@") else {condition}
    if isinstance(condition, Without):
        return searched_terms(condition.wanted)
    return {term for part in condition.conditions for term in searched_terms(part)}


def token(term: str) -> str:
    """A term as indexes hold it: valid UTF-8 without spaces."""
    return "\u00a0".join(term.encode("utf-8", "replace").decode().split(" "))


def value(term: str) -> str:
    """The value of a term of a field, as `token` wrote it."""
    return term.partition(":")[2].replace("\u00a0", " ")
