"""`kb card`: cards by any form of their name."""

from __future__ import annotations

from typing import Any

from kb.commands.backend import Backend, Notify, Target, with_backend
from kb.commands.lookup import require_known
from kb.search.card_names import cards_by_name, match_cards, named_versions
from kb.serialize.answers import card_to_json


def find_cards(target: Target, wanted: str, game: str | None, say: Notify) -> list[dict[str, Any]]:
    """Return the cards that a text names, in the shape of `kb card --json`: see `match_cards`.

    A text that names a version, such as `Darth Sidious (C)`, gives that version alone.
    """

    def run(backend: Backend) -> list[dict[str, Any]]:
        require_known(backend, game)
        with backend.store() as store, backend.table() as table:
            cards = cards_by_name(store, game)
            return [
                card_to_json(key[1], named_versions(wanted, cards[key]), store)
                for key in match_cards(wanted, cards, store, table)
            ]

    return with_backend(target, run, say)
