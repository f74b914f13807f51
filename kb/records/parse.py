"""One file -> (object or None, problems). Nothing here raises for bad text."""

from __future__ import annotations

import sys
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from kb.core.problems import MAX_PROBLEMS, FileProblems, Problem, bounded
from kb.records.collection import MARK, split_collection
from kb.records.fields import construct_header
from kb.records.model import (
    LANGUAGE,
    MAX_LINE,
    Card,
    Game,
    GameHeader,
    HeaderModel,
    Ruling,
    Source,
    Term,
    Text,
    construct_unchecked,
    id_error,
)
from kb.records.questions import QuestionSection
from kb.records.syntax import Document, Path, decode, parse_yaml, split_record

M = TypeVar("M", bound=BaseModel)
E = TypeVar("E", Source, Term)

_MARK_SIGNS = frozenset("[]|")
_INTERNAL_KEYS = {"line", "lines"}
# A file of 16 MB has room for no more rulings than that.
MAX_ITEMS = 100_000
CARD_COLUMNS = ("name", "version", "set", "type", "side", "subtypes", "other_names")
# A catalogue may do without its last columns, and so may each of its lines.
OPTIONAL_CARD_COLUMNS = ("keywords",)
CARD_HEADERS = (CARD_COLUMNS, (*CARD_COLUMNS, *OPTIONAL_CARD_COLUMNS))


def read_ruling(
    data: bytes, path: str, game: str, folder: str
) -> tuple[Ruling | None, list[Problem]]:
    """A ruling's file -> the Ruling (None when any part of it is wrong) and its problems.

    `path` is where it was read from, `game` and `folder` (its topic) are the folders around it.
    """
    text, problems = decode(data, path)
    if problems:
        return None, problems
    return _ruling(text, path, _RecordPlace(_file_stem(path), path, game, folder))


def _file_stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")


class _RecordPlace(NamedTuple):
    """A ruling's id and where it stands; see Ruling."""

    id: str
    path: str
    game: str
    folder: str
    span: tuple[int, int] = (0, 0)


def _ruling(text: str, path: str, at: _RecordPlace) -> tuple[Ruling | None, list[Problem]]:
    """Read a ruling's text; problems call it `path` and count its own lines."""
    parts, problems = split_record(text, path)
    if parts is None:
        return None, problems
    if id_error(at.id):
        problems.append(Problem(path, 1, f"the file name: {id_error(at.id)}"))
    checked, more = _validate(HeaderModel, parts.header, path)
    problems += more
    first_lines: dict[str, int] = {}
    for section in parts.sections:
        if section.lang in first_lines:
            problems.append(
                Problem(
                    path,
                    section.line,
                    f"a second section in {section.lang} (the first is on line"
                    f" {first_lines[section.lang]})",
                )
            )
        first_lines.setdefault(section.lang, section.line)
        if not section.title:
            problems.append(
                Problem(path, section.line, f"the section in {section.lang} has no title")
            )
        if not section.body.strip():
            problems.append(
                Problem(path, section.line, f"the section in {section.lang} has no text")
            )
    asked_as: dict[str, tuple[str, ...]] = {}
    lines = parts.header.lines
    for asked in parts.asked_as:
        if asked.lang in asked_as:
            message = f"asked-as: a second section in {asked.lang}"
            problems.append(Problem(path, asked.line, message))
        asked_as[asked.lang] = asked.texts
    if parts.asked_as:
        lines = {**lines, **_question_lines(parts.asked_as)}
    if problems or checked is None:
        return None, bounded(problems)
    before = at.span[0]
    texts = tuple(
        [
            construct_unchecked(
                Text,
                {
                    "lang": s.lang,
                    "title": s.title,
                    "body": s.body,
                    "line": s.line + before,
                    "body_line": s.body_line + before,
                },
            )
            for s in parts.sections
        ]
    )
    values = {
        "id": at.id,
        "game": at.game,
        "header": construct_header(checked.__dict__),
        "texts": texts,
        "asked_as": asked_as,
        "path": at.path,
        "folder": at.folder,
        "lines": lines,
        "span": at.span,
    }
    # Its parts have all been checked.
    return construct_unchecked(Ruling, values), []


def _question_lines(sections: list[QuestionSection]) -> dict[Path, int]:
    """Return the lines of the questions, in the way of a header's values."""
    lines: dict[Path, int] = {}
    for section in sections:
        lines["asked-as", section.lang] = section.line
        for index, question in enumerate(section.questions):
            lines["asked-as", section.lang, index] = question.line
    return lines


def read_collection(
    data: bytes, path: str, game: str, folder: str
) -> tuple[list[tuple[str, Ruling | None]], list[Problem]]:
    """Read a collection: each id with its Ruling (None when it is wrong), and the problems."""
    text, problems = decode(data, path)
    if problems:
        return [], problems
    count = text.count(f"\n{MARK}")
    if count >= MAX_ITEMS:
        message = f"more than {MAX_ITEMS:,} rulings in a file; put them into several"
        return [], [Problem(path, 1, message)]
    problems = FileProblems()
    rulings: list[tuple[str, Ruling | None]] = []
    for piece in split_collection(text):
        # The name of a file tells a ruling's id; a piece has its own line for it.
        span = (piece.offset, piece.offset + piece.text.count("\n"))
        ruling, more = _ruling(
            piece.text,
            f"{piece.id}.md",
            _RecordPlace(_file_stem(f"{piece.id}.md"), path, game, folder, span),
        )
        problems.extend(
            Problem(path, problem.line + piece.offset, problem.message) for problem in more
        )
        rulings.append((piece.id, ruling))
    return rulings, problems.listed()


def read_game(files: dict[str, bytes], paths: dict[str, str]) -> tuple[Game | None, list[Problem]]:
    """Read the files of a game's folder: `game.yaml`, and the others where they are.

    `paths` names each for the problems. Without a readable game.yaml there is no Game; of the other
    files the good entries stay.
    """
    header, problems = _read_header(files["game.yaml"], paths["game.yaml"])
    entries: dict[str, Any] = {"sources": (), "terms": (), "cards": ()}
    readers = {"sources.yaml": ("sources", read_sources), "terms.yaml": ("terms", read_terms)}
    for name, (field, reader) in readers.items():
        if name in files:
            entries[field], more = reader(files[name], paths[name])
            problems += more
    if "cards.tsv" in files:
        pattern = header.card_version if header else "{name} ({version})"
        entries["cards"], more = read_cards(files["cards.tsv"], paths["cards.tsv"], pattern)
        problems += more
    folder = paths["game.yaml"].rpartition("/")[0]
    return (Game(header=header, folder=folder, **entries) if header else None), problems


def _read_header(data: bytes, path: str) -> tuple[GameHeader | None, list[Problem]]:
    document, problems = _yaml(data, path)
    if document is None:
        return None, problems
    for key in ("topics", "rule-sets", "editions"):
        if isinstance(document.value, dict) and isinstance(document.value.get(key), list):
            document.value[key] = [_topic(item) for item in document.value[key]]
    header, more = _validate(GameHeader, document, path)
    if header:
        if not {"{name}", "{version}"} <= set(_placeholders(header.card_version)):
            more.append(
                Problem(
                    path,
                    document.line(("card-version",)),
                    "card-version: needs {name} and {version}, as in {name} ({version})",
                )
            )
            header = None
        elif header.language not in header.languages:
            more.append(
                Problem(
                    path,
                    document.line(("languages",)),
                    f"languages: lacks the game's own language {header.language}",
                )
            )
    return header, problems + more


def _placeholders(pattern: str) -> list[str]:
    return [f"{{{part.split('}')[0]}}}" for part in pattern.split("{")[1:]]


def _topic(item: object) -> object:
    """A topic is written `id: x`, `pl: ...`, `en: ...`; the languages are its title."""
    if not isinstance(item, dict) or "title" in item:
        return item
    title = {key: value for key, value in item.items() if LANGUAGE.fullmatch(key) and key != "id"}
    return {**{key: value for key, value in item.items() if key not in title}, "title": title}


def _term(item: object) -> object:
    """A term's names stand under their language's code; the rest are its own keys."""
    if not isinstance(item, dict) or "names" in item:
        return item
    names = {
        key: [value] if isinstance(value, str) else value
        for key, value in item.items()
        if LANGUAGE.fullmatch(key) and key not in ("id", "not")
    }
    return {**{key: value for key, value in item.items() if key not in names}, "names": names}


def read_single(model: type[M], data: bytes, path: str) -> tuple[M | None, Document, list[Problem]]:
    """Read a YAML file that is one object; the document has the line of every value."""
    document, problems = _yaml(data, path)
    if document is None:
        return None, Document(), problems
    checked, more = _validate(model, document, path)
    return checked, document, problems + more


def read_sources(data: bytes, path: str) -> tuple[tuple[Source, ...], list[Problem]]:
    """`sources.yaml` -> its good Sources in order, and the problems."""
    return _entries(Source, data, path, lambda item: item)


def read_terms(data: bytes, path: str) -> tuple[tuple[Term, ...], list[Problem]]:
    """`terms.yaml` -> its good Terms in order, and the problems."""
    terms: tuple[Term, ...]
    problems: list[Problem]
    terms, problems = _entries(Term, data, path, _term)
    for term in terms:
        if not term.names:
            problems.append(
                Problem(
                    path, term.line, f"{term.id}: a term needs a name in a language, as in `pl:`"
                )
            )
    return tuple(term for term in terms if term.names), problems


def _entries(
    model: type[E], data: bytes, path: str, shape: Any
) -> tuple[tuple[E, ...], list[Problem]]:
    problems: list[Problem]
    document, problems = _yaml(data, path)
    if document is None:
        return (), problems
    if not isinstance(document.value, list):
        return (), [
            *problems,
            Problem(
                path,
                document.line(()),
                "a list is expected here: each entry begins with `- id: ...`",
            ),
        ]
    problems = FileProblems(problems[:MAX_PROBLEMS])
    good: list[E] = []
    ids: dict[str, int] = {}
    places: dict[str | int, dict[Path, int]] = {}
    for place, at in document.lines.items():
        places.setdefault(place[0] if place else "", {})[place[1:]] = at
    for index, item in enumerate(document.value):
        line = document.line((index,))
        part = Document(shape(item), places.get(index, {}))
        entry, more = _validate(model, part, path, {"line": str(line), "lines": part.lines})
        problems.extend(more)
        if entry is None:
            continue
        name = entry.id
        if name in ids:
            problems.append(
                Problem(path, line, f"{name}: id given twice (first on line {ids[name]})")
            )
            continue
        ids[name] = line
        good.append(entry)
    return tuple(good), problems.listed()


def _yaml(data: bytes, path: str) -> tuple[Document | None, list[Problem]]:
    text, problems = decode(data, path)
    if problems:
        return None, problems
    document, problems = parse_yaml(text, path)
    return (None if document.value is None else document), problems


def _validate(
    model: type[M], document: Document, path: str, extra: dict[str, Any] | None = None
) -> tuple[M | None, list[Problem]]:
    value = document.value
    if value is None:
        return None, []
    if value == "":
        value = {}
    if not isinstance(value, dict):
        return None, [
            Problem(
                path, document.line(()), "keys and values are expected here, as in `kind: ruling`"
            )
        ]
    known = _known(model)
    problems = [
        Problem(path, document.line((key,)), f"{key}: unknown key{_nearest(key, known)}")
        for key in value
        if key not in known or key in _INTERNAL_KEYS
    ]
    try:
        if problems or extra:
            value = {**{key: item for key, item in value.items() if key in known}, **(extra or {})}
        checked = model.model_validate(value)
    except ValidationError as error:
        return None, problems + [_problem(item, document, path) for item in error.errors()]
    # Which of its fields were given nobody asks, and noting it takes as much room as the values do.
    return (None if problems else construct_unchecked(model, checked.__dict__)), problems


@cache
def _known(model: type[BaseModel]) -> frozenset[str]:
    """The keys of a record."""
    return frozenset(field.alias or name for name, field in model.model_fields.items())


def _problem(error: Any, document: Document, path: str) -> Problem:
    place = tuple(part for part in error["loc"] if part != "[key]")
    key = ".".join(str(part) for part in place if isinstance(part, str)) or "entry"
    kind, given = error["type"], error.get("input")
    if kind == "missing":
        return Problem(path, document.line(()), f"{key}: missing")
    if kind == "literal_error":
        return Problem(
            path, document.line(place), f"{key}: {given!r} is not one of {error['ctx']['expected']}"
        )
    if kind == "value_error":
        return Problem(path, document.line(place), f"{key}: {error['ctx']['error']}")
    if kind == "extra_forbidden":
        return Problem(path, document.line(place), f"{key}: unknown key")
    shapes = {
        "tuple_type": "a list is expected, one `- value` a line",
        "string_type": "a single value is expected",
        "dict_type": "values by language are expected",
    }
    shapes["string_too_short"] = "empty"
    return Problem(path, document.line(place), f"{key}: {shapes.get(kind, error['msg'])}")


def _nearest(key: str, known: frozenset[str]) -> str:
    import difflib

    near = difflib.get_close_matches(key, sorted(known), 1, 0.6)
    return (
        f"; did you mean {near[0]}?"
        if near
        else f"; known are {', '.join(sorted(known - _INTERNAL_KEYS))}"
    )


def read_cards(data: bytes, path: str, pattern: str) -> tuple[tuple[Card, ...], list[Problem]]:
    """Read `cards.tsv`: its good Cards in order, labelled by `pattern`, and the problems.

    Several values in a cell are separated by `; `.
    """
    text, problems = decode(data, path)
    if problems or not text.strip():
        return (), problems
    rows = text.split("\n")
    columns = tuple(rows[0].split("\t"))
    if columns not in CARD_HEADERS:
        return (), [
            Problem(
                path,
                1,
                f"the first line names the columns, separated by tabs: {' '.join(CARD_COLUMNS)}",
            )
        ]
    problems = FileProblems()
    cards: list[Card] = []
    first_lines: dict[tuple[str, str], int] = {}
    for line, row in enumerate(rows[1:], 2):
        if not row.strip() or row.startswith("#"):
            continue
        cells = row.split("\t")
        if len(cells) not in (len(CARD_COLUMNS), len(columns)):
            problems.append(
                Problem(
                    path,
                    line,
                    f"{len(cells)} columns instead of {len(columns)} (tabs separate them)",
                )
            )
            continue
        name, version, sets, kind, side, subtypes, other, *keywords = map(str.strip, cells)
        if not name:
            problems.append(Problem(path, line, "name: missing"))
        elif len(row) > MAX_LINE and (
            max(map(len, (name, *_cell_values(sets), *_cell_values(other)))) > MAX_LINE
        ):
            problems.append(Problem(path, line, f"a name of more than {MAX_LINE} characters"))
        elif not _MARK_SIGNS.isdisjoint(name + version):
            problems.append(
                Problem(path, line, "name: the characters [ ] | cannot stand in a card's name")
            )
        elif (name, version) in first_lines:
            problems.append(
                Problem(
                    path,
                    line,
                    f"{name} {version}: card given twice (first on line"
                    f" {first_lines[name, version]});"
                    " tell them apart by version",
                )
            )
        else:
            first_lines[name, version] = line
            label = (
                pattern.replace("{name}", name).replace("{version}", version) if version else name
            )
            cards.append(
                construct_unchecked(
                    Card,
                    {
                        "name": name,
                        "version": sys.intern(version),
                        "sets": _cell_values(sets),
                        "type": sys.intern(kind),
                        "side": sys.intern(side),
                        "subtypes": sys.intern(subtypes),
                        "other_names": _cell_values(other),
                        "keywords": _cell_values("; ".join(keywords)),
                        "label": label,
                        "line": line,
                    },
                )
            )
    return tuple(cards), problems.listed()


@lru_cache(maxsize=4096)
def _cell_values(text: str) -> tuple[str, ...]:
    return (
        tuple([sys.intern(part.strip()) for part in text.split("; ") if part.strip()])
        if text
        else ()
    )
