"""The git history of the records: what changed when, and the words before and after."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.core.diff import bounded_opcodes
from kb.core.problems import KbError
from kb.records.marks import plain_text
from kb.records.validity import NO_LONGER, sortable_date

_TIMEOUT = 120
# A folder of records may bring settings of its own, and these name programs.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
_RECORD = re.compile(r"([^/]+)/([^/]+)/([^/]+)\.md")
_PIECE = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Change:
    """One commit's change of one record.

    `what` is created, changed, removed or moved; `key` is `game/id`; `path` and `before` are below
    the folder of records.
    """

    revision: str
    moment: str
    key: str
    path: str
    what: str
    before: str = ""


def _environment() -> dict[str, str]:
    """Git fetches nothing, asks nobody and locks nothing while it reads the records' history."""
    return {
        **os.environ,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
    }


def _git(root: Path, *arguments: str, given: str | None = None) -> str | None:
    """What git prints, None where there is no git, no repository or an error."""
    command = ["git", *_QUIET, "-c", "core.quotePath=false", *arguments]
    try:
        run = subprocess.run(
            command,
            cwd=root,
            input=given,
            capture_output=True,
            timeout=_TIMEOUT,
            check=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=_environment(),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return run.stdout


def changes(root: Path, since: str = "") -> list[Change] | None:
    """Return every change of a record, newest first, all or those after a revision.

    None where the records have no history. The oldest commit of a shallow clone seems to create
    everything, so that it tells nothing.
    """
    span = [f"{since}..HEAD"] if since else []
    log = _git(
        root, "log", "-M", "--relative", "--name-status", "--format=%x01%H %cI", *span, "--", "."
    )
    if log is None:
        return None
    cut_off = _shallow_commits(root)
    history: list[Change] = []
    revision = moment = ""
    for line in log.splitlines():
        if line.startswith("\x01"):
            revision, _, moment = line[1:].partition(" ")
            continue
        letter, _, rest = line.partition("\t")
        before, _, path = rest.rpartition("\t")
        record = _RECORD.fullmatch(path)
        if record and letter and revision not in cut_off:
            what = {"A": "created", "D": "removed", "R": "moved", "C": "created"}.get(
                letter[0], "changed"
            )
            history.append(Change(revision, moment, f"{record[1]}/{record[3]}", path, what, before))
    return None if cut_off and not history else history


def _shallow_commits(root: Path) -> frozenset[str]:
    """The commits of a shallow clone whose parents were not fetched."""
    name = (_git(root, "rev-parse", "--git-path", "shallow") or "").strip()
    try:
        return frozenset((root / name).read_text(encoding="ascii").split()) if name else frozenset()
    except (OSError, ValueError):
        return frozenset()


@dataclass(frozen=True)
class LatestChange:
    """The last change of a record within some time, and whether it was created within it."""

    change: Change
    created: bool

    def what(self, status: str | None) -> str:
        """What a reader is told, by the ruling's present status; None for one that is gone."""
        if status is None:
            return "removed"
        if status in NO_LONGER and self.change.what != "dated":
            return status
        return "created" if self.created else self.change.what


def latest_changes(history: Iterable[Change], since: str = "") -> list[LatestChange]:
    """The last change of each record since a date, by default ever, newest first."""
    first = sortable_date(since)
    recent = [change for change in history if change.moment[:10].replace("-", "") >= first]
    created = {change.key for change in recent if change.what == "created"}
    latest: dict[str, Change] = {}
    for change in recent:
        latest.setdefault(change.key, change)
    return [LatestChange(change, key in created) for key, change in latest.items()]


def changed(history: Iterable[Change]) -> dict[str, str]:
    """The moment of the last change of each record, by its path; `history` is newest first."""
    moments: dict[str, str] = {}
    for change in history:
        moments.setdefault(change.path, change.moment)
    return moments


def resolve_revision(root: Path, name: str) -> str:
    """Return the commit that a name stands for.

    Raises KbError for one that the history does not have.
    """
    commit = _git(
        root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    if not commit:
        raise KbError(
            f"{name!r} is neither a date (2003, 2003-06, 2003-06-01) nor a revision of the records'"
            " history"
        )
    return commit.strip()


def read_files(root: Path, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The contents of files (revision, path) in one go; what is not there is left out."""
    prefix = (_git(root, "rev-parse", "--show-prefix") or "").strip()
    asked = "".join(f"{revision}:{prefix}{path}\n" for revision, path in wanted)
    command = ["git", *_QUIET, "cat-file", "--batch"]
    try:
        run = subprocess.run(
            command,
            cwd=root,
            input=asked.encode(),
            capture_output=True,
            timeout=_TIMEOUT,
            check=True,
            env=_environment(),
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    contents: dict[tuple[str, str], str] = {}
    place = 0
    for key in wanted:
        end = run.stdout.find(b"\n", place)
        if end < 0:
            break
        head = run.stdout[place:end].split()
        place = end + 1
        if len(head) == 3 and head[1] == b"blob" and head[2].isdigit():
            size = int(head[2])
            contents[key] = run.stdout[place : place + size].decode("utf-8", "replace")
            place += size + 1
    return contents


def word_diff(old: str, new: str) -> list[tuple[str, str]]:
    """Return the word diff of two texts: ("=", kept), ("-", removed), ("+", added).

    Long unchanged stretches are shortened.
    """
    if old == new:
        return [("=", old)]
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    pieces: list[tuple[str, str]] = []
    for what, low, high, start, end in bounded_opcodes(before, after, str.isspace):
        if what == "equal":
            pieces.append(
                ("=", _shortened("".join(before[low:high]), bool(pieces), high == len(before)))
            )
            continue
        if high > low:
            pieces.append(("-", "".join(before[low:high])))
        if end > start:
            pieces.append(("+", "".join(after[start:end])))
    return pieces


def _shortened(text: str, led: bool, last: bool) -> str:
    if len(text) < 160:
        return text
    head = text[:60].rpartition(" ")[0] if led else ""
    tail = "" if last else text[-60:].partition(" ")[2]
    return f"{head} … {tail}"


@dataclass(frozen=True)
class RevisionDiff:
    """A change as a reader sees it: when, what, and the words before and after (`word_diff`).

    `what` is created, changed, moved, or the status that the ruling got.
    """

    moment: str
    what: str
    words: tuple[tuple[str, str], ...] = ()


def recent_diffs(
    root: Path, history: Sequence[Change], most: int = 5
) -> dict[str, tuple[RevisionDiff, ...]]:
    """The last changes of each record, newest first, by key."""
    chosen: dict[str, list[Change]] = {}
    for change in history:
        if len(chosen.setdefault(change.key, [])) < most:
            chosen[change.key].append(change)
    pairs = [
        change
        for group in chosen.values()
        for change in group
        if change.what in ("changed", "moved")
    ]
    wanted = [(change.revision, change.path) for change in pairs] + [
        (f"{change.revision}^", change.before or change.path) for change in pairs
    ]
    texts = read_files(root, wanted) if wanted else {}

    def read_diff(change: Change) -> RevisionDiff | None:
        new, old = (
            texts.get((change.revision, change.path)),
            texts.get((f"{change.revision}^", change.before or change.path)),
        )
        if new is None or old is None:
            return RevisionDiff(change.moment, change.what)
        words = word_diff(_texts_of(old), _texts_of(new))
        new_status = _status_of(new) if _status_of(new) != _status_of(old) else ""
        if any(what != "=" for what, _ in words):
            return RevisionDiff(change.moment, new_status or change.what, tuple(words))
        # What only the header tells (a topic, a source) changes no answer.
        return (
            RevisionDiff(change.moment, new_status or change.what)
            if new_status or change.what == "moved"
            else None
        )

    return {
        key: tuple(diff for change in group if (diff := read_diff(change)))
        for key, group in chosen.items()
    }


def _status_of(text: str) -> str:
    match = re.search(r"^status:\s*(\w+)", text, re.MULTILINE)
    return match[1] if match else ""


def _texts_of(text: str) -> str:
    """The texts of a record; card marks as they read."""
    body = text.replace("\r\n", "\n").split("\n---\n", 1)[-1]
    body = body.split("\n# asked-as", 1)[0].strip()
    return plain_text(body)
