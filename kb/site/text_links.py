"""What a text on a page may link to: cards, and terms where they occur first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from kb.linking.term_finder import TermFinder, TermMatch


@dataclass
class Links:
    """What a text on one page may link to.

    `card`: the address of a label, if any. `term`: the address and the meaning of a term; one
    without a meaning is not explained. `explained`: terms that the text has explained already.
    `blocks`: how many paragraphs, lists and tables it has had.
    """

    card: Callable[[str], str | None]
    term: Callable[[str], tuple[str, str]]
    finder: TermFinder | None = None
    explained: set[str] = field(default_factory=set)
    blocks: int = 0


def newly_explained(matches: Iterable[TermMatch], links: Links) -> Iterator[TermMatch]:
    """The terms in a run of text that have a meaning and are not explained yet; marks them so."""
    for found in matches:
        if found.term not in links.explained and links.term(found.term)[1]:
            links.explained.add(found.term)
            yield found
