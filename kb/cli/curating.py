"""Commands for curators: check, new, changes, translated, import, export."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.cli.options import (
    INPUT,
    Json,
    Overwrite,
    Rulings,
    command,
    count_noun,
    notify,
    paths_for,
    require_choice,
    split_list,
)
from kb.records.fields import AUTHORITIES, KINDS, choices

if TYPE_CHECKING:
    from kb.commands.importing import ImportResult
    from kb.pipeline.paths import Paths

# Lines of an import report that are shown on screen; the report file has all.
_SHOWN_LINES = 40
_CHANGES_FORMATS = ("text", "json", "atom")
LISTS = "Lists, instead of problems"


@command()
def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="Files or folders (default: all records)."),
    ] = None,
    rulings: Rulings = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Check the content of all games too, as `checks: strict` in game.yaml does.",
        ),
    ] = False,
    suggest: Annotated[
        bool,
        typer.Option(
            "--suggest",
            rich_help_panel=LISTS,
            help="List unmarked card names in texts, with the mark to paste.",
        ),
    ] = False,
    similar: Annotated[
        bool,
        typer.Option(
            "--similar",
            rich_help_panel=LISTS,
            help="List rulings that repeat or contradict another.",
        ),
    ] = False,
    stale: Annotated[
        bool,
        typer.Option(
            "--stale",
            rich_help_panel=LISTS,
            help="List translations whose original has changed.",
        ),
    ] = False,
    review: Annotated[
        bool,
        typer.Option(
            "--review",
            rich_help_panel=LISTS,
            help="List rulings that were not reviewed against the newest rulebook.",
        ),
    ] = False,
    unanswered: Annotated[
        Path | None,
        typer.Option(
            "--unanswered",
            metavar="FILE",
            help="Group the queries of kb serve --unanswered instead, with the nearest ruling.",
        ),
    ] = None,
) -> None:
    """List every problem of the records as path:line: message.

    Example: kb check rulings/swtcg

    Example: kb check --strict
    """
    from kb.commands import check as checking

    if unanswered:
        from kb.commands.unanswered import review as review_unanswered

        reviewed = review_unanswered(paths_for(rulings), unanswered, notify)
        for line in reviewed.lines:
            print(line)
        for note in reviewed.notes:
            notify(note)
        return
    if similar or stale or review:
        target = paths_for(rulings)
        for line in checking.review_lists(target, similar=similar, stale=stale, review=review):
            print(line)
        return
    if suggest:
        from kb.commands.lookup import suggestions

        for suggestion in suggestions(paths_for(rulings), notify):
            print(suggestion)
        return
    result = checking.check(paths or [], rulings, strict=strict)
    for problem in result.problems:
        print(problem)
    for note in result.notes:
        notify(note)
    if result.problems:
        files = len({problem.path for problem in result.problems})
        problems = count_noun(len(result.problems), "problem")
        notify(f"{problems} in {count_noun(files, 'file')}")
        raise typer.Exit(1)


@command()
def new(
    game: Annotated[
        str,
        typer.Argument(
            help="The game's id, such as swtcg; `game` or `base` to create one; with --asked"
            " alone, a ruling's id."
        ),
    ],
    topic: Annotated[
        str,
        typer.Argument(
            metavar="[TOPIC]",
            help="The topic's id, such as pilots; or the new game's; or the new base's folder.",
        ),
    ] = "",
    ruling_id: Annotated[
        str,
        typer.Argument(
            metavar="[ID]", help="The new ruling's id: its file name and URL, which never change."
        ),
    ] = "",
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            help=f"{choices(KINDS)}.",
        ),
    ] = "ruling",
    authority: Annotated[
        str,
        typer.Option("--authority", metavar="AUTHORITY", help=f"{choices(AUTHORITIES)}."),
    ] = "official",
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="DOC#PROVISION", help="A citation; repeatable."),
    ] = None,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The new game's name.")] = "",
    lang: Annotated[
        str,
        typer.Option(
            "--lang",
            "-l",
            metavar="LANGS",
            help="The new game's languages, its own first (default: en); the language of --asked.",
        ),
    ] = "",
    asked: Annotated[
        str,
        typer.Option(
            "--asked",
            metavar="QUESTION",
            help="Make a record of this open question, or add it to the ruling with an id.",
        ),
    ] = "",
    rulings: Rulings = None,
) -> None:
    """Create a record, the files of a game, or a repository; or note a question that was asked.


    Example: kb new swtcg pilots pilot-and-mission --source swtcg-clarifications#pilots-one-per-unit

    Example: kb new game mygame --name "My Game" --lang sk,en

    Example: kb new base my-rulings

    Example: kb new hidden-cost --asked "do I pay for a hidden card?"
    """
    from kb.records.scaffold import new_game, new_ruling

    if asked.strip():
        _note_question(paths_for(rulings), (game, topic, ruling_id), asked, lang, source or [])
        return
    if game == "base" and topic and not ruling_id:
        _new_base(Path(topic))
        return
    if game == "game" and topic:
        languages = split_list(lang) or ["en"]
        for path in new_game(rulings or Path("rulings"), topic, name, languages):
            print(path)
        notify(
            "Next: add topics to game.yaml and cards to cards.tsv,"
            f" then run: kb new {topic} general my-first-ruling"
        )
        return
    if not topic:
        raise typer.BadParameter("the topic's id is missing", param_hint="TOPIC")
    if not ruling_id:
        raise typer.BadParameter("the new ruling's id is missing", param_hint="ID")
    record = new_ruling(
        paths_for(rulings).rulings,
        game,
        topic,
        ruling_id,
        kind=kind,
        authority=authority,
        sources=source or [],
    )
    print(record)
    notify("Write the answer where it says TODO, then run: kb check")


def _new_base(folder: Path) -> None:
    from kb.commands.new_base import new_base

    for path in new_base(folder):
        print(path)
    notify(f"Next: cd {folder}, then run: kb check && kb build --output public")


def _note_question(
    paths: Paths, ids: tuple[str, str, str], question: str, lang: str, sources: list[str]
) -> None:
    from kb.commands.unanswered import Asked, add_question, new_question

    game, topic, ruling_id = ids
    asked = Asked(" ".join(question.split()), lang)
    if not topic:
        path, section = add_question(paths, game, asked)
        print(path)
        notify(f"Added to the questions in {section}; --lang names another language")
        return
    if not ruling_id:
        raise typer.BadParameter("the new question's id is missing", param_hint="ID")
    print(new_question(paths, game, topic, ruling_id, asked, sources))
    notify("Write what is known where it says TODO, then run: kb check")


@command()
def changes(
    since: Annotated[
        str,
        typer.Option("--since", metavar="DATE|REV", help="A date, or a git revision."),
    ],
    output_format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            rich_help_panel=INPUT,
            metavar="FORMAT",
            help="text, json or atom.",
        ),
    ] = "text",
    rulings: Rulings = None,
) -> None:
    """List the rulings that changed since a date or a revision, newest first.

    Example: kb changes --since 2026-01
    """
    from kb.commands.changes import changes_feed
    from kb.core.json import dumps
    from kb.records.changed import changed_since
    from kb.records.library import load
    from kb.serialize.answers import change_to_json

    require_choice(output_format, _CHANGES_FORMATS, "--format")
    rows = changed_since(load(paths_for(rulings).rulings), since)
    if output_format == "json":
        print(dumps([change_to_json(row) for row in rows]))
    elif output_format == "atom":
        print(changes_feed(rows), end="")
    else:
        for row in rows:
            title = row.ruling.original.title if row.ruling else ""
            print(f"{row.moment[:10]:<10}  {row.what:<10}  {row.key}  {title}".rstrip())
    if not rows:
        notify(f"nothing has changed since {since}")
        raise typer.Exit(1)


@command()
def translated(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Rulings, by id or game/id (default: all)."),
    ] = None,
    rulings: Rulings = None,
) -> None:
    """Mark translations as up to date; a later change of the original makes them stale.

    Example: kb translated hidden-cost
    """
    from kb.commands.translated import mark_translated

    written = mark_translated(paths_for(rulings).rulings, ids or [])
    for path in written:
        print(path)
    notify(f"{count_noun(len(written), 'record')} updated")


@command(name="import")
def import_(
    source_format: Annotated[
        str, typer.Argument(metavar="FORMAT", help="vtes, swccg, scryfall, jsonl or text.")
    ],
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files, or a folder of files.")
    ],
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="The game's id; it may be new.")
    ],
    into: Annotated[
        Path,
        typer.Option("--into", metavar="DIR", help="The folder for the drafts; it may be new."),
    ],
    collect: Annotated[
        bool | None,
        typer.Option(
            "--collect/--one-file-each",
            help="One file per topic, or one per ruling (default: per topic from 1,000 drafts).",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Import rulings from elsewhere as drafts.

    A second run keeps what curators have edited.

    Example: kb import text faq.txt --game swtcg --into drafts
    """
    from kb.commands.importing import import_rulings

    result = import_rulings(source_format, files, game, into, collect)
    if as_json:
        from kb.core.json import dumps
        from kb.serialize.answers import import_to_json

        print(dumps(import_to_json(result)))
    else:
        _print_import(result, into)


def _print_import(result: ImportResult, into: Path) -> None:
    written = result.written
    for problem in result.skipped[:_SHOWN_LINES]:
        notify(str(problem))
    if len(result.skipped) > _SHOWN_LINES:
        notify(f"... and {len(result.skipped) - _SHOWN_LINES:,} more lines in {result.report}")
    counts = {"new": written.new, "changed": written.changed, "unchanged": written.same}
    print(", ".join(f"{len(ids):,} {word}" for word, ids in counts.items() if ids) or "nothing")
    for path in written.files:
        print(f"wrote {path}")
    for ruling_id in written.edited:
        print(f"kept your edits: {ruling_id}; the new source text is {written.at}/{ruling_id}.md")
    for ruling_id in written.gone:
        print(f"no longer in the source: {ruling_id}")
    if result.skipped:
        print(f"{count_noun(len(result.skipped), 'line')} not imported: {result.report}")
    if result.problems:
        print(f"{count_noun(result.problems, 'problem')} to solve: kb check {into}")


@command(name="apply")
def apply_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file of proposals; - reads standard input.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write what is not refused, although problems are left."),
    ] = False,
    rulings: Rulings = None,
) -> None:
    """Apply proposed corrections and new records: show the diff, check the result, write it.

    Without --force nothing is written when a proposal is refused or causes a problem.
    Example: kb apply --dry-run proposal.json
    """
    from kb.commands.applying import apply_proposals

    result = apply_proposals(paths_for(rulings).rulings, file, dry_run=dry_run, force=force)
    if result.by:
        print(f"proposed by {result.by}")
    for line in result.diff:
        print(line)
    for note in (*result.notes, *result.refused, *map(str, result.problems)):
        notify(note)
    files = count_noun(result.files, "file")
    notify(f"{files} {'written' if result.written else 'to change; nothing was written'}")
    if result.failed:
        raise typer.Exit(1)


@command()
def export(
    output_format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            rich_help_panel=INPUT,
            metavar="FORMAT",
            help="jsonl, csv, sqlite, datapackage or datasette.",
        ),
    ] = "jsonl",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            rich_help_panel=INPUT,
            metavar="FILE",
            help="A file instead of standard output.",
        ),
    ] = None,
    header: Annotated[
        bool,
        typer.Option(
            "--header", help="Begin JSON Lines with a line that names build, date and licence."
        ),
    ] = False,
    force: Overwrite = False,
    rulings: Rulings = None,
) -> None:
    """Write all rulings for other programs.

    Example: kb export --format csv --output rulings.csv
    """
    from kb.commands import export as exporting

    require_choice(output_format, exporting.FORMATS, "--format")
    if output_format == "sqlite" and output is None and sys.stdout.isatty():
        raise typer.BadParameter(
            "a terminal cannot show a database; name a file with --output",
            param_hint="--format sqlite",
        )
    if header and output_format != "jsonl":
        raise typer.BadParameter("is for JSON Lines", param_hint="--header")
    paths = paths_for(rulings)
    problems = exporting.export(paths, output_format, output, header=header, force=force)
    if problems:
        for problem in problems:
            notify(str(problem))
        notify(f"{count_noun(len(problems), 'problem')}: the affected records are left out")
        raise typer.Exit(1)
