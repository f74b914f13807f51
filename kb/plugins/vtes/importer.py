"""Reads rulings of Vampire: The Eternal Struggle from the files of vtes-rulings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from urllib.parse import urlsplit

from kb.ingest.base import Importer
from kb.ingest.common import (
    MAX_UNNUMBERED_ID,
    Ids,
    day,
    distinguish,
    label,
    literal,
    paragraphs,
    slug,
    title,
    topic_of_type,
)
from kb.ingest.drafts import OFFICIAL, Draft, DraftSource, Imported
from kb.plugins.vtes.files import (
    Block,
    Row,
    SourceFile,
    blocks,
    find,
    groups,
    references,
    rows,
    split_key,
)
from kb.records.model import Game
from kb.records.text import Text
from kb.records.values import Card, Citation

_REFERENCE = re.compile(r"\[([A-Z]{3})\s+([\w.-]+)\]")
# Punctuation that may follow the references at the end of a ruling.
_PUNCTUATION = "\"'.,;"
_STRESS = re.compile(r"(?<![\w*])\*(\w[^*\n]*)\*")
_BRACES = re.compile(r"\{([^{}]*)\}")
_KEPT = re.compile(r"\{[^{}]*\}|(?<![\w*])\*\w[^*\n]*\*(?![\w*])")
_VERSION = re.compile(r"(.+) \((?:G(\w+))? ?(ADV)?\)")
_REMINDER = re.compile(r"^(?:\[[^\]]*\]\s*)*REMINDER\b|\bREMINDER:")
# Card names that are disciplines, titles or terms too; texts mark them where they mean the card.
_NOT_CARDS = (
    *("Animalism", "Auspex", "Celerity", "Dementation", "Dominate", "Fortitude", "Maleficia"),
    *("Obfuscate", "Potence", "Serpentis", "Striga", "Vicissitude"),
    *("Blood Hunt", "Circle", "Determine", "Frenzy", "Jack", "Red List", "Seraph"),
)
# A private character: stands for a mark while the words around it are escaped.
_PLACEHOLDER = "\ue000"
_GROUPS = "groups"


@dataclass
class _Catalogue:
    """The cards by id, and by every name that texts use."""

    by_id: dict[str, Row] = field(default_factory=dict)
    by_name: dict[str, list[Row]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        self.by_id[row.id] = row
        names = (row.name, *row.other_names)
        for key in dict.fromkeys(key for name in names for key in (name, slug(name))):
            self.by_name.setdefault(key, []).append(row)

    def labels(self, words: str) -> list[str]:
        """Return the labels of the cards of a name, with or without its accents."""
        return [row.label for row in self._find(words)]

    def _find(self, words: str) -> list[Row]:
        rows = self.by_name.get(words) or self.by_name.get(slug(words), [])
        version = _VERSION.fullmatch(words)
        if rows or not version:
            return rows
        return [row for row in self._find(version[1]) if version[2] in (None, row.group)]


@dataclass
class _Run:
    """The state of one import: cards, groups, addresses of references, references cited."""

    file: SourceFile
    game: Game | None
    imported: Imported
    groups: dict[str, list[tuple[str, str, str]]]
    cards: _Catalogue = field(default_factory=_Catalogue)
    addresses: dict[tuple[str, str], str] = field(default_factory=dict)
    cited: dict[tuple[str, str], None] = field(default_factory=dict)
    ids: Ids = field(default_factory=Ids)


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read the folder of the VTES rulings, or its files.

    A draft's id is its card's or group's, with the references (`100001-lsj-19980302-2`); later
    rulings with the same references get `-no-2`, `-no-3`, because `-2` may end a reference. If a
    group's ruling has another text for one card (`overrides`), that text is a draft of its own.
    Raises KbError for a missing file, and for one that cannot be read.
    """
    imported = Imported(name="Vampire: The Eternal Struggle", not_cards=_NOT_CARDS)
    files = find(paths, imported)
    run = _Run(files["rulings.yaml"], game, imported, groups(files["groups.yaml"]))
    _read_cards(run, files["cards.tsv"])
    run.addresses, authors = references(files["references.yaml"])
    for block in blocks(run.file):
        _read_block(run, block)
    imported.sources = _sources(run, authors)
    return imported


def _read_cards(run: _Run, file: SourceFile) -> None:
    listed = list(rows(file))
    cards = [Card(row.name, type=row.type, other_names=row.other_names) for row in listed]
    versions = [
        [f"G{row.group}" if row.group else "", f"G{row.group} {row.id}" if row.group else row.id]
        for row in listed
    ]
    run.imported.cards = distinguish(cards, versions)
    for row, card in zip(listed, run.imported.cards, strict=True):
        run.cards.add(row._replace(label=label(card, run.game)))


@dataclass(frozen=True)
class _Subject:
    """The card or group of a ruling; `cards` are its known cards by id, in a group with symbols."""

    id: str
    name: str
    topic: str
    cards: Mapping[str, str] = field(default_factory=dict)


def _subject(run: _Run, block: Block) -> _Subject | None:
    pair = split_key(block.key)
    if pair is None:
        message = "a key is `100001|.44 Magnum` or `G00001|Group name`; its rulings are left out"
        run.file.skip(block.line, f"{block.key}: {message}")
        return None
    key, name = pair
    topics = run.imported.topics
    if key in run.groups or re.fullmatch(r"G\d+", key):
        topics.setdefault(_GROUPS, "Groups of cards")
        return _Subject(key, name, _GROUPS, _members(run, block, key))
    row = run.cards.by_id.get(key)
    if row is None:
        message = f"{key} is not in cards.tsv; its rulings are drafts about no card"
        run.file.skip(block.line, f"{block.key}: {message}")
        return _Subject(key, name, topic_of_type(topics, ""))
    topic = slug(row.type) if row.type else "cards"
    topics.setdefault(topic, row.type or "Cards")
    return _Subject(key, row.name, topic, {key: ""})


def _members(run: _Run, block: Block, group: str) -> dict[str, str]:
    """Return the symbols of a group's cards, by card."""
    if group not in run.groups:
        message = "the group is not in groups.yaml; its rulings are drafts about no card"
        run.file.skip(block.line, f"{block.key}: {message}")
    members: dict[str, str] = {}
    for card, name, symbol in run.groups.get(group, []):
        if card in run.cards.by_id:
            members[card] = f"{members.get(card, '')} {symbol}".strip()
        else:
            message = f"{block.key}: {card}|{name} of the group is not in cards.tsv"
            run.file.skip(block.line, message)
    return members


def _read_block(run: _Run, block: Block) -> None:
    subject = _subject(run, block)
    if subject is None:
        return
    items = block.value.value
    if not isinstance(items, list):
        message = "a list of rulings is expected, one `- text [LSJ 19980302-2]` a line"
        run.file.skip(block.line, f"{block.key}: {message}")
        return
    starts = [block.value.line(place) for place in range(len(items))]
    ends = [*(start - 1 for start in starts[1:]), block.end]
    for item, *lines in zip(items, starts, ends, strict=True):
        first, last = lines
        if isinstance(item, str) and item.strip():
            run.imported.drafts += _drafts(run, subject, item, (first, last))
        elif isinstance(item, dict) and isinstance(item.get("text"), str):
            run.imported.drafts += _drafts_with_overrides(run, subject, item, (first, last))
        else:
            message = "a ruling is a text, or `text:` with `overrides:`; left out"
            run.file.skip(first, f"{block.key}: {message}")


def _drafts_with_overrides(
    run: _Run, subject: _Subject, item: dict[str, object], lines: tuple[int, int]
) -> Iterator[Draft]:
    """Yield the draft of a group's ruling, and one for each card with another text."""
    overrides = item.get("overrides", {})
    texts: dict[str, str] = {}
    for key, text in overrides.items() if isinstance(overrides, dict) else ():
        pair = split_key(key)
        if pair and pair[0] in run.cards.by_id and isinstance(text, str):
            texts[pair[0]] = text
        else:
            message = f"overrides: {key} is not a card of cards.tsv with a text; left out"
            run.file.skip(lines[0], f"{subject.name}: {message}")
    for key in item:
        if key != "text" and (key != "overrides" or not isinstance(overrides, dict)):
            run.file.skip(lines[0], f"{subject.name}: {key}: not understood; left out")
    others = {card: symbol for card, symbol in subject.cards.items() if card not in texts}
    group_text = str(item["text"])
    group_drafts = list(_drafts(run, replace(subject, cards=others), group_text, lines))
    yield from group_drafts
    related = tuple(draft.id for draft in group_drafts)
    note = f"In place of {related[0]} for this card of the group {subject.name}." if related else ""
    _, references, _ = _split(group_text)
    for card, text in texts.items():
        card_text = text if _split(text)[1] else text + references
        name = run.cards.by_id[card].name
        card_subject = _Subject(f"{subject.id}-{card}", name, subject.topic, {card: ""})
        for draft in _drafts(run, card_subject, card_text, lines):
            yield replace(draft, header=replace(draft.header, related=related), note=note)


def _split(text: str) -> tuple[str, str, str]:
    """Split a ruling into words, the references at its end, and the punctuation after them."""
    end = len(text.rstrip())
    while end and (text[end - 1].isspace() or text[end - 1] in _PUNCTUATION):
        end -= 1
    start = end
    for match in reversed(list(_REFERENCE.finditer(text, 0, end))):
        if text[match.end() : start].strip():
            break
        start = match.start()
    if start == end:
        return text, "", ""
    words = text[:start].rstrip()
    return words, text[len(words) : end], text[end:]


def _drafts(run: _Run, subject: _Subject, text: str, lines: tuple[int, int]) -> Iterator[Draft]:
    words, references, after = _split(text)
    words = words.strip()
    if after.strip():
        run.file.skip(lines[0], f"{subject.name}: {after.strip()} after the references; left out")
    if not references:
        message = "a ruling without a reference at its end; the draft has no source"
        run.file.skip(lines[0], f"{subject.name}: {message}")
    cited = list(dict.fromkeys(_REFERENCE.findall(words + references)))
    run.cited |= dict.fromkeys(cited)
    if not words:
        run.file.skip(lines[0], f"{subject.name}: references without a text; left out")
        return
    body = [_marked(run, paragraph, lines[0]) for paragraph in paragraphs(words)]
    body += _symbols(run, subject)
    shown = _STRESS.sub(r"\1", _BRACES.sub(r"\1", words))
    yield Draft(
        id=run.ids.make(_id(subject.id, cited), "-no-"),
        topic=subject.topic,
        texts=(Text("en", title(subject.name, shown), "\n\n".join(body)),),
        header=replace(
            OFFICIAL,
            kind="note" if _REMINDER.search(words) else "ruling",
            about=tuple(run.cards.by_id[card].label for card in subject.cards),
            sources=tuple(Citation(f"vtes-{slug(author)}", place) for author, place in cited),
            date=max((day(place[:8]) for _, place in cited), default="") or None,
        ),
        lines=lines,
    )


def _id(subject: str, cited: Sequence[tuple[str, str]]) -> str:
    draft_id = slug(subject)
    for pair in sorted(cited):
        longer = f"{draft_id}-{slug(' '.join(pair))}"
        if len(longer) > MAX_UNNUMBERED_ID:
            break
        draft_id = longer
    return draft_id


def _marked(run: _Run, words: str, line: int) -> str:
    """Return a paragraph as Markdown, with marks for the cards in braces."""
    marks: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        marks.append(_mark(run, match[0][1:-1], line) if match[0].startswith("{") else match[0])
        return _PLACEHOLDER

    escaped = literal(_KEPT.sub(set_aside, words.replace(_PLACEHOLDER, "")))
    remaining = iter(marks)
    return re.sub(_PLACEHOLDER, lambda _: next(remaining), escaped)


def _mark(run: _Run, name: str, line: int) -> str:
    words = " ".join(name.split())
    labels = run.cards.labels(words)
    if len(labels) == 1:
        return f"[[{words}]]" if labels[0] == words else f"[[{labels[0]}|{words}]]"
    cause = f"may be {' or '.join(labels)}" if labels else "is not in cards.tsv"
    run.file.skip(line, f"{{{words}}} {cause}; left as text without a mark")
    return literal(words)


def _symbols(run: _Run, subject: _Subject) -> Iterator[str]:
    """Yield a sentence with the symbols at which cards belong to the group."""
    sentences = [
        f"[[{run.cards.by_id[card].label}]] {literal(symbol)}"
        for card, symbol in subject.cards.items()
        if symbol
    ]
    if sentences:
        yield "; ".join(sentences) + "."


def _sources(run: _Run, authors: dict[str, str]) -> list[DraftSource]:
    by_author: dict[str, dict[str, str]] = {}
    unknown = {pair: "" for pair in run.cited if pair not in run.addresses}
    for (author, place), address in (run.addresses | unknown).items():
        by_author.setdefault(author, {})[place] = address
    return [
        DraftSource(
            f"vtes-{slug(author)}",
            authors.get(author, author),
            "en",
            url=_common_page(places.values()),
            provisions=tuple(places),
        )
        for author, places in by_author.items()
    ]


def _common_page(addresses: Iterable[str]) -> str:
    """Return the page above all addresses; empty if they share only a host."""
    known = sorted(address for address in addresses if address)
    if not known:
        return ""
    # All addresses begin with what the first and the last in order share.
    pairs = zip(known[0], known[-1], strict=False)
    shared = "".join(char for char, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    if not all(address[len(shared) : len(shared) + 1] in ("", "/", "#", "?") for address in known):
        shared = shared.rpartition("/")[0]
    shared = shared.rstrip("/#?")
    return shared if urlsplit(shared).path else ""


IMPORTER = Importer(
    "the folder of vtes-rulings: rulings.yaml, groups.yaml, references.yaml, cards.tsv", read
)
