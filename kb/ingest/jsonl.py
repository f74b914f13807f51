"""Reads drafts from the output of `kb export --format jsonl`: one ruling a line."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints, ValidationError

from kb.core.characters import normalize
from kb.core.problems import KbError, explain, posix_path
from kb.ingest.common import files_of, text_of
from kb.ingest.drafts import Draft, DraftSource, Imported
from kb.records.fields import FIELDS, HEADER_FIELDS, Header, read_header
from kb.records.model import Game
from kb.records.tables import line_faults
from kb.records.text import Text
from kb.records.types import Lang, Slug
from kb.records.values import Card

_KNOWN_KEYS = {field.name for field in FIELDS}


# A text with a word in it.
_Words = Annotated[str, StringConstraints(pattern=r"\S")]


class _Row(BaseModel):
    """The parts of a line that are not in a record's header, and its topics."""

    id: Slug
    game: str | None = None
    title: Annotated[dict[Lang, _Words], Field(min_length=1)]
    text: dict[Lang, _Words]
    topics: Annotated[list[str], Field(min_length=1)]
    asked_as: dict[Lang, list[str]] = {}
    superseded_by: list[str] = []
    examples: list[str] = []


@dataclass
class _Run:
    """The state of one import: its drafts and game, and the places of the rulings by id."""

    imported: Imported
    game_id: str
    places: dict[str, str] = field(default_factory=dict)
    # File, line, ruling, key and other ruling. A relation needs the other ruling in the file.
    relations: list[tuple[str, int, str, str, str]] = field(default_factory=list)


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read the lines of an export as drafts.

    Cards and sources that the game lacks have only their names. All drafts are of one game, by
    default the game of the first line; lines of other games are skipped. The folder of a ruling is
    its first topic, because an export does not name it. Raises KbError when no line is a ruling.
    """
    run = _Run(Imported(), game.id if game else "")
    files = files_of(paths, "*.jsonl")
    rulings = 0
    for path in files:
        for number, line in enumerate(text_of(path).split("\n"), 1):
            if line.strip():
                rulings += _read_line(run, line, posix_path(path), number)
    if not rulings:
        raise KbError(
            f"{posix_path(files[0])}: no line is a ruling; give a file that `kb export --format"
            " jsonl` wrote"
        )
    imported = run.imported
    if game:
        imported.name, imported.language = game.title(game.language), game.language
    elif imported.drafts:
        imported.name, imported.language = run.game_id, imported.drafts[0].texts[0].lang
    _add_facts(imported, game)
    for file, number, ruling, key, other in run.relations:
        if other not in run.places:
            message = f"{ruling}: {key}: {other} is not in the file, so the relation is lost"
            imported.skip(file, number, message)
    return imported


def _read_line(run: _Run, line: str, path: str, number: int) -> bool:
    """Add the ruling of a line; return whether the line is a ruling."""
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else "too long or too deep"
        run.imported.skip(path, number, f"not JSON ({what}); left out")
        return False
    if number == 1 and isinstance(value, dict) and value.keys() == {"export"}:
        return False
    if not isinstance(value, dict) or not {"id", "title", "text"} <= set(value):
        run.imported.skip(path, number, "a ruling has an id, a title and a text; left out")
        return False
    try:
        row, header = _checked(run, value)
        place = run.places.setdefault(row.id, f"{path}:{number}")
        if place != f"{path}:{number}":
            raise ValueError(f"id given twice (first: {place})")
    except ValueError as error:
        run.imported.skip(path, number, f"{value['id']}: {error}; left out")
        return True
    for key in value.keys() - _KNOWN_KEYS:
        run.imported.skip(path, number, f"{row.id}: {key}: unknown key; left out")
    for key, others in (("superseded_by", row.superseded_by), ("examples", row.examples)):
        run.relations += [(path, number, row.id, key, other) for other in others]
    run.imported.drafts.append(
        Draft(
            id=row.id,
            topic=header.topics[0],
            texts=tuple(Text(lang, title, row.text[lang]) for lang, title in row.title.items()),
            header=header,
            lines=(number, number),
            asked_as={
                lang: tuple(map(normalize, asked)) for lang, asked in row.asked_as.items() if asked
            },
        )
    )
    return True


def _checked(run: _Run, value: dict[str, Any]) -> tuple[_Row, Header]:
    """Return the ruling of a line. Raises ValueError for a value that no record can have."""
    try:
        row = _Row.model_validate(value)
        run.game_id = run.game_id or row.game or ""
        if row.game not in (None, run.game_id):
            raise ValueError(
                f"a ruling of {row.game}, not of {run.game_id}; import each game by itself"
            )
        if row.title.keys() != row.text.keys():
            raise ValueError("title and text are not in the same languages")
        for questions in row.asked_as.values():
            line_of: dict[str, int] = {}
            for number, question in enumerate(questions, 1):
                for fault in line_faults(question, number, line_of):
                    raise ValueError(f"asked_as: {fault}")
        header = {field.key: value[field.name] for field in HEADER_FIELDS if field.name in value}
        if differences := header.get("different-from"):
            pairs = [f"{other['id']} ({other['because']})" for other in differences]
            header["different-from"] = pairs
        return row, read_header(header)
    except (KeyError, TypeError):
        raise ValueError("different_from: an id and a reason each are expected") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {explain(first)}") from None


def _add_facts(imported: Imported, game: Game | None) -> None:
    """Add the sources and cards that the drafts name and the game lacks."""
    first: dict[str, Draft] = {}
    provisions: dict[str, dict[str, None]] = defaultdict(dict)
    cards: dict[str, None] = {}
    for draft in imported.drafts:
        for cited in draft.header.sources:
            first.setdefault(cited.source, draft)
            provisions[cited.source][cited.provision] = None
        marks = (mark for text in draft.texts for mark in text.marks)
        labels = (mark.label for mark in marks if mark.is_card)
        cards |= dict.fromkeys((*draft.header.about, *labels))
    known = game.sources_by_id if game else {}
    imported.sources = [
        DraftSource(
            source,
            source,
            draft.texts[0].lang,
            draft.header.authority,
            provisions=tuple(provisions[source]),
        )
        for source, draft in first.items()
        if source not in known
    ]
    imported.cards = [Card(name) for name in cards if not (game and game.cards_named(name))]
