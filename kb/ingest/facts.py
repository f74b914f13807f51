"""The files of a game that an import adds to; existing lines stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from kb.core.characters import normalize
from kb.core.decoding import FileText, decode_utf8, unix_lines
from kb.core.files import file_bytes
from kb.core.problems import KbError, Problem, posix_path
from kb.ingest.drafts import DraftSource, Imported
from kb.records.edits import replace_text
from kb.records.model import Source
from kb.records.parse import read_entries, read_game
from kb.records.syntax import parse_yaml, with_items, yaml_lines
from kb.records.tables import CARD_COLUMNS, cells_of, read_cards, with_rows
from kb.records.values import LANGUAGE

_ADDRESS = re.compile(r"https?://[^\s<>\"']{1,2000}")


# The files of a known game that its drafts need and that name no ruling; game.yaml, the last one,
# makes the folder a game's.
_SHARED_FILES = ("cards.tsv", "sources.yaml", "terms.yaml", "game.yaml")
_STRICT = re.compile(rb"^checks: *strict\b.*\n", re.MULTILINE)


def game_files(
    imported: Imported, folder: Path, base: Path | None = None
) -> dict[Path, tuple[bytes, bytes | None]]:
    """Return a game's files with the missing topics, sources and cards, and their bytes before.

    `base`: the game's folder in a base, whose files a new folder of drafts begins with; drafts are
    not held to the rules of good content. Raises KbError for a file that has to be corrected first.
    """
    writers = {"cards.tsv": _cards, "sources.yaml": _sources, "game.yaml": _game}
    is_new = not (folder / "game.yaml").exists()
    files: dict[Path, tuple[bytes, bytes | None]] = {}
    for name in _SHARED_FILES:
        path = folder / name
        before = data = file_bytes(path)
        if before is None and is_new and base is not None and (base / name).is_file():
            data = _STRICT.sub(b"", (base / name).read_bytes())
        file, problems = decode_utf8(data or b"", posix_path(path))
        if problems:
            raise KbError(str(problems[0]))
        text = writers[name](imported, file, path) if name in writers else ""
        if text or data != before:
            files[path] = file.data(text or file.text), before
    return files


def _game(imported: Imported, file: FileText, path: Path) -> str:
    """Return game.yaml with the topics of the drafts; empty if it has them all."""
    topics = dict(imported.topics)
    for draft in imported.drafts:
        for topic in draft.topics:
            topics.setdefault(topic, topic.replace("-", " ").capitalize())
    if file == FileText() and not path.exists():
        return "\n".join([*yaml_lines(_new_game(imported, path.parent.name, topics)), ""])
    existing, _ = read_game({"game.yaml": file.data(file.text)}, posix_path(path.parent))
    if existing is None:
        return ""
    missing = {topic: title for topic, title in topics.items() if topic not in existing.topics}
    if not missing:
        return ""
    items = yaml_lines(_topics(missing, existing.language))
    return replace_text(file.text, with_items(unix_lines(file.text), ("topics",), items))


def _new_game(imported: Imported, game: str, topics: Mapping[str, str]) -> object:
    texts = (text for draft in imported.drafts for text in draft.texts)
    languages = sorted({text.lang for text in texts if LANGUAGE.fullmatch(text.lang)})
    catalogue = {card.name for card in imported.cards}
    return {
        "id": game,
        "name": {imported.language: _cell(imported.name or game)},
        "language": imported.language,
        "languages": list(dict.fromkeys([imported.language, *languages])),
        "topics": _topics(topics, imported.language),
        "not-cards": [_cell(name) for name in imported.not_cards if name in catalogue],
    }


def _topics(topics: Mapping[str, str], lang: str) -> object:
    return [{"id": topic, lang: _cell(title)} for topic, title in topics.items()]


def _sources(imported: Imported, file: FileText, path: Path) -> str:
    """Return sources.yaml with the import's sources and provisions; empty if it has them all."""
    before = text = unix_lines(file.text)
    listed, problems = read_entries(Source, file.data(file.text), posix_path(path))
    entries = parse_yaml(text, "")[0].value if text.strip() else []
    if not isinstance(entries, list):
        raise _uncorrected(problems[0])
    # Sources with problems are among these: they are not added again.
    ids: list[object] = [isinstance(entry, dict) and entry.get("id") for entry in entries]
    known = {source.id: set(source.provisions) for source in listed}
    for source in imported.sources:
        if source.id not in ids:
            rows = [text.rstrip("\n"), *yaml_lines([_source(source)]), ""]
            text = "\n".join(rows).removeprefix("\n")
            continue
        present = known.get(source.id, source.provisions)
        missing = [_cell(name) for name in source.provisions if name not in present]
        if missing:
            text = with_items(text, (ids.index(source.id), "provisions"), yaml_lines(missing))
    return replace_text(file.text, text) if text != before else ""


def _source(source: DraftSource) -> object:
    is_address = _ADDRESS.fullmatch(normalize(source.url))
    return {
        "id": source.id,
        "title": {source.language: _cell(source.title)},
        "language": source.language,
        "authority": source.authority,
        "url": _cell(source.url) if is_address else "",
        "provisions": list(map(_cell, source.provisions)),
    }


def _cards(imported: Imported, file: FileText, path: Path) -> str:
    """Return cards.tsv with the cards of the import; empty if it has them all."""
    text = file.text
    _, problems = read_cards(text.encode(), posix_path(path), "{name} ({version})")
    if text.strip() and problems and problems[0].line == 1:
        raise _uncorrected(problems[0])
    # Rows with problems are among these: their cards are not added again.
    columns, *lines = map(cells_of, normalize(unix_lines(text)).split("\n"))
    listed = (dict(zip(columns, cells, strict=False)) for cells in lines)
    known = {(row.get("name", ""), row.get("version", "")) for row in listed}
    rows = []
    for card in imported.cards:
        name, version = _cell(card.name), _cell(card.version)
        if (name, version) not in known:
            known.add((name, version))
            sets, others = "; ".join(card.sets), "; ".join(card.other_names)
            cells = (sets, card.type, card.side, card.subtypes, others)
            values = (name, version, *map(_cell, cells))
            rows.append(dict(zip(CARD_COLUMNS, values, strict=True)))
    return with_rows(text, CARD_COLUMNS, rows) if rows else ""


def _uncorrected(problem: Problem) -> KbError:
    return KbError(f"{problem}; correct it before the import adds to the file")


def _cell(value: str) -> str:
    return " ".join(normalize(value).split())
