"""Renaming and deleting records: former ids stay known, relations keep their rulings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kb.core.problems import posix_path
from kb.editor.commits import commit_files
from kb.editor.forms import MoveRequest
from kb.editor.records import EditableRecords, OpenRecord
from kb.editor.saving import ChangedFile, replace_files, saving
from kb.records.draft import Value, parse_draft
from kb.records.fields import HEADER_FIELDS
from kb.records.patch import PatchError, RecordLocation, locate, patch_text
from kb.records.question_file import Questions, with_replaced
from kb.server.responses import HttpError

Header = Mapping[str, Value]
# Header keys whose entries begin with the id of another ruling.
_RELATIONS = tuple(field.key for field in HEADER_FIELDS if field.of == "ruling")


def rename(records: EditableRecords, sent: MoveRequest) -> dict[str, Any]:
    """Give a ruling another id, note the old one in `formerly`, and change all relations to it.

    Raises HttpError for an invalid id or a record that has changed since it was opened.
    """
    game, _, old_id = sent.key.partition("/")
    new_key = f"{game}/{sent.new_id}"
    with saving(records.root):
        record = _open_alone(records, sent)
        problem = records.id_problem(new_key)
        if problem:
            raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, problem, field="new-id")
        others = _referring(records, sent.key)
        changed: dict[Path, tuple[bytes, bytes]] = {}
        for other in others:
            path = records.open(other).path
            # Two rulings may be in one file.
            before, data = changed.get(path) or (path.read_bytes(),) * 2
            changed[path] = before, _with_relation(data, other, old_id, sent.new_id)
        files: list[ChangedFile] = [
            (record.path.with_name(f"{sent.new_id}.md"), _with_former_id(record, old_id), None),
            (record.path, None, record.location.file(record.location.text)),
            *_questions(record, {old_id: {}, sent.new_id: record.asked_as}),
            *((path, data, before) for path, (before, data) in changed.items()),
        ]
        committed = _write(records, files, sent.message)
    return {"key": new_key, "changed": others, **committed}


def delete(records: EditableRecords, sent: MoveRequest) -> dict[str, Any]:
    """Delete a record. Raises HttpError if another one refers to it or it has changed."""
    with saving(records.root):
        record = _open_alone(records, sent)
        referring = _referring(records, sent.key)
        if referring:
            detail = f"Other rulings refer to this one: {', '.join(referring)}."
            raise HttpError(HTTPStatus.CONFLICT, detail)
        files: list[ChangedFile] = [
            (record.path, None, record.location.file(record.location.text)),
            *_questions(record, {sent.key.partition("/")[2]: {}}),
        ]
        return _write(records, files, sent.message)


def _write(records: EditableRecords, files: list[ChangedFile], message: str) -> dict[str, str]:
    replace_files(files)
    records.live.invalidate()
    return commit_files(records.root, [path for path, _, _ in files], message)


def _questions(record: OpenRecord, asked: Mapping[str, Questions]) -> list[ChangedFile]:
    """Return questions.tsv with the new questions, if the record has any now."""
    if not record.asked_as:
        return []
    text = with_replaced(record.questions, asked)
    return [(record.questions_path, text.encode(), record.questions.encode())]


def _open_alone(records: EditableRecords, sent: MoveRequest) -> OpenRecord:
    """Return a record that is alone in its file. Raises HttpError if it has changed."""
    record = records.open(sent.key)
    if record.version != sent.version:
        detail = "The record has changed since you opened it. Reload the page."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    if record.location.offset:
        detail = f"{posix_path(record.path)} has other rulings too; edit the file as text."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    return record


def _referring(records: EditableRecords, key: str) -> list[str]:
    """Return the keys of the rulings that have a relation to a ruling."""
    game, _, ruling_id = key.partition("/")
    rulings = records.workspace.of_game(game)
    referring = [other for other, ruling in rulings.items() if ruling_id in ruling.references()]
    return [other for other in referring if other != key]


def _with_former_id(record: OpenRecord, old_id: str) -> bytes:
    """Return the record's file with its old id in `formerly`."""

    def change(header: Header) -> Header:
        return {"formerly": (*header.get("formerly", ()), old_id)}

    return _patched(record.location, record.key, change)


def _with_relation(data: bytes, key: str, old_id: str, new_id: str) -> bytes:
    """Return a file with the new id in the relations of one of its rulings."""

    def renamed(entry: str) -> str:
        ruling_id, blank, reason = entry.partition(" ")
        return f"{new_id}{blank}{reason}" if ruling_id == old_id else entry

    def change(header: Header) -> Header:
        return {name: tuple(map(renamed, header[name])) for name in _RELATIONS if name in header}

    return _patched(locate(data, key.partition("/")[2]), key, change)


def _patched(
    location: RecordLocation | None, key: str, change: Callable[[Header], Header]
) -> bytes:
    """Return the file of a ruling with changed values of its header."""
    draft = parse_draft(location.text)[0] if location else None
    if location is None or draft is None:
        detail = f"{key} has problems in its structure; correct it as text."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    header = {**draft.header, **change(draft.header)}
    try:
        text = patch_text(location.text, replace(draft, header=header))
    except PatchError as error:
        raise HttpError(HTTPStatus.CONFLICT, str(error)) from error
    return location.file(text)
