"""Renaming and deleting records: ids stay known, and no relation is left without its ruling."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kb.core.files import delete_file
from kb.core.problems import KbError, posix_path
from kb.editor.commits import commit_files
from kb.editor.records import EditableRecords, OpenRecord
from kb.editor.saving import replace_file, saving
from kb.records.draft import Draft, Value
from kb.records.patch import PatchError, patch_text
from kb.server.responses import HttpError

# The keys of a header whose entries begin with the id of another ruling of the game.
_RELATIONS = ("supersedes", "related", "example-of", "different-from")


class RecordMover:
    """Renames and deletes records, one at a time, whichever process saves."""

    def __init__(self, records: EditableRecords) -> None:
        self.records = records

    def rename(self, key: str, new_id: str, version: str, message: str = "") -> dict[str, Any]:
        """Give a ruling another id: its former one stays in `formerly`, relations follow.

        Raises HttpError where the id cannot be, or the record has another version by now.
        """
        game, _, old_id = key.partition("/")
        new_key = f"{game}/{new_id}"
        with saving(self.records.root):
            record = self._open_alone(key, version)
            problem = self.records.id_problem(new_key)
            if problem:
                raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, problem, field="new-id")
            former = record.draft.header.get("formerly", ()) if record.draft else ()
            text = _patched(record, {"formerly": (*former, old_id)})
            others = [self.records.open(other) for other in self._referring(key)]
            for other in others:
                # Raises before anything is written.
                _with_relation(other, old_id, new_id)
            path = record.path.with_name(f"{new_id}.md")
            replace_file(path, record.location.file(text), None)
            _delete(record.path)
            for key_of_other in [other.key for other in others]:
                # Read again: the one before may be in the same file.
                other = self.records.open(key_of_other)
                new_text = _with_relation(other, old_id, new_id)
                previous = other.location.file(other.location.text)
                replace_file(other.path, other.location.file(new_text), previous)
            self.records.workspaces.invalidate()
            paths = [path, record.path, *(other.path for other in others)]
            return {
                "key": new_key,
                "changed": [other.key for other in others],
                **self._commit(paths, message),
            }

    def delete(self, key: str, version: str, message: str = "") -> dict[str, Any]:
        """Delete a record that no other refers to. Raises HttpError otherwise."""
        with saving(self.records.root):
            record = self._open_alone(key, version)
            referring = self._referring(key)
            if referring:
                detail = f"Other rulings refer to this one: {', '.join(referring)}."
                raise HttpError(HTTPStatus.CONFLICT, detail)
            _delete(record.path)
            self.records.workspaces.invalidate()
            return self._commit([record.path], message)

    def _open_alone(self, key: str, version: str) -> OpenRecord:
        """Return a record that has its file for itself, in the version that was opened."""
        record = self.records.open(key)
        if record.version != version:
            detail = "The record has changed since you opened it. Reload the page."
            raise HttpError(HTTPStatus.CONFLICT, detail)
        if record.location.before or record.location.after:
            detail = f"{posix_path(record.path)} has other rulings too; edit the file as text."
            raise HttpError(HTTPStatus.CONFLICT, detail)
        return record

    def _referring(self, key: str) -> list[str]:
        """Return the keys of the rulings that have a relation to a ruling."""
        game, _, ruling_id = key.partition("/")
        return [
            other
            for other, ruling in self.records.workspaces.current().of_game(game).items()
            if other != key
            and ruling_id
            in (
                *ruling.header.supersedes,
                *ruling.header.related,
                *ruling.header.example_of,
                *(difference.id for difference in ruling.header.different_from),
            )
        ]

    def _commit(self, paths: list[Path], message: str) -> dict[str, str]:
        if not message:
            return {}
        try:
            return {"revision": commit_files(self.records.root, paths, message)}
        except KbError as error:
            return {"not_committed": str(error)}


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
    wanted: Draft = replace(draft, header={**draft.header, **values})
    try:
        return patch_text(record.location.text, wanted)
    except PatchError as error:
        raise HttpError(HTTPStatus.CONFLICT, str(error)) from error
