"""`kb link`: the card names in a text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.backend import target_for, with_searcher
from kb.commands.options import print_json
from kb.core.decoding import decode_given
from kb.core.problems import WrongUsage
from kb.store.model import require_known

if TYPE_CHECKING:
    from kb.linking.card_finder import Mention
    from kb.search.searcher import Searcher


@click.command()
@options.game(help="The game of the cards (default: the game of most cards).")
@options.lang(help="The language of the text, such as pl (default: the one with most cards).")
@options.as_json()
@options.database()
@options.rulings()
def link(
    game: str | None, lang: str | None, as_json: bool, database: str | None, rulings: Path | None
) -> None:
    """Find card names, in any case form, in the text on standard input.

    \b
    Example:
    kb link --game swtcg --lang pl < text.txt
    """
    text = decode_given(sys.stdin.buffer.read(), "standard input")
    mentions = with_searcher(
        target_for(database, rulings), lambda searcher: _mentions(searcher, text, game, lang)
    )
    if as_json:
        print_json(
            [
                {
                    **mention._asdict(),
                    "card": mention.card or None,
                    "version": mention.version or None,
                }
                for mention in mentions
            ]
        )
    else:
        for mention in mentions:
            place = f"{mention.start}-{mention.end}"
            print(f"{place}\t{mention.words}\t{' or '.join(mention.candidates)}")
    if not mentions:
        sys.exit(1)


def _mentions(searcher: Searcher, text: str, game: str | None, lang: str | None) -> list[Mention]:
    """Find card names in a text.

    Without a game or language, the one with most card names in the text is taken. Raises KbError
    for an unknown game or language.
    """
    from kb.linking.card_finder import CardFinder

    reader, languages = searcher.reader, searcher.languages
    require_known(reader, game, lang)
    if game and lang and lang not in languages[game]:
        known = ", ".join(languages[game])
        raise WrongUsage(f"{game} has no texts in {lang!r}; choose one of {known}")
    mentions: list[Mention] = []
    for game_id in [game] if game else languages:
        cards, not_cards = [*reader.cards(game_id)], reader.not_cards(game_id)
        for code in languages[game_id]:
            if lang in (None, code):
                finder = CardFinder(cards, not_cards, code, searcher.table)
                mentions = max(mentions, finder.find(text), key=len)
    return mentions
