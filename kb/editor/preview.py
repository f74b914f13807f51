"""A ruling as its page will show it, by the code and the templates that make the page."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from kb.build.paths import Paths, find_templates
from kb.core import urls
from kb.core.problems import NotBuilt
from kb.editor.workspace import Workspace
from kb.language import FormTable
from kb.linking.autolink import finders
from kb.linking.card_finder import CardFinder, Mention, insert_marks, unmarked_mentions
from kb.records.library import Library
from kb.records.model import Game, Ruling, Text


class Preview:
    """Renders rulings that are being written. The words that a card's name is found by are those of the published build."""

    def __init__(self, places: Paths) -> None:
        self.places = places
        self._lock = threading.Lock()
        self._build: Path | None = None
        self._table: FormTable | None = None
        self._finders: dict[str, dict[tuple[str, str], CardFinder]] = {}

    def html(self, ruling: Ruling, shelf: Workspace) -> str:
        """The page's main part in a small document of its own. Raises KbError where a template is broken."""
        with self._lock:
            return self._html(ruling, shelf)

    def named(self, text: str, lang: str, game: Game) -> list[Mention]:
        """The cards that a text names, in whatever form."""
        with self._lock:
            finder = self._known(game).get((game.id, lang))
            return finder.find(text) if finder else []

    def _current(self) -> FormTable | None:
        try:
            now = self.places.current
        except NotBuilt:
            return self._table
        if now != self._build:
            if self._table is not None:
                self._table.close()
            self._build, self._table, self._finders = now, FormTable.open(now / "forms.sqlite"), {}
        return self._table

    def _known(self, game: Game) -> dict[tuple[str, str], CardFinder]:
        table = self._current()
        if game.id not in self._finders and table is not None:
            self._finders[game.id] = finders(Library(self.places.rulings, {game.id: game}), table)
        return self._finders.get(game.id, {})

    def _html(self, ruling: Ruling, shelf: Workspace) -> str:
        from kb.site.collect import PageCollector

        game = shelf.library.games[ruling.game]
        fitting = _fitting(ruling, game)
        known = self._known(game)
        texts = tuple(_linked(text, known.get((game.id, text.lang))) for text in fitting.texts)
        fitting = fitting.model_copy(update={"texts": texts})
        tied = {
            one.key: _fitting(one, game)
            for one in shelf.of_game(game.id).values()
            if _tied(one, fitting)
        }
        library = Library(self.places.rulings, {game.id: game}, {**tied, fitting.key: fitting})
        page = PageCollector(game, library, self._current()).ruling(fitting)
        here = urls.ruling(game.id, ruling.id)
        whole = self._rendered(page, here, game)
        main = whole.partition("<main")[2].partition(">")[2].rpartition("</main>")[0]
        return (
            f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<base href="/{here}" target="_blank">\n'
            '<meta name="color-scheme" content="light dark">\n<meta name="viewport" content="width=device-width">\n'
            '<title>Preview</title>\n<link rel="stylesheet" href="/live/kb.css">\n'
            '<link rel="stylesheet" href="/live/edit.css">\n</head>\n'
            f'<body class="previewed"><main class="wide">{main}</main></body></html>'
        )

    def _rendered(self, page: Any, here: str, game: Game) -> str:
        from kb.site.collect import game_link
        from kb.site.context import ASSETS, PageRenderer, SiteContext
        from kb.site.i18n import read_words
        from kb.site.pages import Page

        templates = find_templates(self.places.rulings)
        context = SiteContext((game_link(game),), {name: name for name in ASSETS})
        renderer = PageRenderer(templates, read_words(templates, "en"), context)
        return renderer.html(Page(here, "ruling.html", page))


def _fitting(ruling: Ruling, game: Game) -> Ruling:
    """A ruling with only those references that lead somewhere: the others are problems beside the form, and have no address."""
    head = ruling.header
    known = head.model_copy(
        update={
            "topics": tuple(one for one in head.topics if one in game.topics),
            "sources": tuple(one for one in head.sources if one.source in game.sources_by_id),
            "overrides": tuple(one for one in head.overrides if one in game.sources_by_id),
            "about": tuple(one for one in head.about if game.cards_named(one)),
        }
    )
    return ruling.model_copy(update={"header": known})


def _tied(one: Ruling, other: Ruling) -> bool:
    def names(ruling: Ruling) -> set[str]:
        head = ruling.header
        return {*head.related, *head.supersedes, *head.example_of}

    return one.id != other.id and (one.id in names(other) or other.id in names(one))


def _linked(text: Text, finder: CardFinder | None) -> Text:
    mentions = unmarked_mentions(text.body, finder) if finder else []
    return text.model_copy(update={"body": insert_marks(text.body, mentions)}) if mentions else text
