"""Answers for people at a terminal: coloured where possible (NO_COLOR is honoured)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

from kb.core import urls
from kb.records.marks import plain_text
from kb.store.queries import StoredRuling

ReportProgress = Callable[[str, int, int], None]
# Lines are never wrapped for programs that read the output.
_UNLIMITED = 100_000


def _console() -> Console:
    is_terminal = sys.stdout.isatty()
    width = None if is_terminal else _UNLIMITED
    return Console(highlight=False, soft_wrap=not is_terminal, width=width)


@contextmanager
def progress() -> Iterator[ReportProgress | None]:
    """Show a progress bar on standard error; yield None when that is not a terminal."""
    if sys.stderr is None or sys.stderr.closed or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # Without a thread that refreshes it: a process that has one cannot be forked safely.
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    with bar:
        tasks: dict[str, Any] = {}

        def report_progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total, refresh=True)

        yield report_progress


def page_markdown(text: str) -> None:
    """Show Markdown in the user's pager."""
    from rich.markdown import Markdown

    console = Console()
    with console.pager(styles=True):
        console.print(Markdown(text))


def show_answer(answer: Any) -> None:
    """Print a search answer: a heading, then title, snippet and citation of each ruling."""
    console = _console()
    if answer.suggestion:
        console.print(Text.assemble("Did you mean: ", (answer.suggestion, "bold")))
    if not answer.results:
        console.print(Text(f"Nothing found for {answer.query}"))
        return
    console.print(Text(_heading(answer), "dim"))
    for number, hit in enumerate(answer.results, 1):
        ruling: StoredRuling = hit.ruling
        text = ruling.text(hit.lang) or ruling.texts[0]
        status = ("  " + _status_line(ruling), "dim")
        console.print(Text.assemble(f"{number:>2}. ", (text.title, "bold"), status))
        console.print(Text.assemble("    ", _highlighted(hit)))
        console.print(Text(f"    {ruling.key}  {', '.join(map(str, ruling.sources))}\n", "dim"))


def _heading(answer: Any) -> str:
    noun = "ruling" if answer.total == 1 else "rulings"
    first = f", the first {len(answer.results)}" if answer.total > len(answer.results) else ""
    partial = " (no ruling has every word)" if answer.relaxed else ""
    return f"{answer.total} {noun}{first}{partial}\n"


def _highlighted(hit: Any) -> Text:
    text = Text(hit.snippet)
    for start, end in hit.highlights:
        text.stylize("bold yellow", start, end)
    return text


def _status_line(ruling: StoredRuling) -> str:
    parts: list[str] = [ruling.kind, ruling.authority]
    if ruling.status != "current":
        parts.append(ruling.status.upper())
    if ruling.date:
        parts.append(ruling.date)
    return " · ".join(parts)


def _effective(ruling: StoredRuling) -> list[str]:
    if not (ruling.effective or ruling.effective_until):
        return []
    return [f"{ruling.effective or ruling.date or '...'} to {ruling.effective_until or '...'}"]


def _asked(ruling: StoredRuling) -> list[str]:
    parts = [part for part in (ruling.asked, ruling.asked_of) if part]
    return [" of ".join(parts)] if parts else []


def show_ruling(ruling: StoredRuling, lang: str | None = None) -> None:
    """Print one ruling in full, in one language or in all."""
    from rich.markdown import Markdown

    console = _console()
    texts = [text for text in ruling.texts if lang in (None, text.lang)] or list(ruling.texts)
    for text in texts:
        console.print(Text.assemble((text.title, "bold"), (f"  [{text.lang}]", "dim")))
        console.print()
        body = plain_text(text.body)
        is_terminal = sys.stdout.isatty()
        console.print(Markdown(body, hyperlinks=False) if is_terminal else Text(body))
        console.print()
    rows = {
        "id": [ruling.key],
        "status": [_status_line(ruling)],
        "cards": ruling.cards,
        "topics": ruling.topics,
        "sources": tuple(map(str, ruling.sources)),
        "effective": _effective(ruling),
        "rules": ruling.rules,
        "asked": _asked(ruling),
        "because": [ruling.because] if ruling.because else [],
        "overrides": ruling.overrides,
        "example of": ruling.example_of,
        "examples": ruling.examples,
        "supersedes": ruling.supersedes,
        "superseded by": ruling.superseded_by,
        "related": ruling.related,
        "page": [urls.ruling(ruling.game, ruling.id)],
    }
    for name, values in rows.items():
        if values:
            console.print(Text.assemble((f"{name:<14}", "dim"), ", ".join(values)))


def show_card(card: Any) -> None:
    """Print a card's versions and the rulings on it; `card` as in `kb card --json`."""
    console = _console()
    console.print(Text.assemble((card["name"], "bold"), (f"  {card['game']}", "dim")))
    for version in card["cards"]:
        facts = (version["type"], version["side"], version["subtypes"], "; ".join(version["sets"]))
        line = f"  {' · '.join(filter(None, facts))}"
        console.print(Text.assemble("  ", version["label"], (line, "dim")))
    others = dict.fromkeys(name for version in card["cards"] for name in version["other_names"])
    if others:
        console.print(Text(f"  also: {', '.join(others)}", "dim"))
    for heading, rulings in (("about it", card["about"]), ("mentioned in", card["mentioned"])):
        if rulings:
            console.print(Text(f"  {heading}:"))
        for ruling in rulings:
            title = next(iter(ruling["title"].values()), ruling["id"])
            console.print(Text.assemble("    ", title, (f"  {ruling['id']}", "dim")))
    if not card["about"] and not card["mentioned"]:
        console.print(Text("  no rulings", "dim"))
    console.print()
