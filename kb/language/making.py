"""The files that languages are looked up in: which are missing, and how each is made."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress

from kb.language.registry import ENGLISH, LANGUAGES, language_of, sisters
from kb.language.sisters import make_spellings
from kb.language.sorted_map import map_path


def missing_dictionaries(codes: Collection[str]) -> list[str]:
    """The languages whose dictionaries analysing some languages needs and would make itself.

    English comes first: its dictionary is the smallest, and every language looks words up there.
    None where the cache cannot be written.
    """
    needed = {language_of(code).code for code in codes} | {ENGLISH.code}
    needed |= {sister.code for code in codes for sister, _ in sisters(code)}
    missing = {
        code
        for code in needed
        if (dictionary := LANGUAGES[code].dictionary) and not dictionary.is_made
    }
    if not missing or not _is_writable():
        return []
    return sorted(missing, key=lambda code: (code != ENGLISH.code, code))


def make_dictionary(code: str, codes: Collection[str]) -> None:
    """Make the files of one language that analysing some languages needs."""
    language = LANGUAGES[code]
    if language.dictionary:
        language.dictionary.make()
    # The spellings that it shares with the language whose sister it is.
    for other in codes:
        for sister, correspondence in sisters(other):
            if sister is language:
                make_spellings(sister, correspondence)


def _is_writable() -> bool:
    folder = map_path("", "").parent
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return os.access(folder, os.W_OK)
