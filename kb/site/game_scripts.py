"""What scripts load of each game: the deck page, and `embed.js` on other people's pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kb.core import urls
from kb.core.json import compact
from kb.core.memo import Memo
from kb.decks.base import DeckRuling, base_of_game, deck_rulings
from kb.decks.browser import deck_data
from kb.language import FormTable, LanguageForms
from kb.records.library import Library
from kb.records.model import Game
from kb.site.collect import PageCollector
from kb.site.embed import embed_data
from kb.site.i18n import Catalog
from kb.site.output import Output, Written


def write_scripts(
    output: Output,
    library: Library,
    collectors: Sequence[PageCollector],
    table: FormTable,
    words: Callable[[str], Catalog],
    build: Mapping[str, str],
    memo: Memo,
) -> dict[str, Written]:
    """Write what scripts load of each game; return the files.

    `words`: the site's words in a language. `build`: its id and its date. `memo`: keeps what the
    next site can use again.
    """
    own = Output(output.folder, output.before)
    _write_decks(own, library, collectors, table, memo)
    _write_embed(own, collectors, table, words, build, memo)
    return own.files


def _write_decks(
    output: Output,
    library: Library,
    collectors: Sequence[PageCollector],
    table: FormTable,
    memo: Memo,
) -> None:
    """What the deck page loads of each game, as the search's shards are written."""
    for collector in collectors:
        game = collector.game.id
        numbers = {key: number for number, key in enumerate(library.rulings)}
        script = memo.call(
            game,
            _deck_script,
            collector.game,
            deck_rulings(game, library),
            tuple(map(table.language, collector.languages)),
            numbers,
            collector.card_pages(),
        )
        output.write(urls.deck_data(game), script)


def _deck_script(
    game: Game,
    rulings: Sequence[DeckRuling],
    languages: Sequence[LanguageForms],
    numbers: Mapping[str, int],
    pages: Mapping[str, str],
) -> str:
    data = deck_data(base_of_game(game, rulings, languages[0].table), numbers, pages)
    return f'KB_SHARD("deck-{game.id}",{compact(data)});\n'


def _write_embed(
    output: Output,
    collectors: Sequence[PageCollector],
    table: FormTable,
    words: Callable[[str], Catalog],
    build: Mapping[str, str],
    memo: Memo,
) -> None:
    """What `embed.js` loads of each game in each of its languages; the first is the game's own."""
    for collector in collectors:
        game = collector.game.id
        for lang in collector.languages:
            data = compact(embed_data(collector, lang, table, words(lang), build, memo))
            output.write(urls.embed_data(game, lang), f'KB_EMBED("{game}-{lang}",{data});\n')
            if lang == collector.game.language:
                output.write(urls.embed_data(game, ""), f'KB_EMBED("{game}-",{data});\n')
