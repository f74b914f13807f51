"""What the search of the pages loads besides its index: addresses of files, words, terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kb.core import urls
from kb.core.json import compact
from kb.records.library import Library
from kb.records.marks import plain_text
from kb.records.model import Game, Term
from kb.site.i18n import SOURCE, Catalog, search_words
from kb.site.overview import searched_games

# The files of templates/static that the search loads when it is first used.
FILES = {
    "client": "static/search-client.js",
    "box": "static/search-box.js",
    "core": "static/search-core.js",
    "worker": "static/search-worker.js",
}
_MEANING = 160


def scripts(
    library: Library, catalogs: Mapping[str, Catalog]
) -> dict[str, dict[str, tuple[str, str]]]:
    """Address and text of the scripts with words and, loaded after an answer, terms.

    By kind and language of the interface.
    """
    games = searched_games(library)
    words = {lang: compact(search_words(games, catalog)) for lang, catalog in catalogs.items()}
    terms = {
        lang: compact([row for game in library.games.values() for row in _terms(game, lang)])
        for lang in catalogs
    }
    return {
        "words": {
            lang: (urls.search_words(lang), f"window.KB_WORDS = {text};\n")
            for lang, text in words.items()
        },
        "terms": {
            lang: (urls.search_terms(lang), f"window.KB_TERMS = {text};\n")
            for lang, text in terms.items()
        },
    }


def _terms(game: Game, lang: str) -> Iterator[tuple[str, str, Sequence[str], str, Sequence[str]]]:
    """Game, id, names and meaning of each term, those in the language first, then English.

    Last the names that only find it.
    """
    for term in game.terms:
        languages = dict.fromkeys((lang, SOURCE, *term.names))
        names = [name for code in languages for name in term.names.get(code, ())]
        also = [name for names in term.also.values() for name in names]
        yield game.id, term.id, tuple(dict.fromkeys(names)), _meaning(term, languages), also


def _meaning(term: Term, languages: Mapping[str, None]) -> str:
    """The beginning of a term's meaning in the first language that has one."""
    text = plain_text(next((term.meaning[one] for one in languages if one in term.meaning), ""))
    return text if len(text) <= _MEANING else text[:_MEANING].rsplit(" ", 1)[0] + "…"
