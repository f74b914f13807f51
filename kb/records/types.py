"""What may a single value of a record be? Types that pydantic validates."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, StringConstraints, WithJsonSchema

from kb.core.characters import mixed_scripts
from kb.language import valid_language
from kb.records.text import Note
from kb.records.validity import valid_date
from kb.records.values import (
    MAX_LINE,
    VERDICTS,
    Citation,
    Difference,
    as_text,
    read_citation,
    valid_slug,
)

T = TypeVar("T")
# A day, a month or a year.
_DATE_PATTERN = "^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"
# The placeholders of `card-url` and `picture`.
_CARD_URL_PARTS = ("name", "slug", "label", "version", "set")


def _provision(value: str) -> str:
    if not re.fullmatch(r"[\w.-]{1,100}", value):
        raise ValueError(f"{value[:120]!r}: write letters, digits, `.`, `_` and `-`, at most 100")
    return value


def _verdict(value: str) -> str:
    if value not in VERDICTS and not re.fullmatch("[0-9]{1,6}", value):
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


def _picture_url(value: str) -> str:
    # Its site stands in the policy of the game's pages, which `;` or a blank would change.
    if value and not re.match(r"https://[\w.-]+(:\d+)?/", value, re.ASCII):
        raise ValueError(f"{value!r} does not begin with https:// and a site: https://a.org/")
    return _card_url(value)


def _card_version(value: str) -> str:
    if not all(part in value for part in ("{name}", "{version}")):
        raise ValueError("needs {name} and {version}, as in {name} ({version})")
    return value


def _as_tuple(value: object) -> object:
    """Turn a single value into a list of one, and an empty value into an empty list."""
    if isinstance(value, str):
        return (value,) if value else ()
    return value


def _written(pattern: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern})


def _difference(value: object) -> Difference:
    text = as_text(value).strip()
    match = re.fullmatch(r"(\S+)\s+\((.+)\)", text)
    if not match:
        raise ValueError(f"{text!r} does not say why: write other-id (what makes them different)")
    reason = match[2].strip()
    if not reason or len(reason) > MAX_LINE:
        raise ValueError(f"{match[1]}: say in 1 to {MAX_LINE} characters what makes them different")
    return Difference(valid_slug(match[1]), reason)


def _differences(value: Any) -> Any:
    listed = _as_tuple(value)
    return tuple(map(_difference, listed)) if isinstance(listed, (tuple, list)) else listed


Slug = Annotated[str, AfterValidator(valid_slug)]
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


def _in_a_language(value: dict[str, T]) -> dict[str, T]:
    if not value:
        raise ValueError("a name in a language is missing, as in `pl:`")
    return value


Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_LINE)]
ShortText = Annotated[str, StringConstraints(max_length=200)]
Sentence = Annotated[str, StringConstraints(max_length=500)]
Provision = Annotated[str, AfterValidator(_provision)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
CardUrl = Annotated[str, AfterValidator(_card_url)]
PictureUrl = Annotated[str, AfterValidator(_picture_url)]
CardVersion = Annotated[str, StringConstraints(max_length=60), AfterValidator(_card_version)]
ListOf = Annotated[tuple[T, ...], BeforeValidator(_as_tuple)]
Slugs = ListOf[Slug]
Lines = ListOf[Line]
# A list that refuses an empty value.
NameLines = Annotated[
    tuple[Annotated[Line, AfterValidator(_name)], ...],
    BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
]
Name = Annotated[dict[Lang, Line], AfterValidator(_in_a_language)]
Names = Annotated[dict[Lang, NameLines], AfterValidator(_in_a_language)]
Citations = ListOf[Annotated[Citation, BeforeValidator(read_citation), _written("^[^#]+#.+$")]]
Differences = Annotated[
    tuple[Annotated[Difference, _written(r"^\S+\s+\(.+\)$")], ...], BeforeValidator(_differences)
]
Verdict = Annotated[
    str, AfterValidator(_verdict), _written(f"^({'|'.join(VERDICTS)}|[0-9]{{1,6}})$")
]
Condition = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Conditions = dict[Lang, Condition]
Fingerprints = dict[Lang, Annotated[str, AfterValidator(_fingerprint)]]
Titles = dict[Lang, str]
Bodies = dict[Lang, str]
Notes = dict[Lang, tuple[Note, ...]]
Questions = dict[Lang, tuple[str, ...]]
