"""Bases of any size for measuring: N rulings recombined from the project's own and, where they are, from VTES's sentences.

The same seed gives the same files. Paragraphs stay whole and in their language, so that words, marks of cards and lengths are
those of real rulings; several games, two languages each (VTES one), topics, relations, dates.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import yaml

from kb.records.library import load
from kb.records.model import Game, Ruling

TOPICS = "combat votes bleeding stealth-intercept actions disciplines equipment retainers timing tournament".split()
Pairs = list[dict[str, tuple[str, str]]]


def make_corpus(root: Path, size: int, project: Path, shared: Path, seed: int = 1) -> Path:
    """Writes `size` rulings below `root`, a new folder, and gives it. `project`: the folder of the project's rulings."""
    random_ = random.Random(seed)
    library = load(project)
    pools: dict[str, tuple[str, list[str], Pairs]] = {}
    for game in library.games.values():
        _copy_game(project / game.id, root / game.id)
        pools[game.id] = (game.language, list(game.topics), _pairs(game, library.of_game(game.id)))
    if (shared / "data" / "vtes" / "rulings" / "rulings.yaml").is_file():
        pools["vtes"] = ("en", TOPICS, _vtes(shared / "data" / "vtes", root / "vtes"))
    games = list(pools)
    for number in range(size):
        game = games[number % len(games)]
        original, topics, pairs = pools[game]
        chosen = random_.sample(pairs, random_.randint(1, 3))
        topic = random_.choice(topics)
        path = root / game / topic / f"r{number:06d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        related = number - len(games) * random_.randint(1, 20)
        path.write_text("\n".join(_record(original, topic, chosen, related, random_)) + "\n", encoding="utf-8")
    return root


def _record(original: str, topic: str, chosen: Pairs, related: int, random_: random.Random) -> Iterator[str]:
    yield from ("---", f"kind: {random_.choice(['ruling', 'ruling', 'ruling', 'definition', 'example'])}")
    yield from ("authority: official", "status: current", "topics:", f"  - {topic}")
    yield from (f"date: {random_.randint(1998, 2025)}-{random_.randint(1, 12):02d}",)
    if related >= 0:
        yield from ("related:", f"  - r{related:06d}")
    yield "---"
    for lang in sorted(chosen[0], key=lambda one: one != original):
        yield from ("", f"# {lang}: {chosen[0][lang][0]}")
        for pair in chosen:
            yield from ("", pair.get(lang, chosen[0][lang])[1])


def _copy_game(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for name in ("game.yaml", "sources.yaml", "terms.yaml", "cards.tsv"):
        if (source / name).is_file():
            shutil.copyfile(source / name, target / name)


def _pairs(game: Game, rulings: list[Ruling]) -> Pairs:
    """Title and paragraphs of each ruling in every language; a paragraph a pair, so that there are more than rulings."""
    made: Pairs = []
    for ruling in rulings:
        parts = {text.lang: (text.title, text.body.split("\n\n")) for text in ruling.texts}
        many = min(len(paragraphs) for _, paragraphs in parts.values())
        made += [{lang: (title, paragraphs[at].strip()) for lang, (title, paragraphs) in parts.items()} for at in range(many)]
    return [pair for pair in made if game.language in pair]


def _vtes(source: Path, target: Path) -> Pairs:
    """VTES as a game of the base; its rulings without marks and references, titled by their first words."""
    target.mkdir(parents=True)
    topics = "".join(f"  - id: {topic}\n    en: {topic.replace('-', ' ').capitalize()}\n" for topic in TOPICS)
    (target / "game.yaml").write_text(
        f"id: vtes\nname:\n  en: Vampire the Eternal Struggle\nlanguage: en\nlanguages:\n  - en\ntopics:\n{topics}",
        encoding="utf-8",
    )
    rows = [line.split("\t") for line in (source / "cards.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    names = dict.fromkeys(row[1].strip() for row in rows if row[1].strip() and ";" not in row[1])
    lines = [f"{name}\t\tAll\tCard\t\t\t" for name in names]
    (target / "cards.tsv").write_text(
        "\n".join(["name\tversion\tset\ttype\tside\tsubtypes\tother_names", *lines]) + "\n", encoding="utf-8"
    )
    made: Pairs = []
    for group in yaml.safe_load((source / "rulings" / "rulings.yaml").read_text(encoding="utf-8")).values():
        for one in group:
            text = " ".join(re.sub(r"\[[^\]]*\]|[{}<>*_#`|]", "", str(one["text"] if isinstance(one, dict) else one)).split())
            if len(text) > 40:
                made.append({"en": (" ".join(text.split()[:7]).strip(".,;:\"'"), text)})
    return made
