"""Commands for curators: check, new, changes, translated, import, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kb.cli.common import AsJson, Rulings, app, counted, places_of, say


@app.command()
def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="Files or folders; by default all records."),
    ] = None,
    rulings: Rulings = None,
    suggest: Annotated[
        bool,
        typer.Option(
            "--suggest",
            help="List instead the cards that texts name and nobody has marked, with the mark to paste.",
        ),
    ] = False,
    similar: Annotated[
        bool,
        typer.Option(
            "--similar",
            help="List instead rulings that repeat each other, or decide the same by other authority.",
        ),
    ] = False,
    stale: Annotated[
        bool,
        typer.Option("--stale", help="List instead translations whose original has changed since."),
    ] = False,
    review: Annotated[
        bool,
        typer.Option(
            "--review",
            help="List instead rulings that were not held against the newest edition of the rulebook.",
        ),
    ] = False,
) -> None:
    """List every problem of the records as path:line: message.

    Example: kb check rulings/swtcg
    """
    if similar or stale or review:
        from kb.commands.check import lists

        for line in lists(places_of(rulings), similar=similar, stale=stale, review=review):
            print(line)
        return
    if suggest:
        from kb.commands.lookup import suggestions

        for one in suggestions(places_of(rulings), say):
            print(one)
        return
    from kb.commands.check import check as run

    result = run(paths or [], rulings)
    for problem in result.problems:
        print(problem)
    for note in result.notes:
        say(note)
    if result.problems:
        say(
            f"{counted(len(result.problems), 'problem')} in {counted(len({one.path for one in result.problems}), 'file')}"
        )
        raise typer.Exit(1)


@app.command()
def new(
    game: Annotated[
        str, typer.Argument(help="The game's id, such as swtcg; or the word game, for a new one.")
    ],
    topic: Annotated[
        str, typer.Argument(help="The topic's id, such as pilots; of a new game its id.")
    ],
    ruling_id: Annotated[
        str,
        typer.Argument(
            metavar="[ID]",
            help="The id of the new ruling: it is its file name and its address, for ever.",
        ),
    ] = "",
    kind: Annotated[
        str, typer.Option("--kind", help="ruling, errata, definition, example, note or question.")
    ] = "ruling",
    authority: Annotated[
        str, typer.Option("--authority", help="official, translator or community.")
    ] = "official",
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source", metavar="DOC#PROVISION", help="Where it stands; may be given several times."
        ),
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Of a new game: its name.")] = "",
    lang: Annotated[
        str,
        typer.Option(
            "--lang", "-l", metavar="LANGS", help="Of a new game: its languages, its own first."
        ),
    ] = "en",
    rulings: Rulings = None,
) -> None:
    """Write a new record to fill in, or the files of a new game.

    Example: kb new swtcg pilots pilot-and-mission --source swtcg-clarifications#pilots-one-per-unit

    Example: kb new game mygame --name "My Game" --lang sk,en
    """
    from kb.records.scaffold import new_game, new_ruling

    if game == "game":
        languages = [one.strip() for one in lang.split(",") if one.strip()]
        for made in new_game(rulings or Path("rulings"), topic, name, languages):
            print(made)
        say(
            f"Next: topics in game.yaml, cards in cards.tsv, then: kb new {topic} general my-first-ruling"
        )
        return
    if not ruling_id:
        raise typer.BadParameter("the new ruling's id is missing", param_hint="ID")

    path = new_ruling(
        places_of(rulings).rulings,
        game,
        topic,
        ruling_id,
        kind=kind,
        authority=authority,
        sources=source or [],
    )
    print(path)
    say("Write the answer where it says TODO, then run: kb check")


@app.command()
def changes(
    since: Annotated[
        str,
        typer.Option(
            "--since", metavar="DATE|REV", help="A date, or a revision of the records' git history."
        ),
    ],
    form: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="text, json or atom.")
    ] = "text",
    rulings: Rulings = None,
) -> None:
    """List the rulings that changed since a date or a revision, newest first.

    Example: kb changes --since 2026-01
    """
    from kb.commands.changes import changed_since, changes_feed
    from kb.core.json import dumps
    from kb.serialize.answers import changed

    if form not in ("text", "json", "atom"):
        raise typer.BadParameter(f"{form!r} is not one of text, json, atom", param_hint="--format")
    found = changed_since(places_of(rulings), since)
    if form == "json":
        print(dumps([changed(one) for one in found]))
    elif form == "atom":
        print(changes_feed(found), end="")
    else:
        for one in found:
            title = one.ruling.original.title if one.ruling else ""
            print(f"{one.moment[:10]:<10}  {one.what:<10}  {one.key}  {title}".rstrip())
    if not found:
        say(f"nothing has changed since {since}")
        raise typer.Exit(1)


@app.command()
def translated(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Rulings, by id or game/id; by default all."),
    ] = None,
    rulings: Rulings = None,
) -> None:
    """Note that translations fit the original as it stands, so that a later change of it marks them stale.

    Example: kb translated hidden-cost
    """
    from kb.commands.changes import translated as run

    written = run(places_of(rulings), ids or [])
    for path in written:
        print(path)
    say(f"{counted(len(written), 'record')} noted")


@app.command(name="import")
def import_(
    form: Annotated[
        str, typer.Argument(metavar="FORMAT", help="vtes, swccg, scryfall, mtgjson, jsonl or text.")
    ],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files, or a folder of them.")
    ],
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="The game's id; a new one is made.")
    ],
    into: Annotated[
        Path,
        typer.Option(
            "--into", metavar="DIR", help="The folder of records for the drafts; may be new."
        ),
    ],
    collect: Annotated[
        bool | None,
        typer.Option(
            "--collect/--one-file-each",
            help="One file a topic, or one a ruling (default: one a topic from 1,000 on).",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take in other people's rulings as drafts. A second run changes nothing; what a curator has edited stays.

    Example: kb import text faq.txt --game swtcg --into drafts
    """
    from kb.commands.importing import run

    done = run(form, files, game, into, collect)
    if as_json:
        from kb.core.json import dumps
        from kb.serialize.answers import imported

        print(dumps(imported(done)))
        return
    made = done.written
    for problem in done.left[:40]:
        say(str(problem))
    if len(done.left) > 40:
        say(f"... and {len(done.left) - 40:,} more lines in {done.report}")
    counts = {"new": made.new, "changed": made.changed, "as they were": made.same}
    print(", ".join(f"{len(ids):,} {word}" for word, ids in counts.items() if ids) or "nothing")
    for path in made.files:
        print(f"wrote {path}")
    for ruling_id in made.edited:
        print(f"kept as edited: {ruling_id}; the source's text is {made.at}/{ruling_id}.md")
    for ruling_id in made.gone:
        print(f"no longer in the source: {ruling_id}")
    if done.left:
        print(f"{counted(len(done.left), 'line')} not understood: {done.report}")
    if done.problems:
        print(
            f"{counted(done.problems, 'problem')} for the curator: kb check --help, then kb check {into}"
        )


@app.command()
def export(
    form: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help="jsonl, csv or sqlite.")
    ] = "jsonl",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A file instead of standard output."),
    ] = None,
    rulings: Rulings = None,
) -> None:
    """Write all rulings for other programs.

    Example: kb export --format csv --output rulings.csv
    """
    from kb.commands.export import FORMATS
    from kb.commands.export import export as run

    if form not in FORMATS:
        raise typer.BadParameter(
            f"{form!r} is not one of {', '.join(FORMATS)}", param_hint="--format"
        )
    if form == "sqlite" and output is None and sys.stdout.isatty():
        raise typer.BadParameter(
            "a database cannot be shown; name a file with --output", param_hint="--format sqlite"
        )
    problems = run(places_of(rulings), form, output)
    if problems:
        for problem in problems:
            say(str(problem))
        say(f"{counted(len(problems), 'problem')}: the records concerned are left out")
        raise typer.Exit(1)
