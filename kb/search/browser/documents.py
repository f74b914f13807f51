"""What the index has of each document: the layout of its text, its columns, what a result shows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from kb.records.marks import plain_text
from kb.records.model import Game, Ruling
from kb.records.validity import Validity, ruling_date
from kb.search.browser.forms import DIGITS
from kb.search.document import Segment
from kb.search.snippets import card_names, flat


def layout(segments: Iterable[Segment]) -> str:
    """The segments of a document without their words: runs of field, language and lengths.

    A length is a digit to the base of 36, or a number in parentheses.
    """
    parts: list[str] = []
    last = None
    for field, lang, words in segments:
        if (field, lang) != last:
            parts.append(f";{field}{lang} ")
            last = field, lang
        length = len(words)
        parts.append(DIGITS[length] if length < len(DIGITS) else f"({length})")
    return "".join(parts)[1:]


def columns(
    rulings: Sequence[Ruling], spans: Mapping[str, Validity], games: Mapping[str, Game]
) -> object:
    """Columns of a block of documents: the different values, and each document's number of one."""
    return {
        "game": _column([ruling.game for ruling in rulings]),
        "kind": _column([ruling.header.kind for ruling in rulings]),
        "authority": _column([ruling.header.authority for ruling in rulings]),
        "status": _column([ruling.header.status for ruling in rulings]),
        "lang": _column([tuple(text.lang for text in ruling.texts) for ruling in rulings]),
        "topic": _column([ruling.header.topics for ruling in rulings]),
        "date": _column([ruling_date(ruling, games[ruling.game]) for ruling in rulings]),
        "begins": _column([spans[ruling.key].begins for ruling in rulings]),
        "ends": _column([spans[ruling.key].ends for ruling in rulings]),
        "rules": _column([ruling.header.rules for ruling in rulings]),
    }


def _column(values: Sequence[Hashable]) -> list[object]:
    different: dict[Hashable, int] = {}
    numbers = [different.setdefault(value, len(different)) for value in values]
    return [list(different), numbers]


def shown(ruling: Ruling) -> list[object]:
    """What a result shows: id, titles, texts, lengths of answers, names of cards."""
    titles = {text.lang: text.title for text in ruling.texts}
    bodies = {text.lang: flat(text.body) for text in ruling.texts}
    answers = {
        text.lang: len(flat(plain_text(text.body).partition("\n\n")[0])) for text in ruling.texts
    }
    names = card_names(ruling.cards(), [text.body for text in ruling.texts])
    return [ruling.id, titles, bodies, answers, names]
