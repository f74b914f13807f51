"""What the two sources of Magic rulings share: topics, ids, drafts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kb.importers.common import Ids, day, literal, paragraphs, slug, title
from kb.importers.drafts import Draft, DraftSource, DraftText, Imported

# A card of several types is filed under the first of these.
_TYPES = "creature planeswalker battle instant sorcery land enchantment artifact".split()
UNKNOWN = "other-cards"


def topic(type_line: str, imported: Imported) -> str:
    """The topic of a card by its type line; added to the topics that the run has found."""
    words = re.split("//|—", type_line)[0].lower().split()
    card_type = next(
        (candidate for candidate in _TYPES if candidate in words), words[-1] if words else ""
    )
    place = slug(card_type) if card_type else UNKNOWN
    imported.topics.setdefault(place, card_type.capitalize() or "Other cards")
    return place


@dataclass
class Maker:
    """Makes the drafts of one import.

    A ruling's id is its card's oracle id with the date, then -2, -3 in the file's order.
    """

    imported: Imported
    ids: Ids = field(default_factory=Ids)
    dates: dict[str, set[str]] = field(default_factory=dict)

    def add(
        self,
        key: str,
        name: str,
        about: tuple[str, ...],
        place: str,
        date: str,
        text: str,
        line: int,
        source: str,
        authority: str,
    ) -> None:
        """One ruling as a draft; `date` is one of the calendar or empty."""
        cited = date or "undated"
        self.dates.setdefault(source, set()).add(cited)
        body = "\n\n".join(literal(paragraph) for paragraph in paragraphs(text))
        self.imported.drafts.append(
            Draft(
                id=self.ids.make(f"{slug(key)[:80].strip('-')}-{cited.replace('-', '')}"),
                topic=place,
                texts=(DraftText("en", title(name, text), body),),
                authority=authority,
                about=about,
                sources=(f"{source}#{cited}",),
                date=date,
                lines=(line, line),
                note="" if about else f"The source names no card, only the oracle id {key}.",
            )
        )

    def finish(self, titles: dict[str, tuple[str, str]]) -> None:
        """Add the cited sources with their `titles` and authorities; provisions are dates."""
        for source, (name, authority) in titles.items():
            if source in self.dates:
                dates = tuple(sorted(self.dates[source]))
                self.imported.sources.append(
                    DraftSource(source, name, "en", authority, provisions=dates)
                )


def dated(value: object) -> tuple[str, bool]:
    """A date as records write it (empty without one), and whether what was given is understood."""
    if value in (None, ""):
        return "", True
    date = day(value) if isinstance(value, str) else ""
    return date, bool(date)
