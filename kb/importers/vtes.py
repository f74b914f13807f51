"""Rulings of Vampire: The Eternal Struggle, in the files of vtes-rulings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from urllib.parse import urlsplit

from kb.core.problems import Problem
from kb.importers.common import Ids, day, distinguish, label, literal, paragraphs, slug, title
from kb.importers.drafts import Draft, DraftCard, DraftSource, DraftText, Imported
from kb.importers.vtes_files import (
    Block,
    Files,
    Reference,
    Row,
    blocks,
    find,
    groups,
    keyed,
    references,
    rows,
)
from kb.records.model import Game

_REFERENCE = re.compile(r"\[([A-Z]{3})\s+([\w.-]+)\]")
# What may stand behind the references at the end of a ruling.
_AFTER = "\"'.,;"
_BRACES = re.compile(r"\{([^{}]*)\}")
_KEPT = re.compile(r"\{[^{}]*\}|(?<![\w*])\*\w[^*\n]*\*(?![\w*])")
_VERSION = re.compile(r"(.+) \((?:G(\w+))? ?(ADV)?\)")
_REMINDER = re.compile(r"^(?:\[[^\]]*\]\s*)*REMINDER\b|\bREMINDER:")
# Disciplines, titles and terms that are names of cards too: texts mean the card where they mark it.
_NOT_CARDS = (
    *("Animalism", "Auspex", "Celerity", "Dementation", "Dominate", "Fortitude", "Maleficia"),
    *("Obfuscate", "Potence", "Serpentis", "Striga", "Vicissitude"),
    *("Blood Hunt", "Circle", "Determine", "Frenzy", "Jack", "Red List", "Seraph"),
)
# Stands for a mark while the words around it are escaped: a character of nobody's.
_PLACE = "\ue000"
_GROUPS = "groups"
_UNKNOWN = "other-cards"
# A file's name allows 100 characters; the rest is for a number behind it.
_ID_LENGTH = 90


@dataclass
class _Catalogue:
    """The cards by id, and by every name that a text may give them."""

    rows: dict[str, Row] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    named: dict[str, list[str]] = field(default_factory=dict)

    def add(self, row: Row, card: DraftCard, game: Game | None) -> None:
        self.rows[row.id], self.labels[row.id] = row, label(card, game)
        for name in dict.fromkeys(
            key for alias in (row.name, *row.aka) for key in (alias, slug(alias))
        ):
            self.named.setdefault(name, []).append(row.id)

    def find(self, words: str) -> list[str]:
        """The ids of the cards that a name stands for; letters with and without accents are one."""
        ids = self.named.get(words) or self.named.get(slug(words), [])
        version = _VERSION.fullmatch(words)
        if ids or not version:
            return ids
        wanted = self.find(version[1])
        return [
            card_id
            for card_id in wanted
            if not version[2] or self.rows[card_id].group == version[2]
        ]


@dataclass
class _Run:
    """What one run knows and has made."""

    files: Files
    game: Game | None
    imported: Imported
    cards: _Catalogue = field(default_factory=_Catalogue)
    groups: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    known: dict[tuple[str, str], Reference] = field(default_factory=dict)
    cited: dict[tuple[str, str], None] = field(default_factory=dict)
    ids: Ids = field(default_factory=Ids)

    def skip(self, line: int, message: str, kind: str = "rulings.yaml") -> None:
        self.imported.skipped.append(Problem(self.files.name(kind), line, message))


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read the folder of the VTES rulings, or its files.

    A draft's id is the card's or group's id with the references (`100001-lsj-19980302-2`); rulings
    that share all of that are told apart by `-no-2`, `-no-3`, because a bare number might be part
    of a reference. A group's ruling that says something else for one card (`overrides`) becomes a
    draft of its own for that card. Raises KbError without a rulings.yaml.
    """
    run = _Run(
        find(list(paths)),
        game,
        Imported(name="Vampire: The Eternal Struggle", not_cards=_NOT_CARDS),
    )
    found_blocks = list(
        blocks(run.files.text("rulings.yaml"), run.files.name("rulings.yaml"), run.imported.skipped)
    )
    run.groups = groups(
        run.files.text("groups.yaml"), run.files.name("groups.yaml"), run.imported.skipped
    )
    _read_cards(run, found_blocks)
    listed, authors = references(
        run.files.text("references.yaml"), run.files.name("references.yaml"), run.imported.skipped
    )
    run.known = {(reference.author, reference.place): reference for reference in listed}
    first: dict[str, int] = {}
    for block in found_blocks:
        if first.setdefault(block.key, block.line) != block.line:
            run.skip(
                block.line,
                f"{block.key}: key given twice (first on line {first[block.key]}); the rulings of"
                " both are taken",
            )
        _read_block(run, block)
    run.imported.sources = _sources(run, authors)
    return run.imported


def _read_cards(run: _Run, found_blocks: Sequence[Block]) -> None:
    if "cards.tsv" in run.files.paths:
        listed = list(
            rows(run.files.text("cards.tsv"), run.files.name("cards.tsv"), run.imported.skipped)
        )
    else:
        run.skip(
            1,
            "no cards.tsv beside it: cards are known only from the keys of rulings and groups,"
            " without their types",
        )
        pairs = [pair[:2] for members in run.groups.values() for pair in members]
        pairs += [
            pair
            for block in found_blocks
            if (pair := keyed(block.key)) and not pair[0].startswith("G")
        ]
        listed = [Row(number, name, "", "", ()) for number, name in dict(pairs).items()]
    cards = [DraftCard(row.name, type=row.type, other_names=row.aka) for row in listed]
    versions = [
        [f"G{row.group}" if row.group else "", f"G{row.group} {row.id}" if row.group else row.id]
        for row in listed
    ]
    run.imported.cards = distinguish(cards, versions)
    for row, card in zip(listed, run.imported.cards, strict=True):
        run.cards.add(row, card, run.game)


@dataclass(frozen=True)
class _Subject:
    """What a ruling is about."""

    id: str
    name: str
    topic: str
    about: tuple[str, ...]
    members: tuple[tuple[str, str], ...] = ()


def _subject(run: _Run, block: Block) -> _Subject | None:
    pair = keyed(block.key)
    if pair is None:
        run.skip(
            block.line,
            f"{block.key}: a key is `100001|.44 Magnum` or `G00001|Group name`; its rulings are"
            " left out",
        )
        return None
    number, name = pair
    if number in run.groups or re.fullmatch(r"G\d+", number):
        run.imported.topics.setdefault(_GROUPS, "Groups of cards")
        members = _members(run, block, number)
        return _Subject(
            number, name, _GROUPS, tuple(run.cards.labels[card] for card, _ in members), members
        )
    row = run.cards.rows.get(number)
    if row is None:
        run.skip(
            block.line,
            f"{block.key}: {number} is not in cards.tsv; its rulings are drafts about no card",
        )
        run.imported.topics.setdefault(_UNKNOWN, "Other cards")
        return _Subject(number, name, _UNKNOWN, ())
    if row.name != name:
        run.skip(block.line, f"{block.key}: the card's name in cards.tsv is {row.name}")
    topic = slug(row.type) if row.type else "cards"
    run.imported.topics.setdefault(topic, row.type or "Cards")
    return _Subject(number, row.name, topic, (run.cards.labels[number],))


def _members(run: _Run, block: Block, number: str) -> tuple[tuple[str, str], ...]:
    if number not in run.groups:
        run.skip(
            block.line,
            f"{block.key}: the group is not in groups.yaml; its rulings are drafts about no card",
        )
    members: dict[str, str] = {}
    for card, name, symbol in run.groups.get(number, []):
        if card in run.cards.rows:
            members[card] = f"{members[card]} {symbol}".strip() if card in members else symbol
        else:
            run.skip(block.line, f"{block.key}: {card}|{name} of the group is not in cards.tsv")
    return tuple(members.items())


def _read_block(run: _Run, block: Block) -> None:
    subject = _subject(run, block)
    if subject is None:
        return
    items = block.value if isinstance(block.value, list) else [block.value]
    if not isinstance(block.value, list):
        run.skip(
            block.line,
            f"{block.key}: a list of rulings is expected, one `- text [LSJ 19980302-2]` a line",
        )
    ends = [block.lines.get((place,), block.end + 1) - 1 for place in range(1, len(items))] + [
        block.end
    ]
    for place, item in enumerate(items):
        lines = (block.lines.get((place,), block.line), ends[place])
        if isinstance(item, str) and item.strip():
            run.imported.drafts += _drafts(run, subject, item, lines)
        elif isinstance(item, dict) and isinstance(item.get("text"), str):
            run.imported.drafts += _with_overrides(run, subject, item, lines)
        else:
            run.skip(
                lines[0], f"{block.key}: a ruling is a text, or `text:` with `overrides:`; left out"
            )


def _with_overrides(
    run: _Run, subject: _Subject, item: dict[str, object], lines: tuple[int, int]
) -> Iterator[Draft]:
    given = item.get("overrides", {})
    texts: dict[str, str] = {}
    for key, text in given.items() if isinstance(given, dict) else ():
        pair = keyed(key)
        if pair and pair[0] in run.cards.rows and isinstance(text, str):
            texts[pair[0]] = text
        else:
            run.skip(
                lines[0],
                f"{subject.name}: overrides: {key} is no card of cards.tsv with a text; left out",
            )
    for key in item:
        if key not in ("text", "overrides") or (key == "overrides" and not isinstance(given, dict)):
            run.skip(lines[0], f"{subject.name}: {key}: not understood; left out")
    members = tuple(pair for pair in subject.members if pair[0] not in texts)
    rest = replace(
        subject, members=members, about=tuple(run.cards.labels[card] for card, _ in members)
    )
    whole = str(item["text"])
    (main,) = _drafts(run, rest, whole, lines)
    yield main
    for card, text in texts.items():
        end = _end(whole)
        own = text if _end(text) or not end else text + end.cited
        row = run.cards.rows[card]
        other = _Subject(f"{subject.id}-{card}", row.name, subject.topic, (run.cards.labels[card],))
        for draft in _drafts(run, other, own, lines):
            yield replace(
                draft,
                related=(main.id,),
                note=f"In place of {main.id} for this card of the group {subject.name}.",
            )


@dataclass(frozen=True)
class _End:
    """The references at the end of a ruling: where they begin, their text, what follows."""

    start: int
    cited: str
    after: str


def _end(text: str) -> _End | None:
    whole = len(text)
    while whole and (text[whole - 1].isspace() or text[whole - 1] in _AFTER):
        whole -= 1
    start = whole
    for match in reversed(list(_REFERENCE.finditer(text, 0, whole))):
        if text[match.end() : start].strip():
            break
        start = match.start()
    start = len(text[:start].rstrip()) if start < whole else whole
    return _End(start, text[start:whole], text[whole:]) if start < whole else None


def _drafts(run: _Run, subject: _Subject, text: str, lines: tuple[int, int]) -> Iterator[Draft]:
    end = _end(text)
    words = (text[: end.start] if end else text).strip()
    if end and end.after.strip():
        run.skip(lines[0], f"{subject.name}: {end.after.strip()} after the references; left out")
    if not end:
        run.skip(
            lines[0],
            f"{subject.name}: a ruling without a reference at its end; the draft has no source",
        )
    cited = list(dict.fromkeys(_REFERENCE.findall(words if not end else words + end.cited)))
    for pair in cited:
        run.cited[pair] = None
        if pair not in run.known:
            run.skip(
                lines[0],
                f"{subject.name}: [{' '.join(pair)}] is not in references.yaml; cited without an"
                " address",
            )
    if not words:
        run.skip(lines[0], f"{subject.name}: references without a text; left out")
        return
    body = [
        *(_marked(run, paragraph, lines[0]) for paragraph in paragraphs(words)),
        *_symbols(run, subject),
    ]
    shown = re.sub(r"(?<![\w*])\*(\w[^*\n]*)\*", r"\1", _BRACES.sub(r"\1", words))
    yield Draft(
        id=run.ids.make(_base(subject.id, cited), "-no-"),
        topic=subject.topic,
        texts=(DraftText("en", title(subject.name, shown), "\n\n".join(body)),),
        kind="note" if _REMINDER.search(words) else "ruling",
        about=subject.about,
        sources=tuple(f"vtes-{slug(author)}#{place}" for author, place in cited),
        date=_newest(run, subject, cited, lines[0]),
        lines=lines,
    )


def _base(subject: str, cited: Sequence[tuple[str, str]]) -> str:
    base = slug(subject)
    for pair in sorted(cited):
        longer = f"{base}-{slug(' '.join(pair))}"
        if len(longer) > _ID_LENGTH:
            break
        base = longer
    return base


def _newest(run: _Run, subject: _Subject, cited: Sequence[tuple[str, str]], line: int) -> str:
    dates = []
    for author, place in cited:
        digits = re.match(r"\d{8}(?!\d)", place)
        date = day(digits[0]) if digits else ""
        if digits and not date:
            run.skip(line, f"{subject.name}: [{author} {place}] has no date of the calendar")
        dates.append(date)
    return max(dates, default="")


def _marked(run: _Run, words: str, line: int) -> str:
    """A paragraph as Markdown, cards in braces as marks."""
    pieces: list[str] = []

    def set_aside(match: re.Match[str]) -> str:
        pieces.append(_mark(run, match[0][1:-1], line) if match[0].startswith("{") else match[0])
        return _PLACE

    escaped = literal(_KEPT.sub(set_aside, words.replace(_PLACE, "")))
    back = iter(pieces)
    return re.sub(_PLACE, lambda _: next(back), escaped)


def _mark(run: _Run, name: str, line: int) -> str:
    words = " ".join(name.split())
    ids = run.cards.find(words)
    if len(ids) == 1:
        card = run.cards.labels[ids[0]]
        return f"[[{card}]]" if card == words else f"[[{card}|{words}]]"
    choices = " or ".join(run.cards.labels[card_id] for card_id in ids)
    run.skip(
        line,
        f"{{{words}}} {f'may be {choices}' if ids else 'is not in cards.tsv'}; left as text"
        " without a mark",
    )
    return literal(words)


def _symbols(run: _Run, subject: _Subject) -> Iterator[str]:
    """Describe cards that belong to a group only at a level or as a type, with symbols."""
    sentences = [
        f"[[{run.cards.labels[card]}]] {literal(symbol)}"
        for card, symbol in subject.members
        if symbol
    ]
    if sentences:
        yield "; ".join(sentences) + "."


def _sources(run: _Run, authors: dict[str, str]) -> list[DraftSource]:
    by_author: dict[str, dict[str, str]] = {}
    for reference in run.known.values():
        by_author.setdefault(reference.author, {})[reference.place] = reference.url
    for author, place in run.cited:
        by_author.setdefault(author, {}).setdefault(place, "")
    return [
        DraftSource(
            f"vtes-{slug(author)}",
            authors.get(author, author),
            "en",
            url=_above(places.values()),
            provisions=tuple(places),
        )
        for author, places in by_author.items()
    ]


def _above(addresses: Iterable[str]) -> str:
    """The page under which all addresses lie, empty where they share no more than a host."""
    given = sorted(address for address in addresses if address)
    if not given:
        return ""
    # What the first and the last in order share, all share.
    same = takewhile(lambda pair: pair[0] == pair[1], zip(given[0], given[-1], strict=False))
    shared = "".join(address for address, _ in same)
    if not all(address[len(shared) : len(shared) + 1] in ("", "/", "#", "?") for address in given):
        shared = shared.rpartition("/")[0]
    shared = shared.rstrip("/#?")
    return shared if urlsplit(shared).path else ""
