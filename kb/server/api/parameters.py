"""The parameters of the API's operations, with their limits."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from kb.records import types
from kb.search.query import MAX_LENGTH
from kb.serialize.answers import (
    LANG_PATTERN,
    MAX_ID,
    MAX_LIMIT,
    SLUG_PATTERN,
    TEXT_PATTERN,
)

# Results beyond this number are not ranked.
MAX_SEARCH_OFFSET = 1_000
MAX_OFFSET = 1_000_000
QueryText = Annotated[
    str, Query(max_length=MAX_LENGTH, pattern=TEXT_PATTERN, examples=["pilotów w strefie budowy"])
]
GameId = Annotated[
    str,
    Query(max_length=MAX_ID, pattern=SLUG_PATTERN, description="Id of a game.", examples=["swtcg"]),
]
Lang = Annotated[
    str,
    Query(pattern=LANG_PATTERN, description="Language code (ISO 639).", examples=["pl"]),
]
TopicId = Annotated[
    str, Query(max_length=MAX_ID, pattern=SLUG_PATTERN, description="Id of a topic.")
]
Interface = Annotated[
    str,
    Query(
        pattern=LANG_PATTERN,
        description="Language to show where several match alike; English without it.",
        examples=["pl"],
    ),
]
CardLabel = Annotated[
    str,
    Query(
        max_length=200,
        pattern=TEXT_PATTERN,
        description="Name of a card, with its version where it has one.",
        examples=["Darth Sidious (C)"],
    ),
]
CitationId = Annotated[
    str,
    Query(
        max_length=201,
        pattern=r"^[a-z0-9-]+(#[\w.-]+)?$",
        description="Id of a document, or document#provision.",
    ),
]
Date = Annotated[
    types.Date,
    Query(description="A day; a month or a year stands for its last day.", examples=["2003-06-01"]),
]
SinceDate = Annotated[
    types.Date, Query(description="A day, a month or a year.", examples=["2003-06-01"])
]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Maximum number of results.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Number of results to skip.")]
SearchOffset = Annotated[
    int, Query(ge=0, le=MAX_SEARCH_OFFSET, description="Number of results to skip.")
]
SlugInPath = Annotated[str, Path(max_length=MAX_ID, pattern=SLUG_PATTERN)]
