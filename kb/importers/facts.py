"""The files of a game that an import writes or adds to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from kb.core.files import write_file
from kb.core.problems import KbError, posix_path
from kb.importers.drafts import DraftSource, Imported
from kb.records.characters import without_hidden
from kb.records.model import LANGUAGE
from kb.records.parse import CARD_COLUMNS, CARD_HEADERS, read_cards, read_game, read_sources
from kb.records.syntax import parse_yaml

_SOURCE_ID = re.compile(r"(?m)^- id:\s*['\"]?([^'\"\s]+)")


def write_game(imported: Imported, folder: Path, game: str) -> list[str]:
    """Add to game.yaml, sources.yaml and cards.tsv what they lack; return the written paths.

    What stands there is never changed.
    """
    done = [
        *_game(imported, folder / "game.yaml", game),
        *_sources(imported, folder / "sources.yaml"),
        *_cards(imported, folder / "cards.tsv"),
    ]
    return [posix_path(path) for path in done]


def quoted(value: str) -> str:
    """A value in single quotes, which hold anything."""
    return "'" + " ".join(without_hidden(value).split()).replace("'", "''") + "'"


def _used(imported: Imported) -> dict[str, str]:
    """The topics of the drafts, with a title each."""
    topics = dict(imported.topics)
    for draft in imported.drafts:
        for topic in (draft.topic, *draft.topics):
            topics.setdefault(topic, topic.replace("-", " ").capitalize())
    return topics


def _game(imported: Imported, path: Path, game: str) -> Iterator[Path]:
    topics = _used(imported)
    if not path.is_file():
        spoken = {
            text.lang
            for draft in imported.drafts
            for text in draft.texts
            if LANGUAGE.fullmatch(text.lang)
        }
        languages = list(dict.fromkeys([imported.language, *sorted(spoken)]))
        rows = [
            f"id: {game}",
            "name:",
            f"  {imported.language}: {quoted(imported.name or game)}",
            f"language: {imported.language}",
        ]
        rows += ["languages:", *(f"  - {lang}" for lang in languages)]
        # An import of nothing but lines that were not understood has none; a key without values is
        # no list.
        rows += ["topics:", *_topics(topics.items(), imported.language)] if topics else []
        catalogue = {card.name for card in imported.cards}
        others = [f"  - {quoted(name)}" for name in imported.not_cards if name in catalogue]
        rows += ["not-cards:", *others] if others else []
        write_file(path, "\n".join(rows) + "\n")
        yield path
        return
    data = path.read_bytes()
    known, _ = read_game({"game.yaml": data}, {"game.yaml": posix_path(path)})
    if known is None:
        return
    missing = {topic: title for topic, title in topics.items() if topic not in known.topics}
    if missing:
        text = _with_topics(
            data.decode("utf-8-sig"), list(_topics(missing.items(), known.language))
        )
        write_file(path, text)
        yield path


def _topics(topics: Iterable[tuple[str, str]], lang: str) -> Iterator[str]:
    for topic, title in topics:
        yield from (f"  - id: {topic}", f"    {lang}: {quoted(title)}")


def _with_topics(text: str, rows: list[str]) -> str:
    """game.yaml with more topics at the end of their list."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if re.match(r"topics\s*:", line)), None)
    if start is None:
        return text.rstrip("\n") + "\n" + "\n".join(["topics:", *rows]) + "\n"
    end = start + 1
    while end < len(lines) and (
        re.match(r"\s+\S|- ", lines[end]) or (not lines[end].strip() and end + 1 < len(lines))
    ):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    indent = re.match(r"\s*", lines[start + 1])[0] if end > start + 1 else "  "  # type: ignore[index]
    return "\n".join([*lines[:end], *(indent + row[2:] for row in rows), *lines[end:]])


def _sources(imported: Imported, path: Path) -> Iterator[Path]:
    known = {}
    text = ""
    if path.is_file():
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
        listed, problems = read_sources(data, posix_path(path))
        if text.strip() and not isinstance(parse_yaml(text, "")[0].value, list):
            raise KbError(f"{problems[0]}; correct it before the import adds to the file")
        known = {source.id: set(source.provisions) for source in listed}
    # An entry with a problem is no good source, and is there all the same.
    there = set(_SOURCE_ID.findall(text))
    before = text
    for source in imported.sources:
        if source.id in there - known.keys():
            continue
        if source.id not in known:
            text = text.rstrip("\n") + ("\n" if text else "") + "\n".join(_source(source)) + "\n"
        else:
            missing = [
                provision for provision in source.provisions if provision not in known[source.id]
            ]
            text = _with_provisions(text, source.id, missing) if missing else text
    if text != before:
        write_file(path, text)
        yield path


def _source(source: DraftSource) -> Iterator[str]:
    yield from (
        f"- id: {source.id}",
        "  title:",
        f"    {source.language}: {quoted(source.title)}",
        f"  language: {source.language}",
    )
    yield f"  authority: {source.authority}"
    if source.published:
        yield f"  published: {source.published}"
    if re.fullmatch(r"https?://[^\s<>\"']{1,2000}", without_hidden(source.url)):
        yield f"  url: {quoted(source.url)}"
    if source.provisions:
        yield from (
            "  provisions:",
            *(f"    - {quoted(provision)}" for provision in source.provisions),
        )


def _with_provisions(text: str, source: str, missing: list[str]) -> str:
    """sources.yaml with more provisions at the end of one source's list."""
    lines = text.split("\n")
    own = re.compile(rf"- id:\s*['\"]?{re.escape(source)}['\"]?")
    start = next((at for at, line in enumerate(lines) if own.fullmatch(line.rstrip())), None)
    if start is None:
        # Written in another layout than ours: what lacks is told by `kb check`.
        return text
    end = next(
        (at for at in range(start + 1, len(lines)) if lines[at].startswith("- ")), len(lines)
    )
    head = next((at for at in range(start, end) if re.match(r"\s+provisions\s*:", lines[at])), None)
    if head is None:
        last = max(at for at in range(start, end) if lines[at].strip()) + 1
        return "\n".join(
            [
                *lines[:last],
                "  provisions:",
                *(f"    - {quoted(provision)}" for provision in missing),
                *lines[last:],
            ]
        )
    last = head + 1
    while last < end and re.match(r"\s+- ", lines[last]):
        last += 1
    indent = re.match(r"\s*", lines[head + 1])[0] if last > head + 1 else "    "  # type: ignore[index]
    return "\n".join(
        [*lines[:last], *(f"{indent}- {quoted(provision)}" for provision in missing), *lines[last:]]
    )


def _cards(imported: Imported, path: Path) -> Iterator[Path]:
    known: set[tuple[str, str]] = set()
    text = ""
    if path.is_file():
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
        _, problems = read_cards(data, posix_path(path), "{name} ({version})")
        if text.strip() and tuple(text.splitlines()[0].split("\t")) not in CARD_HEADERS:
            raise KbError(f"{problems[0]}; correct it before the import adds to the file")
        # Rows with a problem are no good cards, and are there all the same.
        rows_there = (row.split("\t") for row in text.splitlines() if "\t" in row)
        known = {(name.strip(), version.strip()) for name, version, *_ in rows_there}
    rows = []
    for card in imported.cards:
        key = (_cell(card.name), _cell(card.version))
        if key not in known:
            known.add(key)
            cells = (
                card.name,
                card.version,
                card.sets,
                card.type,
                card.side,
                card.subtypes,
                "; ".join(card.other_names),
            )
            rows.append("\t".join(map(_cell, cells)))
    if rows:
        head = text.rstrip("\n") or "\t".join(CARD_COLUMNS)
        write_file(path, "\n".join([head, *rows]) + "\n")
        yield path


def _cell(value: str) -> str:
    return " ".join(without_hidden(value).split())
