"""What may a single value of a record be? The types of values, with their checks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, StringConstraints, WithJsonSchema

from kb.core.characters import mixed_scripts
from kb.core.urls import DEVICES, RESERVED_FOLDERS
from kb.language import valid_language
from kb.records.text import Note
from kb.records.validity import valid_date

T = TypeVar("T")
MAX_LINE = 500
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LANGUAGE = re.compile(r"[a-z]{2,3}")
# A day, a month or a year.
_DATE_PATTERN = "^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"
# The verdicts that are not a number.
VERDICT_WORDS = ("yes", "no", "if")
# The placeholders of `card-url`.
_CARD_URL_PARTS = ("name", "slug", "label", "version", "set")


def id_error(value: str) -> str:
    """Return why a word cannot be an id (a file's name and part of a URL); empty if it can."""
    if not SLUG.fullmatch(value) or len(value) > 100:
        return (
            f"{value[:120]!r} is not an id: lower-case letters a-z, digits and single hyphens,"
            " at most 100"
        )
    return f"{value!r} cannot be an id: Windows takes it for a device" if value in DEVICES else ""


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


def _slug(value: str) -> str:
    if error := id_error(value):
        raise ValueError(error)
    return value


def _provision(value: str) -> str:
    if not re.fullmatch(r"[\w.-]{1,100}", value):
        raise ValueError(f"{value[:120]!r}: write letters, digits, `.`, `_` and `-`, at most 100")
    return value


def _verdict(value: str) -> str:
    if value not in VERDICT_WORDS and not re.fullmatch("[0-9]{1,6}", value):
        raise ValueError(f"{value[:120]!r} is not one of 'yes', 'no', 'if' or a number")
    return value


def _fingerprint(value: str) -> str:
    if not re.fullmatch("[0-9a-f]{8}", value):
        raise ValueError(f"{value!r} is not what `kb translated` writes")
    return value


def _web_address(value: str) -> str:
    if value and not re.fullmatch(r"https?://[^\s<>\"']{1,2000}", value):
        raise ValueError(f"{value!r} is not an address that begins with https:// or http://")
    return value


def _card_url(value: str) -> str:
    if value and not re.match(r"https?://[^/{}]+/", _web_address(value)):
        raise ValueError(f"{value!r} needs a site before its first brace, as in https://a.org/")
    parts = re.findall(r"\{([^{}]*)\}", value)
    unknown = [part for part in parts if part not in _CARD_URL_PARTS]
    if value and (unknown or not parts):
        error = f"{{{unknown[0]}}} is unknown" if unknown else "nothing in braces"
        known = ", ".join(f"{{{part}}}" for part in _CARD_URL_PARTS)
        raise ValueError(f"{error}; write an address with {known}")
    return value


def _card_version(value: str) -> str:
    if not all(part in value for part in ("{name}", "{version}")):
        raise ValueError("needs {name} and {version}, as in {name} ({version})")
    return value


def _as_tuple(value: object) -> object:
    """Turn a single value into a list of one, and an empty value into an empty list."""
    if isinstance(value, str):
        return (value,) if value else ()
    return value


def _as_text(value: object) -> str:
    """Return a value as it may have been meant: `- faq: one` is read as a key and a value."""
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    return str(value)


def _written(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


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
    citation = Citation.from_json(_as_text(value))
    if not citation.source or not citation.provision:
        raise ValueError(f"{_as_text(value)!r} does not say where: write document#provision")
    return Citation(_slug(citation.source), citation.provision)


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


def _difference(value: object) -> Difference:
    text = _as_text(value).strip()
    match = re.fullmatch(r"(\S+)\s+\((.+)\)", text)
    if not match:
        raise ValueError(f"{text!r} does not say why: write other-id (what makes them different)")
    reason = match[2].strip()
    if not reason or len(reason) > MAX_LINE:
        raise ValueError(f"{match[1]}: say in 1 to {MAX_LINE} characters what makes them different")
    return Difference(_slug(match[1]), reason)


def _differences(value: Any) -> Any:
    listed = _as_tuple(value)
    return tuple(map(_difference, listed)) if isinstance(listed, (tuple, list)) else listed


Slug = Annotated[str, AfterValidator(_slug)]
Lang = Annotated[str, AfterValidator(valid_language)]
Date = Annotated[str, AfterValidator(valid_date), _written(_DATE_PATTERN)]
OptionalDate = Annotated[
    str,
    AfterValidator(lambda value: value and valid_date(value)),
    _written(f"^$|{_DATE_PATTERN}"),
]


def _name(value: str) -> str:
    if message := mixed_scripts(value):
        raise ValueError(message)
    return value


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_LINE)]
ShortText = Annotated[str, StringConstraints(max_length=200)]
Sentence = Annotated[str, StringConstraints(max_length=500)]
Provision = Annotated[str, AfterValidator(_provision)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
CardUrl = Annotated[str, AfterValidator(_card_url)]
CardVersion = Annotated[str, StringConstraints(max_length=60), AfterValidator(_card_version)]
ListOf = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
Slugs = ListOf[Slug]
Lines = ListOf[Line]
# A list that refuses an empty value.
NameLines = Annotated[
    tuple[Annotated[Line, AfterValidator(_name)], ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
]
Citations = ListOf[Annotated[Citation, BeforeValidator(read_citation), _written("^[^#]+#.+$")]]
Differences = Annotated[
    tuple[Annotated[Difference, _written(r"^\S+\s+\(.+\)$")], ...], BeforeValidator(_differences)
]
Verdict = Annotated[
    str, AfterValidator(_verdict), _written(f"^({'|'.join(VERDICT_WORDS)}|[0-9]{{1,6}})$")
]
Condition = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Conditions = dict[Lang, Condition]
Fingerprints = dict[Lang, Annotated[str, AfterValidator(_fingerprint)]]
Titles = dict[Lang, str]
Bodies = dict[Lang, str]
Notes = dict[Lang, tuple[Note, ...]]
Questions = dict[Lang, tuple[str, ...]]
