"""Writes drafts as records: new ones are written, edited ones stay.

What an import wrote is remembered beside the records, in `<game>/.import/<format>.json`: for each
draft the hash of what the source said and of what was written. A second run changes nothing; where
the source has changed, a record is written anew only if it is still as the import left it, else the
new text is put beside, into `.import/`, for the curator to compare.

What a run is about to write it notes before, in `<format>.planned.json`, so that the next run knows
the records of one that was killed for the import's own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.core.files import folder_lock, remove_temporary_files, write_file, write_files
from kb.core.problems import KbError, posix_path
from kb.importers.drafts import Draft, Imported
from kb.importers.facts import write_game
from kb.records.characters import without_hidden
from kb.records.collection import replace_items, split_collection
from kb.records.library import GAME_FILES
from kb.records.model import SLUG, id_error

# So many drafts and more are written as a collection a topic.
COLLECT = 1_000
_PLAIN = re.compile(r"[\w(](?:[^:#\n]|(?<=\w)#)*[^\s:#]|[\w(]")
_MARK, _FENCE = re.compile(r"#(?:\s|$)|=== "), re.compile(r" {0,3}(?:`{3,}|~{3,})")
_PATH = re.compile(rf"{SLUG.pattern}/{SLUG.pattern}\.md(?:#{SLUG.pattern})?")
_ORDINAL = re.compile(r"(.+)-\d+")


@dataclass
class Written:
    """The outcome of an import, by id of draft.

    `edited`: a curator has edited the record while the source changed too; `gone`: the source has
    it no longer. `files` are the game's files that were added to, `at` is the folder of the new
    texts of edited records.
    """

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    at: str = ""


@dataclass(frozen=True)
class _Known:
    """What a run notes of a draft: hashes of what the source said and of the text, its place."""

    source: str
    written: str
    path: str


_Memory = dict[str, _Known]


def write(
    imported: Imported, root: Path, game: str, form: str, collect: bool | None = None
) -> Written:
    """Write the drafts of one import below `root`/`game`.

    `collect`: into collections; by default from COLLECT drafts on.

    Raises KbError for a folder that cannot be written.
    """
    folder = root / game
    _no_links(folder, *(folder / name for name in (".import", *GAME_FILES)))
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
    known = {**_read(memory), **_already_written(_read(planned), records)}
    many = (
        collect
        if collect is not None
        else (len(imported.drafts) >= COLLECT or any("#" in draft.path for draft in known.values()))
    )
    result = Written(at=posix_path(notes))
    plan = _plan(_named(imported.drafts, known), known, records, many, result)
    texts = {name: writing for name, writing in plan.items() if not writing.aside}
    files = records.files({(draft.noted.path, name): draft.text for name, draft in texts.items()})
    # Nothing is written before all that may be refused has been looked at.
    result.files = write_game(imported, folder, game)
    _save(planned, {name: writing.noted for name, writing in texts.items()})
    write_files(files)
    write_files({notes / f"{name}.md": plan[name].text for name in result.edited})
    _save(memory, known | {name: writing.noted for name, writing in plan.items()})
    planned.unlink()
    return result


def _no_links(*paths: Path) -> None:
    """Raise KbError for a symbolic link: nothing is written outside the named folder."""
    for path in paths:
        if path.is_symlink():
            raise KbError(
                f"{posix_path(path)}: a symbolic link; records are plain files inside the tree"
            )


def _read(memory: Path) -> _Memory:
    _no_links(memory)
    try:
        known = {
            name: _Known(*map(str, row))
            for name, row in json.loads(memory.read_text(encoding="utf-8")).items()
        }
        # Who sends a folder of drafts may send a memory that names other files.
        strange = [
            name
            for name, draft in known.items()
            if id_error(name) or not _PATH.fullmatch(draft.path)
        ]
        if strange:
            raise ValueError(f"{strange[0]!r} is no draft's place")
        return known
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise KbError(
            f"{posix_path(memory)}: cannot be read ({error}); it remembers what was imported,"
            " restore it"
        ) from None


def _named(drafts: list[Draft], known: Mapping[str, _Known]) -> list[tuple[str, Draft]]:
    """Return drafts with the ids that they keep.

    Where a source only counts, a ruling is recognised by its words, since one put in before it
    would shift the numbers of all that follow.
    """
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        match = _ORDINAL.fullmatch(draft.id)
        groups.setdefault(match[1] if match else draft.id, []).append(draft)
    ids_by_hash: dict[str, dict[str, str]] = {}
    for name, record in known.items():
        match = _ORDINAL.fullmatch(name)
        ids_by_hash.setdefault(match[1] if match else name, {})[record.source] = name
    named: list[tuple[str, Draft]] = []
    for stem, group in groups.items():
        words = dict(ids_by_hash.get(stem, {}))
        kept_ids = {id(draft): name for draft in group if (name := words.pop(_said(draft), ""))}
        taken, others = set(kept_ids.values()), set(known)
        for draft in group:
            name = kept_ids.get(id(draft)) or (
                draft.id if draft.id not in taken else _free(stem, others | taken)
            )
            taken.add(name)
            named.append((name, draft))
    return named


def _free(stem: str, taken: set[str]) -> str:
    return next(name for number in range(1, 10**6) if (name := f"{stem}-{number}") not in taken)


@dataclass(frozen=True)
class _Writing:
    """A text to write, and what is noted of it; `aside`: into `.import/`, for the curator."""

    text: str
    noted: _Known
    aside: bool = False


def _already_written(planned: _Memory, records: _Records) -> _Memory:
    """What a run that was killed had written of its plan, and nobody has edited since."""
    return {
        name: draft
        for name, draft in planned.items()
        if (text := records.text(draft.path, name)) is not None and _hash(text) == draft.written
    }


def _plan(
    drafts: list[tuple[str, Draft]],
    known: _Memory,
    records: _Records,
    collect: bool,
    result: Written,
) -> dict[str, _Writing]:
    """Decide what to write, by draft, and note the outcome in `result`."""
    plan: dict[str, _Writing] = {}
    for name, draft in drafts:
        text, source = rendered(draft), _said(draft)
        before = known.get(name)
        if before and before.source == source:
            result.same.append(name)
            continue
        place = before.path if before else _place(name, draft, collect)
        there = records.text(place, name)
        aside = False
        if there == text:
            result.same.append(name)
            known[name] = _Known(source, _hash(text), place)
            continue
        if before is None and there is None:
            result.new.append(name)
        elif before and there is not None and _hash(there) == before.written:
            result.changed.append(name)
        else:
            # Edited, deleted or somebody's own: the curator decides.
            result.edited.append(name)
            aside = True
        written = (before.written if before else "") if aside else _hash(text)
        plan[name] = _Writing(text, _Known(source, written, place), aside)
    result.gone = sorted(set(known) - {name for name, _ in drafts})
    return plan


def _place(name: str, draft: Draft, collect: bool) -> str:
    return f"{draft.topic}/{draft.topic}.md#{name}" if collect else f"{draft.topic}/{name}.md"


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
        _no_links(path.parent, path)
        return path, bool(collected)

    def _collection(self, path: Path) -> tuple[str, dict[str, str]]:
        """A collection as it is, and its texts with Unix line ends by id."""
        if path not in self._collections:
            text = path.read_bytes().decode("utf-8") if path.is_file() else ""
            items = split_collection(text.removeprefix("\ufeff").replace("\r\n", "\n"))
            self._collections[path] = text, {item.id: item.text for item in items}
        return self._collections[path]


def _said(draft: Draft) -> str:
    """What the source says in a draft; where in its file it stands is no part of it."""
    return _hash(rendered(replace(draft, lines=(0, 0), file="", note="")))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _save(memory: Path, drafts: Mapping[str, _Known]) -> None:
    rows = {name: [note.source, note.written, note.path] for name, note in sorted(drafts.items())}
    write_file(memory, json.dumps(rows, indent=0, ensure_ascii=False) + "\n")


def rendered(draft: Draft) -> str:
    """A draft as the text of a record, without the characters that records refuse."""
    return without_hidden("\n".join(_lines(draft))) + "\n"


def _lines(draft: Draft) -> Iterator[str]:
    yield "---"
    if draft.file:
        first, last = draft.lines
        place = f"lines {first}-{last}" if last > first else f"line {first}"
        yield f"# {' '.join(draft.file.split())}, {place}"
    yield from (f"# {line}" for line in draft.note.splitlines() if line.strip())
    for key in ("kind", "authority", "status"):
        yield f"{key}: {getattr(draft, key)}"
    yield from _listed("about", draft.about)
    yield from _listed("topics", dict.fromkeys((draft.topic, *draft.topics)))
    yield from _listed("sources", draft.sources)
    if draft.date:
        yield f"date: {draft.date}"
    yield from _listed("supersedes", draft.supersedes)
    yield from _listed("related", draft.related)
    for key, value in draft.header.items():
        if isinstance(value, str):
            yield f"{key}: {_scalar(value)}"
        elif isinstance(value, Mapping):
            yield from (f"{key}:", *(f"  {name}: {_scalar(item)}" for name, item in value.items()))
        else:
            yield from _listed(key, value)
    yield "---"
    for text in draft.texts:
        yield from ("", f"# {text.lang}: {' '.join(text.title.split())}", "")
        lines = text.body.strip().split("\n")
        # A fence that nothing closes would take the next language's section for code.
        open_fence = sum(bool(_FENCE.match(line)) for line in lines) % 2 == 1
        yield from (_body(line, open_fence) for line in lines)
    for lang, questions in draft.asked_as.items():
        yield from ("", f"# asked-as: {lang}", "", *(f"- {question}" for question in questions))


def _listed(key: str, values: object) -> Iterator[str]:
    listed = [str(item) for item in values] if isinstance(values, (tuple, list, dict)) else []
    if listed:
        yield from (f"{key}:", *(f"  - {_scalar(item)}" for item in listed))


def _scalar(value: str) -> str:
    """A value of the header, in quotes where it could be read as anything else."""
    line = value if "\n" not in value and "\t" not in value else " ".join(value.split())
    return line if _PLAIN.fullmatch(line) else "'" + line.replace("'", "''") + "'"


def _body(line: str, open_fence: bool) -> str:
    """Escape a line that would begin a section or a ruling, or an unclosed fence."""
    escaped = _MARK.match(line) or (open_fence and _FENCE.match(line))
    return f"\\{line.lstrip()}" if escaped else line
