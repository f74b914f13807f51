"""Problems of a record with the values of a form, and new problems of other records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus

from kb.core.problems import Problem, posix_path
from kb.plugins.editor.forms import ASKED_AS, Form
from kb.plugins.editor.records import EditableRecords, OpenRecord, Workspace, draft_from
from kb.records.draft import KEYS, PAIRS, PatchError, Value, field_at_line, new_record
from kb.records.model import Ruling
from kb.records.parse import read_ruling
from kb.records.tables import line_faults, question_key
from kb.server.responses import HttpError

_DEFAULTS: dict[str, Value] = {"kind": "ruling", "authority": "community", "status": "current"}


@dataclass(frozen=True)
class FieldProblem:
    """A problem and its field, which is empty for the record as a whole.

    `path` is empty unless the problem is in another record.
    """

    field: str
    message: str
    line: int = 0
    path: str = ""


# The ruling of a form, None if it cannot be read, and its problems.
Review = tuple[Ruling | None, list[FieldProblem]]


def review(records: EditableRecords, key: str, form: Form, *, new: bool) -> Review:
    """Validate a form without saving it. Raises HttpError for an unknown record."""
    try:
        record = records.new(key, form) if new else records.open(key)
        text = records.text(record, form)
    except HttpError as error:
        if error.status_code == HTTPStatus.NOT_FOUND:
            raise
        return None, [FieldProblem(str(error.members.get("field", "")), error.detail)]
    return validate_form(records, record, form, text)


def validate_form(records: EditableRecords, record: OpenRecord, form: Form, text: str) -> Review:
    """Return the ruling of a form without its invalid values, and all problems at once.

    An unreadable record hides the problems between records; they are found by reading it without
    the invalid values.
    """
    ruling, problems = validate(records.workspace, record, text)
    if ruling is None and form.raw is None:
        ruling, more = _without_problems(records, record, form, problems)
        invalid = {problem.field for problem in problems}
        problems += [
            problem if problem.path else replace(problem, line=0)
            for problem in more
            if problem.field not in invalid
        ]
    problems = [problem for problem in problems if problem.field not in record.lacks]
    problems += [FieldProblem(field, message) for field, message in record.lacks.items()]
    if form.raw is None:
        problems += _question_problems(records, record, form)
        if ruling is not None:
            topics = () if "topics" in record.lacks else ruling.header.topics
            ruling = replace(
                ruling,
                header=replace(ruling.header, topics=topics),
                asked_as={**ruling.asked_as, **form.asked_as()},
            )
    return ruling, problems


def _question_problems(
    records: EditableRecords, record: OpenRecord, form: Form
) -> list[FieldProblem]:
    owners = {
        question_key(text): other
        for other, ruling in records.workspace.of_game(record.game).items()
        for texts in ruling.asked_as.values()
        for text in texts
        if other != record.key
    }
    problems = []
    for lang, texts in form.asked_as().items():
        line_of: dict[str, int] = {}
        faults = [
            fault for at, text in enumerate(texts, 1) for fault in line_faults(text, at, line_of)
        ]
        faults += [
            f"{owners[name]} asks the same; a question leads to one ruling"
            for name in line_of
            if name in owners
        ]
        if lang not in records.game(record.game).header.languages:
            faults.append(f"{lang} is not one of the game's languages")
        problems += [FieldProblem(f"{ASKED_AS}{lang}", fault) for fault in faults]
    return problems


def validate(workspace: Workspace, record: OpenRecord, text: str) -> Review:
    """Return the ruling of a text, None if it cannot be read, and its problems.

    The problems include new ones that it causes in other records.
    """
    game, path = record.game, posix_path(record.path)
    ruling, own = read_ruling(record.file.data(text), path, game, record.path.parent.name)
    others: list[Problem] = []
    if ruling is not None:
        changed = {**workspace.of_game(game), record.key: ruling}
        for problem in workspace.check_references(game, changed):
            if problem.path == path:
                own.append(problem)
            elif problem not in workspace.reference_problems(game):
                others.append(problem)
    result = []
    for problem in sorted(set(own), key=lambda problem: problem.line):
        field = _field(problem.message, text, problem.line)
        result.append(FieldProblem(field, problem.message, problem.line))
    for problem in sorted(others):
        result.append(FieldProblem("", problem.message, problem.line, problem.path))
    return ruling, result


def _field(message: str, text: str, line: int) -> str:
    """Return the field of a form for a problem at a line of the text."""
    key = message.partition(":")[0]
    if key in KEYS or key.partition(".")[0] in PAIRS:
        # A missing field has no line.
        return key
    field = field_at_line(text, line)
    # A text as a whole is reported at its heading.
    return field.replace("title.", "body.", 1) if message.startswith("the text in ") else field


def _without_problems(
    records: EditableRecords, record: OpenRecord, form: Form, problems: list[FieldProblem]
) -> Review:
    """Return the ruling with defaults for invalid header values, and its problems."""
    draft = draft_from(form, records.game(record.game))
    invalid = {problem.field.partition(".")[0] for problem in problems}
    defaults = {**_DEFAULTS, "topics": (record.path.parent.name,)}
    header = {**defaults, **draft.header}
    valid = {
        key: defaults.get(key, "") if key in invalid else value for key, value in header.items()
    }
    try:
        text = new_record(replace(draft, header=valid))
    except PatchError:
        return None, []
    return validate(records.workspace, record, text)
