"""`questions.tsv` of a game: the questions that players ask, by ruling, the best first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from kb.core.characters import find_hidden, hidden_message, normalize
from kb.core.decoding import unix_lines
from kb.core.problems import Problem
from kb.language import fold, words_of
from kb.records.edits import Edit, edited, entry_edits
from kb.records.model import AskedQuestion, Game, Ruling
from kb.records.syntax import decode
from kb.records.table import cells_of, read_table, row_of

NAME = "questions.tsv"
COLUMNS = ("ruling", "lang", "question")
# Questions whose keys are cached, because checks and indexes ask for them again.
_KEYS = 20_000
# In characters.
MIN_LENGTH, MAX_LENGTH = 2, 300
Questions = Mapping[str, Sequence[str]]


def read_questions(data: bytes, path: str) -> tuple[tuple[AskedQuestion, ...], list[Problem]]:
    """Read the questions in order; lines with problems are left out."""
    text, problems = decode(data, path)
    if problems or not text.strip():
        return (), problems
    questions: list[AskedQuestion] = []
    first_lines: dict[tuple[str, str], dict[str, int]] = {}
    for number, cells in read_table(text, path, COLUMNS, problems):
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
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
        faults.append(
            f"a question has {MIN_LENGTH} to {MAX_LENGTH} characters, this one has {len(text)}"
        )
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
    text = text or "\t".join(COLUMNS)
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
        written = [row_of(dict(zip(COLUMNS, (name, *row), strict=True)), columns) for row in new]
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
    table = normalize(unix_lines(text or "\t".join(COLUMNS)))
    for number, cells in read_table(table, "", COLUMNS, problems):
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
