"""`kb link`: the card names in a text."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from kb.commands.backend import Backend, Notify, Target, require_known, with_backend
from kb.commands.options import Database, Json, Rulings, notify, print_json, target_for
from kb.core.problems import WrongUsage


def link(
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="The game whose cards to find.")
    ],
    lang: Annotated[
        str,
        typer.Option("--lang", "-l", metavar="LANG", help="The language of the text, such as pl."),
    ],
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Find card names, in any case form, in the text on standard input.

    Example:
    kb link --game swtcg --lang pl < text.txt
    """
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    mentions = find_mentions(target_for(database, rulings), text, game, lang, notify)
    if as_json:
        print_json(mentions)
    else:
        for mention in mentions:
            place = f"{mention['start']}-{mention['end']}"
            print(f"{place}\t{mention['surface']}\t{' or '.join(mention['candidates'])}")
    if not mentions:
        raise typer.Exit(1)


def find_mentions(
    target: Target, text: str, game: str, lang: str, say: Notify
) -> list[dict[str, Any]]:
    """Find card names in a text, in the shape of `kb link --json`.

    Raises KbError for an unknown game or language.
    """
    from kb.linking.card_finder import CardFinder

    def run(backend: Backend) -> list[dict[str, Any]]:
        with backend.table() as table, backend.reader() as reader:
            require_known(reader, game)
            languages = reader.languages()[game]
            if lang not in languages:
                raise WrongUsage(
                    f"{game} has no texts in {lang!r}; choose one of {', '.join(languages)}"
                )
            finder = CardFinder(reader.cards(game), reader.not_cards(game), lang, table, [text])
            return [
                {
                    "start": mention.start,
                    "end": mention.end,
                    "surface": mention.surface,
                    "card": mention.card or None,
                    "version": mention.version or None,
                    "candidates": list(mention.candidates),
                }
                for mention in finder.find(text)
            ]

    return with_backend(target, run, say)
