"""Tables of tab-separated cells, whose first line names the columns: cards and questions.

A cell in quotes is read as spreadsheets save it: without them, and with its doubled quotes single.
`questions.tsv` has the questions that players ask, by ruling, the best first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from kb.core.characters import (
    broken_letter,
    find_hidden,
    hidden_message,
    lookalike_key,
    mixed_scripts,
    normalize,
)
from kb.core.decoding import unix_lines
from kb.core.problems import Problem
from kb.core.similar import name_hint
from kb.language import fold, words_of
from kb.records.edits import Edit, edited, entry_edits, rows
from kb.records.model import AskedQuestion, Game, Ruling, card_label
from kb.records.syntax import decode
from kb.records.values import MAX_LINE, Card

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
# `#NAME?`, `#N/A` and the like, in any language.
_ERROR_VALUE = re.compile(r"#(?:[^\W\d_]+[?!]|[^\W\d_]+/[^\W_]{1,2}!?|NV)")
_MONTHS = (
    "jan feb mar apr may jun jul aug sep oct nov dec sty lut kwi maj cze lip sie wrz paź lis gru"
)
_MONTH = "|".join(_MONTHS.split())
# What a spreadsheet makes of a text: 1.23E+05, 05.03.2024, 5-Mar.
_CONVERTED = re.compile(
    rf"\d[.,]\d+E\+\d\d|\d{{4}}-\d\d-\d\d(?: 00:00:00)?|\d{{1,2}}([./])\d{{1,2}}\1\d{{4}}"
    rf"|\d{{1,2}}-(?:{_MONTH})|(?:{_MONTH})-\d\d",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{2,5});")
# What separates the cells of a spreadsheet that was saved as CSV.
_OTHER_SEPARATORS = {";": "semicolons", ",": "commas"}


def read_table(
    text: str,
    path: str,
    columns: Sequence[str],
    problems: list[Problem],
    required: Collection[str] = (),
    may_lack: str = "",
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of a table's lines by column, with the number of the line.

    `columns`: names that the first line may have; `required`: names that it must have, by default
    all. A line may end before a last column `may_lack`, and have empty cells behind the last one;
    other numbers of cells are problems.
    """
    first, *lines = text.split("\n")
    names = _without_empty_end(cells_of(first))
    unknown = next((name for name in names if name not in columns), "")
    is_known = set(required or columns) <= set(names) <= set(columns)
    if not is_known or len(set(names)) < len(names):
        message = f"the first line names the columns, separated by tabs: {' '.join(columns)}"
        problems.append(Problem(path, 1, message + _hint(first, unknown, columns)))
        return
    counts = {len(names), len(names) - (names[-1] == may_lack)}
    for number, line in enumerate(lines, 2):
        cells = _without_empty_end(cells_of(line), len(names))
        if error := next(filter(_ERROR_VALUE.fullmatch, cells), ""):
            message = f"{error!r} is an error of a spreadsheet; write what stood in the cell"
            problems.append(Problem(path, number, message))
            continue
        if not line.strip() or line.startswith(("#", '"#')):
            continue
        if any(cell.startswith('"') and cell.count('"') % 2 for cell in line.split("\t")):
            message = "a quote at the beginning of a cell is never closed; a cell is one line"
            problems.append(Problem(path, number, message))
        elif len(cells) in counts:
            yield number, dict(zip(names, cells, strict=False))
        else:
            count = f"{len(cells)} column{'s' if len(cells) > 1 else ''}"
            message = f"{count} instead of {len(names)} (tabs separate them)"
            problems.append(Problem(path, number, message))


def _hint(first: str, unknown: str, columns: Sequence[str]) -> str:
    if not first.strip():
        return "; it is empty"
    for sign, noun in _OTHER_SEPARATORS.items():
        if set(first.replace('"', "").split(sign)) <= {*columns, ""}:
            return f"; {noun} separate them here: save the table as text with tabs"
    hint = f"; {unknown!r} is not a column" if unknown else ""
    return hint + name_hint(unknown, columns)


def cell_fault(text: str) -> str:
    """Return how a spreadsheet or a web page has changed the text of a cell; empty if not."""
    if broken := broken_letter(text):
        return broken
    if _CONVERTED.fullmatch(text):
        return f"{text!r} is what a spreadsheet makes of a text; write the text that was meant"
    entity = _ENTITY.search(text)
    return f"{entity[0]!r} is a character in HTML; write the character" if entity else ""


def cells_of(line: str) -> list[str]:
    """Return the cells of a line as they are meant, without quotes around them."""
    cells = map(str.strip, line.split("\t"))
    return [
        cell[1:-1].replace('""', '"').strip() if _QUOTED.fullmatch(cell) else cell for cell in cells
    ]


def _without_empty_end(cells: list[str], count: int = 0) -> list[str]:
    """Return cells without the empty ones at the end that are more than `count`."""
    while len(cells) > count and not cells[-1]:
        cells.pop()
    return cells


def row_of(values: Mapping[str, str], columns: Iterable[str]) -> str:
    """Return a line with values by column, which is read back as they are."""
    cells = (" ".join(values.get(name, "").split()) for name in columns)
    return "\t".join(
        '"{}"'.format(cell.replace('"', '""')) if cell.startswith('"') else cell for cell in cells
    )


def with_rows(text: str, columns: Sequence[str], values: Iterable[Mapping[str, str]]) -> str:
    """Add rows to a table in the order of its columns; an empty text gets a first line."""
    table = text if text.strip() else "\t".join(columns)
    lines = rows(table)
    names = cells_of(lines[0])
    added = [row_of(row, names) for row in values]
    whole = edited(table, [Edit(len(lines), len(lines), added)])
    return whole if whole.endswith(("\r", "\n")) else f"{whole}\n"


# The characters that have a meaning in card marks.
_MARK_SIGNS = frozenset("[]|")
# The columns of a new cards.tsv; only the name is required.
CARD_COLUMNS = ("name", "version", "set", "type", "side", "subtypes", "other_names")
_KEYWORDS = "keywords"


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


# Two values without a blank between them.
_JOINED = re.compile(r"\w;\w")


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
        if message := mixed_scripts(name) or cell_fault(name):
            return f"name: {message}"
    for values in (card.sets, card.other_names, card.keywords):
        if joined := next((value for value in values if _JOINED.search(value)), ""):
            return f"{joined!r}: a blank after the `;` separates two values; write `; `"
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


QUESTIONS_FILE = "questions.tsv"
_QUESTION_COLUMNS = ("ruling", "lang", "question")
# Questions whose keys are cached, because checks and indexes ask for them again.
_KEYS = 20_000
# In characters.
_MIN_LENGTH, _MAX_LENGTH = 2, 300
Questions = Mapping[str, Sequence[str]]


def read_questions(data: bytes, path: str) -> tuple[tuple[AskedQuestion, ...], list[Problem]]:
    """Read the questions in order; lines with problems are left out."""
    text, problems = decode(data, path)
    if problems or not text.strip():
        return (), problems
    questions: list[AskedQuestion] = []
    first_lines: dict[tuple[str, str], dict[str, int]] = {}
    for number, cells in read_table(text, path, _QUESTION_COLUMNS, problems):
        question = AskedQuestion(cells["ruling"], cells["lang"], cells["question"], number)
        first = first_lines.setdefault((question.ruling, question.lang), {})
        faults = line_faults(question.text, number, first)
        problems += [Problem(path, number, fault) for fault in faults]
        if not faults:
            questions.append(question)
    return tuple(questions), problems


@lru_cache(maxsize=_KEYS)
def question_key(text: str) -> str:
    """Return the folded words of a question: spellings with equal keys are one question."""
    return " ".join(map(fold, words_of(text))) or text


def line_faults(text: str, line: int, line_of: dict[str, int]) -> list[str]:
    """Return the faults of a question; add its key to `line_of` its ruling."""
    faults = []
    if not _MIN_LENGTH <= len(text) <= _MAX_LENGTH:
        faults.append(
            f"a question has {_MIN_LENGTH} to {_MAX_LENGTH} characters, this one has {len(text)}"
        )
    if fault := cell_fault(text):
        faults.append(fault)
    if "[[" in text or "]]" in text:
        faults.append("a card mark in a question; questions are plain text")
    first = line_of.setdefault(question_key(text), line)
    if first != line:
        faults.append(f"the question is already on line {first}")
    return faults


def with_questions(game: Game, rulings: Mapping[str, Ruling]) -> Iterator[tuple[str, Ruling]]:
    """Yield the rulings with questions in the file, with these questions, by key."""
    by_ruling: dict[str, list[AskedQuestion]] = defaultdict(list)
    for question in game.questions:
        if question.lang in game.header.languages:
            by_ruling[f"{game.id}/{question.ruling}"].append(question)
    for key in by_ruling.keys() & rulings.keys():
        yield key, replace(rulings[key], asked_as=_by_language(by_ruling[key]))


def _by_language(questions: Iterable[AskedQuestion]) -> dict[str, tuple[str, ...]]:
    """Return questions by language, each once."""
    by_lang: dict[str, dict[str, str]] = {}
    for question in questions:
        texts = by_lang.setdefault(question.lang, {})
        texts.setdefault(question_key(question.text), question.text)
    return {lang: tuple(texts.values()) for lang, texts in by_lang.items()}


def with_replaced(text: str, asked: Mapping[str, Questions]) -> str:
    """Replace the questions of some rulings in the file's text, and keep all other lines.

    New questions are inserted in the order of the rulings' ids. Raises ValueError for a question
    with a hidden character, and for a text whose first line cannot be read.
    """
    text = text or "\t".join(_QUESTION_COLUMNS)
    if not text.endswith("\n"):
        text += "\r\n" if "\r\n" in text else "\n"
    lines = unix_lines(text).removesuffix("\n").split("\n")
    columns = cells_of(normalize(lines[0]))
    ids = ["" if line.startswith("#") else line.partition("\t")[0].strip() for line in lines]
    ids[0] = ""
    own: dict[str, list[AskedQuestion]] = defaultdict(list)
    for question in _readable(text):
        own[question.ruling].append(question)
    edits: list[Edit] = []
    for name, questions in sorted(asked.items()):
        new = [(lang, _single_line(text)) for lang, texts in questions.items() for text in texts]
        written = [
            row_of(dict(zip(_QUESTION_COLUMNS, (name, *row), strict=True)), columns) for row in new
        ]
        if name in own:
            spans = [(question.line - 1, question.line) for question in own[name]]
            old = [(question.lang, " ".join(question.text.split())) for question in own[name]]
            edits += entry_edits(spans, old, new, written)
        else:
            place = _place(name, ids)
            edits.append(Edit(place, place, written))
    return edited(text, edits)


def _readable(text: str) -> Iterator[AskedQuestion]:
    """Yield the questions in the lines without problems, also those that repeat another.

    A repeated question would be read in place of a first that is deleted. Raises ValueError if the
    first line cannot be read.
    """
    problems: list[Problem] = []
    table = normalize(unix_lines(text or "\t".join(_QUESTION_COLUMNS)))
    for number, cells in read_table(table, "", _QUESTION_COLUMNS, problems):
        if not line_faults(cells["question"], number, {}):
            yield AskedQuestion(cells["ruling"], cells["lang"], cells["question"], number)
    if problems and problems[0].line == 1:
        raise ValueError(problems[0].message)


def _single_line(question: str) -> str:
    hidden = find_hidden(question)
    if hidden:
        raise ValueError(f"{hidden_message(hidden[0])}; delete it")
    return " ".join(normalize(question).split())


def _place(name: str, ids: Sequence[str]) -> int:
    """Return the index of a ruling's first question, above the comments of the next ruling.

    `ids`: the ruling of each line, empty for comments and blank lines.
    """
    place = next((at for at, other in enumerate(ids) if other > name), len(ids))
    while 1 < place < len(ids) and not ids[place - 1]:
        place -= 1
    return place


def with_added(text: str, asked: Mapping[str, Questions]) -> str:
    """Add questions of some rulings to the file's text. Raises ValueError as `with_replaced`."""
    present: dict[str, list[AskedQuestion]] = defaultdict(list)
    for question in _readable(text):
        present[question.ruling].append(question)
    for name, by_lang in asked.items():
        for lang, questions in by_lang.items():
            present[name] += [AskedQuestion(name, lang, question, 0) for question in questions]
    return with_replaced(text, {name: _by_language(present[name]) for name in asked})


def questions_of(text: str, ruling_id: str) -> dict[str, tuple[str, ...]]:
    """Return the questions of a ruling in the file's text, by language.

    Raises ValueError if the first line cannot be read.
    """
    return _by_language(question for question in _readable(text) if question.ruling == ruling_id)
