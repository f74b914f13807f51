"""`kb apply`: write a file of proposals into the records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands.options import Rulings, count_noun, notify, paths_for, read_input
from kb.core.problems import KbError, escape_control

if TYPE_CHECKING:
    from kb.proposals.file import Proposal


def apply(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file of proposals; - reads standard input.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write what is not refused, although problems are left.")
    ] = False,
    rulings: Rulings = None,
) -> None:
    """Apply proposed corrections and new records: show the diff, check the result, write it.

    Without --force nothing is written when a proposal is refused or causes a problem.

    Example:
    kb apply --dry-run proposal.json
    """
    from kb.proposals.apply import plan, write
    from kb.proposals.file import MAX_FILE, read_proposals

    root = paths_for(rulings, own=True).rulings
    # A character has up to four bytes in UTF-8.
    data = read_input(file, 4 * MAX_FILE, "a file of proposals")
    try:
        proposals = read_proposals(data.decode("utf-8-sig"), str(file))
    except UnicodeDecodeError:
        raise KbError(f"{file}: not UTF-8") from None
    planned = plan(root, proposals.proposals)
    failed = bool(planned.refused or planned.problems)
    written = not dry_run and (force or not failed)
    if written:
        write(root, planned.changes)
    if proposals.by:
        print(f"proposed by {escape_control(proposals.by)}")
    for change in planned.changes:
        for line in change.diff():
            print(escape_control(line))
    problems = map(str, planned.problems)
    for message in (*_reasons(proposals.proposals), *planned.notes, *planned.refused, *problems):
        notify(escape_control(message))
    files = count_noun(len(planned.changes), "file")
    notify(f"{files} {'written' if written else 'to change; nothing was written'}")
    if failed:
        raise typer.Exit(1)


def _reasons(proposals: Iterable[Proposal]) -> Iterator[str]:
    from kb.proposals.file import Correction

    for proposal in proposals:
        if proposal.why:
            subject = proposal.ruling if isinstance(proposal, Correction) else proposal.game
            yield f"{subject}: why: {proposal.why}"
