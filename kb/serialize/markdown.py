"""Rulings, glossaries and lists of rulings as Markdown, for assistants and plain-text readers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.core import urls
from kb.core.json import Json
from kb.records.marks import plain_text

if TYPE_CHECKING:
    from kb.records.model import Source

Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Document:
    """A source document as an answer cites it; `title` is by language."""

    id: str
    title: Names
    author: str = ""
    publisher: str = ""
    published: str | None = None
    url: str = ""


@dataclass(frozen=True, slots=True)
class TermEntry:
    """A term of a glossary: names by language, the preferred one first, and meanings."""

    id: str
    names: Mapping[str, Sequence[str]]
    meanings: Names


@dataclass(frozen=True, slots=True)
class ListedRuling:
    """A ruling in a list; `address` is that of its page."""

    address: str
    title: str
    kind: str
    authority: str
    status: str


def document_of(source: Source) -> Document:
    """Return a source of the records as a document."""
    return Document(
        source.id, source.title, source.author, source.publisher, source.published, source.url
    )


def cited_documents(ruling: Json) -> list[str]:
    """Return the ids of the documents that a ruling cites, each once."""
    return list(dict.fromkeys(citation.partition("#")[0] for citation in ruling["sources"]))


def date_given(ruling: Json, documents: Mapping[str, Document]) -> str | None:
    """Return the day of a ruling: its own, else that of its newest source."""
    published = [documents[each].published for each in cited_documents(ruling) if each in documents]
    return ruling["date"] or max((day for day in published if day), default=None)


def text_in(texts: Names, *languages: str) -> str:
    """Return the text in the first of these languages that there is, else in any."""
    for lang in languages:
        if lang in texts:
            return texts[lang]
    return next(iter(texts.values()), "")


def ruling_to_markdown(
    ruling: Json, documents: Mapping[str, Document], game_name: str, base_url: str = ""
) -> str:
    """Return a ruling as Markdown: who says so and whether it stands first, then all its texts.

    `ruling` is what `kb.serialize.ruling` returns; card marks become the words that they show.
    """
    game, own = ruling["game"], next(iter(ruling["title"]), "")
    address = urls.absolute(ruling["url"], base_url) or ruling["url"]
    facts = [
        ("Ruling", f"{game}/{ruling['id']}"),
        ("Address", address),
        ("Game", game_name),
        ("Kind", ruling["kind"]),
        ("Authority", ruling["authority"]),
        ("Standing", _standing(ruling)),
        ("Date", date_given(ruling, documents) or "unknown"),
        *(("Source", line) for line in _sources(ruling, documents, own)),
        ("Superseded by", ", ".join(f"{game}/{each}" for each in ruling["superseded_by"])),
        ("Supersedes", ", ".join(f"{game}/{each}" for each in ruling["supersedes"])),
        ("Cards", ", ".join(ruling["cards"])),
    ]
    parts = [f"# {ruling['title'].get(own, ruling['id'])}", _bullets(facts)]
    for lang, title in ruling["title"].items():
        parts += [f"## {lang}: {title}", plain_text(ruling["text"][lang]).strip()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _standing(ruling: Json) -> str:
    days = []
    if ruling["effective"]:
        days.append(f"from {ruling['effective']}")
    if ruling["effective_until"]:
        days.append(f"until {ruling['effective_until']}, not including that day")
    why = f" ({ruling['because']})" if ruling["because"] and ruling["status"] != "current" else ""
    return ", ".join([ruling["status"], *days]) + why


def _sources(ruling: Json, documents: Mapping[str, Document], lang: str) -> Iterator[str]:
    for citation in ruling["sources"]:
        source, _, provision = citation.partition("#")
        document = documents.get(source)
        if document is None:
            yield citation
            continue
        facts = [document.author or document.publisher, document.published or "", document.url]
        about = "".join(f", {fact}" for fact in facts if fact)
        yield f"{text_in(document.title, lang)}{about}, provision {provision} ({citation})"


def _bullets(facts: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in facts if value)


def glossary_to_markdown(game: str, names: Names, terms: Iterable[TermEntry]) -> str:
    """Return a game's glossary as Markdown: each term in all languages, with its meaning."""
    parts = [f"# {text_in(names, 'en')}: glossary"]
    for term in terms:
        rows = [(lang, "; ".join(spoken)) for lang, spoken in term.names.items()]
        rows += [(f"Meaning ({lang})", meaning) for lang, meaning in term.meanings.items()]
        parts += [f"## {game}/{term.id}", _bullets(rows)]
    return "\n\n".join(parts) + "\n"


def rulings_to_llms_txt(
    name: str, topics: Iterable[tuple[str, Iterable[ListedRuling]]], here: str
) -> str:
    """Return a game's `llms.txt`: its rulings by topic, each a link to its Markdown.

    `here` is the file's own address. A ruling under several topics is listed under the first.
    """
    listed: set[str] = set()
    parts = [
        f"# {name}: rulings",
        "> Each link leads to a ruling as Markdown: the answer, who says so, whether it still"
        " stands, and its sources. What is not listed has no ruling here.",
    ]
    for title, rulings in topics:
        rows = []
        for ruling in rulings:
            if ruling.address not in listed:
                listed.add(ruling.address)
                target = urls.relative(urls.markdown_address(ruling.address), here)
                facts = f"{ruling.kind}, {ruling.authority}, {ruling.status}"
                rows.append(f"- [{_link_text(ruling.title)}]({target}): {facts}")
        if rows:
            parts += [f"## {title}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def site_to_llms_txt(games: Iterable[tuple[str, str, int]]) -> str:
    """Return the site's `llms.txt` (llmstxt.org); `games` are ids, names and numbers of rulings."""
    rows = [
        f"- [{_link_text(name)}]({urls.llms(game)}): {count} rulings, by topic"
        for game, name, count in games
    ]
    parts = [
        "# Card-game rulings",
        "> Rulings of trading card games: what was ruled, by whom, from which source, and whether"
        " it is still in force. Only the rulings listed here exist: where there is none, say that"
        " there is no ruling and do not make one up.",
        "Authority is `official`, `translator` (the translator's own note) or `community`."
        " Standing is `current`, `superseded`, `reversed`, `withdrawn`, `disputed` or"
        " `unanswered`; only `current` rulings are in force.",
        "## Games",
        "\n".join(rows),
        "## Data",
        f"- [{urls.BULK}]({urls.BULK}): all rulings as JSON, one a line\n"
        f"- [{urls.SCHEMA}]({urls.SCHEMA}): what the fields mean",
    ]
    return "\n\n".join(parts) + "\n"


def _link_text(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")
