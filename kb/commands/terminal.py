"""Prints answers for people at a terminal, coloured unless NO_COLOR is set."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING

import click

from kb.commands.options import count_noun
from kb.core import urls
from kb.core.problems import escape_control
from kb.core.similar import did_you_mean
from kb.language import text_in
from kb.records.fields import HEADER_FIELDS
from kb.records.text import NOTES, plain_text, shown_blocks, split_notes
from kb.records.validity import ENDED, UPCOMING
from kb.serialize.ruling import verdict_in_words
from kb.store.model import StoredRuling

if TYPE_CHECKING:
    from kb.decks.answer import DeckAnswer
    from kb.search.cards import NamedCard
    from kb.search.ranking import Confidence
    from kb.search.searcher import Answer
    from kb.search.snippets import Passage
    from kb.serialize.answers import Card, RulingLink

# Columns for programs that read the output, so that no line is wrapped.
_UNLIMITED = 100_000
# Columns of text, in however narrow a terminal.
_MIN_COLUMN = 20
# Fields that `kb show` prints as part of another row, or not at all.
_IN_OTHER_ROWS = frozenset(
    "kind authority status verdict when about date effective effective_until asked asked_of"
    " translated_from formerly".split()
)
# Cards that are printed in full; more of them are listed by name.
_MAX_CARDS_IN_FULL = 3
_STANDINGS = {ENDED: "no longer in force", UPCOMING: "not yet in force"}

_bold = partial(click.style, bold=True)
_dim = partial(click.style, dim=True)
_highlight = partial(click.style, bold=True, fg="yellow")


def _columns() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _UNLIMITED


def _print(text: str = "", indent: int = 0, label: str = "") -> None:
    """Print a text with indented lines; `label` precedes the first."""
    start = label or " " * indent
    for line in _wrapped(text, max(_columns() - indent, _MIN_COLUMN)):
        click.echo(f"{start}{line}".rstrip(), color=False if os.environ.get("NO_COLOR") else None)
        start = " " * indent


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a styled text; a word is never divided, so ids can be copied."""
    for paragraph in text.split("\n"):
        line, *words = paragraph.split(" ")
        for word in words:
            longer = f"{line} {word}"
            if len(click.unstyle(longer).rstrip()) > width:
                yield line
                line = word
            else:
                line = longer
        yield line


def show_answer(answer: Answer, interface: str) -> None:
    """Print a search answer: a heading, then title, answer and citation of each ruling.

    The language of a ruling is named if it is not `interface`.
    """
    if answer.suggestion:
        _print(f"Did you mean: {_bold(answer.suggestion)}")
    _print(f"{_dim(_heading(answer))}\n" if answer.results else _nothing(answer))
    for card in answer.cards:
        _print(_named_card(card, interface), 4, "  ")
    if answer.cards and answer.results:
        _print()
    for number, hit in enumerate(answer.results, 1):
        if answer.total and number == answer.total + 1:
            _print(f"{_dim('Rulings with only some of the words')}\n")
        ruling = hit.ruling
        text = ruling.text_for(hit.lang)
        lang = f" [{hit.lang}]" if hit.lang != interface else ""
        status = _dim(f"{lang}  {_status_line(ruling)}")
        _print(f"{_bold(text.title)}{status}", 4, f"{number:>2}. ")
        verdict = _verdict(ruling, hit.lang)
        for passage in filter(None, (hit.shown.answer, hit.shown.elsewhere)):
            _print(f"{verdict}{_highlighted(passage)}", 4)
            verdict = ""
        _print(_dim(f"{ruling.key}  {', '.join(map(str, ruling.sources))}".rstrip()), 4)
        _print()


def _nothing(answer: Answer) -> str:
    hidden = {
        "filter": "The filters leave out the rulings on this card",
        "standing": "The rulings on this card are no longer in force; add status:any",
    }
    if answer.hidden_by in hidden:
        return hidden[answer.hidden_by]
    if answer.cards and not any(card.rulings for card in answer.cards):
        return "No ruling names this card"
    return f"Nothing found for {escape_control(answer.query)}"


def _named_card(card: NamedCard, interface: str) -> str:
    rulings = _dim(f"  {card.game} · {_ruling_count(card.rulings)}")
    return f"{_bold(card.shown(interface))}{rulings}"


def _ruling_count(rulings: int) -> str:
    return count_noun(rulings, "ruling") if rulings else "no rulings"


_HEADINGS: dict[Confidence, str] = {
    "answer": "Answer",
    "close": "Closest rulings",
    "none": "No ruling decides this; the nearest:",
}


def _heading(answer: Answer) -> str:
    """How sure the answer is, and how many rulings are full matches."""
    heading = _HEADINGS[answer.confidence]
    if answer.confidence == "answer" and any(card.sole and card.rulings for card in answer.cards):
        heading = "Rulings on cards with this name"
    if not answer.total or answer.confidence == "none":
        return heading
    first = f", the first {len(answer.results)}" if answer.total > len(answer.results) else ""
    count = f"{count_noun(answer.total, 'ruling')}{first}"
    # Filters alone ask nothing.
    return f"{heading} · {count}" if answer.results[0].score else count


def _highlighted(passage: Passage) -> str:
    text = passage.text
    for start, end in reversed(passage.highlights):
        text = f"{text[:start]}{_highlight(text[start:end])}{text[end:]}"
    return text


def _status_line(ruling: StoredRuling) -> str:
    parts: list[str] = [ruling.kind, ruling.authority]
    if ruling.standing != "current":
        parts.append(_STANDINGS.get(ruling.standing, ruling.standing).upper())
    if ruling.date and ruling.date != ruling.since:
        parts.append(ruling.date)
    return " · ".join([*parts, _window(ruling)])


def _window(ruling: StoredRuling) -> str:
    if ruling.until:
        return f"in force from {ruling.since or 'an unknown date'} until {ruling.until}"
    if not ruling.since:
        return "date unknown"
    if ruling.standing == UPCOMING:
        return f"in force from {ruling.since}"
    is_in_force = ruling.standing == "current" and ruling.kind != "question"
    return f"in force since {ruling.since}" if is_in_force else ruling.since


@cache
def translate(message: str, lang: str) -> str:
    """Return a message of one line in a language, in English without a catalogue.

    Babel, which reads catalogues for pages, takes half as long as a search.
    """
    from kb.site.templates import PACKAGED

    path = PACKAGED / f"locale/{lang}.po"
    catalogue = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = re.search(rf'^msgid "{re.escape(message)}"\nmsgstr "(.+)"$', catalogue, re.MULTILINE)
    return found[1] if found else message


def _verdict(ruling: StoredRuling, lang: str) -> str:
    """Return the verdict to print before an answer in a language; may be empty."""
    words = verdict_in_words(ruling.verdict, ruling.when, lang, partial(translate, lang=lang))
    colour = {"yes": "green", "no": "red", "if": "yellow"}.get(ruling.verdict or "", "cyan")
    return f"{_bold(f'{words}.', fg=colour)} " if words else ""


def show_ruling(ruling: StoredRuling, lang: str | None) -> None:
    """Print one ruling in full, in one language or in all; notes are apart, with their authors."""
    texts = [text for text in ruling.texts if lang in (None, text.lang)] or list(ruling.texts)
    for text in texts:
        _print(f"{_bold(text.title)}{_dim(f'  [{text.lang}]')}\n")
        if verdict := _verdict(ruling, text.lang):
            _print(verdict)
        for by, part, _ in split_notes(plain_text(text.body)):
            if by:
                _print(_bold(f"{translate(NOTES[by], text.lang)}:"))
            _print_markdown(part)
            _print()
    rows = {
        "id": [ruling.key],
        "status": [_status_line(ruling)],
        "cards": ruling.cards,
        "asked": [" of ".join(filter(None, (ruling.asked, ruling.asked_of)))],
        **{
            field.key.replace("-", " "): tuple(map(str, field.values(ruling)))
            for field in HEADER_FIELDS
            if field.name not in _IN_OTHER_ROWS
        },
        "examples": ruling.examples,
        "superseded by": ruling.superseded_by,
        "page": [urls.ruling(ruling.game, ruling.id)],
    }
    for name, values in rows.items():
        if any(values):
            _print(", ".join(values), 14, _dim(f"{name:<13} "))


def _print_markdown(text: str) -> None:
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console(highlight=False).print(Markdown(text, hyperlinks=False))


def show_cards(cards: list[Card], interface: str) -> None:
    """Print cards in full, or a list of their names if there are many."""
    if len(cards) <= _MAX_CARDS_IN_FULL:
        for card in cards:
            show_card(card, interface)
        return
    _print(_dim(f"{len(cards)} cards; name one for its versions and rulings\n"))
    for card in cards:
        rulings = _ruling_count(len(card.about) + len(card.mentioned))
        _print(f"{card.name}{_dim(f'  {card.game} · {rulings}')}", 2)


def show_card(card: Card, interface: str) -> None:
    """Print a card's versions and the rulings on it.

    Titles are in the language `interface`, else in English, else in the original language.
    """
    _print(f"{_bold(card.name)}{_dim(f'  {card.game}')}")
    for version in card.cards:
        facts = (version.type, version.side, version.subtypes, "; ".join(version.sets))
        line = f"  {' · '.join(filter(None, facts))}"
        _print(f"{version.label}{_dim(line)}", 2)
    others = dict.fromkeys(name for version in card.cards for name in version.other_names)
    if others:
        _print(_dim(f"also: {', '.join(others)}"), 2)
    for heading, rulings in (("about it", card.about), ("mentioned in", card.mentioned)):
        if rulings:
            _print(f"{heading}:", 2)
        for ruling in rulings:
            title = text_in(ruling.title, interface, "en")
            _print(f"{title}{_dim(f'  {_link_line(ruling)}')}", 4)
    if not card.about and not card.mentioned:
        _print(_dim("no rulings"), 2)
    _print()


def _link_line(ruling: RulingLink) -> str:
    status = ruling.status.upper() if ruling.status != "current" else ""
    until = f"until {ruling.in_force_until}" if ruling.in_force_until else ""
    return " · ".join(filter(None, (ruling.id, status, until)))


def show_deck(answer: DeckAnswer, rulings: Mapping[str, StoredRuling], interface: str) -> None:
    """Print the rulings for a deck: by card, then the rules brought in, then unknown lines.

    Texts are in the language `interface`, else in English, else in the original language.
    """
    from kb.decks.answer import by_reason

    printed: set[str] = set()

    def print_ruling(ruling_id: str) -> None:
        ruling = rulings[ruling_id]
        text = ruling.text_for(interface, "en")
        _print(f"{_bold(text.title)}{_dim(f'  {_status_line(ruling)}  {ruling.id}')}", 2)
        if ruling_id not in printed:
            verdict = _verdict(ruling, text.lang)
            _print(f"{verdict}{' '.join(shown_blocks(text.answer))}", 4)
        printed.add(ruling_id)

    for card in (card for card in answer.cards if card.rulings):
        named = f"  read from {card.text!r}" if card.match == "near" else ""
        _print(f"{card.count}× {_highlight(card.card)}{_dim(named)}")
        for ruling_id in card.rulings:
            print_ruling(ruling_id)
        _print()
    if answer.rules:
        _print(f"{_highlight('Rules that the cards bring in')}\n")
    for because, ids in by_reason(answer.rules).items():
        _print(_dim(f"  {because}:"))
        for ruling_id in ids:
            print_ruling(ruling_id)
    if answer.rules:
        _print()
    for line in answer.unknown:
        hint = did_you_mean(line.suggestions)
        _print(f"line {line.line}: no card is named {line.text!r}{hint}")
    if answer.without_rulings:
        _print(_dim(f"{count_noun(answer.without_rulings, 'card')} without rulings"))
