"""Prints answers for people at a terminal, coloured unless NO_COLOR is set."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from kb.commands.options import count_noun
from kb.core import urls
from kb.core.problems import escape_control
from kb.records.fields import HEADER_FIELDS, NOTES
from kb.records.marks import plain_text
from kb.records.text import split_notes
from kb.serialize.ruling import text_in, verdict_in_words
from kb.store.model import StoredRuling

if TYPE_CHECKING:
    from kb.decks.answer import DeckAnswer
    from kb.search.cards import NamedCard
    from kb.search.confidence import Confidence
    from kb.search.searcher import Answer
    from kb.search.snippets import Passage
    from kb.serialize.answers import Card, RulingLink

_PARAGRAPH = "\n\n"
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


def _console() -> Console:
    is_terminal = sys.stdout.isatty()
    width = None if is_terminal else _UNLIMITED
    return Console(highlight=False, soft_wrap=not is_terminal, width=width)


def _print(console: Console, text: Text, indent: int = 2, label: Text | None = None) -> None:
    """Print a text with indented lines; `label` stands before the first."""
    width = max(console.width - indent, _MIN_COLUMN)
    start = label or Text(" " * indent)
    for line in text.wrap(console, width):
        line.rstrip()
        console.print(Text.assemble(start, line), soft_wrap=True)
        start = Text(" " * indent)


def show_answer(answer: Answer, interface: str) -> None:
    """Print a search answer: a heading, then title, answer and citation of each ruling.

    The language of a ruling is named if it is not `interface`.
    """
    console = _console()
    if answer.suggestion:
        console.print(Text.assemble("Did you mean: ", (answer.suggestion, "bold")))
    if not answer.results:
        console.print(Text(_nothing(answer)))
    else:
        console.print(Text(_heading(answer), "dim"))
    for card in answer.cards:
        _print(console, _named_card(card, interface), 4, Text("  "))
    if answer.cards and answer.results:
        console.print()
    for number, hit in enumerate(answer.results, 1):
        if answer.total and number == answer.total + 1:
            console.print(Text("Rulings with only some of the words\n", "dim"))
        ruling = hit.ruling
        text = ruling.text_for(hit.lang)
        lang = f" [{hit.lang}]" if hit.lang != interface else ""
        status = (f"{lang}  {_status_line(ruling)}", "dim")
        _print(console, Text.assemble((text.title, "bold"), status), 4, Text(f"{number:>2}. "))
        verdict = _verdict(ruling, hit.lang, interface)
        for passage in filter(None, (hit.shown.answer, hit.shown.elsewhere)):
            _print(console, Text.assemble(verdict, _highlighted(passage)), 4)
            verdict = Text()
        _print(console, Text(f"{ruling.key}  {', '.join(map(str, ruling.sources))}", "dim"), 4)
        console.print()


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


def _named_card(card: NamedCard, interface: str) -> Text:
    return Text.assemble(
        (card.shown(interface), "bold"), (f"  {card.game} · {_ruling_count(card.rulings)}", "dim")
    )


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
    if not answer.total:
        return f"{heading}\n"
    first = f", the first {len(answer.results)}" if answer.total > len(answer.results) else ""
    words = " with every word" if answer.partial else ""
    return f"{heading} · {count_noun(answer.total, 'ruling')}{words}{first}\n"


def _highlighted(passage: Passage) -> Text:
    text = Text(passage.text)
    for start, end in passage.highlights:
        text.stylize("bold yellow", start, end)
    return text


def _status_line(ruling: StoredRuling) -> str:
    parts: list[str] = [ruling.kind, ruling.authority]
    if ruling.status != "current":
        parts.append(ruling.status.upper())
    if ruling.date and ruling.date != ruling.since:
        parts.append(ruling.date)
    return " · ".join([*parts, _window(ruling)])


def _window(ruling: StoredRuling) -> str:
    if ruling.until:
        return f"in force from {ruling.since or 'an unknown date'} until {ruling.until}"
    if not ruling.since:
        return "date unknown"
    is_in_force = ruling.status == "current" and ruling.kind != "question"
    return f"in force since {ruling.since}" if is_in_force else ruling.since


@cache
def translate(message: str, interface: str) -> str:
    """Return a message of one line in the language of the interface.

    Babel, which reads catalogues for pages, takes half as long as a search.
    """
    from kb.site.templates import PACKAGED

    path = PACKAGED / f"locale/{interface}.po"
    catalogue = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = re.search(rf'^msgid "{re.escape(message)}"\nmsgstr "(.+)"$', catalogue, re.MULTILINE)
    return found[1] if found else message


def _verdict(ruling: StoredRuling, lang: str, interface: str) -> Text:
    """Return the verdict to stand before an answer, its condition in a language; may be empty."""
    words = verdict_in_words(
        ruling.verdict, ruling.when, lang, lambda message: translate(message, interface)
    )
    colour = {"yes": "green", "no": "red", "if": "yellow"}.get(ruling.verdict or "", "cyan")
    return Text(f"{words}. ", f"bold {colour}") if words else Text()


def show_ruling(ruling: StoredRuling, lang: str | None, interface: str) -> None:
    """Print one ruling in full, in one language or in all; notes are apart, with their authors."""
    from rich.markdown import Markdown

    console = _console()
    texts = [text for text in ruling.texts if lang in (None, text.lang)] or list(ruling.texts)
    for text in texts:
        _print(console, Text.assemble((text.title, "bold"), (f"  [{text.lang}]", "dim")), 0)
        console.print()
        if verdict := _verdict(ruling, text.lang, interface):
            verdict.rstrip()
            console.print(verdict)
        is_terminal = sys.stdout.isatty()
        for by, part, _ in split_notes(plain_text(text.body)):
            if by:
                console.print(Text(f"{translate(NOTES[by], interface)}:", "bold"))
            console.print(Markdown(part, hyperlinks=False) if is_terminal else Text(part))
            console.print()
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
            _print(console, Text(", ".join(values)), 14, Text(f"{name:<13} ", "dim"))


def show_cards(cards: list[Card], interface: str) -> None:
    """Print cards in full, or a list of their names if there are many."""
    if len(cards) <= _MAX_CARDS_IN_FULL:
        for card in cards:
            show_card(card, interface)
        return
    console = _console()
    console.print(Text(f"{len(cards)} cards; name one for its versions and rulings\n", "dim"))
    for card in cards:
        rulings = _ruling_count(len(card.about) + len(card.mentioned))
        _print(console, Text.assemble(card.name, (f"  {card.game} · {rulings}", "dim")))


def show_card(card: Card, interface: str) -> None:
    """Print a card's versions and the rulings on it.

    Titles are in the language `interface`, else in English, else in the original language.
    """
    console = _console()
    console.print(Text.assemble((card.name, "bold"), (f"  {card.game}", "dim")))
    for version in card.cards:
        facts = (version.type, version.side, version.subtypes, "; ".join(version.sets))
        line = f"  {' · '.join(filter(None, facts))}"
        _print(console, Text.assemble(version.label, (line, "dim")), 2)
    others = dict.fromkeys(name for version in card.cards for name in version.other_names)
    if others:
        _print(console, Text(f"also: {', '.join(others)}", "dim"), 2)
    for heading, rulings in (("about it", card.about), ("mentioned in", card.mentioned)):
        if rulings:
            _print(console, Text(f"{heading}:"), 2)
        for ruling in rulings:
            title = text_in(ruling.title, interface, "en")
            _print(console, Text.assemble(title, (f"  {_link_line(ruling)}", "dim")), 4)
    if not card.about and not card.mentioned:
        _print(console, Text("no rulings", "dim"), 2)
    console.print()


def _link_line(ruling: RulingLink) -> str:
    status = ruling.status.upper() if ruling.status != "current" else ""
    until = f"until {ruling.in_force_until}" if ruling.in_force_until else ""
    return " · ".join(filter(None, (ruling.id, status, until)))


def show_deck(answer: DeckAnswer, rulings: Mapping[str, StoredRuling], interface: str) -> None:
    """Print the rulings for a deck: by card, then the rules brought in, then unknown lines.

    Texts are in the language `interface`, else in English, else in the original language.
    """
    from kb.decks.answer import by_reason

    console = _console()
    printed: set[str] = set()

    def print_ruling(ruling_id: str) -> None:
        ruling = rulings[ruling_id]
        text = ruling.text_for(interface, "en")
        status = (f"  {_status_line(ruling)}  {ruling.id}", "dim")
        console.print(Text.assemble("  ", (text.title, "bold"), status))
        if ruling_id not in printed:
            answer_text = plain_text(text.body).split(_PARAGRAPH)[0]
            verdict = _verdict(ruling, text.lang, interface)
            console.print(Text.assemble("    ", verdict, " ".join(answer_text.split())))
        printed.add(ruling_id)

    for card in (card for card in answer.cards if card.rulings):
        named = f"  read from {card.text!r}" if card.match == "near" else ""
        console.print(Text.assemble(f"{card.count}× ", (card.card, "bold yellow"), (named, "dim")))
        for ruling_id in card.rulings:
            print_ruling(ruling_id)
        console.print()
    if answer.rules:
        console.print(Text("Rules that the cards bring in\n", "bold yellow"))
    for because, ids in by_reason(answer.rules).items():
        console.print(Text(f"  {because}:", "dim"))
        for ruling_id in ids:
            print_ruling(ruling_id)
    if answer.rules:
        console.print()
    for line in answer.unknown:
        hint = f"; did you mean {', '.join(line.suggestions)}?" if line.suggestions else ""
        console.print(Text(f"line {line.line}: no card is named {line.text!r}{hint}"))
    if answer.without_rulings:
        count = count_noun(answer.without_rulings, "card")
        console.print(Text(f"{count} without rulings", "dim"))
