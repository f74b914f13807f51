"""Values of records: checks of ids, and a class for each value that has parts.

Without pydantic, because `kb --help` and the readers of a build do not need it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kb.core.urls import RESERVED_FOLDERS

if TYPE_CHECKING:
    from kb.records.types import Line

MAX_LINE = 500
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LANGUAGE = re.compile(r"[a-z]{2,3}")
# The verdicts that are not a number, and the words that readers see.
VERDICTS = {"yes": "Yes", "no": "No", "if": "Depends"}


def id_error(value: str) -> str:
    """Return why a word cannot be an id (a file's name and part of a URL); empty if it can."""
    if not SLUG.fullmatch(value) or len(value) > 100:
        # The address of a page, the path of a file and what the search prints end in the id.
        bare = value.rpartition("/")[2].removesuffix(".md")
        hint = f"; did you mean {bare}?" if bare != value and SLUG.fullmatch(bare) else ""
        return (
            f"{value[:120]!r} is not an id: lower-case letters a-z, digits and single hyphens,"
            f" at most 100{hint}"
        )
    return ""


def game_id_error(value: str) -> str:
    """Return why a word cannot be a game's id; empty if it can."""
    if not SLUG.fullmatch(value) or not 3 <= len(value) <= 100:
        return (
            f"{value[:120]!r} is not a game's id: a-z, digits and hyphens, three characters or"
            " more, at most 100"
        )
    if value in RESERVED_FOLDERS:
        return f"{value!r} cannot be a game's id: the site has pages of its own there"
    return id_error(value)


def valid_slug(value: str) -> str:
    """Return a word that can be an id. Raises ValueError for any other text."""
    if error := id_error(value):
        raise ValueError(error)
    return value


def as_text(value: object) -> str:
    """Return a value as it may have been meant: `- faq: one` is read as a key and a value."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    return str(value)


@dataclass(frozen=True)
class Citation:
    """`document#provision`: a provision of a source that a ruling cites."""

    source: str
    provision: str

    def __str__(self) -> str:
        return f"{self.source}#{self.provision}"

    def to_json(self) -> str:
        """Return the citation as written."""
        return str(self)

    @classmethod
    def from_json(cls, value: str) -> Citation:
        """Read a value of `to_json`."""
        source, _, provision = value.partition("#")
        return cls(source, provision)


def read_citation(value: object) -> Citation:
    """Return the citation `document#provision`. Raises ValueError for any other text."""
    citation = Citation.from_json(as_text(value))
    if not citation.source or not citation.provision:
        raise ValueError(f"{as_text(value)!r} does not say where: write document#provision")
    return Citation(valid_slug(citation.source), citation.provision)


@dataclass(frozen=True)
class Difference:
    """A similar ruling on another subject: `other-id (it is about pilots)`."""

    id: str
    because: str

    def __str__(self) -> str:
        return f"{self.id} ({self.because})"

    def to_json(self) -> dict[str, str]:
        """Return the difference as JSON data."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, value: dict[str, str]) -> Difference:
        """Read a value of `to_json`."""
        return cls(**value)


@dataclass(frozen=True)
class Card:
    """A card of a game; `version` distinguishes cards of the same name.

    Rulings and links name it by `label`, made with the game's `card-version`. `keywords` are of its
    abilities.
    """

    # For the JSON schema of the records.
    __pydantic_config__: ClassVar[dict[str, Any]] = {"defer_build": True, "extra": "forbid"}

    name: Line
    version: str = ""
    sets: tuple[Line, ...] = ()
    type: str = ""
    side: str = ""
    subtypes: str = ""
    other_names: tuple[Line, ...] = ()
    keywords: tuple[Line, ...] = ()
    label: str = ""

    def words(self) -> list[str]:
        """Return its sets, type, side and subtypes, one by one."""
        facts = (*self.sets, self.type, self.side, self.subtypes)
        return [word for fact in facts for word in fact.split("; ") if word]
