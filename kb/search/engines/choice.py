"""Which search engine a build has: by its name, by the number of rulings, by what was asked for.

Needs nothing of the engines themselves.
"""

from __future__ import annotations

from pathlib import Path

from kb.core.problems import KbError, NotBuilt

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
