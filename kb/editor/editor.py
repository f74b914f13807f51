"""Editing one record: open it as a form, judge and show what is being written, and write it back where nobody else has."""

from __future__ import annotations

import os
import secrets
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kb.build.paths import Paths
from kb.core.problems import posix_path
from kb.editor.forms import Form
from kb.editor.workspace import Workspace, WorkspaceCache, Wrong, judged
from kb.records.draft import Draft, Value, normalized, parse_draft
from kb.records.model import SLUG, Game, Ruling, Text, fingerprint
from kb.records.patch import (
    PatchError,
    RecordLocation,
    locate,
    new_record,
    patch_text,
    replace_text,
)
from kb.records.syntax import decode
from kb.server.responses import Refused

NOW = "now"


@dataclass(frozen=True)
class Opened:
    """A record as it lies on the disk. `draft` is None where it can only be edited as text, `why` says why then."""

    key: str
    path: Path
    place: RecordLocation
    draft: Draft | None
    why: str = ""

    @property
    def seen(self) -> str:
        """The hash that guards what is written back."""
        return self.place.seen

    def shape(self) -> dict[str, Any]:
        """The record as data for a form."""
        return {
            "key": self.key,
            "seen": self.seen,
            "path": posix_path(self.path),
            "why": self.why,
            **shape(self.draft, self.place.text),
        }


def shape(draft: Draft | None, text: str) -> dict[str, Any]:
    """A draft as data: the header by key, the texts by language, and all of it as plain text."""
    if draft is None:
        return {"form": None, "raw": text}
    texts = {lang: {"title": title, "body": body} for lang, title, body in draft.texts}
    return {"form": {"header": dict(draft.header), "texts": texts}, "raw": text}


@dataclass(frozen=True)
class Looked:
    """What is to be said of a record that is being written. `ruling` is None when it cannot be read."""

    ruling: Ruling | None
    wrong: list[Wrong]
    similar: list[tuple[Ruling, float]]


class Editor:
    """Edits the records of one folder."""

    def __init__(self, places: Paths) -> None:
        self.places = places
        self.shelves = WorkspaceCache(places.rulings)
        self._lock = threading.Lock()

    def open(self, key: str) -> Opened:
        """A record, read from the disk. Raises Refused when there is none."""
        shelf = self.shelves.now()
        path = shelf.path(key)
        if not path:
            raise Refused(HTTPStatus.NOT_FOUND, f"no ruling {key}")
        return self._opened(key, self._inside(Path(path)))

    def _opened(self, key: str, path: Path) -> Opened:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise Refused(HTTPStatus.NOT_FOUND, f"{posix_path(path)}: {error.strerror}") from error
        place = locate(data, key.partition("/")[2])
        if place is None:
            _, problems = decode(data, posix_path(path))
            told = problems[0].message if problems else "the ruling is no longer in this file"
            raise Refused(HTTPStatus.CONFLICT, f"{posix_path(path)} cannot be edited here: {told}")
        draft, problems = parse_draft(place.text)
        why = f"line {problems[0].line}: {problems[0].message}" if problems else ""
        return Opened(key, path, place, draft, why)

    def _inside(self, path: Path) -> Path:
        """A path below the folder of records, through no link. Raises Refused for another."""
        root = self.places.rulings
        below = path.relative_to(root) if path.is_relative_to(root) else None
        if below is None or len(below.parts) != 3 or path.resolve() != root.resolve() / below:
            raise Refused(
                HTTPStatus.FORBIDDEN, f"{posix_path(path)} is not a record below {posix_path(root)}"
            )
        return path

    def _blank(self, key: str, form: Form) -> Opened:
        """The place of a record that is not there yet. Raises Refused for an id or a topic that cannot be."""
        game_id, _, ruling_id = key.partition("/")
        shelf = self.shelves.now()
        game = self.game(game_id)
        topics = form.header_list("topics")
        wrong = ""
        if not SLUG.fullmatch(ruling_id) or len(ruling_id) > 100:
            wrong = "an id is lower-case letters a-z, digits and single hyphens, at most 100"
        elif shelf.path(key):
            wrong = f"the id is taken by {shelf.path(key)}"
        elif any(ruling_id in one.header.formerly for one in shelf.of_game(game_id).values()):
            wrong = "the id was once another ruling's; ids are never reused"
        if wrong:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, wrong, place="id")
        if not topics or topics[0] not in game.topics:
            told = "name at least one topic of the game; the first is the folder of the record"
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, told, place="topics")
        path = self._inside(self.places.rulings / game_id / topics[0] / f"{ruling_id}.md")
        return Opened(key, path, RecordLocation(False, "", "", ""), Draft())

    def game(self, game_id: str) -> Game:
        """A game. Raises Refused when there is none that can be read."""
        game = self.shelves.now().game(game_id)
        if game is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"no game {game_id} that can be read")
        return game

    def text(self, opened: Opened, form: Form) -> str:
        """The record's text with what the form holds. Raises Refused where that would be read as something else."""
        if form.raw is not None:
            return replace_text(opened.place.text, form.raw)
        draft = self._draft(self.game(opened.key.partition("/")[0]), form)
        try:
            if not opened.place.text:
                return new_record(draft)
            if opened.draft is None:
                raise Refused(
                    HTTPStatus.CONFLICT,
                    "this record can only be edited as text now; its outline is not whole",
                )
            return patch_text(opened.place.text, draft)
        except PatchError as error:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(error), place=error.place) from error

    @staticmethod
    def _draft(game: Game, form: Form) -> Draft:
        """What the form holds; a translation that is said to fit (NOW) gets the mark of the original as it stands in the form."""
        draft = form.draft(game)
        noted = draft.header.get("translated-from")
        if not isinstance(noted, dict) or NOW not in noted.values():
            return draft
        mark = current_fingerprint(form, game)
        marks: Value = {lang: mark if one == NOW else one for lang, one in noted.items()}
        return replace(draft, header={**draft.header, "translated-from": marks})

    def look(self, key: str, form: Form, new: bool) -> Looked:
        """What is wrong with what is being written, and which rulings are like it. Writes nothing."""
        shelf = self.shelves.now()
        texts = form.texts_by_language()
        similar = shelf.similar(key, texts)
        try:
            opened = self._blank(key, form) if new else self.open(key)
            text = self.text(opened, form)
        except Refused as error:
            if error.status == HTTPStatus.NOT_FOUND:
                raise
            return Looked(None, [Wrong(str(error.more.get("place", "")), error.detail, 0)], similar)
        ruling, wrong = judged(shelf, key, opened.path, opened.place, text)
        if ruling is None and form.raw is None:
            ruling = self._passable(shelf, opened, form, wrong)
        return Looked(ruling, wrong, similar)

    def _passable(
        self, shelf: Workspace, opened: Opened, form: Form, wrong: list[Wrong]
    ) -> Ruling | None:
        """A ruling without the header's wrong values, so that a slip in a date does not take the preview away."""
        draft = self._draft(self.game(opened.key.partition("/")[0]), form)
        bad = {one.place for one in wrong}
        least: dict[str, Value] = {"kind": "ruling", "authority": "community", "status": "current"}
        header = {**least, "topics": (opened.path.parent.name,), **draft.header}
        kept = {key: least.get(key, "") if key in bad else value for key, value in header.items()}
        try:
            text = new_record(replace(draft, header=kept))
        except PatchError:
            return None
        return judged(shelf, opened.key, opened.path, RecordLocation(False, "", text, ""), text)[0]

    def save(self, key: str, form: Form, seen: str, *, insist: bool) -> dict[str, Any]:
        """Writes the record back; `seen` is empty for a new one. Says where it is, its new hash and what is wrong with it.

        Raises Refused: 409 with the record as it is now when it is no longer the one that was seen, 422 when it has problems and
        `insist` is off, or when it could not be read at all.
        """
        with self._lock:
            opened = self.open(key) if seen else self._blank(key, form)
            if seen and opened.seen != seen:
                raise Refused(
                    HTTPStatus.CONFLICT,
                    "the record has been changed since you opened it",
                    theirs=opened.shape(),
                )
            text = self.text(opened, form)
            data = opened.place.file(text)
            self._readable(opened, data, text)
            _, wrong = judged(self.shelves.now(), key, opened.path, opened.place, text)
            if wrong and not insist:
                told = "nothing is written: the record has problems"
                raise Refused(
                    HTTPStatus.UNPROCESSABLE_ENTITY, told, problems=[asdict(one) for one in wrong]
                )
            same = bool(seen) and text == opened.place.text
            if not same:
                _write(opened.path, data, opened.place.file(opened.place.text) if seen else None)
                self.shelves.changed()
            now = self._opened(key, opened.path)
        return {**now.shape(), "changed": not same, "problems": [asdict(one) for one in wrong]}

    @staticmethod
    def _readable(opened: Opened, data: bytes, text: str) -> None:
        """Refuses what would make the file unreadable, or one ruling of a collection two: insisting does not help."""
        _, problems = decode(data, posix_path(opened.path))
        if problems:
            raise Refused(
                HTTPStatus.UNPROCESSABLE_ENTITY, problems[0].message, line=problems[0].line
            )
        again = locate(data, opened.key.partition("/")[2])
        if again is None or again.text != text or again.before != opened.place.before:
            told = "a line that begins with `=== ` separates the rulings of this file; it cannot stand in a text"
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, told)


def current_fingerprint(form: Form, game: Game) -> str:
    """The mark that says of which original a translation was made, for the original as the form holds it."""
    title, body = form.texts_by_language().get(game.language, ("", ""))
    ((_, title, body),) = normalized(Draft({}, ((game.language, title, body),))).texts or (
        (game.language, "", ""),
    )
    return fingerprint(Text(lang=game.language, title=title, body=body, line=1, body_line=1))


def _write(path: Path, data: bytes, before: bytes | None) -> None:
    """Writes a file whole or not at all, where it still holds `before` (None: where there is none). It keeps its rights."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(exist_ok=True)
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if before is None:
                os.link(beside, path)
            elif path.read_bytes() != before:
                raise Refused(
                    HTTPStatus.CONFLICT,
                    f"{posix_path(path)} was being written by another program; save again",
                )
            else:
                os.chmod(beside, path.stat().st_mode & 0o777)
                os.replace(beside, path)
        finally:
            with suppress(FileNotFoundError):
                beside.unlink()
    except FileExistsError as error:
        raise Refused(HTTPStatus.CONFLICT, f"{posix_path(path)} is there already") from error
    except OSError as error:
        told = f"{posix_path(path)}: {error.strerror}; nothing was written"
        raise Refused(HTTPStatus.INSUFFICIENT_STORAGE, told) from error
