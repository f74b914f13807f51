"""`kb card`: a card's versions and the rulings on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.backend import target_for, with_searcher
from kb.commands.options import notify, print_json
from kb.core.problems import WrongUsage
from kb.core.similar import did_you_mean
from kb.store.model import require_known

if TYPE_CHECKING:
    from kb.search.searcher import Searcher
    from kb.serialize.answers import Card


@click.command()
@click.argument(
    "name", nargs=-1, required=True, help="A card's name, misprint or nickname, in any case form."
)
@options.game()
@options.interface()
@options.as_json()
@options.database()
@options.rulings()
def card(
    name: tuple[str, ...],
    game: str | None,
    interface: str,
    as_json: bool,
    database: str | None,
    rulings: Path | None,
) -> None:
    """Show a card's versions and the rulings on it.

    The beginning of a name, or a word of it, lists the cards that have it.

    \b
    Examples:
    kb card darth sidious
    kb card "Darth Sidious (C)"
    """
    from kb.search.query import MAX_LENGTH

    wanted = " ".join(name)
    if len(wanted) > MAX_LENGTH:
        raise WrongUsage(f"a card's name has at most {MAX_LENGTH} characters")
    cards, hint = with_searcher(
        target_for(database, rulings), lambda searcher: _find_cards(searcher, wanted, game)
    )
    if as_json:
        print_json({"query": wanted, "results": cards})
    else:
        from kb.commands.terminal import show_cards

        show_cards(cards, interface)
    if not cards:
        notify(f"kb: no card is named {wanted!r}{hint}")
        sys.exit(1)


def _find_cards(searcher: Searcher, wanted: str, game: str | None) -> tuple[list[Card], str]:
    """Return the cards that a text names, or a hint without any; see `best_card_matches`.

    The text `Darth Sidious (C)` gives only that version.
    """
    from kb.search import card_lookup
    from kb.serialize.answers import card_answer

    reader = searcher.reader
    require_known(reader, game)
    by_name = card_lookup.cards_by_name(reader, game)
    names = card_lookup.names_by_game(by_name)
    _, keys = card_lookup.best_card_matches(wanted, names, reader, searcher.table)
    matches = []
    for key in keys:
        versions = card_lookup.named_versions(wanted, by_name[key])
        slugs = card_lookup.slugs(by_name, key[0])
        matches.append(card_answer(key, versions, reader, slugs))
    return matches, "" if matches else did_you_mean(card_lookup.suggested_names(wanted, by_name))
