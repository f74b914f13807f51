"""Writes drafts as records: new ones are written, edited ones stay.

What an import wrote is remembered beside the records, in `<game>/.import/<format>.json`: for each
draft the hash of what the source said and of what was written. A second run changes nothing; where
the source has changed, a record is written anew only if it is still as the import left it, else the
new text is put beside, into `.import/`, for the curator to compare.

Before it writes, a run notes what it is about to write in `<format>.planned.json`, so that the next
run knows the records of one that was killed for the import's own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.core.files import folder_lock, remove_temporary_files, write_file, write_files
from kb.core.problems import KbError, posix_path
from kb.importers.drafts import Draft, Imported
from kb.importers.facts import write_game
from kb.importers.render import rendered
from kb.records import question_file
from kb.records.collection import replace_items, split_collection
from kb.records.library import GAME_FILES
from kb.records.model import SLUG, id_error

# So many drafts and more are written as a collection a topic.
COLLECT = 1_000
# The share of words that two questions have in common, where one may be the other reworded.
_ALIKE = 0.75
# With so many questions that are gone each new one is compared.
_COMPARED = 1_000
_PATH = re.compile(rf"{SLUG.pattern}/{SLUG.pattern}\.md(?:#{SLUG.pattern})?")
_ORDINAL = re.compile(r"(.+)-\d+")


@dataclass
class Written:
    """The outcome of an import, by id of draft.

    `edited`: a curator has edited the record while the source changed too; `gone`: the source has
    it no longer; `reworded`: the title of each whose title in the source is a new one. `files` are
    the game's files that were added to, `at` is the folder of the new texts of edited records.
    """

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    reworded: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    at: str = ""


@dataclass(frozen=True)
class _Known:
    """What a run notes of a draft: hashes of what the source said and of the text, its place."""

    source: str
    written: str
    path: str


@dataclass(frozen=True)
class _Writing:
    """A text to write, and what is noted of it; `aside`: into `.import/`, for the curator."""

    text: str
    noted: _Known
    aside: bool = False


_Memory = dict[str, _Known]


def write(
    imported: Imported, root: Path, game: str, form: str, collect: bool | None = None
) -> Written:
    """Write the drafts of one import below `root`/`game`.

    `collect`: into collections; by default from COLLECT drafts on.

    Raises KbError for a folder that cannot be written.
    """
    folder = root / game
    _refuse_links(folder, *(folder / name for name in (".import", *GAME_FILES)))
    try:
        (folder / ".import").mkdir(parents=True, exist_ok=True)
        with folder_lock(root):
            remove_temporary_files(folder, below=True)
            return _write(imported, folder, game, form, collect)
    except OSError as error:
        raise KbError(f"{error.filename or folder}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise KbError(
            f"{posix_path(folder)}: a file that is there is not UTF-8 text ({error.reason}); kb"
            " check names it"
        ) from error


def _write(imported: Imported, folder: Path, game: str, form: str, collect: bool | None) -> Written:
    notes = folder / ".import"
    memory, planned = notes / f"{form}.json", notes / f"{form}.planned.json"
    records = _Records(folder)
    known = _read(memory)
    # What a run that was killed had written of its plan, and nobody has edited since.
    known |= {
        name: draft for name, draft in _read(planned).items() if records.is_unedited(name, draft)
    }
    if collect is None:
        collect = len(imported.drafts) >= COLLECT or any("#" in old.path for old in known.values())
    result = Written(at=posix_path(notes))
    drafts = _identified(imported, known, records, result)
    plan = _plan(drafts, known, records, collect, result)
    texts = {name: writing for name, writing in plan.items() if not writing.aside}
    files = records.files({(draft.noted.path, name): draft.text for name, draft in texts.items()})
    # Nothing is written before everything that may be refused has been checked.
    result.files = write_game(imported, folder, game)
    asked = {name: drafts[name].asked_as for name in texts if drafts[name].asked_as}
    if asked:
        file = folder / question_file.NAME
        before = question_file.file_text(file)
        files[file] = question_file.with_added(before, asked)
    _save(planned, {name: writing.noted for name, writing in texts.items()})
    write_files(files)
    write_files({notes / f"{name}.md": plan[name].text for name in result.edited})
    _save(memory, known | {name: writing.noted for name, writing in plan.items()})
    planned.unlink()
    return result


def _refuse_links(*paths: Path) -> None:
    """Raise KbError for a symbolic link: nothing is written outside the named folder."""
    for path in paths:
        if path.is_symlink():
            raise KbError(
                f"{posix_path(path)}: a symbolic link; records are plain files inside the tree"
            )


def _read(memory: Path) -> _Memory:
    _refuse_links(memory)
    try:
        known = {
            name: _Known(*map(str, row))
            for name, row in json.loads(memory.read_text(encoding="utf-8")).items()
        }
        # Who sends a folder of drafts may send a memory that names other files.
        for name, draft in known.items():
            if id_error(name) or not _PATH.fullmatch(draft.path):
                raise ValueError(f"{name!r} is no draft's place")
        return known
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise KbError(
            f"{posix_path(memory)}: cannot be read ({error}); it remembers what was imported,"
            " restore it"
        ) from None


def _save(memory: Path, drafts: Mapping[str, _Known]) -> None:
    rows = {name: [note.source, note.written, note.path] for name, note in sorted(drafts.items())}
    write_file(memory, json.dumps(rows, indent=0, ensure_ascii=False) + "\n")


def _identified(
    imported: Imported, known: _Memory, records: _Records, result: Written
) -> dict[str, Draft]:
    """Return the drafts by the ids that they keep.

    A ruling is recognised by its words first. Where a source only counts its rulings, one put in
    before it would shift the numbers of all that follow; where ids come from words, a changed
    question has another id, and is recognised by its likeness to one that is gone.
    """
    by_words = imported.has_ids_from_words
    ids: dict[tuple[str, str], str] = {}
    for name, old in known.items():
        ids[_stem(name, by_words), old.source] = name
    kept: dict[int, str] = {}
    groups: dict[str, list[int]] = {}
    for place, draft in enumerate(imported.drafts):
        stem = _stem(draft.id, by_words)
        groups.setdefault(stem, []).append(place)
        name = ids.pop((stem, _said(draft)), "")
        if name:
            kept[place] = name
    gone = sorted(set(known) - set(kept.values()) - {draft.id for draft in imported.drafts})
    del gone[_COMPARED:]
    drafts: dict[str, Draft] = {}
    taken = set(kept.values())
    for place in (place for group in groups.values() for place in group):
        draft = imported.drafts[place]
        name = kept.get(place, draft.id)
        if by_words and name not in known:
            name = _most_alike(draft, gone, known, records) or name
        if name in gone:
            gone.remove(name)
            result.reworded[name] = draft.texts[0].title
        elif place not in kept and name in taken:
            name = _free(_stem(name, False), taken | set(known))
        taken.add(name)
        # A record stays in the folder that it has.
        folder = known[name].path.partition("/")[0] if name in known else draft.topic
        drafts[name] = replace(draft, topic=folder)
    return drafts


def _stem(name: str, by_words: bool) -> str:
    """The part of an id that its ruling keeps for certain."""
    match = _ORDINAL.fullmatch(name)
    return "" if by_words else match[1] if match else name


def _free(stem: str, taken: set[str]) -> str:
    return next(name for number in range(1, 10**6) if (name := f"{stem}-{number}") not in taken)


def _most_alike(draft: Draft, gone: list[str], known: _Memory, records: _Records) -> str:
    """The id of a ruling that is gone from the source and may be this one reworded, else none.

    Its id has nearly the same words and the same numbers, and so has its text, unless a curator has
    edited it.
    """
    document = draft.sources[0].partition("#")[0] if draft.sources else ""
    words = set(draft.id.removeprefix(document).split("-"))
    best, best_ratio = "", _ALIKE
    for name in gone:
        old_words = set(name.removeprefix(document).split("-"))
        ratio = 2 * len(words & old_words) / (len(words) + len(old_words))
        if ratio < best_ratio or any(word.isdigit() for word in words ^ old_words):
            continue
        old_text = set((records.text(known[name].path, name) or "").split())
        text = draft.texts[0].body.split()
        is_alike = sum(word in old_text for word in text) >= _ALIKE * len(text)
        if is_alike or not records.is_unedited(name, known[name]):
            best, best_ratio = name, ratio
    return best


def _plan(
    drafts: Mapping[str, Draft],
    known: _Memory,
    records: _Records,
    collect: bool,
    result: Written,
) -> dict[str, _Writing]:
    """Decide what to write, by draft, and note the outcome in `result`."""
    plan: dict[str, _Writing] = {}
    for name, draft in drafts.items():
        text, source = rendered(draft), _said(draft)
        old = known.get(name)
        if old and old.source == source:
            result.same.append(name)
            continue
        place = old.path if old else _place(name, draft.topic, collect)
        there = records.text(place, name)
        if there == text:
            result.same.append(name)
            known[name] = _Known(source, _hash(text), place)
            if draft.asked_as:
                plan[name] = _Writing(text, known[name])
            continue
        if old is None and there is None:
            result.new.append(name)
        elif old and records.is_unedited(name, old):
            result.changed.append(name)
        else:
            # Edited, deleted or somebody's own: the curator decides.
            result.edited.append(name)
            noted = _Known(source, old.written if old else "", place)
            plan[name] = _Writing(text, noted, aside=True)
            continue
        plan[name] = _Writing(text, _Known(source, _hash(text), place))
    result.gone = sorted(set(known) - set(drafts))
    return plan


def _place(name: str, topic: str, collect: bool) -> str:
    return f"{topic}/{topic}.md#{name}" if collect else f"{topic}/{name}.md"


class _Records:
    """The records of a game's folder, by their places: `topic/id.md`, `topic/topic.md#id`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._collections: dict[Path, tuple[str, dict[str, str]]] = {}

    def text(self, place: str, name: str) -> str | None:
        """Return what stands at a place now, None for nothing. Raises KbError for a link."""
        path, collected = self._path(place)
        if collected:
            text = self._collection(path)[1].get(name)
            return None if text is None else text.rstrip() + "\n"
        return path.read_text(encoding="utf-8-sig") if path.is_file() else None

    def is_unedited(self, name: str, known: _Known) -> bool:
        """Whether a record is as an import has written it."""
        text = self.text(known.path, name)
        return text is not None and _hash(text) == known.written

    def files(self, texts: Mapping[tuple[str, str], str]) -> dict[Path, str]:
        """Return the contents of the files that have new texts, given by place and name.

        Raises KbError for a collection that cannot be changed in these places alone.
        """
        files: dict[Path, str] = {}
        collections: dict[Path, dict[str, str]] = {}
        for (place, name), text in texts.items():
            path, collected = self._path(place)
            if collected:
                collections.setdefault(path, {})[name] = text
            else:
                files[path] = text
        for path, items in sorted(collections.items()):
            before = self._collection(path)[0]
            mark = "\ufeff" if before.startswith("\ufeff") else ""
            try:
                files[path] = mark + replace_items(before.removeprefix(mark), items)
            except ValueError as error:
                raise KbError(f"{posix_path(path)}: nothing was written: {error}") from error
        return files

    def _path(self, place: str) -> tuple[Path, bool]:
        file, collected, _ = place.partition("#")
        path = self.folder / file
        _refuse_links(path.parent, path)
        return path, bool(collected)

    def _collection(self, path: Path) -> tuple[str, dict[str, str]]:
        """A collection as it is, and its texts with Unix line ends by id."""
        if path not in self._collections:
            text = path.read_bytes().decode("utf-8") if path.is_file() else ""
            items = split_collection(text.removeprefix("\ufeff").replace("\r\n", "\n"))
            self._collections[path] = text, {item.id: item.text for item in items}
        return self._collections[path]


def _said(draft: Draft) -> str:
    """The hash of what the source says in a draft; where in its file it stands is no part of it."""
    asked = json.dumps(draft.asked_as, ensure_ascii=False) if draft.asked_as else ""
    return _hash(rendered(replace(draft, lines=(0, 0), file="", note="")) + asked)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
