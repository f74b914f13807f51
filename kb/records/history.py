"""The changes of records, from their git history."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from io import BytesIO
from pathlib import Path

from kb.core.characters import normalize
from kb.core.decoding import decode_utf8, unix_lines
from kb.core.problems import KbError, WrongUsage
from kb.records.edits import common_ends
from kb.records.syntax import split_page
from kb.records.text import plain_text
from kb.records.validity import NO_LONGER, sortable_date

# Longest time for git, with the hooks of a repository, in seconds.
_TIMEOUT = 120
# Words, signs and blanks of a change that is shown word by word; longer ones are hard to read.
_MAX_COMPARED = 150
# Changes on the page of a record.
_SHOWN_CHANGES = 5
# A folder of records may have git settings of its own, and these can name programs to run.
_SAFE_SETTINGS = (
    *("-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("-c", "core.quotePath=false"),
)
# By the letter of git's --name-status; any other letter is a change.
_KINDS_OF_CHANGE = {"A": "created", "D": "removed", "R": "moved", "C": "created"}
_RECORD = re.compile(r"([^/]+)/([^/]+)/([^/]+)\.md")
_PIECE = re.compile(r"\s+|\w+|[^\w\s]")
# Title and body of a record's texts, by language.
_Sections = dict[str, tuple[str, str]]


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

    def outcome(self, status: str | None) -> str:
        """Return removed, superseded, reversed, withdrawn, dated, or `what`.

        `status`: the ruling's; None if the ruling was removed, empty if its record has problems.
        """
        if status is None:
            return "removed"
        return status if status in NO_LONGER and self.what != "dated" else self.what

    @property
    def key_before(self) -> str:
        """The key that the record had before it was moved or renamed, else empty."""
        before = _RECORD.fullmatch(self.before)
        return f"{before[1]}/{before[3]}" if before else ""

    @property
    def places(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Revision and path of the record before and after the change."""
        return (f"{self.revision}^", self.before or self.path), (self.revision, self.path)


def run_git(root: Path, *arguments: str, standard_input: str = "") -> bytes:
    """Return git's output. Raises KbError without git or a repository, and for a failure.

    Git fetches nothing, asks for no password, and takes no lock that it can do without.
    """
    quiet = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        run = subprocess.run(
            ["git", *_SAFE_SETTINGS, *arguments],
            cwd=root,
            input=standard_input.encode(),
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
            env={**os.environ, **quiet},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise KbError(f"git: {error}") from error
    if run.returncode:
        lines = (run.stderr or run.stdout).decode("utf-8", "replace").strip().splitlines()
        raise KbError(f"git: {lines[-1] if lines else 'it failed without a message'}")
    return run.stdout


def _git_text(root: Path, *arguments: str) -> str | None:
    """Return git's output as text; None after an error."""
    try:
        return run_git(root, *arguments).decode("utf-8", "replace")
    except KbError:
        return None


def changes(root: Path, revision: str = "") -> list[Change] | None:
    """Return the changes of all records, newest first, after a revision if given.

    None without a history. The oldest commit of a shallow clone is left out, because git reports it
    as the creation of every file.
    """
    span = [f"{revision}..HEAD"] if revision else []
    form = "--format=%x01%H %ct"
    log = _git_text(root, "log", "-M", "--relative", "--name-status", form, *span, "--", ".")
    if log is None:
        return None
    shallow = _shallow_commits(root)
    history: list[Change] = []
    commit = moment = ""
    for line in log.splitlines():
        if line.startswith("\x01"):
            commit, _, seconds = line[1:].partition(" ")
            moment = f"{datetime.fromtimestamp(int(seconds), UTC):%Y-%m-%dT%H:%M:%SZ}"
            continue
        letter, _, rest = line.partition("\t")
        before, _, path = rest.rpartition("\t")
        record = _RECORD.fullmatch(path)
        if record and letter and commit not in shallow:
            what = _KINDS_OF_CHANGE.get(letter[0], "changed")
            history.append(Change(commit, moment, f"{record[1]}/{record[3]}", path, what, before))
    return None if shallow and not history else history


def _shallow_commits(root: Path) -> frozenset[str]:
    """Return the commits of a shallow clone that have no parents here."""
    name = (_git_text(root, "rev-parse", "--git-path", "shallow") or "").strip()
    try:
        return frozenset((root / name).read_text(encoding="ascii").split()) if name else frozenset()
    except (OSError, ValueError):
        return frozenset()


def latest_changes(history: Iterable[Change], since: str = "") -> list[Change]:
    """Return the last change of each record, newest first, since a date if given.

    It is `created` for a record that was created since that date.
    """
    first = sortable_date(since)
    recent = [change for change in history if change.moment[:10].replace("-", "") >= first]
    created = {change.key for change in recent if change.what == "created"}
    latest: dict[str, Change] = {}
    for change in recent:
        latest.setdefault(change.key, change)
    return [
        replace(change, what="created") if change.key in created else change
        for change in latest.values()
    ]


def changed(history: Sequence[Change]) -> dict[str, str]:
    """Return the moment of the last change by a record's path; `history` is newest first."""
    return {change.path: change.moment for change in reversed(history)}


def resolve_revision(root: Path, name: str) -> str:
    """Return the commit of a revision's name. Raises WrongUsage for an unknown name."""
    commit = _git_text(
        root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    if not commit:
        raise WrongUsage(
            f"{name!r} is neither a date (2003, 2003-06, 2003-06-01) nor a revision of the records'"
            " history"
        )
    return commit.strip()


def read_files(root: Path, files: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the contents of files by (revision, path), without missing files."""
    prefix = (_git_text(root, "rev-parse", "--show-prefix") or "").strip()
    names = "".join(f"{revision}:{prefix}{path}\n" for revision, path in files)
    output = BytesIO()
    with suppress(KbError):
        output = BytesIO(run_git(root, "cat-file", "--batch", standard_input=names))
    contents: dict[tuple[str, str], str] = {}
    for key in files:
        head = output.readline().split()
        if len(head) == 3 and head[1] == b"blob":
            data = output.read(int(head[2]))
            # A version that is not UTF-8 is as good as missing.
            if not (read := decode_utf8(data, ""))[1]:
                contents[key] = normalize(unix_lines(read[0].text))
            output.readline()
    return contents


def word_diff(old: str, new: str) -> list[tuple[str, str]]:
    """Return the word diff of two texts: ("=", kept), ("-", removed), ("+", added).

    Long kept parts are shortened. Empty for equal texts, and for long changes.
    """
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    head, tail = common_ends(before, after)
    removed, added = before[head : len(before) - tail], after[head : len(after) - tail]
    if not 0 < max(len(removed), len(added)) <= _MAX_COMPARED:
        return []
    changes = SequenceMatcher(str.isspace, removed, added, autojunk=False).get_opcodes()
    pieces = [("=", _shortened("".join(before[:head]), is_first=True))]
    for what, low, high, start, end in changes:
        if what == "equal":
            pieces.append(("=", _shortened("".join(removed[low:high]))))
        else:
            pieces += [("-", "".join(removed[low:high])), ("+", "".join(added[start:end]))]
    pieces.append(("=", _shortened("".join(before[len(before) - tail :]), is_last=True)))
    return [piece for piece in pieces if piece[1]]


def _shortened(text: str, *, is_first: bool = False, is_last: bool = False) -> str:
    if len(text) < 160:
        return text
    head = "" if is_first else text[:60].rpartition(" ")[0]
    tail = "" if is_last else text[-60:].partition(" ")[2]
    return f"{head} … {tail}"


@dataclass(frozen=True)
class RevisionDiff:
    """A change as a reader sees it, with titles and bodies `before` and `after` by language.

    `what` is created, changed, moved, or the new status of the ruling. `parts`: any of title, text,
    translation and translated (a new translation).
    """

    moment: str
    what: str
    parts: tuple[str, ...] = ()
    before: _Sections = field(default_factory=dict)
    after: _Sections = field(default_factory=dict)

    @property
    def what_changed(self) -> tuple[str, ...]:
        """What happened: the parts that changed, else `what`."""
        return self.parts if self.what == "changed" and self.parts else (self.what,)

    def words(self, lang: str) -> list[tuple[str, str]]:
        """The `word_diff` of the title and text in a language that both have; else empty."""
        if lang not in self.before or lang not in self.after:
            return []
        return word_diff("\n\n".join(self.before[lang]), "\n\n".join(self.after[lang]))


def recent_diffs(root: Path, history: Sequence[Change]) -> dict[str, tuple[RevisionDiff, ...]]:
    """The last changes of each record, newest first, by key."""
    chosen: dict[str, list[Change]] = {}
    for change in history:
        if len(chosen.setdefault(change.key, [])) < _SHOWN_CHANGES:
            chosen[change.key].append(change)
    places = [
        place
        for group in chosen.values()
        for change in group
        if change.what in ("changed", "moved")
        for place in change.places
    ]
    texts = read_files(root, places) if places else {}
    return {
        key: tuple(diff for change in group if (diff := _diff(change, texts)))
        for key, group in chosen.items()
    }


def _diff(change: Change, texts: Mapping[tuple[str, str], str]) -> RevisionDiff | None:
    """Return a change for readers; None if only the header changed, and not the status."""
    old, new = map(texts.get, change.places)
    if new is None or old is None:
        return RevisionDiff(change.moment, change.what)
    status = _status_of(new)
    what = status if status and status != _status_of(old) else change.what
    before, after = _sections(old), _sections(new)
    if before != after:
        parts = tuple(_parts(before, after))
        return RevisionDiff(change.moment, what, parts, before, after)
    return RevisionDiff(change.moment, what) if what != "changed" else None


def _parts(before: _Sections, after: _Sections) -> Iterator[str]:
    """Yield the parts of a record that differ."""
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


def _sections(record: str) -> _Sections:
    """Return a record's texts, with the words of card marks."""
    body = record.split("\n---\n", 1)[-1].split("\n# asked-as", 1)[0]
    return {text.lang: (text.title, plain_text(text.body)) for text in split_page(body, "")[0]}


def _status_of(text: str) -> str:
    match = re.search(r"^status:\s*(\w+)", text, re.MULTILINE)
    return match[1] if match else ""
