"""`kb apply`: a file of proposals into the records."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands.options import Rulings, count_noun, notify, paths_for
from kb.core.problems import KbError, Problem, escape_control

if TYPE_CHECKING:
    from kb.proposals.file import ProposalFile


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


@dataclass(frozen=True)
class Applied:
    """What a file of proposals did, or would do; texts are safe to print at a terminal."""

    by: str
    diff: tuple[str, ...]
    notes: tuple[str, ...]
    refused: tuple[str, ...]
    problems: tuple[Problem, ...]
    files: int
    written: bool

    @property
    def failed(self) -> bool:
        """Whether a proposal was refused or causes a problem."""
        return bool(self.refused or self.problems)


def apply_proposals(root: Path, file: Path, *, dry_run: bool, force: bool = False) -> Applied:
    """Apply all proposals of a file, or none; with `force` those that are not refused.

    Raises KbError when the file cannot be read.
    """
    from kb.proposals.apply import plan, write
    from kb.proposals.file import read_proposals

    sent = read_proposals(_text_of(file), str(file))
    planned = plan(root, sent.proposals)
    failed = bool(planned.refused or planned.problems)
    writes = not dry_run and (force or not failed)
    if writes:
        write(root, planned.changes)
    return Applied(
        by=escape_control(sent.by),
        diff=tuple(escape_control(line) for each in planned.changes for line in each.diff()),
        notes=(*_reasons(sent), *map(escape_control, planned.notes)),
        refused=tuple(map(escape_control, planned.refused)),
        problems=planned.problems,
        files=len(planned.changes),
        written=writes,
    )


def _reasons(sent: ProposalFile) -> list[str]:
    from kb.proposals.file import Correction

    return [
        f"{each.ruling if isinstance(each, Correction) else each.game}: why:"
        f" {escape_control(each.why)}"
        for each in sent.proposals
        if each.why
    ]


def _text_of(file: Path) -> str:
    from kb.proposals.file import MAX_FILE

    # UTF-8 has up to four bytes for a character.
    most = 4 * MAX_FILE
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(most + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(most + 1)
        if len(data) > most:
            raise KbError(f"{file}: larger than {most:,} bytes; is it a file of proposals?")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise KbError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise KbError(f"{file}: not UTF-8") from None
