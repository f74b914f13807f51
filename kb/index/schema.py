"""The fields of the index and the weights of what they hold.

One combined field takes tokens that are analysed already (measured: 2 to 3 times faster than several fields). Several terms
stand at one position: `pl=jednostek` is a folded form of a Polish text, `pl:jednostka` a lemma of it, `#113.5` a rule's number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whoosh import analysis, fields, formats

# How often a word counts by where it stands.
TITLE, ANSWER, BODY, CARD, PROVISION, TOPIC, SYNONYM = 4.0, 1.3, 1.0, 2.0, 2.0, 0.7, 0.7
NUMBER = 6.0
GAP = 50


class Ready(analysis.Analyzer):  # type: ignore[misc]
    """Takes lines of `term TAB position TAB weight` for tokens: the analysis is done before."""

    def __call__(self, value: str, **_: Any) -> Iterator[Any]:
        token = analysis.Token(positions=True, boosts=True)
        for line in value.split("\n"):
            text, _tab, rest = line.partition("\t")
            position, _tab, weight = rest.partition("\t")
            token.text, token.pos, token.boost = text, int(position), float(weight)
            yield token


class Content(fields.FieldType):  # type: ignore[misc]
    """The combined field."""

    indexed = True
    scorable = True
    stored = False
    unique = False
    vector = None
    multitoken_query = "default"
    sortable_typecode = None
    column_type = None
    spelling = False

    def __init__(self) -> None:
        self.analyzer = Ready()
        self.format = formats.Positions()


def schema() -> Any:
    """The index's schema."""
    keyword = {"commas": True, "stored": False, "scorable": False}
    return fields.Schema(
        key=fields.ID(stored=True, unique=True),
        content=Content(),
        game=fields.ID(),
        kind=fields.ID(),
        authority=fields.ID(),
        status=fields.ID(),
        lang=fields.KEYWORD(**keyword),
        topic=fields.KEYWORD(**keyword),
        source=fields.KEYWORD(**keyword),
        card=fields.KEYWORD(**keyword),
        date=fields.ID(),
        begins=fields.ID(),
        ends=fields.ID(),
        rules=fields.KEYWORD(**keyword),
    )
