"""Read each file of a base into objects and problems. Bad text raises nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kb.core.problems import Problem, explain
from kb.core.similar import did_you_mean, similar_names
from kb.records.diagram import Diagram
from kb.records.fields import HEADER_FIELDS, read_header
from kb.records.model import Game, GameHeader, Ruling, Source, Term, Texts
from kb.records.pictures import PICTURE, read_picture
from kb.records.syntax import (
    YamlDocument,
    curly_error,
    decode,
    parse_yaml,
    section_problems,
    split_record,
)
from kb.records.tables import QUESTIONS_FILE, read_cards, read_questions
from kb.records.values import LANGUAGE, id_error

M = TypeVar("M", bound=BaseModel)
E = TypeVar("E", Source, Term, Diagram)
R = TypeVar("R")

_HEADER_KEYS = frozenset(field.key for field in HEADER_FIELDS)


def read_ruling(
    data: bytes, path: str, game: str, folder: str
) -> tuple[Ruling | None, list[Problem]]:
    """Read a ruling's file; a ruling with any problem is None.

    Its id is the file's name; `game` and `folder` (a topic) are the names of the file's folders.
    """
    text, problems = decode(data, path)
    if problems:
        return None, problems
    parts, problems = split_record(text, path)
    if parts is None:
        return None, problems
    ruling_id = path.rpartition("/")[2].removesuffix(".md")
    if id_error(ruling_id):
        problems.append(Problem(path, 1, f"the file name: {id_error(ruling_id)}"))
    header, more = _checked(read_header, _HEADER_KEYS, "", parts.header)
    problems += [*more, *section_problems(parts.texts, path)]
    for section in parts.texts:
        problems += [Problem(path, line, message) for line, message in section.note_faults()]
    if problems or header is None:
        return None, problems
    ruling = Ruling(
        id=ruling_id,
        game=game,
        header=header,
        texts=tuple(parts.texts),
        path=path,
        folder=folder,
        written=parts.header,
    )
    return ruling, []


def read_game(files: dict[str, bytes], folder: str) -> tuple[Game | None, list[Problem]]:
    """Read the files of a game's folder, by name; `folder` is its path in the problems.

    Without a readable game.yaml there is no Game; entries with problems are left out.
    """
    header, problems = _read_header(files["game.yaml"], f"{folder}/game.yaml")
    pattern = header.card_version if header else "{name} ({version})"
    entries: dict[str, Any] = {}
    readers: dict[str, tuple[str, Callable[[bytes, str], tuple[Any, list[Problem]]]]] = {
        "sources.yaml": ("sources", partial(read_entries, Source)),
        "terms.yaml": ("terms", partial(read_entries, Term)),
        "diagrams.yaml": ("diagrams", partial(read_entries, Diagram)),
        "cards.tsv": ("cards", partial(read_cards, pattern=pattern)),
        QUESTIONS_FILE: ("questions", read_questions),
        PICTURE: ("picture", read_picture),
    }
    for name, (field, reader) in readers.items():
        if name in files:
            entries[field], more = reader(files[name], f"{folder}/{name}")
            problems += more
    return (Game(header=header, folder=folder, **entries) if header else None), problems


def _read_header(data: bytes, path: str) -> tuple[GameHeader | None, list[Problem]]:
    header, document, problems = read_single(GameHeader, data, path)
    if header is None:
        return None, problems
    if header.language not in header.languages:
        message = f"languages: lacks the game's own language {header.language}"
        problems.append(document.problem(message, "languages"))
    for lang in header.examples:
        if lang not in header.languages:
            message = f"examples: {lang} is not one of the game's languages"
            problems.append(document.problem(message, "examples", lang))
    return header, problems


def read_single(
    model: type[M], data: bytes, path: str
) -> tuple[M | None, YamlDocument, list[Problem]]:
    """Read a YAML file that is one object; the document has the line of every value."""
    document, problems = _yaml(data, path)
    checked, more = _validate(model, document)
    return checked, document, problems + more


def read_entries(model: type[E], data: bytes, path: str) -> tuple[tuple[E, ...], list[Problem]]:
    """Read a YAML file that is a list; entries with problems are left out."""
    problems: list[Problem]
    document, problems = _yaml(data, path)
    if document.value is None:
        return (), problems
    if not isinstance(document.value, list):
        message = "a list is expected here: each entry begins with `- id: ...`"
        return (), [*problems, document.problem(message)]
    entries: dict[str, E] = {}
    for part in document.entries().values():
        entry, more = _validate(model, part)
        problems += more
        if entry is None:
            continue
        first = entries.setdefault(entry.id, entry.written_as(part))
        if first is not entry:
            problems.append(entry.problem(f"id given twice (first on line {first.line()})"))
    return tuple(entries.values()), problems


def _yaml(data: bytes, path: str) -> tuple[YamlDocument, list[Problem]]:
    text, problems = decode(data, path)
    return (YamlDocument(path), problems) if problems else parse_yaml(text, path)


def _validate(model: type[M], document: YamlDocument) -> tuple[M | None, list[Problem]]:
    keys = {field.alias or name for name, field in model.model_fields.items()}
    gathered = model.gathered if issubclass(model, Texts) else ""
    return _checked(model.model_validate, keys, gathered, document)


def _checked(
    validate: Callable[[dict[str, Any]], R],
    keys: Collection[str],
    gathered: str,
    document: YamlDocument,
) -> tuple[R | None, list[Problem]]:
    """Return the checked object of a document.

    `keys`: the keys that it may have. `gathered`: the field of texts that are keys by language.
    """
    value = {} if document.value == "" else document.value
    if value is None:
        return None, []
    if not isinstance(value, dict):
        return None, [document.problem(_SHAPE_MESSAGES["model_type"])]
    similar = {
        key: similar_names(key.lower(), keys)[:1]
        for key in value
        if key not in keys and not (gathered and LANGUAGE.fullmatch(key))
    }
    misspelt = {name for names in similar.values() for name in names}
    codes = ["language codes such as pl"] if gathered else []
    others = f"; known are {', '.join([*sorted({*keys} - {gathered}), *codes])}"
    problems = [
        document.problem(f"{key}: unknown key{did_you_mean(names) or others}", key)
        for key, names in similar.items()
    ]
    try:
        checked = validate({key: item for key, item in value.items() if key not in similar})
    except ValidationError as error:
        return None, problems + [
            _problem(item, document)
            for item in error.errors()
            if item["type"] != "missing" or item["loc"][0] not in misspelt
        ]
    return (None if problems else checked), problems


# Parts of places that no file has: of pydantic, and the fields of `Texts`.
_UNWRITTEN = frozenset(("[key]", "text", "texts"))
_GATHERED = frozenset(("names", "title", "label"))
# A single value, and not several or a list in another form.
_SINGLE = re.compile(r"\w[^,;]*")
# What is expected in YAML.
_SHAPE_MESSAGES = {
    "tuple_type": "a list is expected, one `- value` a line",
    "list_type": "a list is expected, one `- value` a line",
    "string_type": "a single value is expected",
    "dict_type": "values by language are expected, one `en: value` a line",
    "model_type": "keys and values are expected here, one `key: value` a line",
}


def _problem(error: Any, document: YamlDocument) -> Problem:
    """Return the problem of an error of pydantic."""
    place = tuple(part for part in error["loc"] if part not in _UNWRITTEN)
    if place not in document.lines:
        # The texts of an entry are next to its other keys.
        place = tuple(part for part in place if part not in _GATHERED) or place
    key = ".".join(str(part) for part in place if isinstance(part, str)) or "entry"
    value = error["input"]
    message = curly_error(value) or explain(error, _SHAPE_MESSAGES)
    if error["type"] == "string_type" and isinstance(value, dict) and len(value) == 1:
        message += "; put one that contains `: ` in quotes"
    elif error["type"] == "string_type" and isinstance(value, list):
        message += "; write it without brackets, or without `- `"
    elif place and isinstance(place[-1], int) and place not in document.lines:
        # A list that is written as a single value.
        message += "" if _SINGLE.fullmatch(str(value)) else "; a list has one `- value` a line"
    return document.problem(f"{key}: {message}", *place)
