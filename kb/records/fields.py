# ruff: noqa: RUF009 (a field's specifier is called once, as dataclasses.field is)
"""The table of a ruling's fields, from which all lists of fields are derived.

Fields of the header are in `Header`; `Derived` has fields that follow from other parts of a record
or from other rulings. They give the reader its keys and checks, the store its columns, and define
the JSON of a ruling and its schema, the API's model, the filters in Python and in the browser, the
editor's form, the rows of a ruling's page and of `kb show`, and the table in the guide. A new field
is added here, its label and choices to the catalogues, its row to the guide.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from kb.core.similar import choices
from kb.records.values import Citation, Difference

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from kb.records.types import (
        Bodies,
        Citations,
        Conditions,
        Date,
        Differences,
        Fingerprints,
        Line,
        Lines,
        Notes,
        Questions,
        Sentence,
        ShortText,
        Slug,
        Slugs,
        Titles,
        Verdict,
    )

# In the order of lists of rulings; authorities from the strongest to the weakest.
Kind = Literal["ruling", "errata", "definition", "note", "question", "example"]
Authority = Literal["official", "translator", "community"]
Status = Literal["current", "superseded", "reversed", "withdrawn", "disputed", "unanswered"]
KINDS: tuple[Kind, ...] = get_args(Kind)
AUTHORITIES: tuple[Authority, ...] = get_args(Authority)
STATUSES: tuple[Status, ...] = get_args(Status)


Shape = Literal["single", "list", "mapping"]
# The kinds of names that a value may be.
Reference = Literal["", "card", "topic", "source", "ruling", "document", "rule", "edition"]
REFERENCES: tuple[Reference, ...] = get_args(Reference)[1:]


def _field(
    description: str,
    *,
    default: Any = MISSING,
    empty: Any = None,
    filters: Sequence[str] = (),
    **facts: Any,
) -> Any:
    """Return a field of a ruling; `facts` are further values of its RulingField.

    Without a default it is required. `empty`: the default, or what a required field would have as
    one; () for a list, {} for values by language.
    """
    empty = empty if default is MISSING else default
    metadata = {"description": description, "empty": empty, "filters": tuple(filters), **facts}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=dict, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True, kw_only=True)
class Header:
    """The header of a ruling's file, in the order in which its keys are written."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {
        # The types are loaded when a header is read: `kb --help` and searches do not need pydantic.
        "defer_build": True,
        "extra": "forbid",
        "alias_generator": lambda name: name.replace("_", "-"),
    }

    kind: Kind = _field(choices(KINDS), filters=["kind"], label="Kind")
    authority: Authority = _field(
        f"who says so: {choices(AUTHORITIES)}",
        filters=["authority"],
        label="Authority",
    )
    status: Status = _field(choices(STATUSES), filters=["status"], label="Status")
    verdict: Verdict | None = _field(
        "the answer to a title that asks, in a word: yes, no, if or a number",
        default=None,
        label="Verdict",
    )
    when: Conditions = _field(
        "the condition of the verdict `if` by language, at most 40 characters each",
        default={},
        label="Condition",
    )
    about: Lines = _field(
        "the cards that the ruling is about",
        default=(),
        filters=["card"],
        of="card",
        label="Cards",
    )
    topics: Slugs = _field(
        "topics of `game.yaml`; the file lies in the folder of one of them",
        empty=(),
        filters=["topic"],
        of="topic",
        label="Topics",
    )
    sources: Citations = _field(
        "where the ruling is written",
        default=(),
        filters=["source"],
        item=Citation,
        of="source",
        label="Sources",
    )
    date: Date | None = _field(
        "when it was given, if that differs from its newest source",
        default=None,
        filters=["before", "after"],
        label="Date",
    )
    effective: Date | None = _field(
        "the first day on which it is in force, if that is not its date",
        default=None,
        filters=["asof"],
        label="In effect from",
    )
    effective_until: Date | None = _field(
        "the first day on which it is no longer in force",
        default=None,
        filters=["asof"],
        label="In effect until",
    )
    rules: Slugs = _field(
        "the rule sets that it is for (all, if empty)",
        default=(),
        filters=["rules"],
        of="rule",
        label="Rule sets",
    )
    reviewed: Slug | None = _field(
        "the newest edition of the rulebook that it was reviewed against",
        default=None,
        of="edition",
        label="Reviewed against",
    )
    supersedes: Slugs = _field(
        "the earlier rulings that it replaces",
        default=(),
        of="ruling",
        label="Supersedes",
    )
    because: Sentence = _field(
        "why it replaces them, or was taken back",
        default="",
        label="Because",
    )
    different_from: Differences = _field(
        "rulings that look alike and are not",
        default=(),
        item=Difference,
        of="ruling",
        label="Different from",
    )
    asked: Date | None = _field("of a question: when it was asked", default=None, label="Asked")
    asked_of: ShortText = _field("of a question: who was asked", default="", label="Asked of")
    translated_from: Fingerprints = _field(
        "written by `kb translated`: which original a translation was made from", default={}
    )
    related: Slugs = _field(
        "related rulings; name each pair in one of the two records",
        default=(),
        of="ruling",
        label="Related rulings",
    )
    example_of: Slugs = _field(
        "the rulings that it illustrates",
        default=(),
        of="ruling",
        label="Example of",
    )
    overrides: Slugs = _field(
        "rulebooks of `sources.yaml` that say otherwise",
        default=(),
        of="document",
        label="Overrides",
    )
    formerly: Slugs = _field(
        "ids that the ruling had; their addresses lead to it",
        default=(),
        label="Former ids",
    )


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The fields that identify a ruling."""

    id: Slug = _field("the name of its file; unique in its game, it never changes", filters=["id"])
    game: Slug = _field("the game's id", filters=["game"])


@dataclass(frozen=True, kw_only=True)
class Derived:
    """Further fields of the export: a ruling's texts, and facts that follow from other rulings."""

    title: Titles = _field("titles by language; the first is the original", default={})
    text: Bodies = _field(
        "texts by language, in Markdown with card marks", default={}, filters=["lang"]
    )
    notes: Notes = _field(
        "notes by the editors or the translator, which stand in the texts too, by language",
        default={},
    )
    asked_as: Questions = _field("questions that people ask, by language", default={})
    cards: Lines = _field("the cards it is about or mentions", default=())
    superseded_by: Slugs = _field("later rulings that replace it", default=())
    examples: Slugs = _field("rulings that are examples of it", default=())
    url: Line = _field("its page, relative to the site's root")


@dataclass(frozen=True)
class RulingField:
    """A field of a ruling.

    `annotation` names its type; `empty` is the value of a field that is not given. `key` is the
    name in the header, empty for what is not written there. Query `filters` compare its values;
    `of` is the kind of record that they name. `item` is the class of a list's items that are not
    text. `label` is shown on pages and in the editor, whose form leaves out a field without one.
    """

    name: str
    annotation: str
    key: str
    required: bool
    empty: Any
    description: str
    filters: tuple[str, ...]
    item: type[Citation] | type[Difference] | None = None
    of: Reference = ""
    label: str = ""

    @cached_property
    def shape(self) -> Shape:
        """Whether the field has a single value, a list, or values by language."""
        if isinstance(self.empty, dict):
            return "mapping"
        return "list" if self.empty == () else "single"

    @property
    def nullable(self) -> bool:
        """Whether the value is None without one in the header."""
        return self.empty is None and not self.required

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The words to choose the value from; empty for a free value."""
        annotation = globals().get(self.annotation.removesuffix(" | None"))
        return get_args(annotation) if get_origin(annotation) is Literal else ()

    def values(self, header: Header) -> tuple[Any, ...]:
        """Return the values of the field in a header, at most one unless it is a list."""
        value = getattr(header, self.name)
        if isinstance(value, tuple):
            return value
        return (value,) if value else ()

    def to_json(self, value: Any) -> Any:
        """Return a value of this field as JSON data."""
        if self.shape == "single":
            return value
        if self.shape == "list":
            return [item.to_json() for item in value] if self.item else list(value)
        return {
            lang: list(entry) if isinstance(entry, tuple) else entry
            for lang, entry in value.items()
        }

    def from_json(self, value: Any) -> Any:
        """Read a value of `to_json`."""
        if self.shape == "single":
            return value
        if self.shape == "list":
            return tuple([self.item.from_json(item) for item in value] if self.item else value)
        return {
            lang: tuple(entry) if isinstance(entry, list) else entry
            for lang, entry in value.items()
        }


def _rows(owner: type[Identity | Header | Derived]) -> Iterator[RulingField]:
    for field in dataclasses.fields(owner):
        key = field.name.replace("_", "-") if owner is Header else ""
        required = field.default is field.default_factory is MISSING
        yield RulingField(field.name, str(field.type), key, required, **field.metadata)


@cache
def header_type() -> TypeAdapter[Header]:
    """Return the type of headers, which validates one and describes it."""
    from pydantic import TypeAdapter

    from kb.records import types

    adapter = TypeAdapter(Header)
    adapter.rebuild(_types_namespace=vars(types))
    return adapter


def read_header(values: Mapping[str, Any]) -> Header:
    """Return a header from values by key. Raises pydantic's ValidationError for invalid values."""
    return header_type().validate_python(values)


def field_types() -> dict[str, Any]:
    """Return the type of each field of a ruling, by name."""
    from kb.records import types

    names = {**vars(types), **globals()}
    return {
        name: annotation
        for owner in (Identity, Header, Derived)
        for name, annotation in get_type_hints(owner, names, include_extras=True).items()
        if not name.startswith("_")
    }


HEADER_FIELDS = tuple(_rows(Header))
FIELDS = (*_rows(Identity), *HEADER_FIELDS, *_rows(Derived))
FILTERS = tuple(dict.fromkeys(name for field in FIELDS for name in field.filters))
# The filters of the search page and their names, in its order.
FACETS = {
    "game": "Game",
    "topic": "Topic",
    "kind": "Kind",
    "authority": "Authority",
    "lang": "Language",
}
# Filters that do not just compare a value with the values of a field.
_SPECIAL_FILTERS = ("card", "source", "before", "after", "asof")
# The fields of the header that a filter is compared with, by filter.
VALUE_FIELDS = {
    name: field for field in HEADER_FIELDS for name in field.filters if name not in _SPECIAL_FILTERS
}
