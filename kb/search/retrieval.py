"""The tree of a query -> conditions for the engine, and which candidates meet it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from kb.search.engines.base import AllOf, AnyOf, Condition, Without
from kb.search.expansion import Slot
from kb.search.query import And, Node, Not, Or, leaves

# So many documents at most are looked at for what has any of the words: those of the rarest words.
BUDGET = 4_000
# Terms of guesses at most, besides.
GUESSES = 40
Slots = Mapping[Node, Slot]


def every_word(node: Node, slots: Slots) -> Condition:
    """The documents with every word that matters; a phrase is taken for its words."""
    if isinstance(node, Or):
        return AnyOf(tuple(every_word(part, slots) for part in node.nodes))
    if isinstance(node, Not):
        return AnyOf(())
    if isinstance(node, And):
        wanted = AllOf(tuple(every_word(part, slots) for part in needed(node, slots)))
        # What has the words of an excluded phrase need not have the phrase.
        unwanted = [
            every_word(part.node, slots)
            for part in node.nodes
            if isinstance(part, Not)
            and not any(_is_phrase(leaf, slots) for leaf in leaves(part.node))
        ]
        return Without(wanted, AnyOf(tuple(unwanted))) if unwanted else wanted
    return slot_condition(slots[node])


def needed(node: And, slots: Slots) -> list[Node]:
    """The parts that a full match must have: not words that matter only where nothing else does."""
    wanted: list[Node] = [part for part in node.nodes if not isinstance(part, Not)]
    return [part for part in wanted if part not in slots or not slots[part].optional] or wanted


def _is_phrase(leaf: Node, slots: Slots) -> bool:
    return slots[leaf].kind == "phrase"


def slot_condition(slot: Slot) -> Condition:
    """The documents with what a slot surely means; of a phrase with all of its words."""
    if slot.kind == "phrase":
        return AllOf(tuple(AnyOf(tuple(terms)) for terms in slot.word_terms))
    return AnyOf(tuple(slot.terms))


def any_word(slots: Sequence[Slot], frequencies: Mapping[str, int]) -> Condition:
    """The documents with any of the words, from the rarest on, as far as the budget goes."""
    terms: dict[str, None] = {}
    words = [slot.terms for slot in slots]
    words += [terms for slot in slots for terms in slot.word_terms]
    documents = 0
    for several in sorted(words, key=lambda several: sum(frequencies.get(t, 0) for t in several)):
        here = [term for term in several if frequencies.get(term)]
        documents += sum(frequencies[term] for term in here)
        if documents > BUDGET and terms:
            break
        terms.update(dict.fromkeys(here))
    guesses = {term for slot in slots for term in slot.guesses if frequencies.get(term)}
    for term in sorted(guesses, key=lambda term: (frequencies[term], term))[:GUESSES]:
        documents += frequencies[term]
        if documents > BUDGET and terms:
            break
        terms[term] = None
    return AnyOf(tuple(terms))


def meets(node: Node, present: Container[Node], slots: Slots) -> bool:
    """Whether what is present in a candidate is all that matters of a part of a query."""
    if isinstance(node, Or):
        return any(meets(part, present, slots) for part in node.nodes)
    if isinstance(node, Not):
        return not meets(node.node, present, slots)
    if isinstance(node, And):
        unwanted = [part for part in node.nodes if isinstance(part, Not)]
        return all(meets(part, present, slots) for part in (*needed(node, slots), *unwanted))
    return node in present


def negations(node: Node | None) -> list[Not]:
    """What a query excludes."""
    if isinstance(node, Not):
        return [node]
    if isinstance(node, And | Or):
        return [found for part in node.nodes for found in negations(part)]
    return []


def all_leaves(node: Node | None) -> Iterable[Node]:
    """The leaves of a query, those below negations too."""
    yield from leaves(node)
    for negation in negations(node):
        yield from all_leaves(negation.node)
