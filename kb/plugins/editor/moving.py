"""Renaming and deleting records; references follow a new id, and prevent a deletion."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from kb.plugins.editor.forms import MoveRequest
from kb.plugins.editor.records import EditableRecords, OpenRecord
from kb.plugins.editor.saving import ChangedFile, replace_files, saving
from kb.records.draft import PatchError, parse_draft, patch_text, record_file
from kb.records.fields import HEADER_FIELDS
from kb.records.tables import Questions, with_replaced
from kb.server.responses import HttpError

DIAGRAMS = "diagrams.yaml"
# Header keys whose entries begin with the id of another ruling.
_RELATIONS = tuple(field.key for field in HEADER_FIELDS if field.of == "ruling")


def rename(records: EditableRecords, sent: MoveRequest) -> dict[str, Any]:
    """Give a ruling another id, note the old one in `formerly`, and change all that names it.

    Raises HttpError for an invalid id or a record that has changed since it was opened.
    """
    with saving(records.root):
        record = _open_unchanged(records, sent)
        new_key = f"{record.game}/{sent.new_id}"
        if problem := records.id_problem(new_key):
            raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, problem, field="new-id")
        others = _referring(records, record)
        changed: list[ChangedFile] = []
        for other in others:
            path = records.open(other).path
            before = path.read_bytes()
            changed.append((path, _with_new_id(before, other, record, sent.new_id), before))
        old = record.file.data(record.file.text)
        new = _with_new_id(old, record.key, record, sent.new_id)
        files: list[ChangedFile] = [
            (record.path.with_name(f"{sent.new_id}.md"), new, None),
            (record.path, None, old),
            *_questions(record, {record.id: {}, sent.new_id: record.asked_as}),
            *_diagrams(records, record, sent.new_id),
            *changed,
        ]
        replace_files(records, files)
    return {"key": new_key, "changed": others}


def delete(records: EditableRecords, sent: MoveRequest) -> dict[str, Any]:
    """Delete a record. Raises HttpError if another one needs it, or it has changed."""
    with saving(records.root):
        record = _open_unchanged(records, sent)
        referring = _referring(records, record)
        if referring:
            detail = f"Other rulings refer to this one: {', '.join(referring)}."
            raise HttpError(HTTPStatus.CONFLICT, detail)
        ruling = records.workspace.rulings.get(record.key)
        if ruling and (problems := records.workspace.problems_without(ruling)):
            detail = f"Without this ruling there would be a problem: {problems[0]}"
            raise HttpError(HTTPStatus.CONFLICT, detail)
        old = record.file.data(record.file.text)
        replace_files(records, [(record.path, None, old), *_questions(record, {record.id: {}})])
    return {}


def _questions(record: OpenRecord, asked: Mapping[str, Questions]) -> list[ChangedFile]:
    """Return questions.tsv with the new questions, if the record has any now."""
    if not record.asked_as:
        return []
    file = record.questions
    new = file.data(with_replaced(file.text, asked))
    return [(record.questions_path, new, file.data(file.text))]


def _diagrams(records: EditableRecords, record: OpenRecord, new_id: str) -> list[ChangedFile]:
    """Return diagrams.yaml with the new id in the lines in which a diagram names the record."""
    rows = {
        diagram.line(*place) - 1
        for diagram in records.game(record.game).diagrams
        for ruling_id, place in diagram.named_rulings()
        if ruling_id == record.id
    }
    if not rows:
        return []
    path = records.root / record.game / DIAGRAMS
    before = path.read_bytes()
    lines = before.decode("utf-8").split("\n")
    word = re.compile(rf"(?<![\w-]){re.escape(record.id)}(?![\w-])")
    for row in rows:
        lines[row] = word.sub(new_id, lines[row])
    return [(path, "\n".join(lines).encode(), before)]


def _open_unchanged(records: EditableRecords, sent: MoveRequest) -> OpenRecord:
    record = records.open(sent.key)
    if record.version != sent.version:
        detail = "The record has changed since you opened it. Reload the page."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    return record


def _referring(records: EditableRecords, record: OpenRecord) -> list[str]:
    rulings = records.workspace.of_game(record.game)
    referring = [key for key, ruling in rulings.items() if record.id in ruling.references()]
    return [key for key in referring if key != record.key]


def _with_new_id(data: bytes, key: str, record: OpenRecord, new_id: str) -> bytes:
    """Return the file of a ruling that refers to a renamed record, or of the record itself.

    Raises HttpError for a file whose structure has problems.
    """

    def renamed(entry: str) -> str:
        ruling_id, blank, reason = entry.partition(" ")
        return f"{new_id}{blank}{reason}" if ruling_id == record.id else entry

    file = record_file(data)
    draft = parse_draft(file.text)[0] if file else None
    if file is None or draft is None:
        detail = f"{key} has problems in its structure; correct it as text."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    header = dict(draft.header)
    if key == record.key:
        header["formerly"] = (*header.get("formerly", ()), record.id)
    else:
        header |= {name: tuple(map(renamed, header[name])) for name in _RELATIONS if name in header}
    try:
        text = patch_text(file.text, replace(draft, header=header))
    except PatchError as error:
        raise HttpError(HTTPStatus.CONFLICT, str(error)) from error
    return file.data(text)
