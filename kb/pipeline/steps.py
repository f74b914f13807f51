"""Steps of a build: word forms, history, store and search index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from kb.core.parallel import map_chunks
from kb.language import FormTable
from kb.language.forms import build_form_table
from kb.linking.autolink import autolink
from kb.records.history import changed, changes, recent_diffs
from kb.records.library import Library
from kb.search.analyzer import Vocabulary, games_vocabulary, words_of_rulings
from kb.search.document import Document
from kb.search.engines.base import build_index, suitable
from kb.site.output import Written
from kb.site.settings import History
from kb.store.model import stored_game

FORMS, STORE = "forms.sqlite", "kb.sqlite"
# Rulings whose words one process collects at a time.
_CHUNK = 2_500


@contextmanager
def linked_records(
    library: Library, data: Path, report: Callable[[str, int, int], None]
) -> Iterator[tuple[Library, FormTable]]:
    """Write the table of forms into the folder `data`; yield the linked library and the table."""
    report("word forms", 0, 1)
    build_forms(library, data / FORMS)
    with FormTable(data / FORMS) as table:
        report("links", 0, 1)
        yield autolink(library, table), table


def build_forms(library: Library, path: Path) -> None:
    """Write the table of forms: every form of all words of a library."""
    vocabulary, names, groups, terms = games_vocabulary(library.games.values())
    words = defaultdict(set, {lang: {*map(str.lower, own)} for lang, own in vocabulary.items()})
    asked: Vocabulary = defaultdict(set)
    for parts in map_chunks(words_of_rulings, [*library.rulings.values()], _CHUNK):
        for all_words, several in zip((words, asked), parts, strict=True):
            for lang, found in several.items():
                all_words[lang] |= found
    build_form_table(path, dict(sorted(words.items())), names, groups, terms, asked)


def read_history(rulings: Path) -> History:
    """Read the git history of the records, which takes a quarter of a second for 142 rulings."""
    history = changes(rulings) or []
    return History(changed(history), recent_diffs(rulings, history))


def write_search(
    library: Library, documents: Sequence[Document], data: Path, engine: str
) -> Mapping[str, Written]:
    """Write the store and the search index; without `engine`, by the one that suits the base."""
    # SQLModel takes 0.4 s to load: here it does so while other processes render pages.
    from kb.store.load import build_store

    build_store(library, data / STORE)
    games = map(stored_game, library.games.values())
    build_index(data, documents, games, engine or suitable(len(library.rulings)))
    return {}
