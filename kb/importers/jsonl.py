"""What `kb export --format jsonl` writes, back into drafts: one ruling a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb.core.problems import KbError, Problem, posix_path
from kb.importers.common import files_of, text_of
from kb.importers.drafts import Draft, DraftCard, DraftSource, DraftText, Imported
from kb.records.fields import FIELDS, HEADER_FIELDS
from kb.records.marks import find_marks
from kb.records.model import LANGUAGE, Game, id_error, read_header
from kb.records.questions import read_section

_HEADER = (
    "kind",
    "authority",
    "status",
    "date",
    "topics",
    "about",
    "sources",
    "supersedes",
    "related",
)
# Further keys of a record's header.
_FURTHER = {field.name: field for field in HEADER_FIELDS if field.name not in _HEADER}
_KNOWN = {field.name for field in FIELDS}


@dataclass
class _Run:
    game: Game | None
    imported: Imported
    name: str = ""
    first_lines: dict[str, str] = field(default_factory=dict)
    sources: dict[str, tuple[DraftSource, dict[str, None]]] = field(default_factory=dict)
    cards: dict[str, None] = field(default_factory=dict)
    # (file, line, ruling, key, other ruling): relations that hold only when the other ruling is in
    # the file.
    ties: list[tuple[str, int, str, str, str]] = field(default_factory=list)


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read the lines of an export as drafts.

    Cards, topics and sources that `game` lacks are given with no more than their names.

    All drafts are of one game: the one given, else that of the first line; lines of others are told
    in `skipped`. The folder of a ruling is not in an export: it is taken to be the first of its
    topics. Raises KbError when no line is a ruling.
    """
    run = _Run(
        game,
        Imported(
            name=game.title(game.language) if game else "", language=game.language if game else "en"
        ),
    )
    run.name = game.id if game else ""
    files = files_of(paths, "*.jsonl")
    good = 0
    for path in files:
        for number, line in enumerate(text_of(path).split("\n"), 1):
            if line.strip():
                good += _read_line(run, line, posix_path(path), number)
    if not good:
        raise KbError(
            f"{posix_path(files[0])}: no line is a ruling; give a file that `kb export --format"
            " jsonl` wrote"
        )
    _finish(run)
    return run.imported


def _read_line(run: _Run, line: str, path: str, number: int) -> bool:
    """Adds a line's ruling; whether the line is one at all."""
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = error.msg if isinstance(error, json.JSONDecodeError) else "too long or too deep"
        run.imported.skipped.append(Problem(path, number, f"not JSON ({what}); left out"))
        return False
    if number == 1 and isinstance(value, dict) and value.keys() == {"export"}:
        return False
    if not isinstance(value, dict) or not {"id", "title", "text"} <= set(value):
        run.imported.skipped.append(
            Problem(path, number, "a ruling has an id, a title and a text; left out")
        )
        return False
    wrong = next(_wrong(run, value), "")
    if wrong:
        run.imported.skipped.append(Problem(path, number, f"{value['id']}: {wrong}; left out"))
        return True
    where = run.first_lines.setdefault(value["id"], f"{path}:{number}")
    if where != f"{path}:{number}":
        run.imported.skipped.append(
            Problem(path, number, f"{value['id']}: id given twice (first: {where}); left out")
        )
        return True
    _tell_lost(run, value, path, number)
    _add(run, value, number)
    return True


def _wrong(run: _Run, value: dict[str, Any]) -> Iterator[str]:
    """What keeps a line from being a draft."""
    key = value["id"]
    if not isinstance(key, str) or id_error(key):
        yield id_error(str(key)) or "id: a text is expected"
    game = value.get("game")
    run.name = run.name or (game if isinstance(game, str) else "")
    if game not in (None, run.name):
        yield f"a ruling of {game}, not of {run.name}; import each game by itself"
    for name in ("title", "text"):
        texts = value[name]
        if not isinstance(texts, dict) or not texts:
            yield f"{name}: texts by language are expected"
        elif not all(
            LANGUAGE.fullmatch(lang) and isinstance(content, str) and content.strip()
            for lang, content in texts.items()
        ):
            yield f"{name}: a text for each language is expected"
    yield from _wrong_questions(value.get("asked_as", {}))
    if set(value["title"]) != set(value["text"]):
        yield "title and text are not in the same languages"
    if not value.get("topics"):
        yield "topics: name at least one"
    try:
        read_header({name: value[name] for name in _HEADER if name in value} | _further(value))
    except (KeyError, TypeError):
        yield "different_from: an id and a reason each are expected"
    except ValueError as error:
        field_name, what = (*str(error).split("\n")[1:3], "", "")[:2]
        yield f"{field_name}: {what.split(' [type=')[0].strip()}"


def _wrong_questions(value: object) -> Iterator[str]:
    """What keeps `asked_as` from being the questions of a record."""
    if not isinstance(value, dict):
        yield "asked_as: questions by language are expected"
        return
    for lang, questions in value.items():
        if not isinstance(questions, list) or not all(
            isinstance(question, str) and len(question.splitlines()) == 1 for question in questions
        ):
            yield "asked_as: a list of questions is expected for each language"
            return
        if not questions:
            continue
        _, problems = read_section(lang, [f"- {question}" for question in questions], 0, "")
        yield from (problem.message for problem in problems)


def _tell_lost(run: _Run, value: dict[str, Any], path: str, number: int) -> None:
    key = value["id"]
    for name in value:
        if name not in _KNOWN:
            run.imported.skipped.append(
                Problem(path, number, f"{key}: {name}: unknown key; left out")
            )
    for name in ("superseded_by", "examples"):
        others = value.get(name)
        run.ties += [
            (path, number, key, name, other)
            for other in (others if isinstance(others, list) else [])
            if isinstance(other, str)
        ]


def _add(run: _Run, value: dict[str, Any], number: int) -> None:
    head = read_header({name: value[name] for name in _HEADER if name in value})
    texts = tuple(
        DraftText(lang, title, value["text"][lang]) for lang, title in value["title"].items()
    )
    if not run.game and not run.imported.drafts:
        run.imported.name, run.imported.language = run.name, texts[0].lang
    cited = tuple(str(citation) for citation in head.sources)
    run.imported.drafts.append(
        Draft(
            id=value["id"],
            topic=head.topics[0],
            texts=texts,
            kind=head.kind,
            authority=head.authority,
            status=head.status,
            about=head.about,
            topics=head.topics,
            sources=cited,
            date=head.date or "",
            related=head.related,
            supersedes=head.supersedes,
            lines=(number, number),
            header=_further(value),
            asked_as={
                lang: tuple(asked) for lang, asked in value.get("asked_as", {}).items() if asked
            },
        )
    )
    for topic in head.topics:
        if not run.game or topic not in run.game.topics:
            run.imported.topics.setdefault(topic, topic.replace("-", " ").capitalize())
    for citation in head.sources:
        if not run.game or citation.source not in run.game.sources_by_id:
            source = DraftSource(citation.source, citation.source, texts[0].lang, head.authority)
            run.sources.setdefault(citation.source, (source, {}))[1][citation.provision] = None
    run.cards.update(dict.fromkeys(head.about))
    run.cards.update(
        (mark.label, None) for text in texts for mark in find_marks(text.body) if mark.is_card
    )


def _further(value: dict[str, Any]) -> dict[str, str | tuple[str, ...] | dict[str, str]]:
    """The keys that a draft only carries, in the words of a record."""
    header: dict[str, str | tuple[str, ...] | dict[str, str]] = {}
    for name, field_ in _FURTHER.items():
        given = value.get(name)
        if not given:
            continue
        if name == "different_from":
            given = [f"{difference['id']} ({difference['because']})" for difference in given]
        header[field_.key] = tuple(given) if isinstance(given, list) else given
    return header


def _finish(run: _Run) -> None:
    """The cards and sources that the game lacks, and the relations that end outside the file."""
    run.imported.sources = [
        DraftSource(
            source.id, source.title, source.language, source.authority, provisions=tuple(places)
        )
        for source, places in run.sources.values()
    ]
    run.imported.cards = [
        DraftCard(name) for name in run.cards if not (run.game and run.game.cards_named(name))
    ]
    for path, number, key, name, other in run.ties:
        if other not in run.first_lines:
            run.imported.skipped.append(
                Problem(
                    path,
                    number,
                    f"{key}: {name}: {other} is not in the file, so the relation is lost",
                )
            )
