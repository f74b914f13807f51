"""What scripts load of each game: the deck page, and `embed.js` on other people's pages."""

from __future__ import annotations

from pathlib import Path

from kb.core import urls
from kb.core.json import compact
from kb.decks.base import base_of_library
from kb.decks.browser import deck_data
from kb.language import FormTable
from kb.site.embed import embed_data
from kb.site.i18n import read_words
from kb.site.output import Output, Written
from kb.site.site_pages import SitePages


def write_decks(pages: SitePages, table: FormTable, folder: Path) -> dict[str, Written]:
    """Write what the deck page loads of each game, as the search's shards are written."""
    output, library = Output(folder), pages.library
    numbers = {key: number for number, key in enumerate(library.rulings)}
    for collector in pages.collectors:
        game = collector.game.id
        base = base_of_library(game, library, table)
        data = deck_data(base, numbers, collector.card_pages())
        output.write(urls.deck_data(game), f'KB_SHARD("deck-{game}",{compact(data)});\n')
    return output.files


def write_embed(pages: SitePages, table: FormTable, folder: Path) -> dict[str, Written]:
    """Write what `embed.js` loads of each game in each of its languages; "" is the game's own."""
    output, settings = Output(folder), pages.settings
    build = {"build": settings.build_id, "date": settings.build_date}
    for collector in pages.collectors:
        game = collector.game
        for lang in collector.languages:
            words = read_words(settings.templates, lang if lang in pages.languages else "en")
            data = compact({**build, **embed_data(collector, lang, table, words)})
            for name in (lang, "") if lang == game.language else (lang,):
                address = urls.embed_data(game.id, name)
                output.write(address, f'KB_EMBED("{game.id}-{name}",{data});\n')
    return output.files
