"""What a browser saves for offline use: an archive for each game in each language.

What belongs to no game (front pages, search) has an archive for each language, and what all pages
need is `common`. An archive is compressed with gzip: a line of JSON with the address and size of
each file, then the files one after the other. A game of 1,700 files is saved in four requests.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import orjson

from kb.core import urls
from kb.core.parallel import parallel_map
from kb.site.feeds import Languages
from kb.site.output import HASH, Output, Written

_FOLDER = "offline"
# Level 6 takes three times as long as level 1 and saves a third.
_LEVEL = 6
# Tells zlib to write the format of gzip.
_GZIP = 31


def write_archives(
    output: Output, games: Sequence[str], languages: Languages, stamp: Mapping[str, str]
) -> None:
    """Write the archives of a site that is written, and the index that names them by hash.

    `languages`: the games whose pages are in English instead, by language. `stamp` goes into the
    index.
    """
    groups = _addresses_by_group(sorted(output.files), games, languages)
    for files in parallel_map(partial(_write_archive, output), [*groups.items()]):
        output.take(files)
    archives = {name: output.files[_archive(name)] for name in groups}
    # Identifies the edition on a device: templates count as well as records.
    key = hashlib.sha256(orjson.dumps(archives)).hexdigest()[:HASH]
    index = {**stamp, "key": key, "games": list(games), "archives": archives}
    output.write(f"{_FOLDER}/index.json", orjson.dumps(index, option=orjson.OPT_APPEND_NEWLINE))


def _archive(group: str) -> str:
    return f"{_FOLDER}/{group}.bin"


def _write_archive(site: Output, group: tuple[str, Sequence[str]]) -> Mapping[str, Written]:
    name, addresses = group
    rows = [(address, site.files[address][1]) for address in addresses]
    # gzip without a time: the same files give the same bytes.
    packer = zlib.compressobj(_LEVEL, wbits=_GZIP)
    parts = [packer.compress(orjson.dumps(rows, option=orjson.OPT_APPEND_NEWLINE))]
    parts += (packer.compress((site.folder / address).read_bytes()) for address in addresses)
    output = Output(site.folder)
    output.write(_archive(name), b"".join([*parts, packer.flush()]))
    return output.files


def _addresses_by_group(
    addresses: Iterable[str], games: Sequence[str], languages: Languages
) -> dict[str, list[str]]:
    """The files of each archive, in their order."""
    groups: dict[str, list[str]] = {"common": [], **{lang: [] for lang in languages}}
    groups |= {f"{lang}-{game}": [] for lang in languages for game in games}
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
    # Corrections and the panels of cards need data in any language of the interface.
    is_card = rest.startswith("cards/") and address.endswith("/index.json")
    if first in games and (is_card or urls.is_data_of_ruling(address)):
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
