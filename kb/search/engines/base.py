"""What searching needs of an index: the narrow interface over analysed terms, and the engines that have it.

An engine is a module with `build`, `update` and `open_index`. Documents are numbers; ranking, filters and the query language
are the same for all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from kb.core.problems import KbError, NotBuilt
from kb.search.document import Document
from kb.search.postings import Numbers, Postings

if TYPE_CHECKING:
    from kb.search.postings_builder import BuiltPostings

# The engines by the names that people give them, the default first.
ENGINES = {"whoosh": "kb.search.engines.whoosh", "database": "kb.search.engines.database"}
DEFAULT = "whoosh"
# Above so many rulings the database is the better engine (measured: README).
OUTGROWN = 20_000
_NAME = "engine"


class Index(Protocol):
    """An index opened for reading. Use one a thread. Everything raises NotBuilt where the index is damaged."""

    # How many documents there are, and how long they are on average, in terms.
    count: int
    average_length: float
    # The length of every document by its number, as steps of `document.LENGTHS`; numbers without a document have any.
    lengths: bytes
    # 1 at the numbers that have a document.
    live: bytes

    def postings(self, term: str) -> Postings:
        """The documents with a term; none for a term that is not there."""

    def places(self, term: str, documents: Iterable[int]) -> dict[int, Numbers]:
        """Where a term stands in those of some documents that have it."""

    def between(self, name: str, low: str, high: str) -> Iterator[tuple[str, Numbers]]:
        """The values of a field from `low` up to, not with, `high`, in order, each with its documents."""

    def keys(self, documents: Iterable[int]) -> dict[int, str]:
        """The keys `game/id` of some documents."""

    def close(self) -> None:
        """Ends reading."""


class Engine(Protocol):
    """What a module of an engine has. `folder` is that of a build."""

    def build(self, folder: Path, gathered: BuiltPostings) -> int:
        """Writes an index of all the documents where there is none; returns how many they are."""

    def update(self, folder: Path, documents: Iterable[Document], removed: Collection[str]) -> None:
        """Takes documents in, in the place of those with the same keys, and others out, at the cost of what changes.

        Answers are those of an index built anew. Files of the index that are hard links stay as they are for others.
        Raises NotBuilt when there is no index, or one that cannot be used.
        """

    def open_index(self, folder: Path) -> Index:
        """The index of a build. Raises NotBuilt when it is missing or not as it was written."""


def engine(name: str) -> Engine:
    """The engine with a name. Raises KbError when there is none."""
    return cast(Engine, import_module(ENGINES[known(name)]))


def known(name: str) -> str:
    """The name of an engine as it was given. Raises KbError when there is none of this name."""
    if name not in ENGINES:
        raise KbError(f"no engine {name!r}; there are {' and '.join(ENGINES)}")
    return name


def outgrown(name: str, rulings: int) -> bool:
    """Whether another engine would serve so many rulings better."""
    return name == DEFAULT and rulings > OUTGROWN


def chosen(folder: Path) -> str:
    """The name of the engine that a build was made with. Raises NotBuilt when nothing tells."""
    try:
        name = (folder / _NAME).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        raise NotBuilt("the index is missing or of another version") from None
    if name not in ENGINES:
        raise NotBuilt(f"the index was made by an engine of another version, {name!r}")
    return name


def build_index(folder: Path, gathered: BuiltPostings, name: str = DEFAULT) -> int:
    """Writes the index of a build with the engine of a name, which is kept with it; returns how many documents there are."""
    count = engine(name).build(folder, gathered)
    (folder / _NAME).write_text(name + "\n", encoding="utf-8")
    return count


def update_index(folder: Path, documents: Iterable[Document], removed: Collection[str]) -> None:
    """Brings the index of a build, a copy of an earlier one, up to date with the engine that made it. See Engine.update."""
    engine(chosen(folder)).update(folder, documents, removed)


def open_index(folder: Path, name: str | None = None) -> Index:
    """The index of a build, of the engine with a name or of the one it was made with.

    Raises NotBuilt when it is missing or not as it was written.
    """
    return engine(name or chosen(folder)).open_index(folder)
