"""Bases of any size for measuring: N rulings recombined from the project's own and VTES's.

The same seed gives the same files. Paragraphs stay whole and in their language, so that words,
marks of cards and lengths are those of real rulings; several games, two languages each (VTES one),
topics, dates, cards named in texts and headers, citations, related rulings, and chains in which a
later ruling supersedes an earlier one. VTES's sentences are used where the files are there.
"""

from __future__ import annotations

import hashlib
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import yaml

from kb.records.library import load
from kb.records.marks import plain_text
from kb.records.model import Game, Ruling

TOPICS = (
    "combat votes bleeding stealth-intercept actions disciplines equipment retainers timing"
    " tournament"
).split()
# Of so many rulings of a game one supersedes the one before it; of so many one is about a card; of
# so many one cites nothing.
CHAINED, ABOUT, UNCITED = 25, 3, 4
Pairs = list[dict[str, tuple[str, str]]]


@dataclass(frozen=True)
class Pool:
    """What rulings of one game are made of: labels of cards and citations that its records know."""

    language: str
    topics: list[str]
    pairs: Pairs
    cards: list[str]
    citations: list[str]


class Plain(NamedTuple):
    """A ruling as other programs take it.

    Key `game/id`, the first title, and Markdown without marks of cards.
    """

    key: str
    title: str
    text: str


def make_corpus(root: Path, size: int, project: Path, shared: Path, seed: int = 1) -> Path:
    """Writes `size` rulings below `root`, a new folder, and gives it.

    `project`: the folder of the project's rulings.
    """
    random_ = random.Random(seed)
    library = load(project)
    pools: dict[str, Pool] = {}
    for game in library.games.values():
        _copy_game(project / game.id, root / game.id)
        pools[game.id] = _pool(game, library.of_game(game.id))
    if (shared / "data" / "vtes" / "rulings" / "rulings.yaml").is_file():
        pools["vtes"] = _vtes(shared / "data" / "vtes", root / "vtes")
    games = list(pools)
    for number in range(size):
        game = games[number % len(games)]
        topic = random_.choice(pools[game].topics)
        path = root / game / topic / f"r{number:06d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        record = _record(pools[game], topic, number, len(games), size, random_)
        path.write_text("\n".join(record) + "\n", encoding="utf-8")
    return root


def kept_corpus(folder: Path, size: int, project: Path, shared: Path) -> Path:
    """The corpus of a size in `folder`, taken from an earlier run where nothing has changed.

    Neither the generator nor the sentences may have changed since.
    """
    sources = [
        Path(__file__),
        *sorted(project.rglob("*.*")),
        *sorted((shared / "data" / "vtes").rglob("*.*")),
    ]
    digest = hashlib.sha256(
        b"".join(path.read_bytes() for path in sources if path.is_file())
    ).hexdigest()
    root, stamp = folder / str(size) / "rulings", folder / str(size) / "made-of"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != digest:
        shutil.rmtree(folder / str(size), ignore_errors=True)
        make_corpus(root, size, project, shared)
        stamp.write_text(digest, encoding="utf-8")
    return root


def read_plain(root: Path) -> list[Plain]:
    """The rulings of a corpus by path, without kb: title, then the text.

    Further languages below headings of their own.
    """
    found = []
    for path in sorted(root.glob("*/*/*.md")):
        _, _, text = path.read_text(encoding="utf-8").partition("\n---\n")
        parts = re.split(r"(?m)^# [a-z]{2}: (.+)$", plain_text(text))
        body = parts[2].strip() + "".join(
            f"\n\n## {title}\n\n{rest.strip()}"
            for title, rest in zip(parts[3::2], parts[4::2], strict=True)
        )
        found.append(Plain(f"{path.parent.parent.name}/{path.stem}", parts[1].strip(), body))
    return found


def _record(
    pool: Pool, topic: str, number: int, games: int, size: int, random_: random.Random
) -> Iterator[str]:
    chosen = random_.sample(pool.pairs, random_.randint(1, 3))
    place = number // games
    succeeds = place % CHAINED == CHAINED - 1
    superseded = place % CHAINED == CHAINED - 2 and number + games < size
    yield from (
        "---",
        f"kind: {random_.choice(['ruling', 'ruling', 'ruling', 'definition', 'example'])}",
    )
    yield from (
        "authority: official",
        f"status: {'superseded' if superseded else 'current'}",
        "topics:",
        f"  - {topic}",
    )
    if pool.cards and random_.randrange(ABOUT) == 0:
        yield from ("about:", f"  - {random_.choice(pool.cards)}")
    if pool.citations and random_.randrange(UNCITED):
        yield from ("sources:", f"  - {random_.choice(pool.citations)}")
    year = 2026 if succeeds else random_.randint(1998, 2025)
    yield f"date: {year}-{random_.randint(1, 9 if succeeds else 12):02d}"
    if succeeds:
        yield from ("supersedes:", f"  - r{number - games:06d}")
    related = number - games * random_.randint(2, 20)
    if related >= 0:
        yield from ("related:", f"  - r{related:06d}")
    yield "---"
    for lang in sorted(chosen[0], key=lambda one: one != pool.language):
        yield from ("", f"# {lang}: {chosen[0][lang][0]}")
        for pair in chosen:
            yield from ("", pair.get(lang, chosen[0][lang])[1])


def _pool(game: Game, rulings: list[Ruling]) -> Pool:
    known = [card.label for card in game.cards]
    single = [
        label
        for label in known
        if len(game.cards_named(label)) == 1 and not re.search(r"[:#\"'\[\]{}]|^\W", label)
    ]
    citations = [
        f"{source.id}#{provision}" for source in game.sources for provision in source.provisions
    ]
    return Pool(game.language, list(game.topics), _pairs(game, rulings), single, citations)


def _copy_game(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for name in ("game.yaml", "sources.yaml", "terms.yaml", "cards.tsv"):
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)
    # Rulings that are shuffled from others do not keep the rules for the texts of a game.
    game = target / "game.yaml"
    lines = game.read_text(encoding="utf-8").splitlines(keepends=True)
    relaxed = [line for line in lines if not line.startswith("checks:")]
    game.write_text("".join(relaxed), encoding="utf-8")


def _pairs(game: Game, rulings: list[Ruling]) -> Pairs:
    """Title and paragraphs of each ruling in every language.

    A paragraph a pair, so that there are more than rulings.
    """
    made: Pairs = []
    for ruling in rulings:
        parts = {text.lang: (text.title, text.body.split("\n\n")) for text in ruling.texts}
        many = min(len(paragraphs) for _, paragraphs in parts.values())
        made += [
            {lang: (title, paragraphs[at].strip()) for lang, (title, paragraphs) in parts.items()}
            for at in range(many)
        ]
    return [pair for pair in made if game.language in pair]


def _vtes(source: Path, target: Path) -> Pool:
    """VTES as a game of the base.

    Its rulings without marks and references, titled by their first words.
    """
    target.mkdir(parents=True)
    topics = "".join(
        f"  - id: {topic}\n    en: {topic.replace('-', ' ').capitalize()}\n" for topic in TOPICS
    )
    (target / "game.yaml").write_text(
        "id: vtes\nname:\n  en: Vampire the Eternal Struggle\nlanguage: en\nlanguages:\n  - en\n"
        f"topics:\n{topics}",
        encoding="utf-8",
    )
    rows = [
        line.split("\t")
        for line in (source / "cards.tsv").read_text(encoding="utf-8").splitlines()[1:]
    ]
    names = dict.fromkeys(row[1].strip() for row in rows if row[1].strip() and ";" not in row[1])
    lines = [f"{name}\t\tAll\tCard\t\t\t" for name in names]
    (target / "cards.tsv").write_text(
        "\n".join(["name\tversion\tset\ttype\tside\tsubtypes\tother_names", *lines]) + "\n",
        encoding="utf-8",
    )
    made: Pairs = []
    for group in yaml.safe_load(
        (source / "rulings" / "rulings.yaml").read_text(encoding="utf-8")
    ).values():
        for one in group:
            text = " ".join(
                re.sub(
                    r"\[[^\]]*\]|[{}<>*_#`|]",
                    "",
                    str(one["text"] if isinstance(one, dict) else one),
                ).split()
            )
            if len(text) > 40:
                made.append({"en": (" ".join(text.split()[:7]).strip(".,;:\"'"), text)})
    return Pool(
        "en",
        TOPICS,
        made,
        [name for name in names if re.fullmatch(r"[A-Za-z][A-Za-z ]+", name)],
        [],
    )
