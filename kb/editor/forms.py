"""What a browser sends while somebody edits, checked before anything is done with it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from kb.records.draft import KEYS, LISTS, PAIRS, Draft, Value
from kb.records.model import LANGUAGE, Game

Entry = Annotated[str, StringConstraints(max_length=2_000)]
Body = Annotated[str, StringConstraints(max_length=200_000)]
Key = Annotated[
    str, StringConstraints(max_length=205, pattern=r"^[a-z0-9-]{1,100}/[a-z0-9-]{0,100}$")
]


class Sent(BaseModel):
    """The common ground: nothing but what is asked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Written(Sent):
    """A text in one language."""

    title: Entry = ""
    body: Body = ""


class Form(Sent):
    """A record as the form holds it, or as plain text."""

    header: dict[str, Entry | Annotated[list[Entry], Field(max_length=200)] | dict[str, Entry]] = (
        Field(default_factory=dict, max_length=len(KEYS))
    )
    texts: dict[str, Written] = Field(default_factory=dict, max_length=30)
    raw: Body | None = None

    def header_list(self, key: str) -> list[str]:
        """The entries of a list."""
        value = self.header.get(key, [])
        return [one.strip() for one in value if one.strip()] if isinstance(value, list) else []

    def texts_by_language(self) -> dict[str, tuple[str, str]]:
        """Titles and bodies that have words."""
        return {
            lang: (one.title, one.body)
            for lang, one in self.texts.items()
            if one.title.strip() or one.body.strip()
        }

    def draft(self, game: Game) -> Draft:
        """The form as a draft, with the game's own language first. Keys and languages that are none are left out."""
        header: dict[str, Value] = {}
        for key, value in self.header.items():
            if key in LISTS and isinstance(value, list):
                header[key] = tuple(value)
            elif key in PAIRS and isinstance(value, dict):
                header[key] = {name: one for name, one in value.items() if LANGUAGE.fullmatch(name)}
            elif key in KEYS and key not in LISTS | PAIRS and isinstance(value, str):
                header[key] = value
        order = [*dict.fromkeys((game.language, *game.header.languages)), *self.texts]
        langs = [
            lang for lang in dict.fromkeys(order) if lang in self.texts and LANGUAGE.fullmatch(lang)
        ]
        return Draft(
            header, tuple((lang, self.texts[lang].title, self.texts[lang].body) for lang in langs)
        )


class Looking(Sent):
    """What is being written, to be judged and shown."""

    key: Key
    new: bool = False
    form: Form


class Saving(Sent):
    """What is to be written; `seen` is the hash of what the editor saw, empty for a new record."""

    key: Key
    seen: Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{64})?$")] = ""
    form: Form
    insist: bool = False
