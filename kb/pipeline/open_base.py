"""An open build, and who lends it: what every answer is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from kb.core import urls
from kb.linking.names import CardMatch
from kb.pipeline.catalogue import Catalogue, GameAndName
from kb.search.card_lookup import best_card_matches
from kb.search.searcher import Searcher
from kb.serialize.answers import Card, card_answer
from kb.serialize.ruling import SourceDocument
from kb.store import lists
from kb.store.model import StoredRuling
from kb.store.queries import Store

T = TypeVar("T")


@dataclass(frozen=True)
class OpenBase:
    """An open build; `base_url` is the address of its site, empty where it is not served."""

    searcher: Searcher
    catalogue: Catalogue
    base_url: str = ""

    @property
    def store(self) -> Store:
        return self.searcher.store

    def address(self, address: str) -> str:
        """Return an address of the site, absolute if `base_url` is known."""
        return urls.absolute(address, self.base_url) or address

    def cards_named(self, text: str, game: str) -> tuple[CardMatch, list[GameAndName]]:
        """Return how a text names cards of a game, or of all for "", and their games and names."""
        names = self.catalogue.card_names(self.store, game)
        return best_card_matches(text, names, self.store, self.searcher.table)

    def card(self, game: str, name: str) -> Card:
        """Return the cards of a name with their rulings."""
        cards = self.catalogue.cards(self.store)[game, name]
        return card_answer((game, name), cards, self.store, self.catalogue.slugs(self.store, game))

    def documents(self, ruling: StoredRuling) -> dict[str, SourceDocument]:
        """Return the documents that a ruling cites, by id."""
        ids = list(dict.fromkeys(citation.source for citation in ruling.sources))
        rows = lists.documents(self.store, ruling.game, ids)
        return {row["id"]: SourceDocument(**row) for row in rows}


class Lender(Protocol):
    """Lends an open build to a piece of work, which runs in the calling thread.

    Raises NotBuilt when nothing is built, Unavailable when too many wait.
    """

    def __call__(self, work: Callable[[OpenBase], T]) -> T:
        """Call `work` and return its result."""
