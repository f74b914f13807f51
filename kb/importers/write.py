"""Writes drafts as records: new ones are written, edited ones stay.

What an import wrote is remembered beside the records, in `<game>/.import/<format>.json`: for each
draft the hash of what the source said and of what was written. A second run changes nothing; where
the source has changed, a record is written anew only if it is still as the import left it, else the
new text is put beside, into `.import/`, for the curator to compare.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.core.problems import KbError, posix_path
from kb.importers.drafts import Draft, Imported
from kb.importers.facts import write_game
from kb.records.collection import join_collection, split_collection
from kb.records.library import GAME_FILES
from kb.records.model import SLUG, id_error
from kb.records.syntax import CONTROL

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
    """What an earlier run noted of a draft."""

    source: str
    written: str
    path: str


def write(
    imported: Imported, root: Path, game: str, form: str, collect: bool | None = None
) -> Written:
    """Write the drafts of one import below `root`/`game`.

    `collect`: into collections; by default from COLLECT drafts on.

    Raises KbError for a folder that cannot be written.
    """
    result = Written()
    folder = root / game
    _no_links(folder, *(folder / name for name in (".import", *GAME_FILES)))
    try:
        (folder / ".import").mkdir(parents=True, exist_ok=True)
        result.files = write_game(imported, folder, game)
        result.at = posix_path(folder / ".import")
        memory = folder / ".import" / f"{form}.json"
        known = _read(memory)
        many = (
            collect
            if collect is not None
            else (
                len(imported.drafts) >= COLLECT
                or any("#" in draft.path for draft in known.values())
            )
        )
        _Run(folder, known, many, result).all(_named(imported.drafts, known))
        rows = {
            name: [draft.source, draft.written, draft.path] for name, draft in sorted(known.items())
        }
        _replace(memory, json.dumps(rows, indent=0, ensure_ascii=False) + "\n")
    except OSError as error:
        raise KbError(f"{error.filename or folder}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise KbError(
            f"{posix_path(folder)}: a file that is there is not UTF-8 text ({error.reason}); kb"
            " check names it"
        ) from error
    return result


def _no_links(*paths: Path) -> None:
    """Raise KbError for a symbolic link: nothing is written outside the named folder."""
    for path in paths:
        if path.is_symlink():
            raise KbError(
                f"{posix_path(path)}: a symbolic link; records are plain files inside the tree"
            )


def _read(memory: Path) -> dict[str, _Known]:
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


class _Run:
    def __init__(
        self, folder: Path, known: dict[str, _Known], collect: bool, done: Written
    ) -> None:
        self.folder, self.known, self.collect, self.done = folder, known, collect, done
        self.collections: dict[Path, dict[str, str]] = {}
        self.touched: set[Path] = set()

    def all(self, drafts: list[tuple[str, Draft]]) -> None:
        """Every draft, and then the files that collect them."""
        for name, draft in drafts:
            self.write_one(name, draft)
        self.done.gone = sorted(set(self.known) - {name for name, _ in drafts})
        for path in sorted(self.touched):
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, join_collection(self.collections[path]))

    def write_one(self, name: str, draft: Draft) -> None:
        text = rendered(draft)
        source = _said(draft)
        before = self.known.get(name)
        if before and before.source == source:
            self.done.same.append(name)
            return
        path = before.path if before else self._place(name, draft)
        file = self.folder / path.partition("#")[0]
        _no_links(file.parent, file)
        there = self._text(path, name)
        if before is None and there is None:
            self.done.new.append(name)
        elif before and there is not None and _hash(there) == before.written:
            self.done.changed.append(name)
        else:
            # Edited, deleted or somebody's own: the curator decides.
            _replace(self.folder / ".import" / f"{name}.md", text)
            self.done.edited.append(name)
            self.known[name] = _Known(source, before.written if before else "", path)
            return
        self._write(path, name, text)
        self.known[name] = _Known(source, _hash(text), path)

    def _place(self, name: str, draft: Draft) -> str:
        return (
            f"{draft.topic}/{draft.topic}.md#{name}" if self.collect else f"{draft.topic}/{name}.md"
        )

    def _collection(self, path: Path) -> dict[str, str]:
        if path not in self.collections:
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            self.collections[path] = {piece.id: piece.text for piece in split_collection(text)}
        return self.collections[path]

    def _text(self, place: str, name: str) -> str | None:
        """What stands at a place now, None for nothing."""
        file, collected, _ = place.partition("#")
        path = self.folder / file
        if collected:
            text = self._collection(path).get(name)
            return None if text is None else text.rstrip() + "\n"
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def _write(self, place: str, name: str, text: str) -> None:
        file, collected, _ = place.partition("#")
        path = self.folder / file
        if collected:
            self._collection(path)[name] = text
            self.touched.add(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, text)


def _said(draft: Draft) -> str:
    """What the source says in a draft; where in its file it stands is no part of it."""
    return _hash(rendered(replace(draft, lines=(0, 0), file="", note="")))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def rendered(draft: Draft) -> str:
    """A draft as the text of a record, without the characters that records refuse."""
    return CONTROL.sub("", "\n".join(_lines(draft))) + "\n"


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
