"""Previews of rulings, rendered by the code and templates of the site."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from html import escape

from kb.core import urls
from kb.linking.autolink import linked
from kb.pipeline.paths import find_templates
from kb.plugins.editor.records import EditableRecords, Workspace
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.server.live_site import LiveSite
from kb.site.collect import PageCollector
from kb.site.context import SiteContext, page_environment
from kb.site.i18n import Catalog
from kb.site.pages import RulingPage
from kb.site.render import render

_DOCUMENT = """<!DOCTYPE html>
<html lang="{ui}">
<head>
<meta charset="utf-8">
<base href="{url}" target="_blank">
<meta name="color-scheme" content="light dark">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="/live/kb.css">
<link rel="stylesheet" href="/live/figures.css">
<link rel="stylesheet" href="/live/card.css">
<link rel="stylesheet" href="/live/edit.css">
</head>
<body class="previewed"><main class="wide">{main}</main></body></html>"""


def preview(ruling: Ruling, records: EditableRecords, words: Catalog, home: str) -> str:
    """Return the main part of a ruling's page as a document. Raises KbError for bad templates.

    `home`: the address of the site's home page in the language of `words`.
    """
    workspace, url = records.workspace, urls.ruling(ruling.game, ruling.id)
    game = workspace.library.games[ruling.game]
    page = _page(ruling, game, workspace, records.live)
    # The document names its own style sheets.
    context = SiteContext((page.game,), defaultdict(str))
    environment = page_environment(find_templates(records.root), words, context)
    html = render(environment, "ruling.html", url, {"page": page})
    main = html.partition("<main")[2].partition(">")[2].rpartition("</main>")[0]
    title = escape(words("Preview"))
    return _DOCUMENT.format(url=f"{home}{url}", main=main, ui=words.lang, title=title)


def _page(ruling: Ruling, game: Game, workspace: Workspace, live: LiveSite) -> RulingPage:
    """Return the page of a ruling with its relations, and with links to the cards that it names."""
    others = workspace.of_game(game.id).values()
    related = [other for other in others if _are_related(other, ruling)]
    shown = (_without_dead_references(each, game) for each in (*related, ruling))
    rulings = {each.key: each for each in shown}
    library = Library(workspace.library.root, {game.id: game}, rulings)
    with live.forms() as table:
        if table:
            (rulings[ruling.key],) = linked(library, table, [ruling.key])
        return PageCollector(game, library, table).ruling(ruling.id)


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
