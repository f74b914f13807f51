"""The records for the editor: all that can be read, with and without problems."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from kb.core.problems import Problem
from kb.records.checks import rules
from kb.records.library import Library
from kb.records.model import Ruling
from kb.records.similarity import SimilarityIndex
from kb.search.catalogue import PrefixIndex

# Least similarity of a similar ruling, from 0 to 1.
MIN_SIMILARITY = 0.25
# Maximum number of similar rulings.
MAX_SIMILAR = 5


class Workspace:
    """The records at one time, with indexes that are built on first use.

    `rulings` includes those that the library leaves out because of their references.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self.rulings = dict(sorted(library.readable.items()))
        self.card_names = cache(self._card_names)
        self.reference_problems = cache(self._reference_problems)
        self._similarity_index = cache(self._make_similarity_index)

    def _card_names(self, game_id: str) -> PrefixIndex[str]:
        return PrefixIndex(
            (name, card.name)
            for card in self.library.games[game_id].cards
            for name in (card.name, card.label, *card.other_names)
        )

    def of_game(self, game_id: str) -> dict[str, Ruling]:
        return {key: ruling for key, ruling in self.rulings.items() if ruling.game == game_id}

    def check_references(self, game_id: str, rulings: Mapping[str, Ruling]) -> frozenset[Problem]:
        """Return the problems between the given rulings of a game."""
        game = self.library.games.get(game_id)
        return frozenset(rules.check_library({game_id: game}, rulings)) if game else frozenset()

    def problems_without(self, ruling: Ruling) -> list[Problem]:
        """Return the problems that other records would have without a ruling and its questions."""
        game = self.library.games.get(ruling.game)
        if not game:
            return []
        others = {key: each for key, each in self.of_game(ruling.game).items() if key != ruling.key}
        problems = rules.check_library({game.id: game.without_ruling(ruling.id)}, others)
        return sorted(set(problems) - self.reference_problems(game.id))

    def _reference_problems(self, game_id: str) -> frozenset[Problem]:
        if not self.library.problems and not self.library.left_out:
            return frozenset()
        return self.check_references(game_id, self.of_game(game_id))

    def similar(self, key: str, texts: Mapping[str, tuple[str, str]]) -> list[tuple[Ruling, float]]:
        """Return the rulings of the same game that are most similar in any language.

        `texts`: title and body by language. The ruling of `key` is left out.
        """
        game = key.partition("/")[0]
        best: dict[str, tuple[Ruling, float]] = {}
        for lang, (title, body) in texts.items():
            rulings, index = self._similarity_index(game, lang)
            for number, similarity in index.most_similar(
                f"{title}\n{body}", MAX_SIMILAR + 1, MIN_SIMILARITY
            ):
                ruling = rulings[number]
                if ruling.key != key and similarity > best.get(ruling.key, (ruling, 0.0))[1]:
                    best[ruling.key] = (ruling, similarity)
        return sorted(best.values(), key=lambda pair: (-pair[1], pair[0].key))[:MAX_SIMILAR]

    def _make_similarity_index(self, game: str, lang: str) -> tuple[list[Ruling], SimilarityIndex]:
        rulings = [ruling for ruling in self.of_game(game).values() if ruling.text(lang)]
        texts = [text for ruling in rulings if (text := ruling.text(lang))]
        return rulings, SimilarityIndex([f"{text.title}\n{text.body}" for text in texts])
