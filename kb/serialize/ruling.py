"""One ruling as data for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kb.core import urls
from kb.core.json import Json
from kb.records.fields import FIELDS, VERDICTS
from kb.records.text import NoteAuthor, Text, plain_text

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Ruling
    from kb.store.model import StoredRuling


Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Document:
    """A source document that an answer cites; `title` is by language."""

    id: str
    title: Texts
    author: str = ""
    publisher: str = ""
    published: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class CitedSource:
    """A place in a source document."""

    document: str = field(metadata={"description": "Id of the document."})
    provision: str = field(metadata={"description": "The provision within it."})
    title: str
    author: str = ""
    published: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class AnswerNote:
    """A note in a text by the editors or the translator: not the authority's words."""

    by: NoteAuthor
    text: str = field(metadata={"description": "Markdown."})


def answer_notes(text: Text) -> list[AnswerNote]:
    """Return the notes of a text, with the words that card marks show."""
    return [AnswerNote(note.by, plain_text(note.text)) for note in text.notes]


def ruling_to_json(ruling: Ruling, library: Library) -> Json:
    """Return a ruling of a library as JSON data; texts are Markdown with card marks."""
    relations = library.relations(ruling)
    values = {
        **ruling.header.__dict__,
        "cards": ruling.cards(),
        **{name: relations[name] for name in ("superseded_by", "related", "examples")},
    }
    return _to_json(ruling, values)


def stored_ruling_to_json(ruling: StoredRuling) -> Json:
    """Return a ruling of the store as JSON data, equal to what `ruling_to_json` returns."""
    return _to_json(ruling, ruling.__dict__)


def _to_json(ruling: Ruling | StoredRuling, values: Mapping[str, Any]) -> Json:
    """Return all fields of a ruling; `values` has its header and its relations."""
    fields = {
        **values,
        "id": ruling.id,
        "game": ruling.game,
        "title": {text.lang: text.title for text in ruling.texts},
        "text": {text.lang: text.body for text in ruling.texts},
        "notes": {
            text.lang: [{"by": note.by, "text": note.text} for note in text.notes]
            for text in ruling.texts
            if text.notes
        },
        "asked_as": ruling.asked_as,
        "url": urls.ruling(ruling.game, ruling.id),
    }
    return {field.name: field.to_json(fields[field.name]) for field in FIELDS}


def cited_sources(
    ruling: Json, documents: Mapping[str, Document], lang: str
) -> Iterator[CitedSource]:
    """Yield what a ruling cites, with titles in a language; `documents` by id."""
    for citation in ruling["sources"]:
        source, _, provision = citation.partition("#")
        document = documents[source]
        yield CitedSource(
            document=source,
            provision=provision,
            title=text_in(document.title, lang),
            author=document.author or document.publisher,
            published=document.published,
            url=document.url,
        )


def text_in(texts: Texts, *languages: str) -> str:
    """Return the text in the first of some languages that has one, else in any language."""
    for lang in languages:
        if lang in texts:
            return texts[lang]
    return next(iter(texts.values()), "")


def verdict_in_words(
    verdict: str | None, when: Texts, lang: str, translate: Callable[[str], str] = str
) -> str:
    """Return a verdict such as `Yes` or `Depends: only in battle`; empty without one.

    The condition is in a language, else in any; `translate` returns the word for an English one.
    """
    if not verdict:
        return ""
    word = translate(VERDICTS[verdict]) if verdict in VERDICTS else verdict
    return ": ".join(filter(None, (word, text_in(when, lang))))
