"""Writes drafts as records: new ones are written, edited ones stay.

The memory of an import, `<game>/.import/<format>.json`, has for each draft the place of its record
and two hashes: of what the source said, and of the record that was written. A second run changes
nothing. If the source has changed, a record is replaced only if nobody has edited it; otherwise the
new text goes into `.import/`, for the curator to compare.

A run first saves its plan as `<format>.planned.json`. If it is killed, the next run finds in the
plan which records are the import's own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, replace
from itertools import chain, count
from pathlib import Path

from kb.core.files import folder_lock, write_file, write_files
from kb.core.problems import KbError, posix_path
from kb.importers.drafts import Draft, Imported
from kb.importers.facts import write_game
from kb.importers.render import rendered
from kb.importers.text import STOP_WORDS
from kb.records import question_file
from kb.records.library import GAME_FILES
from kb.records.model import SLUG, id_error

# The share of its words that a reworded question has in common with the former one; an equal
# answer counts for some of them. From so many words on, an answer of no other question decides.
_MIN_SHARED_WORDS, _EQUAL_ANSWER, _TELLING_ANSWER = 0.75, 0.2, 5
# A new question is compared with at most this many rulings that are gone from the source, because
# every new one is compared with every one of them.
_MAX_GONE = 1_000
_PLACE = re.compile(rf"{SLUG.pattern}/{SLUG.pattern}\.md")
_SECTION = re.compile(r"^# [a-z-]+: .*$", re.MULTILINE)
_NUMBERED_ID = re.compile(r"(.+)-\d+")


@dataclass
class ImportOutcome:
    """What became of the drafts of an import, by id.

    `edited`: the source has changed, and a curator has edited the record; `gone`: the source has
    the ruling no longer; `reworded`: the new title of a question that the source words anew.
    `present`: those of `edited` that no import wrote. `files`: the game's files that were added
    to. `comparison_folder`: the folder with the new texts of edited records.
    """

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    present: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    reworded: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    comparison_folder: str = ""


@dataclass(frozen=True)
class _ImportedRecord:
    """A record as an import left it: hashes of what the source said and of its text.

    The place is `topic/id.md`.
    """

    source_hash: str
    text_hash: str
    place: str


_Records = dict[str, _ImportedRecord]


def write(
    imported: Imported,
    root: Path,
    game: str,
    format_name: str,
    base: Path | None = None,
) -> ImportOutcome:
    """Write the drafts of one import below `root`/`game`.

    `base`: the game's folder in a base, whose cards, sources and terms a new folder begins with.

    Raises KbError for a folder that cannot be written.
    """
    folder, hidden = root / game, root / game / ".import"
    _refuse_links(folder, hidden, *(folder / name for name in GAME_FILES))
    with _explained_errors(folder):
        hidden.mkdir(parents=True, exist_ok=True)
        with folder_lock(root):
            memory = _Memory(folder, format_name)
            outcome = ImportOutcome(comparison_folder=posix_path(hidden))
            drafts = _drafts_by_id(imported, memory, outcome)
            plan, texts = _plan(drafts, memory, outcome)
            comparisons = {hidden / f"{name}.md": texts.pop(name) for name in outcome.edited}
            files = {memory.path(plan[name].place): text for name, text in texts.items()}
            # Everything that may be refused is checked before the first file is written.
            outcome.files = write_game(imported, folder, game, base)
            own = {name: record for name, record in plan.items() if name not in outcome.edited}
            asked = {name: drafts[name].asked_as for name in own if drafts[name].asked_as}
            if asked:
                path = folder / question_file.NAME
                files[path] = question_file.with_added(question_file.file_text(path), asked)
            _save_records(memory.plan_file, own)
            write_files(files)
            write_files(comparisons)
            _save_records(memory.file, memory.records | plan)
            memory.plan_file.unlink()
            return outcome


@contextmanager
def _explained_errors(folder: Path) -> Iterator[None]:
    """Raise KbError for an error of the system, and for a file that is no text."""
    try:
        yield
    except OSError as error:
        raise KbError(f"{error.filename or folder}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise KbError(
            f"{posix_path(folder)}: a file in it is not UTF-8 text ({error.reason}); kb check"
            " names it"
        ) from error


def _refuse_links(*paths: Path) -> None:
    """Raise KbError for a symbolic link: nothing is written outside the named folder."""
    for path in paths:
        if path.is_symlink():
            raise KbError(
                f"{posix_path(path)}: a symbolic link; records are plain files inside the tree"
            )


def _drafts_by_id(imported: Imported, memory: _Memory, outcome: ImportOutcome) -> dict[str, Draft]:
    """Return the drafts by the ids of their rulings, which stay when the source changes.

    A ruling is first recognised by what the source says. If the source only counts its rulings, a
    new one shifts the numbers of all that follow it. If ids come from words, a ruling of a renamed
    file is recognised by the words, and a reworded question by its likeness to one that is gone.
    """
    by_words = imported.has_ids_from_words
    ids = {
        (_stable_part(name, by_words), record.source_hash): name
        for name, record in memory.records.items()
    }
    kept_ids: dict[int, str] = {}
    groups: dict[str, list[int]] = {}
    for number, draft in enumerate(imported.drafts):
        stable_part = _stable_part(draft.id, by_words)
        groups.setdefault(stable_part, []).append(number)
        name = ids.pop((stable_part, _source_hash(draft)), "")
        if name:
            kept_ids[number] = name
    gone = sorted(
        set(memory.records) - {*kept_ids.values(), *(draft.id for draft in imported.drafts)}
    )
    if by_words:
        added = {
            number: draft
            for number, draft in enumerate(imported.drafts)
            if number not in kept_ids and draft.id not in memory.records
        }
        renamed = _ids_before_renaming(added, gone, memory)
        gone = [name for name in gone if name not in renamed.values()][:_MAX_GONE]
        added = {number: draft for number, draft in added.items() if number not in renamed}
        reworded = _ids_before_rewording(added, gone, memory)
        outcome.reworded = {
            name: imported.drafts[number].texts[0].title for number, name in reworded.items()
        }
        kept_ids |= renamed | reworded
    taken = set(kept_ids.values())
    drafts: dict[str, Draft] = {}
    for number in chain.from_iterable(groups.values()):
        draft = imported.drafts[number]
        name = kept_ids.get(number, draft.id)
        if number not in kept_ids and name in taken:
            name = _free_id(_stable_part(name, False), taken | set(memory.records))
        taken.add(name)
        # A record stays in the folder that it has.
        record = memory.records.get(name)
        topic = record.place.partition("/")[0] if record else draft.topic
        drafts[name] = replace(draft, topic=topic)
    return drafts


def _ids_before_renaming(
    drafts: Mapping[int, Draft], gone: Sequence[str], memory: _Memory
) -> dict[int, str]:
    """Return the ids of rulings that are gone with an earlier name of the file, by draft.

    An id is that of the document and the words: both have the same words.
    """
    by_words = {
        draft.id.removeprefix(f"{draft.header.sources[0].source}-"): number
        for number, draft in drafts.items()
    }
    ids: dict[int, str] = {}
    for name in gone:
        for dash in re.finditer("-", name):
            number = by_words.get(name[dash.end() :])
            if number is None or number in ids:
                continue
            text = memory.text(memory.records[name].place)
            if text is None or f"{name[: dash.start()]}#" in text:
                ids[number] = name
                break
    return ids


def _stable_part(name: str, by_words: bool) -> str:
    """The part of an id that its ruling keeps: without the number at its end; none of words."""
    match = _NUMBERED_ID.fullmatch(name)
    return "" if by_words else match[1] if match else name


def _free_id(stable_part: str, taken: set[str]) -> str:
    return next(name for number in count(1) if (name := f"{stable_part}-{number}") not in taken)


def _ids_before_rewording(
    drafts: Mapping[int, Draft], gone: Sequence[str], memory: _Memory
) -> dict[int, str]:
    """Return the ids of rulings that are gone, by the drafts that are their new wordings.

    The ids have the same numbers and nearly the same words. So have the texts, unless a curator has
    edited the record. The likest pairs come first.
    """
    texts = {name: memory.text(memory.records[name].place) or "" for name in gone}
    former_answers = {name: _answers(text) for name, text in texts.items()}
    answers = {number: _answers(rendered(draft)) for number, draft in drafts.items()}
    counts = Counter(chain.from_iterable((*former_answers.values(), *answers.values())))
    pairs: list[tuple[float, int, str]] = []
    for number, draft in drafts.items():
        words = draft.texts[0].body.split()
        for name in gone:
            likeness = _likeness(draft, name)
            common = answers[number] & former_answers[name]
            if common and likeness is not None:
                is_only = len(words) >= _TELLING_ANSWER and all(
                    counts[each] == 2 for each in common
                )
                likeness += 1 if is_only else _EQUAL_ANSWER
            if likeness is None or likeness < _MIN_SHARED_WORDS:
                continue
            former_words = set(texts[name].split())
            shared = sum(word in former_words for word in words)
            is_alike = common or shared >= _MIN_SHARED_WORDS * len(words)
            if is_alike or not memory.is_unedited(name):
                pairs.append((likeness, number, name))
    ids: dict[int, str] = {}
    for _, number, name in sorted(pairs, reverse=True):
        if number not in ids and name not in ids.values():
            ids[number] = name
    return ids


def _answers(record: str) -> set[str]:
    """The bodies of a record's sections."""
    return {body.strip() for body in _SECTION.split(record)[1:]}


def _likeness(draft: Draft, name: str) -> float | None:
    """The share of words that a draft's id has in common with another; None for other numbers."""
    document = draft.header.sources[0].source if draft.header.sources else ""
    words, others = (each.removeprefix(document).split("-") for each in (draft.id, name))
    if any(word.isdigit() for word in {*words} ^ {*others}):
        return None
    beginnings = [
        {word[: max(4, len(word) - 3)] for word in each if word and word not in STOP_WORDS}
        for each in (words, others)
    ]
    return 2 * len(beginnings[0] & beginnings[1]) / max(1, sum(map(len, beginnings)))


def _plan(
    drafts: Mapping[str, Draft], memory: _Memory, outcome: ImportOutcome
) -> tuple[_Records, dict[str, str]]:
    """Return what to remember of each draft that is new in the source, and the texts to write.

    Adds to the outcome.
    """
    plan: _Records = {}
    texts: dict[str, str] = {}
    for name, draft in drafts.items():
        source_hash, former = _source_hash(draft), memory.records.get(name)
        if former and former.source_hash == source_hash:
            outcome.same.append(name)
            continue
        text = rendered(draft)
        text_hash = _hash(text)
        place = former.place if former else f"{draft.topic}/{name}.md"
        present = memory.text(place)
        if present != text:
            texts[name] = text
        if present == text:
            outcome.same.append(name)
        elif former is None and present is None:
            outcome.new.append(name)
        elif memory.is_unedited(name):
            outcome.changed.append(name)
        else:
            # Edited, deleted or somebody's own: the curator decides.
            outcome.edited.append(name)
            if present is not None and not (former and former.text_hash):
                outcome.present.append(name)
            text_hash = former.text_hash if former else ""
        plan[name] = _ImportedRecord(source_hash, text_hash, place)
    outcome.gone = sorted(set(memory.records) - set(drafts))
    return plan, texts


class _Memory:
    """The records of a game that an import left, by id, and their present texts."""

    def __init__(self, folder: Path, format_name: str) -> None:
        """Read the memory. Raises KbError for one that cannot be read."""
        self.folder = folder
        self.file = folder / ".import" / f"{format_name}.json"
        self.plan_file = folder / ".import" / f"{format_name}.planned.json"
        self.records = _read_records(self.plan_file)
        # A run that was killed has written these, and nobody has edited them since.
        unedited = {name: self.records[name] for name in self.records if self.is_unedited(name)}
        self.records = _read_records(self.file) | unedited

    def text(self, place: str) -> str | None:
        """Return the record in a place, None without one. Raises KbError for a link."""
        path = self.path(place)
        return path.read_text(encoding="utf-8-sig") if path.is_file() else None

    def is_unedited(self, name: str) -> bool:
        """Whether a record is still as the import left it."""
        record = self.records.get(name)
        text = self.text(record.place) if record else None
        return record is not None and text is not None and _hash(text) == record.text_hash

    def path(self, place: str) -> Path:
        """Return the path of a place. Raises KbError for a link."""
        path = self.folder / place
        _refuse_links(path.parent, path)
        return path


def _read_records(file: Path) -> _Records:
    _refuse_links(file)
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        records = {name: _ImportedRecord(*map(str, row)) for name, row in rows.items()}
        # Somebody may send a folder of drafts whose memory names files outside it.
        for name, record in records.items():
            if id_error(name) or not _PLACE.fullmatch(record.place):
                raise ValueError(f"{name!r} is no draft's place")
        return records
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise KbError(
            f"{posix_path(file)}: cannot be read ({error}); it remembers what was imported,"
            " restore it"
        ) from None


def _save_records(file: Path, records: _Records) -> None:
    rows = {name: astuple(record) for name, record in sorted(records.items())}
    write_file(file, json.dumps(rows, indent=0, ensure_ascii=False) + "\n")


def _source_hash(draft: Draft) -> str:
    """Hash what the source says in a draft, without the draft's place in the source's file."""
    asked = json.dumps(draft.asked_as, ensure_ascii=False) if draft.asked_as else ""
    return _hash(rendered(replace(draft, lines=(0, 0), file="", note="")) + asked)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
