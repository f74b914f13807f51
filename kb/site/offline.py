"""What a browser saves for offline use: an archive for each game in each language of its pages.

Pages of no game (front pages, search) have an archive for each language; `common` has what all
pages need. An archive consists of parts, each compressed with gzip: for each file a line of JSON,
`[address, size, media type]`, and its bytes.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import orjson

from kb.core import urls
from kb.core.json import bytes_hash
from kb.core.parallel import parallel_map
from kb.site.output import Written, write_site_files
from kb.site.site_pages import SitePages

# Parts of archives, by the names of the archives.
ArchiveParts = Mapping[str, bytes]
_FOLDER = "offline"
# Files in a part, besides pages.
_FILES = 200
# Level 6 takes three times as long as level 1 and saves a third.
_LEVEL = 6
# The window bits by which zlib writes the format of gzip.
_GZIP = 31


class Archiver:
    """Makes a part for each archive, of pages and the data beside them."""

    def __init__(self, pages: SitePages) -> None:
        self._pages = pages
        self._parts: dict[str, _Part] = defaultdict(_Part)

    def kept(self, files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
        """Yield files again, after each has been added to its archives."""
        for address, data in files:
            for name in self._archives_of(address):
                self._parts[name].add(address, data)
            yield address, data

    def _archives_of(self, address: str) -> Iterator[str]:
        lang, below = _in_language(address, self._pages.languages)
        game = below.partition("/")[0]
        if address.endswith(".json"):
            # The panels of a card need its data in any language of the interface.
            yield from (_name(each, game) for each in self._pages.context.languages_of(address))
        elif below != urls.NOT_FOUND:
            yield _name(lang, game) if game in self._pages.library.games else lang

    def finish(self) -> ArchiveParts:
        return {name: part.finish() for name, part in self._parts.items()}


class _Part:
    """A part of an archive."""

    def __init__(self) -> None:
        # gzip without a time: the same files give the same bytes.
        self._packer = zlib.compressobj(_LEVEL, wbits=_GZIP)
        self._packed: list[bytes] = []

    def add(self, address: str, data: bytes) -> None:
        head = (address, len(data), urls.media_type(address))
        line = orjson.dumps(head, option=orjson.OPT_APPEND_NEWLINE)
        self._packed += self._packer.compress(line), self._packer.compress(data)

    def finish(self) -> bytes:
        return b"".join([*self._packed, self._packer.flush()])


def write_archives(
    folder: Path, files: Mapping[str, Written], pages: SitePages, archived: Sequence[ArchiveParts]
) -> dict[str, Written]:
    """Write the archives of a site, and the index that names them by hash.

    `files`: the written files of the site; `archived`: its pages, in order. Returns the archives'
    own files.
    """
    parts: dict[str, list[bytes]] = defaultdict(list)
    for pages_archived in archived:
        for name, part in pages_archived.items():
            parts[name].append(part)
    chunks = [*_chunks(sorted(files), pages.languages)]
    packed = dict(parallel_map(partial(_packed_chunk, folder, chunks), range(len(chunks))))
    for number, (name, _) in enumerate(chunks):
        parts[name].append(packed[number])
    contents = {name: b"".join(several) for name, several in sorted(parts.items())}
    written = write_site_files(
        folder, ((f"{_FOLDER}/{name}.bin", content) for name, content in contents.items())
    )
    listed = {
        name: (*written[f"{_FOLDER}/{name}.bin"], [len(part) for part in parts[name]])
        for name in contents
    }
    # Identifies the edition on a device: templates count as well as records.
    key = bytes_hash(orjson.dumps(listed))
    index = {**pages.stamp, "key": key, "games": [*pages.library.games], "parts": listed}
    data = orjson.dumps(index, option=orjson.OPT_APPEND_NEWLINE)
    return written | write_site_files(folder, [(f"{_FOLDER}/index.json", data)])


def _packed_chunk(
    folder: Path, chunks: Sequence[tuple[str, Sequence[str]]], number: int
) -> tuple[int, bytes]:
    part = _Part()
    for address in chunks[number][1]:
        part.add(address, (folder / address).read_bytes())
    return number, part.finish()


def _chunks(
    addresses: Sequence[str], languages: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The files beside pages, in chunks for the parts of archives."""
    groups: dict[str, list[str]] = defaultdict(list)
    words = {
        address: lang
        for lang in languages
        for address in (urls.search_words(lang), urls.search_terms(lang))
    }
    for address in addresses:
        if address in words:
            groups[words[address]].append(address)
        elif address.startswith(f"{urls.STATIC}/") or address == urls.BUILD_SCRIPT:
            groups["common"].append(address)
        elif address.endswith(urls.MANIFEST):
            groups[_in_language(address, languages)[0]].append(address)
    for name, several in groups.items():
        for start in range(0, len(several), _FILES):
            yield name, several[start : start + _FILES]


def _name(lang: str, game: str) -> str:
    return f"{lang}-{game}"


def _in_language(address: str, languages: Sequence[str]) -> tuple[str, str]:
    """The language of a file, and its address below the language."""
    first, _, below = address.partition("/")
    return (first, below) if first in languages and first != "en" else ("en", address)
