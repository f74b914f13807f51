"""Rules of good content, for games with `checks: strict` and for `kb check --strict`.

Each check is a generator of Problem.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from kb.core.problems import Problem
from kb.language import words_of
from kb.records.marks import plain_text
from kb.records.model import Game, Ruling
from kb.records.syntax import Text

MAX_ANSWER_WORDS = 60
# First words that point back at a title or a question; an answer is read out without these.
POINTING_WORDS = {
    "cs": "tento tato toto tito tyto takový taková takové takoví",
    "en": "this that these those such",
    "pl": "ten ta to ci te taki taka takie tacy",
    "ru": "этот эта это эти такой такая такое такие",
    "sk": "tento táto toto títo tieto taký taká také takí",
}
_FIRST_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_LETTERS = re.compile(r"(?<!\w)[A-Z]{1,2}(?!\w)")
_IN_BRACKETS = re.compile(r"\(([A-Z]{1,2})\)")

Rulings = Mapping[str, Ruling]


def check_content(games: Mapping[str, Game], rulings: Rulings) -> Iterator[Problem]:
    """Yield every problem of content; `rulings` by `game/id`."""
    for game in games.values():
        yield from check_terms_explained(game)
        yield from check_editions(game)
        versions, wrong_words = {card.version for card in game.cards}, WrongWords(game)
        for ruling in rulings.values():
            if ruling.game == game.id:
                yield from check_answers(ruling)
                yield from check_texts_agree(ruling, versions)
                yield from check_english_terms(ruling, wrong_words)
    yield from check_connections(
        {key: ruling for key, ruling in rulings.items() if ruling.game in games}
    )


def check_terms_explained(game: Game) -> Iterator[Problem]:
    """A term has a meaning in each language of its names."""
    for term in game.terms:
        missing = [lang for lang in term.names if not term.meaning.get(lang)]
        if missing:
            yield term.problem(f"no meaning in {', '.join(missing)}", "meaning")


def check_editions(game: Game) -> Iterator[Problem]:
    """A source names its edition, or the edition of its rules."""
    for source in game.sources:
        if not source.edition:
            yield source.problem("no edition; write what is known, as in `before 2014`")


def check_answers(ruling: Ruling) -> Iterator[Problem]:
    """The first paragraph is short and can be read out by itself."""
    for text in ruling.texts:
        answer = plain_text(text.answer)
        count = len(words_of(answer))
        if count > MAX_ANSWER_WORDS:
            message = f"the first paragraph has {count} words; {MAX_ANSWER_WORDS} can be read out"
            yield Problem(ruling.path, text.body_line, message)
        first = _FIRST_WORD.search(answer)
        if first and first[0].lower() in POINTING_WORDS.get(text.lang, "").split():
            message = f"the first paragraph begins with {first[0]!r}; name what it is about"
            yield Problem(ruling.path, text.body_line, message)


class _Facts(NamedTuple):
    """The parts of a text that are equal in its translations.

    `versions` are letters in brackets, which are versions of cards; other `letters` may be words,
    as A in English and Polish.
    """

    numbers: set[str]
    versions: set[str]
    letters: set[str]
    labels: set[str]


def _facts(text: Text, versions: Collection[str]) -> _Facts:
    words = f"{text.title}\n{plain_text(text.body)}"
    return _Facts(
        numbers=set(_NUMBER.findall(words)),
        versions=set(_IN_BRACKETS.findall(words)).intersection(versions),
        letters=set(_LETTERS.findall(words)),
        labels={mark.label for mark in text.marks if mark.is_card},
    )


def check_texts_agree(ruling: Ruling, versions: Collection[str]) -> Iterator[Problem]:
    """A translation has the numbers, versions and card marks of its original, and no others.

    `versions`: all versions of the game's cards.
    """
    original, *translations = [(text, _facts(text, versions)) for text in ruling.texts]
    pairs = [pair for other in translations for pair in ((other, original), (original, other))]
    for (text, own), (other, others) in pairs:
        for noun, missing in (
            ("number", others.numbers - own.numbers),
            ("version", others.versions - own.letters),
            ("card mark", others.labels - own.labels),
        ):
            if missing:
                nouns = f"{noun}s" if len(missing) > 1 else noun
                names = ", ".join(sorted(missing))
                message = f"the text in {text.lang} lacks the {nouns} {names} of the one in"
                yield Problem(ruling.path, text.line, f"{message} {other.lang}")


class WrongWords:
    """The words that English texts of a game must not use, with their terms."""

    def __init__(self, game: Game) -> None:
        self.terms = [(word, term) for term in game.terms for word in term.wrong_english]
        # One search for all words settles nearly all texts.
        self._any = _whole_word(*(word for word, _ in self.terms)) if self.terms else None

    def occur_in(self, text: str) -> bool:
        """Whether a text has any of the words."""
        return bool(self._any and self._any.search(text))


def _whole_word(*words: str) -> re.Pattern[str]:
    either = "|".join(map(re.escape, words))
    return re.compile(rf"(?<!\w)(?:{either})(?:e?s)?(?!\w)", re.IGNORECASE)


def check_english_terms(ruling: Ruling, wrong_words: WrongWords) -> Iterator[Problem]:
    """An English text has no word that terms.yaml lists under `not`."""
    text = ruling.text("en")
    if text is None:
        return
    rows = [text.title, *plain_text(text.body).split("\n")]
    if not wrong_words.occur_in("\n".join(rows)):
        return
    for word, term in wrong_words.terms:
        pattern = _whole_word(word)
        for number, row in enumerate(rows, text.body_line - 1):
            if match := pattern.search(row):
                line = text.line if number < text.body_line else number
                right = term.title("en")
                message = f"{match[0]!r} is called {right!r} in English (terms.yaml, {term.id})"
                yield Problem(ruling.path, line, message)


def check_connections(rulings: Rulings) -> Iterator[Problem]:
    """A ruling has a relation to another, or shares a topic with one."""
    by_topic: dict[tuple[str, str], int] = {}
    related: set[str] = set()
    for key, ruling in rulings.items():
        for topic in ruling.header.topics:
            by_topic[ruling.game, topic] = by_topic.get((ruling.game, topic), 0) + 1
        others = ruling.references()
        if others:
            related |= {key, *(f"{ruling.game}/{other}" for other in others)}
    for key, ruling in rulings.items():
        shared = any(by_topic[ruling.game, topic] > 1 for topic in ruling.header.topics)
        if key not in related and not shared:
            message = "topics: no other ruling of these topics, and no relation to any"
            yield ruling.problem(message, "topics")
