"""Writes drafts as records: new ones are written, edited ones stay.

The state of an import, `<game>/.import/<format>.json`, has a hash of each record as the import
wrote it. If a draft has another hash, the source has changed. If the file has another hash too, a
curator has edited it: it stays, and the new text goes into `.import/` for comparison. Where each
file is a document of its own, the state also has the files by their sources.

The state is saved last. The next run after one that was killed finds the texts that it would write.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path

from kb.core.characters import normalize
from kb.core.decoding import read_own, unix_lines
from kb.core.files import file_bytes, folder_lock, write_file
from kb.core.problems import KbError, posix_path
from kb.ingest.drafts import Draft, Imported
from kb.ingest.facts import game_files
from kb.records import tables
from kb.records.fields import HEADER_FIELDS
from kb.records.syntax import record_text
from kb.records.values import SLUG, id_error

# The hash of each record that the import wrote, by its place, `topic/id.md`, and after an `@` its
# document. The file also has the file of each source's document.
_State = dict[str, str]
_PLACE = re.compile(rf"{SLUG.pattern}/{SLUG.pattern}\.md")
# The number of an id, which may count rulings that begin alike.
_NUMBER = re.compile(r"(?:-no)?-\d+$")
# The hash of a file that does not exist.
_NO_FILE = ""
_PLACE_COMMENT = re.compile(r"\A(---\n)# .+, lines? \d+(?:-\d+)?\n")
_MARK, _FENCE = re.compile(r"#(?:\s|$)"), re.compile(r" {0,3}(?:`{3,}|~{3,})")
# These come first, in their order: a changed order would be taken for a change of the source.
_FIRST = "kind authority status about topics sources date supersedes related".split()
_FIELDS = sorted(HEADER_FIELDS, key=lambda field: field.name not in _FIRST)


@dataclass
class ImportOutcome:
    """What became of the drafts of an import, by id.

    `edited`: the source has changed, and a curator has edited the record. `present`: the
    records among them that no import wrote. `gone`: the source has the ruling no longer. `files`:
    the game's files that were added to. `comparison_folder`: the folder with the new texts of
    edited records.
    """

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    present: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    comparison_folder: str = ""


@dataclass
class _Plan:
    """The files that a run writes, questions to add by id, and the state afterwards.

    `files`: the new bytes and those before, None for new files.
    """

    files: dict[Path, tuple[bytes, bytes | None]] = field(default_factory=dict)
    asked: dict[str, tables.Questions] = field(default_factory=dict)
    state: _State = field(default_factory=dict)


def write(
    imported: Imported, root: Path, game: str, format_name: str, base: Path | None = None
) -> ImportOutcome:
    """Write the drafts of one import below `root`/`game`.

    `base`: the game's folder in a base, whose cards, sources and terms a new folder begins with.

    Raises KbError for a folder that cannot be written.
    """
    folder, hidden = root / game, root / game / ".import"
    state_file, questions = hidden / f"{format_name}.json", folder / tables.QUESTIONS_FILE
    outcome = ImportOutcome(comparison_folder=posix_path(hidden))
    try:
        hidden.mkdir(parents=True, exist_ok=True)
        with folder_lock(root):
            state, files = _read_state(state_file)
            files |= _document_files(imported, files, folder)
            plan = _plan(_by_place(imported.drafts, state), state, folder, outcome)
            if plan.asked:
                before, file = file_bytes(questions), read_own(questions)
                try:
                    text = tables.with_added(file.text, plan.asked)
                except ValueError as error:
                    raise KbError(f"{posix_path(questions)}:1: {error}") from None
                plan.files[questions] = file.data(text), before
            shared = game_files(imported, folder, base)
            outcome.files = list(map(posix_path, shared))
            for path, (data, before) in (shared | plan.files).items():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, data, exclusive=before is None, expected=before)
            saved = json.dumps(dict(sorted((state | plan.state | files).items())), indent=0)
            write_file(state_file, f"{saved}\n")
    except OSError as error:
        raise KbError(f"{error.filename or folder}: {error.strerror or error}") from error
    return outcome


def _document_files(imported: Imported, known: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the paths from the folder to the files that are a document each, by source.

    Raises KbError if an earlier import (`known`) read the source from another file: rulings of one
    document would replace those of the other.
    """
    files: dict[str, str] = {}
    for source in imported.sources:
        if source.file is not None:
            files[source.id] = file = _relative(source.file, folder)
            earlier = folder / known.get(source.id, file)
            if earlier != folder / file and earlier.exists():
                raise KbError(
                    f"{posix_path(source.file)}: the source {source.id} was read from"
                    f" {posix_path(earlier.resolve())}; give one of the two files another name"
                )
    return files


def _relative(file: Path, folder: Path) -> str:
    """Return the path from the folder to a file; the whole path on another drive."""
    try:
        return posix_path(Path(os.path.relpath(file.resolve(), folder.resolve())))
    except ValueError:
        return posix_path(file.resolve())


def _by_place(drafts: Sequence[Draft], state: _State) -> dict[str, Draft]:
    """Return the drafts by the places of their records, which they keep.

    A draft is recognised by its text and its id without a number, because a new ruling shifts the
    numbers of those that follow; else by its id.
    """
    by_text: dict[tuple[str, str], list[str]] = defaultdict(list)
    for place in sorted(state, reverse=True):
        by_text[_NUMBER.sub("", _id(place)), state[place]].append(place)
    recognised = {
        number: places.pop()
        for number, draft in enumerate(drafts)
        if (places := by_text.get((_NUMBER.sub("", draft.id), _source_hash(draft))))
    }
    unrecognised = state.keys() - set(recognised.values())
    by_id = {(_id(place), _document(state[place])): place for place in unrecognised}
    taken = set(map(_id, state))
    by_place: dict[str, Draft] = {}
    for number, draft in enumerate(drafts):
        place = recognised.get(number) or by_id.pop((draft.id, draft.document), "")
        if not place:
            numbered = (f"{draft.id}-{more}" for more in count(2))
            name = next(name for name in chain([draft.id], numbered) if name not in taken)
            taken.add(name)
            place = f"{draft.topic}/{name}.md"
        by_place[place] = replace(draft, topic=place.partition("/")[0])
    return by_place


def _plan(
    drafts: Mapping[str, Draft], state: _State, folder: Path, outcome: ImportOutcome
) -> _Plan:
    """Return what to write, and sort the ids of the drafts into the outcome."""
    plan = _Plan()
    paths = {path.stem: path for path in folder.glob("[!.]*/*.md")}
    for place, draft in drafts.items():
        name, source_hash = _id(place), _source_hash(draft)
        known = state.get(place, _NO_FILE)
        plan.state[place] = source_hash
        if known == source_hash:
            outcome.same.append(name)
            continue
        path = paths.get(name, folder / place)
        # Read first: if the file changes from here on, it is not replaced.
        before = file_bytes(path)
        text = rendered(draft)
        file_hash = _hash(unix_lines(read_own(path).text)) if path.is_file() else _NO_FILE
        if file_hash not in (_hash(text), re.split("[+@]", known)[0]):
            # Edited, deleted or somebody's own: the curator decides.
            outcome.edited.append(name)
            outcome.present += [] if place in state else [name]
            compared = folder / ".import" / f"{name}.md"
            plan.files[compared] = text.encode(), file_bytes(compared)
            continue
        if draft.asked_as:
            plan.asked[name] = draft.asked_as
        if file_hash == _hash(text):
            outcome.same.append(name)
        else:
            (outcome.new if file_hash == _NO_FILE else outcome.changed).append(name)
            plan.files[path] = text.encode(), before
    documents = {draft.document for draft in drafts.values()}
    missing = state.keys() - drafts.keys()
    outcome.gone = sorted(_id(place) for place in missing if _document(state[place]) in documents)
    return plan


def rendered(draft: Draft) -> str:
    """Return a draft as a record, without the characters that records refuse."""
    comments = [line for line in draft.note.splitlines() if line.strip()]
    if draft.file:
        first, last = draft.lines
        place = f"lines {first}-{last}" if last > first else f"line {first}"
        comments.insert(0, f"{' '.join(draft.file.split())}, {place}")
    header = replace(draft.header, topics=draft.topics)
    values = {field.key: getattr(header, field.name) for field in _FIELDS}
    texts = [(text.lang, " ".join(text.title.split()), _body(text.body)) for text in draft.texts]
    return normalize(record_text(values, texts, comments))


def _body(text: str) -> str:
    """Escape lines that would begin a section, or an unclosed fence, which would end in another."""
    lines = text.strip().split("\n")
    open_fence = sum(bool(_FENCE.match(line)) for line in lines) % 2 == 1
    return "\n".join(
        f"\\{line.lstrip()}" if _MARK.match(line) or (open_fence and _FENCE.match(line)) else line
        for line in lines
    )


def _id(place: str) -> str:
    return Path(place).stem


def _source_hash(draft: Draft) -> str:
    """Hash what the source says in a draft.

    Questions, which are in another file, after a `+`; the document after an `@`.
    """
    asked = json.dumps(draft.asked_as, ensure_ascii=False) if draft.asked_as else ""
    document = f"@{draft.document}" if draft.document else ""
    return _hash(rendered(draft)) + (f"+{_hash(asked)}" if asked else "") + document


def _document(source_hash: str) -> str:
    return source_hash.partition("@")[2]


def _hash(text: str) -> str:
    """Hash a record without the comment on its place in the source's file, which may shift."""
    return hashlib.sha256(_PLACE_COMMENT.sub(r"\1", text).encode()).hexdigest()[:16]


def _read_state(file: Path) -> tuple[_State, dict[str, str]]:
    """Return the hashes of records by place, and the files of documents by source."""
    try:
        state: _State = json.loads(file.read_text(encoding="utf-8"))
        # Somebody may send a folder of drafts whose state names files outside it.
        for place, hashes in state.items():
            is_place = SLUG.fullmatch(place) or _PLACE.fullmatch(place)
            if not is_place or id_error(_id(place)):
                raise ValueError(f"{place!r} is not the place of a record")
            if not isinstance(hashes, str):
                raise ValueError(f"{place} has no hash")
    except FileNotFoundError:
        return {}, {}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise KbError(
            f"{posix_path(file)}: cannot be read ({error}); it says what was imported: restore it,"
            " or import into a new folder"
        ) from None
    files = {source: state.pop(source) for source in [*state] if SLUG.fullmatch(source)}
    return state, files
