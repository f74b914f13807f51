"""Read each file of a base into objects and problems. Bad text raises nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kb.core.characters import lookalike_key, mixed_scripts
from kb.core.problems import Problem
from kb.core.similar import SimilarIds
from kb.core.validation import explain
from kb.records.diagram import Diagram
from kb.records.fields import HEADER_FIELDS, read_header
from kb.records.identity import PICTURE, read_picture
from kb.records.model import Card, Game, GameHeader, Ruling, Source, Term, Texts, card_label
from kb.records.question_file import NAME, read_questions
from kb.records.syntax import (
    Document,
    curly_error,
    decode,
    parse_yaml,
    section_problems,
    split_record,
)
from kb.records.table import read_table
from kb.records.values import LANGUAGE, MAX_LINE, id_error

M = TypeVar("M", bound=BaseModel)
E = TypeVar("E", Source, Term, Diagram)
R = TypeVar("R")

# The characters that have a meaning in card marks.
_MARK_SIGNS = frozenset("[]|")
# The columns of a new cards.tsv; only the name is required.
CARD_COLUMNS = ("name", "version", "set", "type", "side", "subtypes", "other_names")
_KEYWORDS = "keywords"
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
    header, more = _checked(read_header, _HEADER_KEYS, "", parts.header, path)
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
        lines=parts.header.lines,
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
        "sources.yaml": ("sources", read_sources),
        "terms.yaml": ("terms", read_terms),
        "diagrams.yaml": ("diagrams", partial(_entries, Diagram)),
        "cards.tsv": ("cards", partial(read_cards, pattern=pattern)),
        NAME: ("questions", read_questions),
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
        problems.append(Problem(path, document.line(("languages",)), message))
    for lang in header.examples:
        if lang not in header.languages:
            message = f"examples: {lang} is not one of the game's languages"
            problems.append(Problem(path, document.line(("examples", lang)), message))
    return header, problems


def read_single(model: type[M], data: bytes, path: str) -> tuple[M | None, Document, list[Problem]]:
    """Read a YAML file that is one object; the document has the line of every value."""
    document, problems = _yaml(data, path)
    checked, more = _validate(model, document, path)
    return checked, document, problems + more


def read_sources(data: bytes, path: str) -> tuple[tuple[Source, ...], list[Problem]]:
    """Read `sources.yaml`."""
    return _entries(Source, data, path)


def read_terms(data: bytes, path: str) -> tuple[tuple[Term, ...], list[Problem]]:
    """Read `terms.yaml`; each term needs a name."""
    terms, problems = _entries(Term, data, path)
    for term in terms:
        if not term.names:
            problems.append(term.problem("a term needs a name in a language, as in `pl:`"))
    return tuple(term for term in terms if term.names), problems


def _entries(model: type[E], data: bytes, path: str) -> tuple[tuple[E, ...], list[Problem]]:
    problems: list[Problem]
    document, problems = _yaml(data, path)
    if document.value is None:
        return (), problems
    if not isinstance(document.value, list):
        message = "a list is expected here: each entry begins with `- id: ...`"
        return (), [*problems, Problem(path, document.line(()), message)]
    entries: dict[str, E] = {}
    for part in document.entries().values():
        entry, more = _validate(model, part, path)
        problems += more
        if entry is None:
            continue
        first = entries.setdefault(entry.id, entry.at(path, part.lines))
        if first is not entry:
            problems.append(entry.problem(f"id given twice (first on line {first.line()})"))
    return tuple(entries.values()), problems


def _yaml(data: bytes, path: str) -> tuple[Document, list[Problem]]:
    text, problems = decode(data, path)
    return (Document(), problems) if problems else parse_yaml(text, path)


def _validate(model: type[M], document: Document, path: str) -> tuple[M | None, list[Problem]]:
    keys = {field.alias or name for name, field in model.model_fields.items()}
    gathered = model.gathered if issubclass(model, Texts) else ""
    return _checked(model.model_validate, keys, gathered, document, path)


def _checked(
    validate: Callable[[dict[str, Any]], R],
    keys: Collection[str],
    gathered: str,
    document: Document,
    path: str,
) -> tuple[R | None, list[Problem]]:
    """Return the checked object of a document.

    `keys`: those that it may have. `gathered`: the one for texts whose languages are keys, if any.
    """
    value = {} if document.value == "" else document.value
    if value is None:
        return None, []
    if not isinstance(value, dict):
        return None, [Problem(path, document.line(()), _SHAPE_MESSAGES["model_type"])]
    similar = {
        key: SimilarIds(keys).similar(key.lower(), 1)
        for key in value
        if key not in keys and not (gathered and LANGUAGE.fullmatch(key))
    }
    misspelt = {name for names in similar.values() for name in names}
    hints = {key: f"did you mean {names[0]}?" for key, names in similar.items() if names}
    codes = ["language codes such as pl"] if gathered else []
    others = f"known are {', '.join([*sorted({*keys} - {gathered}), *codes])}"
    problems = [
        Problem(path, document.line((key,)), f"{key}: unknown key; {hints.get(key, others)}")
        for key in similar
    ]
    try:
        checked = validate({key: item for key, item in value.items() if key not in similar})
    except ValidationError as error:
        return None, problems + [
            _problem(item, document, path)
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


def _problem(error: Any, document: Document, path: str) -> Problem:
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
    elif place and isinstance(place[-1], int) and place not in document.lines:
        # A list that is written as a single value.
        message += "" if _SINGLE.fullmatch(str(value)) else "; a list has one `- value` a line"
    return Problem(path, document.line(place), f"{key}: {message}")


def read_cards(data: bytes, path: str, pattern: str) -> tuple[tuple[Card, ...], list[Problem]]:
    """Read `cards.tsv`; `pattern` gives the labels. `; ` separates the values of a cell."""
    text, problems = decode(data, path)
    if problems:
        return (), problems
    cards: dict[tuple[str, str], Card] = {}
    first_lines: dict[tuple[str, str], int] = {}
    spellings: dict[str, tuple[str, int]] = {}
    columns = (*CARD_COLUMNS, _KEYWORDS)
    for line, cells in read_table(text, path, columns, problems, ["name"], _KEYWORDS):
        card = _card(cells, pattern)
        key = (card.name, card.version)
        spelling = spellings.setdefault(lookalike_key(card.name), (card.name, line))
        message = _card_error(card, first_lines.get(key), *spelling)
        if message:
            problems.append(Problem(path, line, message))
        else:
            cards[key], first_lines[key] = card, line
    return tuple(cards.values()), problems


def _card(cells: dict[str, str], pattern: str) -> Card:
    """Return the card of a row, unchecked."""
    name, version = cells["name"], cells.get("version", "")
    return Card(
        name=name,
        version=version,
        sets=_cell_values(cells.get("set", "")),
        type=cells.get("type", ""),
        side=cells.get("side", ""),
        subtypes=cells.get("subtypes", ""),
        other_names=_cell_values(cells.get("other_names", "")),
        keywords=_cell_values(cells.get(_KEYWORDS, "")),
        label=card_label(pattern, name, version),
    )


def _card_error(card: Card, first: int | None, spelling: str, spelling_line: int) -> str:
    """Return the error of a card.

    `first`: the line of a card of the same name and version; `spelling`: the name as it is written
    first, in `spelling_line`.
    """
    if not card.name:
        return "name: missing"
    if max(map(len, (card.name, *card.sets, *card.other_names))) > MAX_LINE:
        return f"a name of more than {MAX_LINE} characters"
    if not _MARK_SIGNS.isdisjoint(card.name + card.version):
        return "name: the characters [ ] | cannot stand in a card's name"
    for name in (card.name, *card.other_names):
        if message := mixed_scripts(name):
            return f"name: {message}"
    if card.name != spelling:
        return (
            f"name: {card.name!r} is spelt {spelling!r} on line {spelling_line};"
            " spell one card in one way"
        )
    if first:
        name = f"{card.name} {card.version}".strip()
        return f"{name}: card given twice (first on line {first}); tell them apart by version"
    return ""


def _cell_values(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("; ") if part.strip()) if text else ()
