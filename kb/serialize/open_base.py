"""An open build, and who lends it: what every answer is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from kb.core import urls
from kb.search.catalogue import Catalogue
from kb.search.searcher import Searcher
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


class Lender(Protocol):
    """Lends an open build to a piece of work, which runs in the calling thread.

    Raises KbError when nothing is built or too many wait.
    """

    def __call__(self, work: Callable[[OpenBase], T]) -> T:
        """Call `work` and return its result."""
