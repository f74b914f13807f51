"""What scripts load of each game: the deck page, and `embed.js` on other people's pages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from kb.core import urls
from kb.core.json import compact, data_hash
from kb.core.memo import Memo
from kb.decks.base import DeckRuling, base_of_game, deck_rulings
from kb.decks.browser import deck_data
from kb.language import FormTable, LanguageForms
from kb.records.library import Library
from kb.records.model import Game
from kb.site.collect import PageCollector
from kb.site.embed import embed_data
from kb.site.i18n import Catalog
from kb.site.output import Output, Written, written

# Where the data of a game go on behind the build's id and date.
_NEXT = b',"game":'


def write_scripts(
    output: Output,
    library: Library,
    collectors: Sequence[PageCollector],
    table: FormTable,
    words: Callable[[str], Catalog],
    build: Mapping[str, str],
    memo: Memo,
    unchanged: Collection[str] = (),
) -> dict[str, Written]:
    """Write what scripts load of each game; return the files.

    `words`: the site's words in a language. `build`: its id and its date. `memo`: keeps what the
    next site can use again. `unchanged`: ids of games with the same `script_hashes` as in the site
    that the output holds.
    """
    own = Output(output.folder, output.before)
    _write_decks(own, library, collectors, table, memo, unchanged)
    _write_embed(own, collectors, table, words, build, memo, unchanged)
    return own.files


def script_hashes(
    library: Library,
    collectors: Sequence[PageCollector],
    table: FormTable,
    inputs: Mapping[str, str],
) -> dict[str, str]:
    """By the name of each game's scripts, a hash of all that they are written from.

    The build's own id and date are left out. `inputs`: hashes of all that pages can read.
    """
    numbers = data_hash(list(library.rulings))
    return {
        scripts_of(game): data_hash(
            [
                numbers,
                [inputs[name] for name in ("", game, f"{game} ruling")],
                list(map(table.key, collector.languages)),
            ]
        )
        for collector in collectors
        for game in [collector.game.id]
    }


def scripts_of(game: str) -> str:
    """The name of a game's scripts among the hashes of a site."""
    return f"{game} scripts"


def _write_decks(
    output: Output,
    library: Library,
    collectors: Sequence[PageCollector],
    table: FormTable,
    memo: Memo,
    unchanged: Collection[str],
) -> None:
    """What the deck page loads of each game, as the search's shards are written."""
    for collector in collectors:
        game = collector.game.id
        address = urls.deck_data(game)
        if game in unchanged and address in output.before:
            output.take({address: output.before[address]})
            continue
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
        output.write(address, script)


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
    unchanged: Collection[str],
) -> None:
    """What `embed.js` loads of each game in each of its languages; the first is the game's own."""
    # What every file begins with, and the only part that another build changes.
    head = compact(build).removesuffix("}").encode()
    for collector in collectors:
        game = collector.game.id
        for lang in collector.languages:
            rest = _known_rest(output, urls.embed_data(game, lang)) if game in unchanged else b""
            if not rest:
                data = compact(embed_data(collector, lang, table, words(lang), memo))
                rest = f",{data[1:]});\n".encode()
            for name in (lang, "") if lang == collector.game.language else (lang,):
                begin = f'KB_EMBED("{game}-{name}",'.encode()
                output.write(urls.embed_data(game, name), begin + head + rest)


def _known_rest(output: Output, address: str) -> bytes:
    """What a file of the previous site has behind its build; empty where it was changed by hand."""
    path = output.folder / address
    data = path.read_bytes() if path.is_file() else b""
    _, next_, rest = data.partition(_NEXT)
    return next_ + rest if output.before.get(address) == written(data) else b""
