"""Read a file of proposals, as the site's page makes it."""

from __future__ import annotations

import json
import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from kb.core.problems import KbError
from kb.core.validation import explain
from kb.records.model import OptionalDate

FORMAT = "kb-proposals-1"
# In characters.
MAX_FILE = 1_000_000
_SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"
# A string of JSON, and a code block of an issue or a mail.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BLOCK = re.compile(r"^```(?:json)?[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)

Slug = Annotated[str, StringConstraints(pattern=f"^{_SLUG}$", max_length=100)]
Key = Annotated[str, StringConstraints(pattern=f"^{_SLUG}/{_SLUG}$", max_length=201)]
Lang = Annotated[str, StringConstraints(pattern="^[a-z]{2,3}$")]
Line = Annotated[
    str, StringConstraints(max_length=2_000, pattern=r"^[^\x00-\x1f\x7f]*$", strip_whitespace=True)
]
Body = Annotated[str, StringConstraints(max_length=200_000)]


class _ProposalModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SectionText(_ProposalModel):
    """Title and Markdown of a ruling in one language."""

    title: Line = ""
    body: Body = ""


class SectionChange(_ProposalModel):
    """A section as the proposer saw it (None for a new one), and as proposed."""

    lang: Lang
    before: SectionText | None
    after: SectionText


class Correction(_ProposalModel):
    """A correction of a ruling's sections; `build` is the build that the proposer saw."""

    kind: Literal["correction"]
    ruling: Key
    build: Annotated[str, StringConstraints(max_length=40)] = ""
    sections: Annotated[list[SectionChange], Field(min_length=1, max_length=30)]
    why: Line = ""


class NewRecord(_ProposalModel):
    """A new ruling, an open question, or a judge's note of an answer at an event.

    `about` are labels of cards; `asked_of` names the person who answered, or was asked.
    """

    kind: Literal["ruling", "question"]
    game: Slug
    topic: Slug
    id: Slug | Literal[""] = ""
    texts: Annotated[dict[Lang, SectionText], Field(min_length=1, max_length=30)]
    about: Annotated[list[Line], Field(max_length=50)] = []
    asked: OptionalDate = ""
    asked_of: Line = ""
    why: Line = ""


Proposal = Annotated[Correction | NewRecord, Field(discriminator="kind")]


class ProposalFile(_ProposalModel):
    """The proposals of one person, with the name if given."""

    format: Literal["kb-proposals-1"]
    by: Line = ""
    proposals: Annotated[list[Proposal], Field(min_length=1, max_length=500)]


def read_proposals(text: str, name: str) -> ProposalFile:
    """Read a file of proposals, or a mail or an issue with one in a code block.

    Raises KbError with the file's name and the place of the error.
    """
    if len(text) > MAX_FILE:
        raise KbError(f"{name}: longer than {MAX_FILE:,} characters; is it a file of proposals?")
    block = _BLOCK.search(text.replace("\r\n", "\n"))
    try:
        return ProposalFile.model_validate(json.loads(_unwrapped(block[1]) if block else text))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "file"
        raise KbError(f"{name}: {place}: {explain(first)}") from None
    except (ValueError, RecursionError) as error:
        raise KbError(f"{name}: not a file of proposals ({error})") from None


def _unwrapped(text: str) -> str:
    """Join the lines that a mail program has broken; strings of JSON have no line ends."""
    return _STRING.sub(lambda match: re.sub(" ?\n", " ", match[0]), text)
