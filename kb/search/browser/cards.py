"""All cards by the words of their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from kb.core import urls
from kb.language import fold, words_of
from kb.records.model import Game, Ruling
from kb.search.browser.buckets import Row, in_order
from kb.search.expansion import stop_words


def card_rows(games: Sequence[Game], rulings: Iterable[Ruling]) -> Iterator[Row]:
    """The cards of each word: number, game, name, count of rulings, page, other names."""
    naming: dict[tuple[str, str], set[str]] = defaultdict(set)
    for ruling in rulings:
        for label in ruling.cards():
            naming[ruling.game, label].add(ruling.id)
    by_word: dict[str, list[list[object]]] = defaultdict(list)
    number = 0
    for game in sorted(games, key=lambda game: game.id):
        labels: dict[str, list[str]] = defaultdict(list)
        others: dict[str, dict[str, None]] = defaultdict(dict)
        for card in game.cards:
            labels[card.name] += [card.name, card.label]
            others[card.name].update(dict.fromkeys(card.other_names))
        slugs = urls.slugs(card.name for card in game.cards)
        for name, own in labels.items():
            count = len({ruling for label in own for ruling in naming[game.id, label]})
            slug = slugs[name] if count else ""
            row = [number, game.id, name, count, slug, *others[name]]
            number += 1
            for word in {word for each in (name, *others[name]) for word in _name_words(each)}:
                by_word[word].append(row)
    for word in in_order(by_word):
        yield Row(word, by_word[word], sum(len(str(row)) for row in by_word[word]))


def _name_words(name: str) -> list[str]:
    """The folded words of a card's name but the small ones."""
    words = [fold(word) for word in words_of(name)]
    return [word for word in words if word not in stop_words("en")] or words
