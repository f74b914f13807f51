"""Rules of good content, for games with `checks: strict` and for `kb check --strict`.

Each check is a generator of Problem; none stops another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from kb.core.problems import Problem
from kb.records.marks import plain_text
from kb.records.model import Game, Ruling, Text

MAX_ANSWER_WORDS = 60
# An answer is read out alone: words that point back at a title or a question have no noun there.
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


def check_content(
    games: Mapping[str, Game], rulings: Rulings, settled: Collection[str] = ()
) -> Iterator[Problem]:
    """Yield every problem of content: `rulings` by `game/id`.

    Rulings that are `settled` are only compared with others.
    """
    for game in games.values():
        yield from check_terms_explained(game)
        yield from check_editions(game)
    for key, ruling in rulings.items():
        owner = games.get(ruling.game)
        if owner and key not in settled:
            yield from check_answers(ruling)
            yield from check_texts_agree(ruling, owner)
            yield from check_english_terms(ruling, owner)
    yield from check_connections({key: one for key, one in rulings.items() if one.game in games})


def check_terms_explained(game: Game) -> Iterator[Problem]:
    """A term has a meaning in each language that it has a name in."""
    for term in game.terms:
        missing = [lang for lang in term.names if not term.meaning.get(lang)]
        if missing:
            line = term.lines.get(("meaning",), term.line)
            message = f"{term.id}: no meaning in {', '.join(missing)}"
            yield Problem(game.file("terms.yaml"), line, message)


def check_editions(game: Game) -> Iterator[Problem]:
    """A source says which edition of the rules, or of itself, it belongs to."""
    for source in game.sources:
        if not source.edition:
            message = f"{source.id}: no edition; write what is known, as in `before 2014`"
            yield Problem(game.file("sources.yaml"), source.line, message)


def check_answers(ruling: Ruling) -> Iterator[Problem]:
    """The first paragraph is short, and can be read out without what stands above it."""
    from kb.language import words_of

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


def check_texts_agree(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """A translation has the numbers, versions and card marks of its original, no others."""
    known = {card.version for card in game.cards}
    for text in ruling.texts[1:]:
        for lacking, having in ((text, ruling.original), (ruling.original, text)):
            for noun, missing in (
                ("number", _numbers(having) - _numbers(lacking)),
                ("version", _versions(having) & known - _letters(lacking)),
                ("card mark", _labels(having) - _labels(lacking)),
            ):
                if missing:
                    plural = "s" if len(missing) > 1 else ""
                    message = (
                        f"the text in {lacking.lang} lacks the {noun}{plural}"
                        f" {', '.join(sorted(missing))} of the one in {having.lang}"
                    )
                    yield Problem(ruling.path, lacking.line, message)


def _numbers(text: Text) -> set[str]:
    return set(_NUMBER.findall(_whole(text)))


def _versions(text: Text) -> set[str]:
    """The letters that are surely versions; alone they may be words, as A in English and Polish."""
    return set(_IN_BRACKETS.findall(_whole(text)))


def _letters(text: Text) -> set[str]:
    return set(_LETTERS.findall(_whole(text)))


def _labels(text: Text) -> set[str]:
    return {mark.label for mark in text.marks if mark.is_card}


def _whole(text: Text) -> str:
    return f"{text.title}\n{plain_text(text.body)}"


def check_english_terms(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """An English text does not call a term by a word that terms.yaml lists under `not`."""
    text = ruling.text("en")
    if text is None:
        return
    for term in game.terms:
        for wrong in term.wrong_english:
            pattern = re.compile(rf"(?<!\w){re.escape(wrong)}(?:e?s)?(?!\w)", re.IGNORECASE)
            right = term.title("en")
            for line, row in ((text.line, text.title), *_rows(text)):
                if match := pattern.search(row):
                    message = f"{match[0]!r} is called {right!r} in English (terms.yaml, {term.id})"
                    yield Problem(ruling.path, line, message)


def _rows(text: Text) -> Iterator[tuple[int, str]]:
    for line, row in enumerate(text.body.split("\n"), text.body_line):
        yield line, plain_text(row)


def check_connections(rulings: Rulings) -> Iterator[Problem]:
    """A ruling has a relation to another, or shares a topic with one."""
    by_topic: dict[tuple[str, str], int] = {}
    related: set[str] = set()
    for key, ruling in rulings.items():
        for topic in ruling.header.topics:
            by_topic[ruling.game, topic] = by_topic.get((ruling.game, topic), 0) + 1
        header = ruling.header
        others = {*header.supersedes, *header.related, *header.example_of}
        if others:
            related |= {key, *(f"{ruling.game}/{other}" for other in others)}
    for key, ruling in rulings.items():
        shared = any(by_topic[ruling.game, topic] > 1 for topic in ruling.header.topics)
        if key not in related and not shared:
            message = "topics: no other ruling of these topics, and no relation to any"
            yield Problem(ruling.path, ruling.line("topics"), message)
