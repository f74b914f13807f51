"""Library -> a Whoosh index, with a manifest of checksums: an index is opened only as it was written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from kb.index.words import Analyser, vocabulary
from kb.language import Table, fold
from kb.problems import NotBuilt
from kb.records.library import Library
from kb.records.marks import cards_of
from kb.records.model import Game, Ruling
from kb.records.standing import Span, dated, spans

__all__ = ["build_index", "verify", "vocabulary"]

LAYOUT = 2
# What a ruling for no rule set in particular has in that field.
ANY_RULES = "-"
Progress = Callable[[int, int], None]


def build_index(library: Library, table: Table, folder: Path, progress: Progress | None = None) -> int:
    """Writes the index of the library's good rulings into `folder`, which must not exist yet; returns how many there are."""
    from whoosh.index import create_in

    from kb.index.schema import schema

    folder.mkdir(parents=True)
    writer = create_in(str(folder), schema()).writer(limitmb=256)
    analysers = {game.id: Analyser(game, table) for game in library.games.values()}
    standing = spans(library.games, library.rulings)
    for number, ruling in enumerate(library.rulings.values(), 1):
        document = _document(ruling, library.games[ruling.game], analysers[ruling.game], standing[ruling.key])
        writer.add_document(**document)
        if progress and (number % 50 == 0 or number == len(library.rulings)):
            progress(number, len(library.rulings))
    writer.commit(optimize=True)
    sums = {path.name: _sum(path) for path in sorted(folder.iterdir()) if path.suffix != ".lock" and "LOCK" not in path.name}
    _manifest(folder).write_text(json.dumps({"layout": LAYOUT, "files": sums}, indent=1) + "\n", encoding="utf-8")
    return len(library.rulings)


def _manifest(folder: Path) -> Path:
    return folder.with_name(folder.name + ".manifest.json")


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(folder: Path) -> None:
    """Raises NotBuilt unless every file of the index is as it was written.

    Whoosh unpickles its table of contents, and a flipped byte elsewhere gives wrong results without a word.
    """
    try:
        manifest = json.loads(_manifest(folder).read_text(encoding="utf-8"))
        files, layout = dict(manifest["files"]), manifest["layout"]
        whole = layout == LAYOUT and all(_sum(folder / name) == wanted for name, wanted in files.items())
        found = {path.name for path in folder.iterdir() if path.suffix in (".toc", ".seg")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotBuilt(f"the index is missing or unreadable ({type(error).__name__})") from None
    if not whole or not found <= set(files):
        raise NotBuilt("the index is damaged or of another version")


def _document(ruling: Ruling, game: Game, analyser: Analyser, span: Span) -> dict[str, object]:
    head = ruling.header
    postings = analyser.postings(ruling)
    return {
        "key": ruling.key,
        "content": "\n".join(f"{term}\t{place}\t{weight}" for term, place, weight in postings),
        "game": ruling.game,
        "kind": head.kind,
        "authority": head.authority,
        "status": head.status,
        "lang": ",".join(text.lang for text in ruling.texts),
        "topic": ",".join(head.topics),
        "source": ",".join(dict.fromkeys(one for citation in head.sources for one in (citation.source, str(citation)))),
        "card": ",".join(folded_cards(ruling, game)),
        "date": dated(ruling, game) or "00000000",
        "begins": span.begins,
        "ends": span.ends,
        "rules": ",".join(head.rules) or ANY_RULES,
    }


def folded_cards(ruling: Ruling, game: Game) -> list[str]:
    """Folded labels, names and other names of a ruling's cards, for the filter."""
    names = {
        name for label in cards_of(ruling) for card in game.cards_named(label) for name in (label, card.name, *card.other_names)
    }
    return sorted({fold(name).replace(",", " ").strip() for name in names})


def stored_length(terms: int) -> int:
    """How long Whoosh takes a document of so many terms to be: it keeps lengths in one byte."""
    from whoosh.util.numeric import byte_to_length, length_to_byte

    return int(byte_to_length(length_to_byte(terms)))
