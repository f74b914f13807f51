"""The files of a game that an import writes or adds to; existing lines stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from kb.core.files import write_file
from kb.core.problems import KbError, Problem, posix_path
from kb.importers.drafts import DraftSource, Imported
from kb.records.characters import without_hidden
from kb.records.model import LANGUAGE
from kb.records.parse import CARD_COLUMNS, read_cards, read_game, read_sources
from kb.records.syntax import parse_yaml
from kb.records.table import with_rows

_SOURCE_ID = re.compile(r"(?m)^- id:\s*['\"]?([^'\"\s]+)")
_ADDRESS = re.compile(r"https?://[^\s<>\"']{1,2000}")


def write_game(imported: Imported, folder: Path, game: str) -> list[str]:
    """Add missing topics, sources and cards to a game's files; return the written paths.

    Raises KbError for a file that has to be corrected first.
    """
    texts = {
        folder / "game.yaml": _game(imported, folder / "game.yaml", game),
        folder / "sources.yaml": _sources(imported, folder / "sources.yaml"),
        folder / "cards.tsv": _cards(imported, folder / "cards.tsv"),
    }
    written = {path: text for path, text in texts.items() if text}
    for path, text in written.items():
        write_file(path, text)
    return [posix_path(path) for path in written]


def _game(imported: Imported, path: Path, game: str) -> str:
    """Return game.yaml with the topics of the drafts; empty if it has them all."""
    topics = dict(imported.topics)
    for draft in imported.drafts:
        for topic in (draft.topic, *draft.topics):
            topics.setdefault(topic, topic.replace("-", " ").capitalize())
    if not path.is_file():
        return "\n".join(_new_game(imported, game, topics)) + "\n"
    data = path.read_bytes()
    existing, _ = read_game({"game.yaml": data}, {"game.yaml": posix_path(path)})
    if existing is None:
        return ""
    missing = {topic: title for topic, title in topics.items() if topic not in existing.topics}
    lines = data.decode("utf-8-sig").split("\n")
    items = list(_topics(missing, existing.language))
    return "\n".join(_with_items(lines, 0, len(lines), "topics", items)) if items else ""


def _new_game(imported: Imported, game: str, topics: dict[str, str]) -> Iterator[str]:
    texts = (text for draft in imported.drafts for text in draft.texts)
    languages = sorted({text.lang for text in texts if LANGUAGE.fullmatch(text.lang)})
    yield f"id: {game}"
    yield "name:"
    yield f"  {imported.language}: {_quoted(imported.name or game)}"
    yield f"language: {imported.language}"
    yield "languages:"
    yield from (f"  - {lang}" for lang in dict.fromkeys([imported.language, *languages]))
    # Without drafts there are no topics, and an empty key would be no list.
    if topics:
        yield "topics:"
        yield from (f"  {line}" for line in _topics(topics, imported.language))
    catalogue = {card.name for card in imported.cards}
    not_cards = [name for name in imported.not_cards if name in catalogue]
    if not_cards:
        yield "not-cards:"
        yield from (f"  - {_quoted(name)}" for name in not_cards)


def _topics(topics: Mapping[str, str], lang: str) -> Iterator[str]:
    for topic, title in topics.items():
        yield f"- id: {topic}"
        yield f"  {lang}: {_quoted(title)}"


def _with_items(lines: list[str], start: int, end: int, key: str, items: list[str]) -> list[str]:
    """Return lines of YAML with items added to the list under a key of lines[start:end].

    `key` has its indentation, the items have none.
    """
    head = next((at for at in range(start, end) if re.match(rf"{key}\s*:", lines[at])), None)
    key_indent = _indent(key)
    if head is None:
        last = max(at for at in range(start, end) if lines[at].strip()) + 1
        added = [f"{key}:", *(f"{key_indent}  {item}" for item in items)]
        return [*lines[:last], *added, *(lines[last:] or [""])]
    last = head
    for at in range(head + 1, end):
        line = lines[at]
        is_item = line.startswith(f"{key_indent}- ") or len(_indent(line)) > len(key_indent)
        if line.strip() and not is_item:
            break
        last = at if line.strip() else last
    indent = _indent(lines[head + 1]) if last > head else f"{key_indent}  "
    return [*lines[: last + 1], *(indent + item for item in items), *lines[last + 1 :]]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _sources(imported: Imported, path: Path) -> str:
    """Return sources.yaml with the import's sources and provisions; empty if it has them all."""
    text = ""
    known: dict[str, set[str]] = {}
    if path.is_file():
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
        listed, problems = read_sources(data, posix_path(path))
        if text.strip() and not isinstance(parse_yaml(text, "")[0].value, list):
            raise _uncorrected(problems[0])
        known = {source.id: set(source.provisions) for source in listed}
    before = text
    # Sources with problems are among these: they are not added again.
    listed_ids = set(_SOURCE_ID.findall(text))
    for source in imported.sources:
        if source.id in known:
            missing = [place for place in source.provisions if place not in known[source.id]]
            text = _with_provisions(text, source.id, missing) if missing else text
        elif source.id not in listed_ids:
            text = text.rstrip("\n") + ("\n" if text else "") + "\n".join(_source(source)) + "\n"
    return text if text != before else ""


def _source(source: DraftSource) -> Iterator[str]:
    yield f"- id: {source.id}"
    yield "  title:"
    yield f"    {source.language}: {_quoted(source.title)}"
    yield f"  language: {source.language}"
    yield f"  authority: {source.authority}"
    if source.published:
        yield f"  published: {source.published}"
    if _ADDRESS.fullmatch(without_hidden(source.url)):
        yield f"  url: {_quoted(source.url)}"
    if source.provisions:
        yield "  provisions:"
        yield from (f"    - {_quoted(provision)}" for provision in source.provisions)


def _with_provisions(text: str, source: str, provisions: list[str]) -> str:
    """Return sources.yaml with further provisions of a source; unchanged in an unusual layout."""
    lines = text.split("\n")
    first_line = re.compile(rf"- id:\s*['\"]?{re.escape(source)}['\"]?\s*")
    start = next((at for at, line in enumerate(lines) if first_line.fullmatch(line)), None)
    if start is None:
        return text
    following = (at for at in range(start + 1, len(lines)) if lines[at].startswith("- "))
    items = [f"- {_quoted(provision)}" for provision in provisions]
    return "\n".join(_with_items(lines, start, next(following, len(lines)), "  provisions", items))


def _cards(imported: Imported, path: Path) -> str:
    """Return cards.tsv with the cards of the import; empty if it has them all."""
    text = ""
    if path.is_file():
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
        _, problems = read_cards(data, posix_path(path), "{name} ({version})")
        if text.strip() and problems and problems[0].line == 1:
            raise _uncorrected(problems[0])
    # Rows with problems are among these: their cards are not added again.
    first, *lines = text.splitlines() or [""]
    columns = first.split("\t")
    listed = (dict(zip(columns, line.split("\t"), strict=False)) for line in lines)
    known = {(row.get("name", "").strip(), row.get("version", "").strip()) for row in listed}
    rows = []
    for card in imported.cards:
        name, version = _cell(card.name), _cell(card.version)
        if (name, version) not in known:
            known.add((name, version))
            cells = (card.sets, card.type, card.side, card.subtypes, "; ".join(card.other_names))
            values = (name, version, *map(_cell, cells))
            rows.append(dict(zip(CARD_COLUMNS, values, strict=True)))
    return with_rows(text, CARD_COLUMNS, rows) if rows else ""


def _uncorrected(problem: Problem) -> KbError:
    return KbError(f"{problem}; correct it before the import adds to the file")


def _quoted(value: str) -> str:
    """Return a value in single quotes, in which YAML takes every character as it is."""
    return "'" + _cell(value).replace("'", "''") + "'"


def _cell(value: str) -> str:
    return " ".join(without_hidden(value).split())
