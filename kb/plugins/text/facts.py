"""Finds the topics and the cards of a game that a text is about."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from kb.language import FORMS_FILE, LANGUAGES, FormTable, fold, language_of
from kb.language.forms import Words, build_form_table
from kb.linking.autolink import finders
from kb.linking.card_finder import CardFinder
from kb.pipeline.word_forms import words_of_games
from kb.records.model import Game

_STOP_WORDS = frozenset(
    fold(word) for language in LANGUAGES.values() for word in language.stop_words
)
# The topic of what has no section.
GENERAL = "general"
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

    def choose(self, section: str, text: str, default: str) -> str:
        """Return the topic with most words in a text and the heading of its section."""
        score: Counter[str] = Counter()
        for words, weight in ((_stems(section), _HEADING_WEIGHT), (_stems(text[:3_000]), 1)):
            count = Counter(words)
            for topic, stems in self._words:
                score[topic] += weight * min(3, *(count[stem] for stem in stems))
        best = max(score, key=lambda topic: score[topic], default="")
        return best if best and score[best] else default


def _stems(text: str) -> list[str]:
    """Return the beginnings of a text's words, which the forms of a word share."""
    words = re.findall(r"[^\W\d_]+", fold(text))
    return [
        word[: max(4, len(word) - 3)][:7]
        for word in words
        if len(word) > 3 and word not in _STOP_WORDS
    ]


class Cards:
    """Finds the cards of a game that a text names, in any form of their names."""

    def __init__(self, game: Game | None) -> None:
        self._finders: dict[str, CardFinder] = {}
        self._labels: dict[str, str] = {}
        self._game = game
        if game is None:
            return
        for card in game.cards:
            self._labels |= {fold(name): card.name for name in card.other_names}
        self._labels |= {fold(label): label for label in game.card_labels}
        for lang in game.languages:
            self._labels.pop(fold(game.title(lang)), None)
        words = {
            lang: Words(set(language_of(lang).stop_words), found.names)
            for lang, found in words_of_games([game]).items()
        }
        with TemporaryDirectory() as folder:
            path = Path(folder, FORMS_FILE)
            build_form_table(path, words)
            table = FormTable(path.read_bytes())
        self._finders = {lang: finder for (_, lang), finder in finders([game], table).items()}

    def called(self, name: str) -> tuple[str, ...]:
        """Return the label of the card that a text is the name of; several if it may be each.

        The name of the game is no card's.
        """
        label = self._labels.get(fold(name))
        if not label or not self._game:
            return ()
        versions = self._game.cards_named(label)
        # A bare name stands for versions that are letters: see CardFinder.
        is_bare = all(len(card.version) <= 2 for card in versions)
        return (label,) if is_bare else tuple(card.label for card in versions)

    def named_in(self, text: str, lang: str) -> tuple[str, ...]:
        """Return the labels of the single cards and names in a text, in its order."""
        finder = self._finders.get(lang) or next(iter(self._finders.values()), None)
        mentions = finder.find(text) if finder else []
        with_version = {mention.card for mention in mentions if mention.version}
        labels = (
            mention.label
            for mention in mentions
            if mention.label and (mention.version or mention.card not in with_version)
        )
        return tuple(dict.fromkeys(labels))
