"""`kb translated`: mark translations as up to date with their original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.options import count_noun, notify, paths_for
from kb.core.problems import KbError, posix_path

if TYPE_CHECKING:
    from kb.records.model import Ruling


@click.command()
@click.argument(
    "ids", nargs=-1, metavar="[ID]...", help="Rulings, by id or game/id (default: all)."
)
@options.rulings()
def translated(ids: tuple[str, ...], rulings: Path | None) -> None:
    """Mark translations as up to date; a later change of the original makes them stale.

    \b
    Example:
    kb translated hidden-cost
    """
    written = mark_translated(paths_for(rulings, own=True).rulings, ids)
    for path in written:
        print(path)
    notify(f"{count_noun(len(written), 'record')} updated")


def mark_translated(root: Path, keys: Sequence[str]) -> list[str]:
    """Write into records that their translations are up to date.

    `keys`: ids or `game/id`; empty for all rulings. Returns the written paths.
    Raises KbError for an unknown key or a file that cannot be written.
    """
    from kb.core.files import folder_lock
    from kb.records.library import load

    written: dict[str, None] = {}
    with folder_lock(root):
        library = load(root)
        rulings = [library.find(key) for key in keys] or list(library.rulings.values())
        for ruling in sorted(rulings, key=lambda ruling: ruling.path):
            original = ruling.original.fingerprint
            fingerprints = {text.lang: original for text in ruling.texts[1:]}
            if fingerprints != dict(ruling.header.translated_from):
                _write_fingerprints(ruling, fingerprints)
                written[posix_path(Path(ruling.path))] = None
    return list(written)


def _write_fingerprints(ruling: Ruling, fingerprints: dict[str, str]) -> None:
    from kb.core.files import write_file
    from kb.records.draft import PatchError, parse_draft, patch_text, record_file

    path = Path(ruling.path)
    name = posix_path(path)
    try:
        data = path.read_bytes()
        file = record_file(data)
        draft = parse_draft(file.text)[0] if file else None
        if file is None or draft is None:
            raise KbError(f"{name}: the ruling {ruling.key} has changed meanwhile; run it again")
        header = {**draft.header, "translated-from": fingerprints}
        text = patch_text(file.text, replace(draft, header=header))
        write_file(path, file.data(text), expected=data)
    except OSError as error:
        raise KbError(f"{name}: {error.strerror}") from error
    except PatchError as error:
        raise KbError(f"{name}: {error}") from error
