"""The git history of the records: what changed when, and the words before and after."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path

from kb.core.diff import bounded_opcodes
from kb.core.problems import KbError
from kb.records.marks import plain_text
from kb.records.validity import NO_LONGER, sortable_date

_TIMEOUT = 120
# How many changes of a record its page shows.
_SHOWN_CHANGES = 5
# A folder of records may bring settings of its own, and these can name programs.
_SETTINGS = (
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("-c", "core.quotePath=false"),
)
_RECORD = re.compile(r"([^/]+)/([^/]+)/([^/]+)\.md")
_SECTION = re.compile(r"^# ([a-z]{2,3}):(.*)$", re.MULTILINE)
_PIECE = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True)
class Change:
    """One commit's change of one record; `moment` is in UTC, so that moments sort as text.

    `what` is created, changed, removed or moved; `key` is `game/id`; `path` and `before` are below
    the folder of records.
    """

    revision: str
    moment: str
    key: str
    path: str
    what: str
    before: str = ""


def _git(root: Path, *arguments: str, given: str = "") -> bytes | None:
    """What git prints, None where there is no git, no repository or an error.

    It fetches nothing, asks nobody and locks nothing.
    """
    quiet = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        run = subprocess.run(
            ["git", *_SETTINGS, *arguments],
            cwd=root,
            input=given.encode(),
            capture_output=True,
            timeout=_TIMEOUT,
            check=True,
            env={**os.environ, **quiet, "TZ": "UTC"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return run.stdout


def _git_text(root: Path, *arguments: str) -> str | None:
    output = _git(root, *arguments)
    return None if output is None else output.decode("utf-8", "replace")


def changes(root: Path, since: str = "") -> list[Change] | None:
    """Return every change of a record, newest first, all or those after a revision.

    None if the records have no history. The oldest commit of a shallow clone is left out, since it
    seems to create everything.
    """
    span = [f"{since}..HEAD"] if since else []
    form = ("--date=format-local:%Y-%m-%dT%H:%M:%SZ", "--format=%x01%H %cd")
    log = _git_text(root, "log", "-M", "--relative", "--name-status", *form, *span, "--", ".")
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
    name = (_git_text(root, "rev-parse", "--git-path", "shallow") or "").strip()
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
        """Return what readers are shown; `status` is the present one, None if it is removed."""
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
    """Return the commit of a name. Raises KbError if the history has no such commit."""
    commit = _git_text(
        root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    if not commit:
        raise KbError(
            f"{name!r} is neither a date (2003, 2003-06, 2003-06-01) nor a revision of the records'"
            " history"
        )
    return commit.strip()


def read_files(root: Path, wanted: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The contents of files (revision, path) in one go; a file that is not there is left out."""
    prefix = (_git_text(root, "rev-parse", "--show-prefix") or "").strip()
    names = "".join(f"{revision}:{prefix}{path}\n" for revision, path in wanted)
    output = BytesIO(_git(root, "cat-file", "--batch", given=names) or b"")
    contents: dict[tuple[str, str], str] = {}
    for key in wanted:
        head = output.readline().split()
        if len(head) == 3 and head[1] == b"blob":
            contents[key] = output.read(int(head[2])).decode("utf-8", "replace")
            output.readline()
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
    """A change as a reader sees it: when, what, and the texts `before` and `after`.

    `what` is created, changed, moved, or the status that the ruling got. `parts`: which of title,
    text and translation differ, and whether there is a new translation.
    """

    moment: str
    what: str
    parts: tuple[str, ...] = ()
    before: str = ""
    after: str = ""

    @cached_property
    def words(self) -> tuple[tuple[str, str], ...]:
        """The texts compared by `word_diff`; empty where they are the same."""
        return tuple(word_diff(self.before, self.after)) if self.before != self.after else ()


def recent_diffs(root: Path, history: Sequence[Change]) -> dict[str, tuple[RevisionDiff, ...]]:
    """The last changes of each record, newest first, by key."""
    chosen: dict[str, list[Change]] = {}
    for change in history:
        if len(chosen.setdefault(change.key, [])) < _SHOWN_CHANGES:
            chosen[change.key].append(change)
    edits = [
        change
        for group in chosen.values()
        for change in group
        if change.what in ("changed", "moved")
    ]
    places = [place for change in edits for place in (_place(change), _place_before(change))]
    texts = read_files(root, places) if places else {}
    return {
        key: tuple(diff for change in group if (diff := _diff(change, texts)))
        for key, group in chosen.items()
    }


def _place(change: Change) -> tuple[str, str]:
    return change.revision, change.path


def _place_before(change: Change) -> tuple[str, str]:
    return f"{change.revision}^", change.before or change.path


def _diff(change: Change, texts: Mapping[tuple[str, str], str]) -> RevisionDiff | None:
    """A change as a reader sees it; None where only the header differs, as in a topic."""
    new, old = texts.get(_place(change)), texts.get(_place_before(change))
    if new is None or old is None:
        return RevisionDiff(change.moment, change.what)
    before, after = _texts_of(old), _texts_of(new)
    new_status = _status_of(new) if _status_of(new) != _status_of(old) else ""
    what = new_status or change.what
    if before != after:
        return RevisionDiff(change.moment, what, tuple(_parts(old, new)), before, after)
    return RevisionDiff(change.moment, what) if new_status or change.what == "moved" else None


def _parts(old: str, new: str) -> Iterator[str]:
    """Which parts of a record differ; an earlier record may have lacked a language."""
    before, after = _sections(old), _sections(new)
    original = next(iter(after), "")
    title, body = after.get(original, ("", ""))
    old_title, old_body = before.get(original, ("", ""))
    if title != old_title:
        yield "title"
    if body != old_body:
        yield "text"
    others = after.keys() - {original}
    if others - before.keys():
        yield "translated"
    if any(after[lang] != before[lang] for lang in others & before.keys()):
        yield "translation"


def _sections(text: str) -> dict[str, tuple[str, str]]:
    """Title and body of a record's texts, by language."""
    parts = _SECTION.split(_texts_of(text))[1:]
    return {
        lang: (title.strip(), body.strip())
        for lang, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }


def _status_of(text: str) -> str:
    match = re.search(r"^status:\s*(\w+)", text, re.MULTILINE)
    return match[1] if match else ""


def _texts_of(text: str) -> str:
    """The texts of a record; card marks as they read."""
    body = text.replace("\r\n", "\n").split("\n---\n", 1)[-1]
    body = body.split("\n# asked-as", 1)[0].strip()
    return plain_text(body)
