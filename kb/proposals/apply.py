"""Merge proposals into the records in memory, check the result, then write it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.core.diff import unified_diff
from kb.core.files import folder_lock, write_file
from kb.core.problems import KbError, Problem, posix_path
from kb.core.urls import slug
from kb.proposals.file import Correction, NewRecord, Proposal, SectionText
from kb.proposals.merge import merge
from kb.records.checks.rules import check_library, missing_original
from kb.records.draft import FormDraft, Value, normalized, parse_draft
from kb.records.library import Library, load
from kb.records.model import id_error
from kb.records.parse import read_ruling
from kb.records.patch import PatchError, RecordFile, new_record, patch_text, record_file

_MAX_ID = 50


@dataclass(frozen=True)
class FileChange:
    """A file before and after proposals; `before` is None for a new file."""

    path: Path
    before: bytes | None
    after: bytes

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff."""
        name = posix_path(self.path)
        before, after = (
            (data or b"").decode("utf-8", "replace").splitlines()
            for data in (self.before, self.after)
        )
        old_name = "/dev/null" if self.before is None else name
        yield from unified_diff(before, after, old_name, name)


@dataclass(frozen=True)
class Plan:
    """The effect of proposals: changed files, refusals, new problems.

    `notes` name texts that were merged, that the records have already, or that are still missing.
    """

    changes: tuple[FileChange, ...]
    refused: tuple[str, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


@dataclass
class _Files:
    """Files of records with unwritten changes; `new`: the paths of new rulings by key."""

    root: Path
    library: Library
    changes: dict[Path, FileChange] = field(default_factory=dict)
    new: dict[str, Path] = field(default_factory=dict)

    def path(self, key: str) -> Path | None:
        """Return the path of a ruling, None without such a ruling."""
        name = self.library.path(key)
        return Path(name) if name else self.new.get(key)

    def read(self, path: Path) -> bytes:
        if path not in self.changes:
            try:
                data = path.read_bytes()
            except OSError as error:
                raise KbError(f"{posix_path(path)}: {error.strerror}") from error
            self.changes[path] = FileChange(path, data, data)
        return self.changes[path].after


def plan(root: Path, proposals: Sequence[Proposal]) -> Plan:
    """Return the effect of proposals on the records below `root`, without writing."""
    files = _Files(root, load(root))
    refused: list[str] = []
    notes: list[str] = []
    for proposal in proposals:
        try:
            if isinstance(proposal, Correction):
                notes += _correct(files, proposal)
            else:
                notes.append(_add(files, proposal))
        except KbError as error:
            refused.append(str(error))
    changes = tuple(change for change in files.changes.values() if change.after != change.before)
    problems, missing = _new_problems(files, changes)
    notes += [f"still to write: {problem}" for problem in missing]
    if missing:
        notes.append("kb build publishes nothing until then; kb build --keep-going, the others")
    return Plan(changes, tuple(refused), tuple(problems), tuple(notes))


def write(root: Path, changes: Sequence[FileChange]) -> None:
    """Write the files of a plan. Raises KbError if a file has changed since it was read."""
    with folder_lock(root):
        for change in changes:
            try:
                current = change.path.read_bytes() if change.path.exists() else None
                if current != change.before:
                    raise KbError(
                        f"{posix_path(change.path)}: changed meanwhile; run kb apply again"
                    )
                change.path.parent.mkdir(exist_ok=True)
                write_file(change.path, change.after, exclusive=change.before is None)
            except OSError as error:
                raise KbError(f"{posix_path(change.path)}: {error.strerror}") from error


def _correct(files: _Files, proposal: Correction) -> Iterator[str]:
    path = files.path(proposal.ruling)
    if path is None:
        raise KbError(f"{proposal.ruling}: no such ruling; it may have been moved or withdrawn")
    file, draft = _open(files, path)
    texts = {lang: SectionText(title=title, body=body) for lang, title, body in draft.texts}
    for section in proposal.sections:
        current, after = texts.get(section.lang), _normalized(section.lang, section.after)
        before = section.before and _normalized(section.lang, section.before)
        if current == after:
            yield f"{proposal.ruling}: {section.lang}: is so already"
        elif current == before:
            texts[section.lang] = after
        else:
            texts[section.lang] = _merged(proposal.ruling, section.lang, before, current, after)
            yield f"{proposal.ruling}: {section.lang}: merged with a change made since"
    wanted = replace(
        draft, texts=tuple((lang, text.title, text.body) for lang, text in texts.items())
    )
    try:
        text = patch_text(file.text, wanted)
    except PatchError as error:
        raise KbError(f"{proposal.ruling}: {error}") from None
    files.changes[path] = replace(files.changes[path], after=file.data(text))


def _open(files: _Files, path: Path) -> tuple[RecordFile, FormDraft]:
    file = record_file(files.read(path))
    draft, problems = parse_draft(file.text) if file else (None, [])
    if file is None or draft is None:
        reason = f": {problems[0].message}" if problems else ""
        raise KbError(f"{posix_path(path)}: the record cannot be read; run kb check{reason}")
    return file, draft


def _normalized(lang: str, text: SectionText) -> SectionText:
    """Return a text as a record is read back."""
    texts = normalized(FormDraft({}, ((lang, text.title, text.body),))).texts
    return SectionText(title=texts[0][1], body=texts[0][2]) if texts else SectionText()


def _merged(
    key: str,
    lang: str,
    before: SectionText | None,
    current: SectionText | None,
    after: SectionText,
) -> SectionText:
    if before is None or current is None:
        what = "was added" if before is None else "was removed"
        raise KbError(f"{key}: {lang}: the text {what} since this was proposed; compare by hand")
    title = merge(before.title, current.title, after.title)
    body = merge(before.body, current.body, after.body)
    if title is None or body is None:
        raise KbError(
            f"{key}: {lang}: the same lines have changed since this was proposed; edit them by hand"
        )
    return SectionText(title=title, body=body)


def _add(files: _Files, proposal: NewRecord) -> str:
    game = files.library.games.get(proposal.game)
    if game is None:
        raise KbError(f"no game {proposal.game}; there are {', '.join(files.library.games)}")
    if proposal.topic not in game.topics:
        raise KbError(f"no topic {proposal.topic} in {game.id}; there are {', '.join(game.topics)}")
    first_title = next((text.title for text in proposal.texts.values() if text.title), "")
    proposed_id = proposal.id or slug(first_title)[:_MAX_ID].strip("-")
    if id_error(proposed_id):
        raise KbError(id_error(proposed_id))
    folder = files.root / game.id / proposal.topic
    if folder.resolve() != files.root.resolve() / game.id / proposal.topic:
        raise KbError(f"{posix_path(folder)}: a symbolic link; records lie below the root")
    order = dict.fromkeys((*game.languages, *proposal.texts))
    texts = tuple(
        (lang, proposal.texts[lang].title, proposal.texts[lang].body)
        for lang in order
        if lang in proposal.texts
    )
    try:
        data = new_record(FormDraft(_header(proposal), texts)).encode()
    except PatchError as error:
        raise KbError(f"{game.id}/{proposed_id}: {error}") from None
    ruling_id, exists = _free_id(files, proposal, proposed_id, data)
    key = f"{game.id}/{ruling_id}"
    if exists:
        return f"{key}: is there already"
    path = files.new[key] = folder / f"{ruling_id}.md"
    files.changes[path] = FileChange(path, None, data)
    return f"{key}: new {proposal.kind}"


def _free_id(files: _Files, proposal: NewRecord, proposed_id: str, data: bytes) -> tuple[str, bool]:
    """Return an id that no ruling of the game has or had: the proposed one, or with a number.

    Also whether the record exists already, because the proposal was applied before.
    """
    rulings = files.library.of_game(proposal.game)
    former = {old for ruling in rulings for old in ruling.header.formerly}
    candidate, number = proposed_id, 2
    while (path := files.path(f"{proposal.game}/{candidate}")) or candidate in former:
        if path and files.read(path) == data:
            return candidate, True
        if proposal.id:
            raise KbError(f"{proposal.game}/{proposed_id}: the id is taken")
        candidate, number = f"{proposed_id}-{number}", number + 1
    return candidate, False


def _header(proposal: NewRecord) -> dict[str, Value]:
    is_question = proposal.kind == "question"
    return {
        "kind": proposal.kind,
        "authority": "community",
        "status": "unanswered" if is_question else "current",
        "about": tuple(proposal.about),
        "topics": (proposal.topic,),
        "asked": proposal.asked if is_question else "",
        "asked-of": proposal.asked_of if is_question else "",
    }


def _new_problems(
    files: _Files, changes: Sequence[FileChange]
) -> tuple[list[Problem], list[Problem]]:
    """Return the new problems of the changed files and across records.

    The second list has new records without a text in the game's language, which a proposer may not
    know.
    """
    library = files.library
    rulings = dict(library.rulings)
    problems: list[Problem] = []
    missing: list[Problem] = []
    for change in changes:
        game, topic = change.path.parts[-3:-1]
        name = posix_path(change.path)
        ruling, of_file = read_ruling(change.after, name, game, topic)
        problems += sorted(set(of_file).difference(library.problems))
        if ruling:
            rulings[ruling.key] = ruling
            if change.before is None:
                missing.append(missing_original(ruling, library.games[game]))
    if changes and not problems:
        before = check_library(library.games, library.rulings)
        known = {(problem.path, problem.message) for problem in before}
        after = sorted(set(check_library(library.games, rulings)))
        problems = [each for each in after if (each.path, each.message) not in known]
    missing = [problem for problem in missing if problem in problems]
    return [problem for problem in problems if problem not in missing], missing
