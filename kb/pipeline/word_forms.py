"""Which words does the table of forms hold?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.parallel import map_chunks
from kb.language import LANGUAGES, words_of
from kb.language.forms import Words, build_form_table
from kb.records.text import plain_text

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Game, Ruling

# Rulings whose words one process collects at a time.
_CHUNK = 2_500


def build_forms(library: Library, path: Path) -> None:
    """Write the table of forms: every form of all words of a library."""
    words = words_of_games(library.games.values())
    for several in map_chunks(_words_of_rulings, [*library.rulings.values()], _CHUNK):
        for lang, collected in several.items():
            words[lang].texts |= collected.texts
            words[lang].asked |= collected.asked
    build_form_table(path, words)


def words_of_games(games: Iterable[Game]) -> dict[str, Words]:
    """The words that games have besides their rulings, by language.

    Words of terms and topics; words of card names, in the languages of their game; the names of one
    word that a term has, if there are several.
    """
    words: dict[str, Words] = defaultdict(Words)
    for game in games:
        called = [name for card in game.cards for name in (card.name, *card.other_names)]
        telling = {
            word
            for name in called
            for word in words_of(name)
            if len(word) > 1 and word.lower() not in LANGUAGES["en"].stop_words
        }
        for lang in game.header.languages:
            words[lang].names |= telling
            for text in _game_texts(game, lang):
                words[lang].texts.update(words_of(text))
        for term in game.terms:
            for lang in {**term.names, **term.also}:
                names = term.searched(lang)
                words[lang].terms.update(chain.from_iterable(map(words_of, names)))
                single = [name for name in names if " " not in name]
                if len(single) > 1:
                    words[lang].groups.append(single)
    return words


def _game_texts(game: Game, lang: str) -> Iterator[str]:
    """The names and meanings of a game's terms, and the titles of its topics, in a language."""
    for term in game.terms:
        yield from term.searched(lang)
        yield term.meaning.get(lang, "")
    for topic in game.header.topics:
        yield topic.title.get(lang, "")


def _words_of_rulings(rulings: Iterable[Ruling]) -> dict[str, Words]:
    """The words of titles, texts and questions of some rulings, by language.

    Words of ids and provisions are English ones.
    """
    words: dict[str, Words] = defaultdict(Words)
    named: set[str] = set()
    for ruling in rulings:
        for text in ruling.texts:
            for part in (text.title, text.without_notes, *(note.text for note in text.notes)):
                words[text.lang].texts.update(words_of(plain_text(part)))
        for lang, condition in ruling.header.when.items():
            words[lang].texts.update(words_of(condition))
        for lang, questions in ruling.asked_as.items():
            for question in questions:
                words[lang].asked.update(words_of(plain_text(question)))
        for name in (ruling.id, *(source.provision for source in ruling.header.sources)):
            named.update(words_of(name.replace("-", " ")))
    if "en" in words:
        words["en"].texts |= named
    return words
