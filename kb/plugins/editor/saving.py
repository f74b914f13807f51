"""Saving records: atomically, and only over the version that was opened; commits to git."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from difflib import unified_diff
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kb.core.files import FileChanged, delete_file, folder_lock, write_file
from kb.core.problems import KbError, posix_path
from kb.plugins.editor.forms import SaveRequest
from kb.plugins.editor.records import EditableRecords, OpenRecord, new_questions
from kb.plugins.editor.validation import validate_form
from kb.records.history import run_git
from kb.records.syntax import decode
from kb.server.responses import HttpError

# Seconds to wait for another program that holds the lock of the records.
_PATIENCE = 5.0
# A path, its new bytes, and its present bytes; None for no file.
ChangedFile = tuple[Path, bytes | None, bytes | None]


def diff(records: EditableRecords, sent: SaveRequest) -> dict[str, Any]:
    """Return the changes that saving a form would make, and whether git can commit them."""
    record = _opened(records, sent)
    changes = (
        (record.path, record.file.text, records.text(record, sent.form)),
        (record.questions_path, record.questions.text, new_questions(record, sent.form)),
    )
    lines: list[str] = []
    for path, before, after in changes:
        name = posix_path(path)
        lines += unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="")
    return {"diff": lines, "git": _has_repository(records.root)}


def _opened(records: EditableRecords, sent: SaveRequest) -> OpenRecord:
    return records.open(sent.key) if sent.version else records.new(sent.key, sent.form)


def save(records: EditableRecords, sent: SaveRequest) -> dict[str, Any]:
    """Save a record and return it as JSON with its problems; without a version, it is new.

    With a message it is committed to git; after a failed commit the record stays saved. Raises
    HttpError: 409 with the `current` record if it has changed since it was opened, 422 for problems
    without `force`, or for a text that could not be parsed.
    """
    with saving(records.root):
        if not sent.version:
            # Another process may have used the id meanwhile.
            records.live.invalidate()
        record = _opened(records, sent)
        if sent.version and record.version != sent.version:
            detail = "The record has changed since you opened it."
            raise HttpError(HTTPStatus.CONFLICT, detail, current=record.as_json())
        text, questions = records.text(record, sent.form), new_questions(record, sent.form)
        data = record.file.data(text)
        _check_readable(record, data)
        _, problems = validate_form(records, record, sent.form, text)
        listed = [asdict(problem) for problem in problems]
        if record.lacks or (problems and not sent.force):
            detail = "The record was not saved because it has problems."
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            raise HttpError(status, detail, problems=listed, forcible=not record.lacks)
        files: list[ChangedFile] = []
        opened = record.questions
        if questions != opened.text:
            before = opened.data(opened.text) if record.questions_path.is_file() else None
            files.append((record.questions_path, opened.data(questions), before))
        if not sent.version or text != record.file.text:
            previous = record.file.data(record.file.text) if sent.version else None
            files.append((record.path, data, previous))
        replace_files(records, files)
        saved = records.read(sent.key, record.path).as_json()
        paths = {record.path, *(path for path, _, _ in files)}
        committed = _commit(records.root, sorted(paths), sent.message.strip())
    return {**saved, "changed": bool(files), "problems": listed, **committed}


def _check_readable(record: OpenRecord, data: bytes) -> None:
    """Refuse a file that could not be opened again, even with `force`."""
    _, problems = decode(data, posix_path(record.path))
    if problems:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        raise HttpError(status, problems[0].message, line=problems[0].line)


@contextmanager
def saving(root: Path) -> Iterator[None]:
    """Hold the lock of the records. Raises HttpError if another program keeps it."""
    try:
        with folder_lock(root, _PATIENCE):
            yield
    except KbError as error:
        raise HttpError(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from error


def replace_files(records: EditableRecords, files: Sequence[ChangedFile]) -> None:
    """Replace, create or delete files that still have their present bytes: all or none."""
    replaced: list[ChangedFile] = []
    try:
        for file in files:
            _replace_file(*file)
            replaced.append(file)
    except HttpError:
        for path, data, previous in reversed(replaced):
            _replace_file(path, previous, data)
        raise
    records.live.invalidate()


def _replace_file(path: Path, data: bytes | None, previous: bytes | None) -> None:
    name = posix_path(path)
    try:
        path.parent.mkdir(exist_ok=True)
        if data is None:
            delete_file(path, previous)
        else:
            write_file(path, data, exclusive=previous is None, expected=previous)
    except FileChanged as error:
        detail = f"Another program has just written {name}; save again."
        raise HttpError(HTTPStatus.CONFLICT, detail) from error
    except FileExistsError as error:
        raise HttpError(HTTPStatus.CONFLICT, f"{name} exists already.") from error
    except OSError as error:
        detail = f"{name}: {error.strerror}. Nothing was saved."
        raise HttpError(HTTPStatus.INSUFFICIENT_STORAGE, detail) from error


def _has_repository(root: Path) -> bool:
    try:
        return run_git(root, "rev-parse", "--is-inside-work-tree").strip() == b"true"
    except KbError:
        return False


def _commit(root: Path, paths: Sequence[Path], message: str) -> dict[str, str]:
    """Commit only these files; without a message, do nothing.

    Returns members of the response: the short `revision`, or the reason as `not_committed`.
    """
    if not message:
        return {}
    names = [posix_path(path.resolve()) for path in paths]
    try:
        run_git(root, "add", "--all", "--", *names)
        run_git(root, "commit", "--quiet", "--only", "--message", message, "--", *names)
        return {"revision": run_git(root, "rev-parse", "--short", "HEAD").decode().strip()}
    except KbError as error:
        return {"not_committed": str(error)}
