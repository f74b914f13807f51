"""Which topic and which cards of a game a text is about."""

from __future__ import annotations

import re
from collections import Counter

from kb.importers.common import slug
from kb.language import LANGUAGES, fold
from kb.records.model import Game

_STOP = frozenset(fold(word) for language in LANGUAGES.values() for word in language.stop_words)
_HEADING_WEIGHT = 4


class Topics:
    """Chooses the topic of a text among those of a game, by their titles and terms."""

    def __init__(self, game: Game | None) -> None:
        self._words: list[tuple[str, frozenset[str]]] = []
        for topic in game.header.topics if game else ():
            for title in topic.title.values():
                self._words += [(topic.id, frozenset([stem])) for stem in set(_stems(title))]
        for term in game.terms if game else ():
            topics = [topic for topic in (*term.topics, term.id) if topic in game.topics]  # type: ignore[union-attr]
            for name in (name for names in term.names.values() for name in names):
                if topics and _stems(name):
                    self._words.append((topics[0], frozenset(_stems(name))))

    def choose(self, section: str, text: str) -> str:
        """Return the topic whose words occur most; the section's slug where none does."""
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
    """The telling words of a text, cut so that the forms of a word meet."""
    words = re.findall(r"[^\W\d_]+", fold(text))
    return [
        word[: max(4, len(word) - 3)][:7] for word in words if len(word) > 3 and word not in _STOP
    ]


class Cards:
    """Finds the cards of a game that a text names exactly."""

    def __init__(self, game: Game | None) -> None:
        self._game = game
        self._names: dict[str, list[str]] = {}
        left_out = set(game.header.not_cards) if game else set()
        for name in dict.fromkeys(card.name for card in game.cards) if game else ():
            words = re.findall(r"\w+", name)
            is_telling = len(words) > 1 or (len(name) > 3 and fold(name) not in _STOP)
            if words and is_telling and name not in left_out:
                self._names.setdefault(words[0], []).append(name)
        for names in self._names.values():
            names.sort(key=lambda name: (-len(name), name))

    def named_in(self, text: str) -> tuple[str, ...]:
        """Return the labels of the cards in the order of the text; the longest name wins."""
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
