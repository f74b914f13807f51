"""Renaming and deleting records: ids stay known, and no relation is left without its ruling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kb.core.files import delete_file
from kb.core.problems import posix_path
from kb.editor.commits import commit_files
from kb.editor.forms import MoveRequest
from kb.editor.records import EditableRecords, OpenRecord
from kb.editor.saving import replace_file, saving
from kb.records.draft import Value
from kb.records.fields import HEADER_FIELDS
from kb.records.patch import PatchError, patch_text
from kb.records.question_file import Questions, with_replaced
from kb.server.responses import HttpError

# The keys of a header whose entries begin with the id of another ruling of the game.
_RELATIONS = tuple(field.key for field in HEADER_FIELDS if field.of == "ruling")


def rename(records: EditableRecords, sent: MoveRequest) -> dict[str, Any]:
    """Give a ruling another id: its former one stays in `formerly`, relations follow.

    Raises HttpError where the id cannot be, or the record has another version by now.
    """
    game, _, old_id = sent.key.partition("/")
    new_key = f"{game}/{sent.new_id}"
    with saving(records.root):
        record = _open_alone(records, sent)
        problem = records.id_problem(new_key)
        if problem:
            raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, problem, field="new-id")
        former = record.draft.header.get("formerly", ()) if record.draft else ()
        text = _patched(record, {"formerly": (*former, old_id)})
        others = _referring(records, sent.key)
        for other in others:
            # Raises before anything is written.
            _with_relation(records.open(other), old_id, sent.new_id)
        path = record.path.with_name(f"{sent.new_id}.md")
        replace_file(path, record.location.file(text), None)
        asked = _replace_questions(record, {old_id: {}, sent.new_id: record.asked_as})
        _delete(record.path)
        paths = [path, record.path, *asked]
        for other in others:
            # Read again: the one before may be in the same file.
            referring = records.open(other)
            new_text = _with_relation(referring, old_id, sent.new_id)
            location = referring.location
            replace_file(referring.path, location.file(new_text), location.file(location.text))
            paths.append(referring.path)
        records.workspaces.invalidate()
        committed = commit_files(records.root, paths, sent.message)
        return {"key": new_key, "changed": others, **committed}


def delete(records: EditableRecords, sent: MoveRequest) -> dict[str, Any]:
    """Delete a record that no other refers to. Raises HttpError otherwise."""
    with saving(records.root):
        record = _open_alone(records, sent)
        referring = _referring(records, sent.key)
        if referring:
            detail = f"Other rulings refer to this one: {', '.join(referring)}."
            raise HttpError(HTTPStatus.CONFLICT, detail)
        _delete(record.path)
        asked = _replace_questions(record, {sent.key.partition("/")[2]: {}})
        records.workspaces.invalidate()
        return commit_files(records.root, [record.path, *asked], sent.message)


def _replace_questions(record: OpenRecord, asked: Mapping[str, Questions]) -> list[Path]:
    """Write questions.tsv where the record has questions; return its path then."""
    if not record.asked_as:
        return []
    text = with_replaced(record.questions, asked)
    replace_file(record.questions_path, text.encode(), record.questions.encode())
    return [record.questions_path]


def _open_alone(records: EditableRecords, sent: MoveRequest) -> OpenRecord:
    """Return a record that has its file for itself, in the version that was opened."""
    record = records.open(sent.key)
    if record.version != sent.version:
        detail = "The record has changed since you opened it. Reload the page."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    if record.location.before or record.location.after:
        detail = f"{posix_path(record.path)} has other rulings too; edit the file as text."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    return record


def _referring(records: EditableRecords, key: str) -> list[str]:
    """Return the keys of the rulings that have a relation to a ruling."""
    game, _, ruling_id = key.partition("/")
    rulings = records.workspaces.current().of_game(game)
    referring = [other for other, ruling in rulings.items() if ruling_id in ruling.references()]
    return [other for other in referring if other != key]


def _delete(path: Path) -> None:
    try:
        delete_file(path)
    except OSError as error:
        detail = f"{posix_path(path)}: {error.strerror}. It was not deleted."
        raise HttpError(HTTPStatus.INSUFFICIENT_STORAGE, detail) from error


def _with_relation(record: OpenRecord, old_id: str, new_id: str) -> str:
    """Return the text of a record whose relations name the new id for the old one."""
    header = record.draft.header if record.draft else {}
    values: dict[str, Value] = {}
    for name in _RELATIONS:
        entries = header.get(name)
        if isinstance(entries, tuple):
            values[name] = tuple(_renamed(entry, old_id, new_id) for entry in entries)
    return _patched(record, values)


def _renamed(entry: str, old_id: str, new_id: str) -> str:
    word, blank, rest = entry.partition(" ")
    return f"{new_id}{blank}{rest}" if word == old_id else entry


def _patched(record: OpenRecord, values: dict[str, Value]) -> str:
    draft = record.draft
    if draft is None:
        detail = f"{posix_path(record.path)} has problems in its structure; correct it as text."
        raise HttpError(HTTPStatus.CONFLICT, detail)
    try:
        return patch_text(record.location.text, replace(draft, header={**draft.header, **values}))
    except PatchError as error:
        raise HttpError(HTTPStatus.CONFLICT, str(error)) from error
