"""Glossaries and lists of rulings as Markdown, for assistants and plain-text readers."""

from __future__ import annotations

from collections.abc import Iterable

from kb.core import urls
from kb.serialize.ruling import Texts, bullets, text_in
from kb.store.model import StoredTerm


def glossary_to_markdown(game: str, names: Texts, terms: Iterable[StoredTerm]) -> str:
    """Return a game's glossary as Markdown: the names and meanings of terms in all languages."""
    parts = [f"# {text_in(names, 'en')}: glossary"]
    for term in terms:
        rows = [(lang, "; ".join(spoken)) for lang, spoken in term.names.items()]
        rows += [(f"Meaning ({lang})", meaning) for lang, meaning in term.meanings.items()]
        parts += [f"## {game}/{term.id}", bullets(rows)]
    return "\n\n".join(parts) + "\n"


def rulings_to_llms_txt(
    name: str, topics: Iterable[tuple[str, Iterable[tuple[str, str, str]]]], here: str
) -> str:
    """Return a game's `llms.txt`: links to its rulings as Markdown, each under its first topic.

    `topics`: titles with the address, title and facts of each ruling; `here`: the file's address.
    """
    listed: set[str] = set()
    parts = [
        f"# {name}: rulings",
        "> Each link leads to a ruling as Markdown: the answer, who says so, whether it still"
        " stands, and its sources. Anything else has no ruling here.",
    ]
    for title, rulings in topics:
        rows = []
        for address, ruling_title, facts in rulings:
            if address not in listed:
                listed.add(address)
                target = urls.relative(urls.markdown_address(address), here)
                rows.append(f"- [{_link_text(ruling_title)}]({target}): {facts}")
        if rows:
            parts += [f"## {title}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def site_to_llms_txt(games: Iterable[tuple[str, str, int]]) -> str:
    """Return the site's `llms.txt` (llmstxt.org) from ids, names and sizes of games."""
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
