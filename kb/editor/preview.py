"""Previews of rulings, rendered by the code and templates of the site."""

from __future__ import annotations

import threading
from dataclasses import replace
from html import escape
from pathlib import Path

from kb.core import urls
from kb.core.problems import NotBuilt
from kb.editor.workspace import Workspace
from kb.language import FormTable
from kb.linking.autolink import linked
from kb.linking.card_finder import CardFinder, Mention
from kb.pipeline.paths import Paths, find_templates
from kb.pipeline.steps import FORMS
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.site.collect import PageCollector, game_link
from kb.site.context import ASSETS, PageRenderer, SiteContext
from kb.site.i18n import Catalog
from kb.site.pages import Page, RulingPage

_DOCUMENT = """<!DOCTYPE html>
<html lang="{ui}">
<head>
<meta charset="utf-8">
<base href="{url}" target="_blank">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="/live/kb.css">
<link rel="stylesheet" href="/live/edit.css">
</head>
<body class="previewed"><main class="wide">{main}</main></body></html>"""


class Previewer:
    """Renders rulings during editing, with the word forms of the last build."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self._lock = threading.Lock()
        self._build: Path | None = None
        self._table: FormTable | None = None
        # By game and language of the interface: the state of the templates, and their renderer.
        self._renderers: dict[tuple[str, str], tuple[object, PageRenderer]] = {}

    def html(self, ruling: Ruling, workspace: Workspace, words: Catalog, home: str) -> str:
        """Return the main part of a ruling's page as a document. Raises KbError for bad templates.

        `home`: the address of the site's home page in the language of `words`.
        """
        with self._lock:
            page, url = self._page(ruling, workspace)
            html = self._render(page, url, workspace.library.games[ruling.game], words)
        main = html.partition("<main")[2].partition(">")[2].rpartition("</main>")[0]
        title = escape(words("Preview"))
        return _DOCUMENT.format(url=f"{home}{url}", main=main, ui=words.lang, title=title)

    def mentions(self, text: str, lang: str, game: Game) -> list[Mention]:
        """Return the cards that a text names, in any form of their names."""
        with self._lock:
            table = self._current_table()
            if table is None:
                return []
            header = game.header
            return CardFinder(game.cards, header.not_cards, lang, table, [text]).find(text)

    def _current_table(self) -> FormTable | None:
        """Return the word forms of the last build, None before the first build."""
        try:
            current = self.paths.current
        except NotBuilt:
            return self._table
        if current != self._build:
            if self._table is not None:
                self._table.close()
            self._build = current
            self._table = FormTable.open(current / FORMS)
        return self._table

    def _page(self, ruling: Ruling, workspace: Workspace) -> tuple[RulingPage, str]:
        """Return the page of a ruling, and its address."""
        game = workspace.library.games[ruling.game]
        table = self._current_table()
        related = [
            other for other in workspace.of_game(game.id).values() if _are_related(other, ruling)
        ]
        shown = (_without_dead_references(each, game) for each in (*related, ruling))
        rulings = {each.key: each for each in shown}
        library = Library(self.paths.rulings, {game.id: game}, rulings)
        if table:
            (rulings[ruling.key],) = linked(library, table, [ruling.key])
        page = PageCollector(game, library, table).ruling(ruling.id)
        return page, urls.ruling(game.id, ruling.id)

    def _render(self, page: RulingPage, url: str, game: Game, words: Catalog) -> str:
        templates = find_templates(self.paths.rulings)
        context = SiteContext((game_link(game),), {name: name for name in ASSETS})
        key, state = (game.id, words.lang), (context, templates.status())
        rendered_state, renderer = self._renderers.get(key, (None, None))
        if renderer is None or rendered_state != state:
            renderer = PageRenderer(templates, words, context)
            self._renderers[key] = state, renderer
        return renderer.html(Page(url, "ruling.html", page))


def _without_dead_references(ruling: Ruling, game: Game) -> Ruling:
    """Return a ruling without dead references, which are problems and no links."""
    header = ruling.header
    existing = replace(
        header,
        topics=tuple(topic for topic in header.topics if topic in game.topics),
        sources=tuple(cited for cited in header.sources if cited.source in game.sources_by_id),
        overrides=tuple(source for source in header.overrides if source in game.sources_by_id),
        about=tuple(label for label in header.about if game.cards_named(label)),
    )
    return replace(ruling, header=existing)


def _are_related(ruling: Ruling, other: Ruling) -> bool:
    refer = ruling.id in other.references() or other.id in ruling.references()
    return ruling.id != other.id and refer
