"""`kb apply`: a file of proposals into the records."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from kb.core.problems import KbError, Problem, escape_control
from kb.proposals.apply import plan, write
from kb.proposals.file import MAX_FILE, Correction, ProposalFile, read_proposals

# UTF-8 has up to four bytes for a character.
_MAX_BYTES = 4 * MAX_FILE


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
    return [
        f"{each.ruling if isinstance(each, Correction) else each.game}: why:"
        f" {escape_control(each.why)}"
        for each in sent.proposals
        if each.why
    ]


def _text_of(file: Path) -> str:
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(_MAX_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise KbError(f"{file}: larger than {_MAX_BYTES:,} bytes; is it a file of proposals?")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise KbError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise KbError(f"{file}: not UTF-8") from None
