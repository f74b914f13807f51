"""Requests of the editor's pages, as validated models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from kb.records.draft import KEYS, FormDraft, Value
from kb.records.model import Game
from kb.records.syntax import MAX_RULING

Key = Annotated[
    str, StringConstraints(max_length=205, pattern=r"^[a-z0-9-]{1,100}/[a-z0-9-]{0,100}$")
]
# Prefix of the header list with the questions of a language.
ASKED_AS = "asked-as."


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FormText(_Sent):
    """The text of one language."""

    title: str = ""
    body: str = ""


class Form(_Sent):
    """A record as header values and texts, or as plain text in `raw`."""

    header: dict[str, str | list[str] | dict[str, str]] = Field(default_factory=dict)
    texts: dict[str, FormText] = Field(default_factory=dict)
    raw: Annotated[str, StringConstraints(max_length=MAX_RULING)] | None = None

    def header_list(self, key: str) -> list[str]:
        """Return the entries of a list in the header, without empty ones."""
        value = self.header.get(key, [])
        if not isinstance(value, list):
            return []
        return [entry.strip() for entry in value if entry.strip()]

    def asked_as(self) -> dict[str, tuple[str, ...]]:
        """Return the questions by language, without empty ones."""
        asked = {
            key.removeprefix(ASKED_AS): tuple(self.header_list(key))
            for key in self.header
            if key.startswith(ASKED_AS)
        }
        return {lang: texts for lang, texts in asked.items() if texts}

    def texts_by_language(self) -> dict[str, tuple[str, str]]:
        """Return titles and bodies by language, without empty texts."""
        return {
            lang: (text.title, text.body)
            for lang, text in self.texts.items()
            if text.title.strip() or text.body.strip()
        }

    def draft(self, game: Game) -> FormDraft:
        """Return the form as a draft without unknown keys, the game's own language first."""
        header: dict[str, Value] = {
            key: tuple(value) if isinstance(value, list) else value
            for key, value in self.header.items()
            if key in KEYS
        }
        order = dict.fromkeys((*game.languages, *self.texts))
        texts = ((lang, self.texts[lang]) for lang in order if lang in self.texts)
        return FormDraft(header, tuple((lang, text.title, text.body) for lang, text in texts))


def form_of(draft: FormDraft, asked_as: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a draft and its questions in the shape of a form."""
    texts = {lang: {"title": title, "body": body} for lang, title, body in draft.texts}
    asked = {f"{ASKED_AS}{lang}": list(questions) for lang, questions in asked_as.items()}
    return {"header": {**draft.header, **asked}, "texts": texts}


class ReviewRequest(_Sent):
    """A form to validate and preview."""

    key: Key
    new: bool = False
    form: Form


class MoveRequest(_Sent):
    """A record to rename, or to delete without `new_id`; `version` is as in SaveRequest."""

    key: Key
    version: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    new_id: Annotated[str, StringConstraints(max_length=100)] = ""


class AddRequest(_Sent):
    """A new card, topic, source, provision or term of a game."""

    kind: Literal["card", "topic", "source", "provision", "term"]
    game: Annotated[str, StringConstraints(max_length=100, pattern=r"^[a-z0-9-]+$")]
    values: dict[str, str]


class SaveRequest(_Sent):
    """A form to save.

    `version`: the hash of the opened record, empty for a new one. `force`: save despite problems.
    `message`: of the git commit, empty for no commit.
    """

    key: Key
    version: Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{64})?$")] = ""
    form: Form
    force: bool = False
    message: str = ""
