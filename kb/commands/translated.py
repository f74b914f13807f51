"""`kb translated`: translations marked as fitting the original as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kb.core.files import folder_lock, remove_temporary_files, write_file
from kb.core.problems import KbError, posix_path
from kb.records.changed import find_ruling_of
from kb.records.header_edit import with_header_key
from kb.records.library import Library, load
from kb.records.model import Ruling, fingerprint
from kb.records.patch import locate


def mark_translated(root: Path, keys: Sequence[str]) -> list[str]:
    """Write into records that their translations fit the original as it is now.

    `keys` are ids or `game/id`, all rulings when empty. Returns the paths that were written.
    Raises KbError for an unknown key or a file that cannot be written.
    """
    with folder_lock(root):
        return _mark_translated(load(root), keys)


def _mark_translated(library: Library, keys: Sequence[str]) -> list[str]:
    rulings = [find_ruling_of(library, key) for key in keys] or list(library.rulings.values())
    written: dict[str, None] = {}
    # Write the last ruling of a collection first: an edit moves all that follow it.
    for ruling in sorted(rulings, key=lambda ruling: (ruling.path, -ruling.span[0])):
        fingerprints = {text.lang: fingerprint(ruling.original) for text in ruling.texts[1:]}
        if fingerprints != dict(ruling.header.translated_from):
            _write_fingerprints(ruling, fingerprints)
            written[posix_path(Path(ruling.path))] = None
    return list(written)


def _write_fingerprints(ruling: Ruling, fingerprints: dict[str, str]) -> None:
    path = Path(ruling.path)
    name = posix_path(path)
    try:
        location = locate(path.read_bytes(), ruling.id)
        if location is None:
            raise KbError(f"{name}: the ruling {ruling.key} is no longer in this file")
        text = with_header_key(location.text, "translated-from", fingerprints)
        remove_temporary_files(path.parent)
        write_file(path, location.file(text))
    except OSError as error:
        raise KbError(f"{name}: {error.strerror}") from error
    except ValueError as error:
        raise KbError(f"{name}: changed while it was read ({error}); run it again") from error
