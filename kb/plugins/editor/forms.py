"""Requests of the editor's pages, as validated models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from kb.core.validation import explain
from kb.records.draft import KEYS, LISTS, PAIRS, FormDraft, Value
from kb.records.model import Game
from kb.records.syntax import MAX_RULING
from kb.records.values import LANGUAGE

Line = Annotated[str, StringConstraints(max_length=2_000)]
Body = Annotated[str, StringConstraints(max_length=200_000)]
Raw = Annotated[str, StringConstraints(max_length=MAX_RULING)]
Key = Annotated[
    str, StringConstraints(max_length=205, pattern=r"^[a-z0-9-]{1,100}/[a-z0-9-]{0,100}$")
]
T = TypeVar("T")
# Prefix of the header list with the questions of a language.
ASKED_AS = "asked-as."
_MAX_LANGUAGES = 30


class _Sent(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FormText(_Sent):
    """The text of one language."""

    title: Line = ""
    body: Body = ""


class Form(_Sent):
    """A record as header values and texts, or as plain text in `raw`."""

    header: dict[str, Line | Annotated[list[Line], Field(max_length=200)] | dict[str, Line]] = (
        Field(default_factory=dict, max_length=len(KEYS) + _MAX_LANGUAGES)
    )
    texts: dict[str, FormText] = Field(default_factory=dict, max_length=_MAX_LANGUAGES)
    raw: Raw | None = None

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
        header: dict[str, Value] = {}
        for key, value in self.header.items():
            if key in LISTS and isinstance(value, list):
                header[key] = tuple(value)
            elif key in PAIRS and isinstance(value, dict):
                header[key] = _by_language(value)
            elif key in KEYS and key not in LISTS | PAIRS and isinstance(value, str):
                header[key] = value
        texts, order = _by_language(self.texts), dict.fromkeys((*game.languages, *self.texts))
        sections = ((lang, texts[lang].title, texts[lang].body) for lang in order if lang in texts)
        return FormDraft(header, tuple(sections))


def _by_language(values: Mapping[str, T]) -> dict[str, T]:
    """Return the values whose keys are languages."""
    return {lang: value for lang, value in values.items() if LANGUAGE.fullmatch(lang)}


def form_of(draft: FormDraft, asked_as: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a draft and its questions in the shape of a form."""
    texts = {lang: {"title": title, "body": body} for lang, title, body in draft.texts}
    asked = {f"{ASKED_AS}{lang}": list(questions) for lang, questions in asked_as.items()}
    return {"header": {**draft.header, **asked}, "texts": texts}


def cannot_be_sent(form: dict[str, Any]) -> str:
    """Return why an opened form could not be sent back, an empty text if it could."""
    try:
        Form.model_validate(form)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'][:2]))}: {explain(first)}"
    unknown = next((lang for lang in form["texts"] if not LANGUAGE.fullmatch(lang)), None)
    return f"{unknown}: not a language" if unknown else ""


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
    values: dict[str, Line] = Field(max_length=40)


class SaveRequest(_Sent):
    """A form to save.

    `version`: the hash of the opened record, empty for a new one. `force`: save despite problems.
    `message`: of the git commit, empty for no commit.
    """

    key: Key
    version: Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{64})?$")] = ""
    form: Form
    force: bool = False
    message: Line = ""
