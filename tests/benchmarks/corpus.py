"""Bases of any size for measuring: N rulings recombined from those of a folder of records.

The same seed gives the same files. Paragraphs stay whole and in their language, so that words,
marks of cards and lengths are those of real rulings; with topics, dates, cards named in texts and
headers, citations, related rulings, and chains in which a later ruling supersedes an earlier one.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.records.library import load
from kb.records.model import Game, Ruling

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


def make_corpus(root: Path, size: int, project: Path, seed: int = 1) -> Path:
    """Write `size` rulings into `root`, a new folder, and return it.

    `project`: the folder of the records that they are recombined from.
    """
    random_ = random.Random(seed)
    library = load(project)
    pools: dict[str, Pool] = {}
    for game in library.games.values():
        _copy_game(project / game.id, root / game.id)
        pools[game.id] = _pool(game, library.of_game(game.id))
    games = list(pools)
    for number in range(size):
        game = games[number % len(games)]
        topic = random_.choice(pools[game].topics)
        path = root / game / topic / f"r{number:06d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        record = _record(pools[game], topic, number, len(games), size, random_)
        path.write_text("\n".join(record) + "\n", encoding="utf-8")
    return root


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
    # A section begins with its answer, not with a note.
    return [
        pair
        for pair in made
        if game.language in pair and not any(text.startswith("> [!") for _, text in pair.values())
    ]
