"""`kb deck`: the rulings that matter for a deck list."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.backend import target_for, with_searcher
from kb.commands.options import PATH, print_json
from kb.core.decoding import given_text
from kb.core.problems import WrongUsage, posix_path
from kb.store.model import StoredRuling

if TYPE_CHECKING:
    from kb.decks.answer import DeckAnswer
    from kb.search.searcher import Searcher


@click.command()
@click.argument("file", type=PATH, help="A deck list as text; - reads standard input.")
@options.game(help="The deck's game (default: the game of most cards).")
@options.interface()
@options.as_json()
@options.database()
@options.rulings()
def deck(
    file: Path,
    game: str | None,
    interface: str,
    as_json: bool,
    database: str | None,
    rulings: Path | None,
) -> None:
    """Show the rulings that matter for a deck: by card, then the rules that its cards bring in.

    \b
    Example:
    kb deck my-deck.txt
    """
    target, text = target_for(database, rulings), read_deck(file)
    lang = "" if as_json else interface
    answer, found = with_searcher(target, lambda searcher: _answer_deck(searcher, text, game, lang))
    if as_json:
        print_json(answer)
    else:
        from kb.commands.terminal import show_deck

        show_deck(answer, found, interface)
    if not found:
        sys.exit(1)


def read_deck(path: Path) -> str:
    """Return the text of a deck list; `-` is standard input.

    Raises KbError for a file in an unknown encoding, WrongUsage for one that cannot be read.
    """
    name = "standard input" if str(path) == "-" else posix_path(path)
    try:
        with click.open_file(str(path), "rb") as file:
            return given_text(file.read(), name)
    except (OSError, RuntimeError) as error:
        raise WrongUsage(f"{name}: {getattr(error, 'strerror', error)}") from None


def _answer_deck(
    searcher: Searcher, text: str, game: str | None, lang: str
) -> tuple[DeckAnswer, dict[str, StoredRuling]]:
    """Return the answer to a deck list, and its rulings by id.

    `lang`: of the reasons, "" for the words of the catalogue of cards.
    """
    from kb.decks.answer import rulings_for_deck

    answer = rulings_for_deck(text, searcher.store, searcher.table, game, lang)
    return answer, {ruling.id: ruling for ruling in searcher.store.rulings(answer.keys())}
