"""Answers for people at a terminal: colours where there is one (NO_COLOR is honoured), plain text elsewhere."""

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

Tell = Callable[[str, int, int], None]


def _console() -> Console:
    width = None if sys.stdout.isatty() else 100_000
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty(), width=width)


@contextmanager
def progress() -> Iterator[Tell | None]:
    """A progress bar on standard error, or none when that is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def tell(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield tell


def show_answer(answer: Any) -> None:
    """A search's answer: a heading, then each ruling with title, snippet and where it stands."""
    console = _console()
    if answer.suggestion:
        console.print(Text.assemble("Did you mean: ", (answer.suggestion, "bold")))
    if not answer.results:
        console.print(Text(f"Nothing found for {answer.query}"))
        return
    more = " (not every word was found in one ruling)" if answer.relaxed else ""
    shown = f", the first {len(answer.results)}" if answer.total > len(answer.results) else ""
    console.print(
        Text(f"{answer.total} {'ruling' if answer.total == 1 else 'rulings'}{shown}{more}\n", "dim")
    )
    for number, hit in enumerate(answer.results, 1):
        ruling: StoredRuling = hit.ruling
        title = ruling.text(hit.lang) or ruling.texts[0]
        console.print(
            Text.assemble(
                f"{number:>2}. ", (title.title, "bold"), ("  " + _standing(ruling), "dim")
            )
        )
        console.print(Text.assemble("    ", _marked(hit)))
        console.print(Text(f"    {ruling.key}  {', '.join(map(str, ruling.sources))}\n", "dim"))


def _marked(hit: Any) -> Text:
    text = Text(hit.snippet)
    for start, end in hit.highlights:
        text.stylize("bold yellow", start, end)
    return text


def _standing(ruling: StoredRuling) -> str:
    parts = [ruling.kind, ruling.authority] + (
        [] if ruling.status == "current" else [ruling.status.upper()]
    )
    return " · ".join(parts + ([ruling.date] if ruling.date else []))


def _span(ruling: StoredRuling) -> str:
    return f"{ruling.effective or ruling.date or '...'} to {ruling.effective_until or '...'}"


def show_ruling(ruling: StoredRuling, lang: str | None = None) -> None:
    """One ruling whole, in one language or in all."""
    from rich.markdown import Markdown

    console = _console()
    texts = [text for text in ruling.texts if lang in (None, text.lang)] or list(ruling.texts)
    for text in texts:
        console.print(Text.assemble((text.title, "bold"), (f"  [{text.lang}]", "dim")))
        console.print()
        if sys.stdout.isatty():
            console.print(Markdown(plain_text(text.body), hyperlinks=False))
        else:
            console.print(Text(plain_text(text.body)))
        console.print()
    rows = [
        ("id", [ruling.key]),
        ("standing", [_standing(ruling)]),
        ("cards", ruling.cards),
        ("topics", ruling.topics),
        ("sources", tuple(map(str, ruling.sources))),
        ("effective", [_span(ruling)] if ruling.effective or ruling.effective_until else []),
        ("rules", ruling.rules),
        (
            "asked",
            [" of ".join(one for one in (ruling.asked, ruling.asked_of) if one)]
            if ruling.asked or ruling.asked_of
            else [],
        ),
        ("because", [ruling.because] if ruling.because else []),
    ]
    rows += [
        ("overrides", ruling.overrides),
        ("example of", ruling.example_of),
        ("examples", ruling.examples),
        ("supersedes", ruling.supersedes),
    ]
    rows += [
        ("superseded by", ruling.superseded_by),
        ("related", ruling.related),
        ("page", [urls.ruling(ruling.game, ruling.id)]),
    ]
    for name, values in rows:
        if values:
            console.print(Text.assemble((f"{name:<14}", "dim"), ", ".join(values)))


def show_card(found: Any) -> None:
    """A card's versions and the rulings on it; `found` as `kb.serialize.answers.card` makes it."""
    console = _console()
    console.print(Text.assemble((found["name"], "bold"), (f"  {found['game']}", "dim")))
    for one in found["cards"]:
        facts = [
            part
            for part in (one["type"], one["side"], one["subtypes"], "; ".join(one["sets"]))
            if part
        ]
        console.print(Text.assemble("  ", one["label"], (f"  {' · '.join(facts)}", "dim")))
    others = dict.fromkeys(other for one in found["cards"] for other in one["other_names"])
    if others:
        console.print(Text(f"  also: {', '.join(others)}", "dim"))
    for word, rows in (("rulings about it", found["about"]), ("mentioned in", found["mentioned"])):
        if rows:
            console.print(Text(f"  {word}:"))
        for row in rows:
            console.print(
                Text.assemble(
                    "    ",
                    (next(iter(row["title"].values()), row["id"])),
                    (f"  {row['id']}", "dim"),
                )
            )
    if not found["about"] and not found["mentioned"]:
        console.print(Text("  no rulings", "dim"))
    console.print()
