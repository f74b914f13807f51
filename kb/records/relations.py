"""Relations between rulings, in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kb.records.model import Ruling

# The ids of the related rulings, by the name of the relation.
Relations = dict[str, tuple[str, ...]]
_NAMES = ("supersedes", "superseded_by", "example_of", "examples", "related")
NO_RELATIONS: Relations = dict.fromkeys(_NAMES, ())


def relations_of(rulings: Mapping[str, Ruling]) -> dict[str, Relations]:
    """Return the relations of each ruling to others of `rulings`, by key.

    Rulings that supersede or illustrate each other are not listed as `related` too.
    """
    relations: dict[str, dict[str, list[str]]] = {
        key: {name: [] for name in _NAMES} for key in rulings
    }

    def link(ruling: Ruling, others: Iterable[str], name: str, inverse: str) -> None:
        for other in others:
            other_key = f"{ruling.game}/{other}"
            if other_key not in rulings:
                continue
            if other not in relations[ruling.key][name]:
                relations[ruling.key][name].append(other)
            if ruling.id not in relations[other_key][inverse]:
                relations[other_key][inverse].append(ruling.id)

    for ruling in rulings.values():
        link(ruling, ruling.header.supersedes, "supersedes", "superseded_by")
        link(ruling, ruling.header.example_of, "example_of", "examples")
    for key, ruling in rulings.items():
        stronger = {other for name in _NAMES[:-1] for other in relations[key][name]}
        others = (other for other in ruling.header.related if other not in stronger)
        link(ruling, others, "related", "related")
    for own in relations.values():
        # Sorted, because either ruling may name the other: an export must import to the same.
        own["related"].sort()
    return {key: {name: tuple(ids) for name, ids in own.items()} for key, own in relations.items()}
