"""Records in the editor: opened from their files, and written with the values of a form."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any

from kb.core.decoding import FileText, read_own
from kb.core.files import read_bounded
from kb.core.problems import KbError, Problem, posix_path
from kb.core.urls import slug
from kb.linking.names import CardNames
from kb.plugins.editor.forms import Form, form_of
from kb.records.checks import rules
from kb.records.draft import (
    FormDraft,
    PatchError,
    Value,
    new_record,
    normalized,
    parse_draft,
    patch_text,
    record_file,
)
from kb.records.edits import replace_text
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.records.similarity import SimilarityIndex
from kb.records.syntax import MAX_BYTES, decode
from kb.records.tables import QUESTIONS_FILE, questions_of, with_replaced
from kb.records.text import Text
from kb.server.live_site import LiveSite
from kb.server.responses import HttpError

# Least similarity of a similar ruling, from 0 to 1.
MIN_SIMILARITY = 0.25
# Maximum number of similar rulings.
MAX_SIMILAR = 5


class Workspace:
    """The records at one time, with indexes that are built on first use.

    `rulings` includes those that the library leaves out because of their references.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.rulings = dict(sorted(library.readable.items()))
        self.card_names = cache(lambda game: CardNames(library.games[game].cards))
        self.reference_problems = cache(self._reference_problems)
        self._similarity_index = cache(self._make_similarity_index)

    def of_game(self, game_id: str) -> dict[str, Ruling]:
        return {key: ruling for key, ruling in self.rulings.items() if ruling.game == game_id}

    def check_references(self, game_id: str, rulings: Mapping[str, Ruling]) -> frozenset[Problem]:
        """Return the problems between the given rulings of a game."""
        game = self.library.games.get(game_id)
        return frozenset(rules.check_library({game_id: game}, rulings)) if game else frozenset()

    def problems_without(self, ruling: Ruling) -> list[Problem]:
        """Return the problems that other records would have without a ruling and its questions."""
        game = self.library.games.get(ruling.game)
        if not game:
            return []
        others = {key: each for key, each in self.of_game(ruling.game).items() if key != ruling.key}
        problems = rules.check_library({game.id: game.without_ruling(ruling.id)}, others)
        return sorted(set(problems) - self.reference_problems(game.id))

    def _reference_problems(self, game_id: str) -> frozenset[Problem]:
        if not self.library.problems and not self.library.left_out:
            return frozenset()
        return self.check_references(game_id, self.of_game(game_id))

    def similar(self, key: str, texts: Mapping[str, tuple[str, str]]) -> list[tuple[Ruling, float]]:
        """Return the rulings of the same game that are most similar in any language.

        `texts`: title and body by language. The ruling of `key` is left out.
        """
        game = key.partition("/")[0]
        best: dict[str, tuple[Ruling, float]] = {}
        for lang, (title, body) in texts.items():
            rulings, index = self._similarity_index(game, lang)
            for number, similarity in index.most_similar(
                f"{title}\n{body}", MAX_SIMILAR + 1, MIN_SIMILARITY
            ):
                ruling = rulings[number]
                if ruling.key != key and similarity > best.get(ruling.key, (ruling, 0.0))[1]:
                    best[ruling.key] = (ruling, similarity)
        return sorted(best.values(), key=lambda pair: (-pair[1], pair[0].key))[:MAX_SIMILAR]

    def _make_similarity_index(self, game: str, lang: str) -> tuple[list[Ruling], SimilarityIndex]:
        rulings = [ruling for ruling in self.of_game(game).values() if ruling.text(lang)]
        texts = [text for ruling in rulings if (text := ruling.text(lang))]
        return rulings, SimilarityIndex([f"{text.title}\n{text.body}" for text in texts])


# Value of `translated-from` for a translation that fits the current original.
CURRENT = "now"
_MAX_PROPOSED_ID = 50
# Id and topic of a new record that has no valid ones yet.
_STAND_IN = "new-ruling"


@dataclass(frozen=True)
class OpenRecord:
    """A record as it is on disk.

    `questions`: the game's questions.tsv. `lacks`: messages by invalid field of a new
    record.
    """

    key: str
    path: Path
    file: FileText
    questions: FileText
    lacks: Mapping[str, str] = field(default_factory=dict)

    @property
    def game(self) -> str:
        return self.key.partition("/")[0]

    @property
    def id(self) -> str:
        return self.key.partition("/")[2]

    @cached_property
    def asked_as(self) -> dict[str, tuple[str, ...]]:
        return questions_of(self.questions.text, self.id)

    @property
    def questions_path(self) -> Path:
        return self.path.parent.parent / QUESTIONS_FILE

    @property
    def version(self) -> str:
        """The hash of the record's text and questions."""
        version = self.file.version
        if not self.asked_as:
            return version
        return hashlib.sha256(f"{version} {self.asked_as}".encode()).hexdigest()

    @cached_property
    def form(self) -> tuple[dict[str, Any] | None, str]:
        """The record in a form; None, with the reason, if a form cannot keep the text."""
        draft, problems = parse_draft(self.file.text)
        if draft is None:
            return None, f"line {problems[0].line}: {problems[0].message}"
        try:
            patch_text(self.file.text, draft)
        except PatchError as error:
            return None, str(error)
        return form_of(draft, self.asked_as), ""

    def as_json(self) -> dict[str, Any]:
        form, reason = self.form
        return {
            "key": self.key,
            "version": self.version,
            "path": posix_path(self.path),
            "reason": reason,
            "form": form,
            "raw": self.file.text,
        }


class EditableRecords:
    """Opens the watched records."""

    def __init__(self, live: LiveSite) -> None:
        self.live = live
        self.root = live.paths.rulings
        self._workspace: Workspace | None = None

    @property
    def workspace(self) -> Workspace:
        """The current records. Raises KbError without their folder."""
        library, workspace = self.live.library(), self._workspace
        if workspace is None or workspace.library is not library:
            workspace = self._workspace = Workspace(library)
        return workspace

    def game(self, game_id: str) -> Game:
        """Return a game. Raises HttpError if it is missing or cannot be read."""
        game = self.workspace.library.games.get(game_id)
        if game is None:
            detail = f"There is no game {game_id}, or it cannot be read."
            raise HttpError(HTTPStatus.NOT_FOUND, detail)
        return game

    def open(self, key: str) -> OpenRecord:
        """Read a record from disk. Raises HttpError for an unknown key."""
        path = self.workspace.library.path(key)
        if not path:
            raise HttpError(HTTPStatus.NOT_FOUND, f"There is no ruling {key}.")
        return self.read(key, self._inside(Path(path)))

    def read(self, key: str, path: Path) -> OpenRecord:
        """Read a record from a file. Raises HttpError if it is missing or cannot be edited."""
        try:
            data = read_bounded(path, MAX_BYTES)
        except OSError as error:
            detail = f"{posix_path(path)}: {error.strerror}"
            raise HttpError(HTTPStatus.NOT_FOUND, detail) from error
        file = record_file(data)
        if file is None:
            _, problems = decode(data, posix_path(path))
            detail = f"{posix_path(path)} cannot be edited here: {problems[0].message}"
            raise HttpError(HTTPStatus.CONFLICT, detail)
        return OpenRecord(key, path, file, self._questions(path.parent.parent))

    def _questions(self, folder: Path) -> FileText:
        """Return the text of a game's questions.tsv. Raises HttpError if it is unreadable."""
        path = folder / QUESTIONS_FILE
        try:
            file = read_own(path)
            # Raises ValueError for a file to which no question can be added.
            questions_of(file.text, "")
            return file
        except (OSError, KbError, ValueError) as error:
            detail = f"{posix_path(path)} cannot be read: {error}"
            raise HttpError(HTTPStatus.CONFLICT, detail) from error

    def new(self, key: str, form: Form) -> OpenRecord:
        """Return an empty record in the folder of its first topic.

        A stand-in replaces an invalid id or topic, so that a preview is possible.
        """
        game_id, _, ruling_id = key.partition("/")
        game = self.game(game_id)
        lacks: dict[str, str] = {}
        if problem := self.id_problem(key):
            lacks["id"], ruling_id = problem, _STAND_IN
        topic = next(iter(form.header_list("topics")), "")
        if topic not in game.topics:
            lacks["topics"] = "Choose at least one topic; the first is the folder of the record."
            topic = next(iter(game.topics), _STAND_IN)
        path = self._inside(self.root / game_id / topic / f"{ruling_id}.md")
        questions = self._questions(self.root / game_id)
        return OpenRecord(f"{game_id}/{ruling_id}", path, FileText(), questions, lacks)

    def id_problem(self, key: str) -> str:
        """Return why a new ruling cannot have this key, an empty text if it can."""
        if key.endswith("/"):
            return "Write a title, from which the id is proposed, or an id."
        return self.workspace.library.id_fault(key)

    def _inside(self, path: Path) -> Path:
        """Return the path of a record. Raises HttpError if it leads through a symbolic link."""
        below = path.relative_to(self.root) if path.is_relative_to(self.root) else None
        if below is None or len(below.parts) != 3 or path.resolve() != self.root.resolve() / below:
            detail = f"{posix_path(path)} is not a record below {posix_path(self.root)}."
            raise HttpError(HTTPStatus.FORBIDDEN, detail)
        return path

    def text(self, record: OpenRecord, form: Form) -> str:
        """Return the record's text with the values of the form.

        Raises HttpError for values that would be parsed as something else.
        """
        if form.raw is not None:
            return replace_text(record.file.text, form.raw)
        draft, old = draft_from(form, self.game(record.game)), record.file.text
        if old and record.form[0] is None:
            detail = "A form cannot show this record any more; edit it as text."
            raise HttpError(HTTPStatus.CONFLICT, detail)
        try:
            return patch_text(old, draft) if old else new_record(draft)
        except PatchError as error:
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            raise HttpError(status, str(error), field=error.place) from error


def new_questions(record: OpenRecord, form: Form) -> str:
    """Return the text of questions.tsv with the questions of a form.

    Raises HttpError for a question with a hidden character.
    """
    # Questions in languages without a field in the form stay.
    asked = {lang: texts for lang, texts in record.asked_as.items() if lang not in form.texts}
    asked |= form.asked_as()
    if form.raw is not None or asked == record.asked_as:
        return record.questions.text
    try:
        return with_replaced(record.questions.text, {record.id: asked})
    except ValueError as error:
        detail = f"a question: {error}"
        raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, field="") from error


def draft_from(form: Form, game: Game) -> FormDraft:
    """Return the form as a draft, with the original's fingerprint in place of CURRENT."""
    draft = form.draft(game)
    translated_from = draft.header.get("translated-from")
    if not isinstance(translated_from, dict):
        return draft
    current = current_fingerprint(form, game)
    fingerprints: Value = {
        lang: current if value == CURRENT else value for lang, value in translated_from.items()
    }
    return replace(draft, header={**draft.header, "translated-from": fingerprints})


def proposed_id(titles: Mapping[str, str], game: Game) -> str:
    """Return an id from the English title, else from the original title, else an empty text."""
    title = (titles.get("en") or titles.get(game.language, "")).strip()
    words = slug(title).split("-") if title else []
    while len("-".join(words)) > _MAX_PROPOSED_ID:
        words.pop()
    return "-".join(words)


def current_fingerprint(form: Form, game: Game) -> str:
    """Return the fingerprint of the original text in the form."""
    texts = (text for text in normalized(form.draft(game)).texts if text[0] == game.language)
    return Text(*next(texts, (game.language, "", ""))).fingerprint
