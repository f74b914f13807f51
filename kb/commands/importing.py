"""`kb import`: drafts of rulings from elsewhere, and a report of every line not imported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.options import PATH, count_noun, notify, print_json
from kb.core.json import Json
from kb.core.similar import choices
from kb.ingest.base import format_names
from kb.records.fields import AUTHORITIES, Authority

if TYPE_CHECKING:
    from kb.ingest.run import ImportResult

# Lines of the report on the screen; the file has all of them.
_SHOWN_LINES = 40
# The lists of ids in an ImportOutcome that --json prints.
_OUTCOMES = ("new", "changed", "same", "edited", "gone")
FORMATS = format_names()


@click.command("import")
@click.argument(
    "source_format", type=click.Choice(FORMATS), metavar="FORMAT", help=f"{', '.join(FORMATS)}."
)
@click.argument("file", nargs=-1, required=True, type=PATH, help="Files, or a folder of files.")
@options.game(required=True, help="The game's id; it may be new.")
@click.option(
    "--into",
    required=True,
    type=PATH,
    metavar="DIR",
    help="The folder for the drafts; it may be new.",
)
@click.option(
    "--authority",
    type=click.Choice(AUTHORITIES),
    metavar="AUTHORITY",
    help="The authority of the rulings, if their files do not state it:"
    f" {choices(AUTHORITIES)} (default: community).",
)
@options.as_json()
def import_(
    source_format: str,
    file: tuple[Path, ...],
    game: str,
    into: Path,
    authority: Authority | None,
    as_json: bool,
) -> None:
    """Import rulings from elsewhere as drafts.

    A second run keeps what curators have edited.

    \b
    Example:
    kb import jsonl rulings.jsonl --game swtcg --into drafts
    """
    from kb.ingest.run import import_rulings

    result = import_rulings(source_format, file, game, into, authority)
    if as_json:
        print_json(_import_to_json(result))
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
        new_text = f"{written.comparison_folder}/{ruling_id}.md"
        what = "there already" if ruling_id in written.present else "kept your edits"
        print(f"{what}: {ruling_id}; the new source text is {new_text}")
    for ruling_id in written.gone:
        print(f"no longer in the source: {ruling_id}")
    if result.skipped:
        print(f"{count_noun(len(result.skipped), 'line')} not imported: {result.report}")
    if result.problems:
        print(f"{count_noun(result.problems, 'problem')} to solve: kb check {into}")


def _import_to_json(result: ImportResult) -> Json:
    """Return the ids of drafts by outcome, the facts of each draft, and the lines not imported."""
    return {
        **{name: getattr(result.written, name) for name in _OUTCOMES},
        "drafts": [
            {
                "title": {text.lang: text.title for text in draft.texts},
                "id": draft.id,
                "topic": draft.topic,
                "kind": draft.header.kind,
                "authority": draft.header.authority,
                "status": draft.header.status,
                "sources": list(map(str, draft.header.sources)),
                "file": draft.file,
                "lines": draft.lines,
            }
            for draft in result.drafts
        ],
        "left": [problem.to_json() for problem in result.skipped],
    }
