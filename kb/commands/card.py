"""`kb card`: a card's versions and the rulings on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands.backend import Notify, Target, with_searcher
from kb.commands.options import (
    Database,
    Game,
    Interface,
    Json,
    Rulings,
    notify,
    print_json,
    target_for,
)
from kb.store.model import require_known

if TYPE_CHECKING:
    from kb.search.searcher import Searcher
    from kb.serialize.answers import Card


def card(
    name: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", help="A card's name, misprint or nickname, in any case form."
        ),
    ],
    game: Game = None,
    interface: Interface = "",
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Show a card's versions and the rulings on it.

    The beginning of a name, or a word of it, lists the cards that have it.

    Examples:
    kb card darth sidious
    kb card "Darth Sidious (C)"
    """
    wanted = " ".join(name)
    cards, hint = find_cards(target_for(database, rulings), wanted, game, say=notify)
    if as_json:
        print_json({"query": wanted, "results": cards})
    else:
        from kb.commands.terminal import show_cards

        show_cards(cards, interface)
    if not cards:
        notify(f"kb: no card is named {wanted!r}.{hint}")
        raise typer.Exit(1)


def find_cards(
    target: Target, wanted: str, game: str | None, say: Notify
) -> tuple[list[Card], str]:
    """Return the cards that a text names, or a hint if there are none; see `best_card_matches`.

    The text `Darth Sidious (C)` gives only that version.
    """
    from kb.search.cards import (
        best_card_matches,
        card_names,
        cards_by_name,
        did_you_mean,
        named_versions,
    )
    from kb.serialize.answers import card_answer

    def run(searcher: Searcher) -> tuple[list[Card], str]:
        reader = searcher.reader
        require_known(reader, game)
        cards = cards_by_name(reader, game)
        matches = [
            card_answer(key[1], named_versions(wanted, cards[key]), reader)
            for key in best_card_matches(wanted, card_names(cards), reader, searcher.table)[1]
        ]
        return matches, "" if matches else did_you_mean(wanted, cards)

    return with_searcher(target, run, say)
