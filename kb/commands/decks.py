"""`kb deck`: the rulings that matter for a deck list."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from kb.commands.backend import Backend, Notify, Target, with_backend
from kb.core.problems import KbError
from kb.decks.answer import DeckAnswer, rulings_for_deck
from kb.store.queries import StoredRuling

# Bytes of a deck list; the largest tournament lists have a hundredth of it.
_MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class DeckResult:
    """The answer to a deck list, and its rulings by id."""

    answer: DeckAnswer
    rulings: dict[str, StoredRuling]


def read_deck(path: Path) -> str:
    """Return the text of a deck list; `-` is standard input.

    Raises KbError when it cannot be read, or is no deck list by its size.
    """
    try:
        if str(path) == "-":
            data = sys.stdin.buffer.read(_MAX_BYTES + 1)
        else:
            with path.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise KbError(f"{path}: {error.strerror or error}") from error
    if len(data) > _MAX_BYTES:
        raise KbError(f"{path}: larger than {_MAX_BYTES:,} bytes; is it a deck list?")
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    return data.decode(encoding, "replace")


def answer_deck(target: Target, text: str, game: str | None, say: Notify) -> DeckResult:
    """Answer a deck list from the current build; see `rulings_for_deck`."""

    def run(backend: Backend) -> DeckResult:
        with backend.store() as store, backend.table() as table:
            answer = rulings_for_deck(text, store, table, game)
            keys = (f"{answer.game}/{ruling}" for ruling in answer.ruling_ids())
            return DeckResult(answer, {ruling.id: ruling for ruling in store.rulings(keys)})

    return with_backend(target, run, say)
