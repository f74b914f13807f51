"""A new record to fill in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from kb.problems import KbError
from kb.records.checks import TODO
from kb.records.library import load
from kb.records.model import AUTHORITIES, KINDS, SLUG, Game


def new_ruling(root: Path, game: str, topic: str, ruling_id: str, *, kind: str, authority: str, sources: Sequence[str]) -> Path:
    """Writes `<root>/<game>/<topic>/<id>.md` with a section for each language of the game; returns its path.

    Raises KbError when a word is not known or the id is taken.
    """
    library = load(root)
    owner = library.games.get(game)
    if owner is None:
        raise KbError(f"no game {game!r} in {root}; there are {', '.join(library.games)}")
    if topic not in owner.topics:
        raise KbError(f"no topic {topic!r} in {game}; there are {', '.join(owner.topics)}")
    if not SLUG.fullmatch(ruling_id):
        raise KbError(f"{ruling_id!r} is not an id: lower-case letters a-z, digits and single hyphens")
    for word, known in ((kind, KINDS), (authority, AUTHORITIES)):
        if word not in known:
            raise KbError(f"{word!r} is not one of {', '.join(known)}")
    key = f"{game}/{ruling_id}"
    taken = library.rulings[key].path if key in library.rulings else library.left_out.get(key)
    if taken:
        raise KbError(f"the id {ruling_id} is taken by {taken}")
    if any(ruling_id in ruling.header.formerly for ruling in library.of_game(game)):
        raise KbError(f"the id {ruling_id} was once another ruling's; ids are never reused")
    path = root / game / topic / f"{ruling_id}.md"
    _write(path, _text(owner, topic, kind, authority, sources))
    return path


def _text(game: Game, topic: str, kind: str, authority: str, sources: Sequence[str]) -> str:
    lines = ["---", f"kind: {kind}", f"authority: {authority}", "status: current", "topics:", f"  - {topic}"]
    if sources:
        lines += ["sources:", *(f"  - {one}" for one in sources)]
    lines += ["---"]
    for lang in dict.fromkeys((game.language, *game.header.languages)):
        lines += ["", f"# {lang}: {TODO}", "", f"{TODO}: the answer, in a sentence or two that can be read out at a table."]
    return "\n".join(lines) + "\n"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise KbError(f"{path}: {error.strerror}") from error
