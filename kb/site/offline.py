"""What a browser saves for offline use: an archive for each game in each language.

What belongs to no game (front pages, search) has an archive for each language, and what all pages
need is `common`. An archive is compressed with gzip: a line of JSON with the address and size of
each file, then the files one after the other. A game of 1,700 files is saved in four requests.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import orjson

from kb.core import urls
from kb.core.json import bytes_hash
from kb.core.parallel import parallel_map
from kb.site.output import Written, write_site_files
from kb.site.site_pages import SitePages

Languages = Mapping[str, Sequence[str]]
_FOLDER = "offline"
# Level 6 takes three times as long as level 1 and saves a third.
_LEVEL = 6
# Tells zlib to write the format of gzip.
_GZIP = 31


def write_archives(
    folder: Path, files: Mapping[str, Written], pages: SitePages
) -> dict[str, Written]:
    """Write the archives of a site whose files are written, and the index that names them by hash.

    Returns the files that it has written.
    """
    games = [*pages.library.games]
    # The games whose pages are in English instead.
    languages = {lang: pages.context.only_english(lang) for lang in pages.languages}
    groups = _addresses_by_group(sorted(files), games, languages)
    written: dict[str, Written] = {}
    for archive in parallel_map(partial(_write_archive, folder, files), [*groups.items()]):
        written |= archive
    archives = {name: written[_address(name)] for name in groups}
    # Identifies the edition on a device: templates count as well as records.
    key = bytes_hash(orjson.dumps(archives))
    index = {**pages.stamp, "key": key, "games": games, "archives": archives}
    data = orjson.dumps(index, option=orjson.OPT_APPEND_NEWLINE)
    return written | write_site_files(folder, [(f"{_FOLDER}/index.json", data)])


def _address(group: str) -> str:
    return f"{_FOLDER}/{group}.bin"


def _write_archive(
    folder: Path, files: Mapping[str, Written], group: tuple[str, Sequence[str]]
) -> dict[str, Written]:
    name, addresses = group
    rows = [(address, files[address][1]) for address in addresses]
    # gzip without a time: the same files give the same bytes.
    packer = zlib.compressobj(_LEVEL, wbits=_GZIP)
    parts = [packer.compress(orjson.dumps(rows, option=orjson.OPT_APPEND_NEWLINE))]
    parts += (packer.compress((folder / address).read_bytes()) for address in addresses)
    return write_site_files(folder, [(_address(name), b"".join([*parts, packer.flush()]))])


def _addresses_by_group(
    addresses: Iterable[str], games: Sequence[str], languages: Languages
) -> dict[str, list[str]]:
    """The files of each archive, in their order."""
    names = ["common", *languages, *(f"{lang}-{game}" for lang in languages for game in games)]
    groups: dict[str, list[str]] = {name: [] for name in names}
    words = {
        address: lang
        for lang in languages
        for address in (urls.search_words(lang), urls.search_terms(lang))
    }
    for address in addresses:
        own = [words[address]] if address in words else _groups(address, games, languages)
        for group in own:
            groups[group].append(address)
    return groups


def _groups(address: str, games: Sequence[str], languages: Languages) -> list[str]:
    """The archives that a file goes to; none for files of programs and feed readers."""
    first, _, rest = address.partition("/")
    if first == "static" or address == urls.BUILD_SCRIPT:
        return ["common"]
    # The panels of cards need their data in any language of the interface.
    if first in games and rest.startswith("cards/") and address.endswith("/index.json"):
        return [f"{lang}-{first}" for lang in languages]
    if not address.endswith((".html", urls.MANIFEST)) or address == urls.NOT_FOUND:
        return []
    lang, below = (first, rest) if first in languages and first != "en" else ("en", address)
    game = below.partition("/")[0]
    if game not in games:
        return [lang]
    if lang == "en":
        return [f"{each}-{game}" for each in languages if each == "en" or game in languages[each]]
    return [f"{lang}-{game}"]
