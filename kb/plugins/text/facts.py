"""Finds the topics and the cards of a game that a text is about."""

from __future__ import annotations

import re
from collections import Counter

from kb.ingest.common import slug
from kb.language import LANGUAGES, fold
from kb.records.model import Game

STOP_WORDS = frozenset(
    fold(word) for language in LANGUAGES.values() for word in language.stop_words
)
# A word of a heading counts as many times for a topic as a word of the text.
_HEADING_WEIGHT = 4


class Topics:
    """Chooses the topic of a text from the topics of a game, by their titles and terms."""

    def __init__(self, game: Game | None) -> None:
        self._words: list[tuple[str, frozenset[str]]] = []
        if not game:
            return
        for topic in game.header.topics:
            for title in topic.title.values():
                self._words += [(topic.id, frozenset([stem])) for stem in set(_stems(title))]
        for term in game.terms:
            topics = [topic for topic in (*term.topics, term.id) if topic in game.topics]
            for name in (name for names in term.names.values() for name in names):
                if topics and _stems(name):
                    self._words.append((topics[0], frozenset(_stems(name))))

    def choose(self, section: str, text: str) -> str:
        """Return the topic with most words in the text; without one, the section as an id."""
        score: Counter[str] = Counter()
        for words, weight in ((_stems(section), _HEADING_WEIGHT), (_stems(text[:3_000]), 1)):
            count = Counter(words)
            for topic, stems in self._words:
                score[topic] += weight * min(3, *(count[stem] for stem in stems))
        best = max(score, key=lambda topic: score[topic], default="")
        if best and score[best]:
            return best
        return slug(section, 60) if section else "general"


def _stems(text: str) -> list[str]:
    """Return the beginnings of a text's words, which the forms of a word share."""
    words = re.findall(r"[^\W\d_]+", fold(text))
    return [
        word[: max(4, len(word) - 3)][:7]
        for word in words
        if len(word) > 3 and word not in STOP_WORDS
    ]


class Cards:
    """Finds the cards of a game that a text names exactly."""

    def __init__(self, game: Game | None) -> None:
        self._game = game
        self._names: dict[str, list[str]] = {}
        not_cards = set(game.header.not_cards) if game else set()
        for name in dict.fromkeys(card.name for card in game.cards) if game else ():
            words = re.findall(r"\w+", name)
            is_specific = len(words) > 1 or (len(name) > 3 and fold(name) not in STOP_WORDS)
            if words and is_specific and name not in not_cards:
                self._names.setdefault(words[0], []).append(name)
        for names in self._names.values():
            names.sort(key=lambda name: (-len(name), name))

    def named_in(self, text: str) -> tuple[str, ...]:
        """Return the labels of the cards that a text names, in its order; longer names win."""
        labels: dict[str, None] = {}
        end = 0
        straight = text.replace("’", "'")
        for word in re.finditer(r"\w+", straight) if self._names else ():
            for name in self._names.get(word[0], ()) if word.start() >= end else ():
                start = word.start() - name.index(word[0])
                after = start + len(name)
                if straight.startswith(name, start) and not straight[after : after + 1].isalnum():
                    end = after
                    labels[self._label(name, straight[end : end + 5])] = None
                    break
        versions = {label[: -len(" (A)")] for label in labels if label.endswith(")")}
        return tuple(label for label in labels if label not in versions)

    def _label(self, name: str, after: str) -> str:
        version = re.match(r"\s\(?([A-Z])\b(?!['’])", after)
        cards = self._game.cards_named(name) if self._game else ()
        return next((card.label for card in cards if version and card.version == version[1]), name)
