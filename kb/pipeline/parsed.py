"""Rulings as they were read, and their words: the stage `file` of the build cache."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from kb.core.json import bytes_hash, json_bytes
from kb.core.memo import Memo
from kb.core.parallel import map_chunks
from kb.core.problems import posix_path
from kb.language import words_of
from kb.pipeline.cache import EMPTY, Row, Stage
from kb.records.fields import HEADER_FIELDS, Header
from kb.records.library import Library, ParseCache
from kb.records.model import Ruling, Text
from kb.search.analyzer import words_by_text

# Words by language, one space between two.
Words = dict[str, str]
# Rulings whose words one process takes at a time.
_CHUNK = 2_500


@dataclass(frozen=True, slots=True)
class ParsedRuling:
    """A ruling as it was read. `hash`: that of its content, whatever line of a file it stands on.

    `words` are those of its titles and texts, each once. `around` are more words that something
    looks up for it: those of marks, of questions, of its id and of the provisions that it cites.
    """

    ruling: Ruling
    words: Words
    around: Words
    hash: str


class CachedFiles:
    """The files that the last build read, with their rulings, by path below the records.

    `are_checked`: whether the rulings have been checked together, as those of a build are.
    """

    def __init__(
        self,
        stages: Mapping[str, Stage],
        by_path: Mapping[str, Sequence[ParsedRuling]],
        by_key: Mapping[str, ParsedRuling] | None = None,
        *,
        are_checked: bool = True,
    ) -> None:
        """`by_key`: the same rulings by key, where they are known."""
        self._are_checked = are_checked
        self.rows = stages.get("file", EMPTY)
        self._game_rows = stages.get("game", EMPTY)
        self.by_path = by_path
        self.by_key = by_key or {
            one.ruling.key: one for several in by_path.values() for one in several
        }

    def rulings_of(self, path: str) -> list[Ruling]:
        """The rulings of a file, none where there was no such file."""
        return [one.ruling for one in self.by_path.get(path, ())]

    @classmethod
    def read(cls, stages: Mapping[str, Stage], root: Path) -> CachedFiles:
        """The rulings in the rows of the cache. `root`: where the records lie now."""
        above = posix_path(root / "_").removesuffix("_")
        rows = stages.get("file", EMPTY)
        return cls(stages, {path: read_row(row, above + path) for path, row in rows.items()})

    def forget_rulings(self) -> None:
        """Forget the rulings and their rows, where nobody needs them again."""
        self.rows, self.by_path, self.by_key = EMPTY, {}, {}

    @cached_property
    def games(self) -> dict[str, dict[str, bytes]]:
        """Each game's own files."""
        return {
            game: {name: text.encode() for name, text in orjson.loads(row.blob).items()}
            for game, row in self._game_rows.items()
        }

    def parse_cache(self, memo: Memo) -> ParseCache:
        """For `load`: files with the same checksum are not parsed again."""
        checksums = {
            f"{game}/{name}": hashlib.sha256(data).hexdigest()
            for game, files in self.games.items()
            for name, data in files.items()
        }
        rulings = {path: [one.ruling for one in several] for path, several in self.by_path.items()}
        files = {path: (self.rows[path].hash, several) for path, several in rulings.items()}
        return ParseCache(files, checksums, memo, self._are_checked)


def rulings_by_path(parsed: Mapping[str, ParsedRuling]) -> dict[str, list[ParsedRuling]]:
    """Rulings by the path of their file, in the order of the file."""
    by_path: dict[str, list[ParsedRuling]] = defaultdict(list)
    for one in parsed.values():
        by_path[record_path(one.ruling)].append(one)
    for several in by_path.values():
        several.sort(key=lambda one: one.ruling.span)
    return by_path


def parse_some(
    library: Library, keys: Iterable[str], known: Mapping[str, ParsedRuling]
) -> dict[str, ParsedRuling]:
    """The same as `known`, which has all keys of the library, with some rulings taken anew."""
    rulings = (library.rulings[key] for key in keys)
    return {**known, **{one.key: ParsedRuling(one, *_words_and_hash(one)) for one in rulings}}


def parse_all(library: Library, cached: CachedFiles) -> dict[str, ParsedRuling]:
    """The rulings of a library with their words, by key, from the cache where they are there."""
    old = {key: cached.by_key.get(key) for key in library.rulings}
    known = {key: one for key, one in old.items() if one and one.ruling is library.rulings[key]}
    new = [ruling for key, ruling in library.rulings.items() if key not in known]
    chunks = map_chunks(lambda some: [*map(_words_and_hash, some)], new, _CHUNK)
    added = zip(new, (one for chunk in chunks for one in chunk), strict=True)
    known |= {ruling.key: ParsedRuling(ruling, *rest) for ruling, rest in added}
    return {key: known[key] for key in library.rulings}


def file_rows(
    by_path: Mapping[str, Sequence[ParsedRuling]], library: Library, cached: CachedFiles
) -> dict[str, Row]:
    """The rows of some files in the stage `file`; see `rulings_by_path`."""
    rows = {}
    for path, several in by_path.items():
        checksum, known = library.checksums[path], cached.rows.get(path)
        rows[path] = (
            known if known and known.hash == checksum else Row(checksum, file_blob(several))
        )
    return rows


def game_rows(library: Library, memo: Memo) -> dict[str, Row]:
    """The rows of the stage `game`."""
    return {game: memo.call(game, _game_row, files) for game, files in library.game_files.items()}


def _game_row(files: Mapping[str, bytes]) -> Row:
    data = json_bytes({name: text.decode() for name, text in files.items()})
    return Row(bytes_hash(data), data)


def record_path(ruling: Ruling) -> str:
    """The path of a ruling's file below the folder of records."""
    return "/".join(ruling.path.rsplit("/", 3)[-3:])


def file_blob(rulings: Sequence[ParsedRuling]) -> bytes:
    """The rulings of a file, as a row of the stage `file` has them."""
    data = [[ruling_to_json(one.ruling), one.words, one.around, one.hash] for one in rulings]
    return json_bytes(data)


def read_row(row: Row, path: str) -> list[ParsedRuling]:
    """The rulings in a row of the stage `file`. `path`: where the file lies now."""
    parsed = []
    for data, words, around, hash_ in orjson.loads(row.blob):
        # The records may lie elsewhere now, or be named in another way.
        data["path"] = path
        parsed.append(ParsedRuling(ruling_from_json(data), words, around, hash_))
    return parsed


def ruling_to_json(ruling: Ruling) -> dict[str, Any]:
    """A ruling as plain data, but for the lines of its header, which only problems need."""
    header = ruling.header.__dict__
    return {
        **ruling.__dict__,
        "header": {field.name: field.to_json(header[field.name]) for field in HEADER_FIELDS},
        "texts": [asdict(text) for text in ruling.texts],
        "lines": {},
    }


def ruling_from_json(data: dict[str, Any]) -> Ruling:
    """The ruling that `ruling_to_json` was given, from its JSON. It is not checked again."""
    header = data["header"]
    values = {field.name: field.from_json(header[field.name]) for field in HEADER_FIELDS}
    texts = tuple(Text(**text) for text in data["texts"])
    return Ruling(
        **{
            **data,
            "header": Header(**values),
            "texts": texts,
            "asked_as": {lang: tuple(asked) for lang, asked in data["asked_as"].items()},
            "span": tuple(data["span"]),
        },
    )


def with_links(ruling: Ruling, blob: bytes) -> Ruling:
    """The ruling with the bodies that a row of the stage `link` has; itself where it has none."""
    bodies = orjson.loads(blob)
    return ruling if bodies is None else ruling.with_bodies(bodies)


def parsed_ruling(ruling: Ruling) -> ParsedRuling:
    """A ruling with its words and its hash."""
    return ParsedRuling(ruling, *_words_and_hash(ruling))


def _words_and_hash(ruling: Ruling) -> tuple[Words, Words, str]:
    words: dict[str, set[str]] = defaultdict(set)
    for lang, several in words_by_text(ruling):
        words[lang].update(several)
    around: dict[str, set[str]] = defaultdict(set)
    for text in ruling.texts:
        if "[[" in text.body:
            # The card finder reads what stands in marks as well.
            bare = text.body.replace("[[", " ").replace("]]", " ").replace("|", " ")
            around[text.lang].update(set(words_of(bare)) - words[text.lang])
    for lang, questions in ruling.asked_as.items():
        around[lang].update(word for question in questions for word in words_of(question))
    for name in (ruling.id, *(citation.provision for citation in ruling.header.sources)):
        around["en"].update(words_of(name.replace("-", " ")))
    return _joined(words), _joined(around), bytes_hash(orjson.dumps(_content(ruling)))


def _joined(words: Mapping[str, set[str]]) -> Words:
    return {lang: " ".join(sorted(several)) for lang, several in words.items() if several}


def _content(ruling: Ruling) -> dict[str, Any]:
    """A ruling as data, without the lines that it stands on."""
    data = ruling_to_json(ruling)
    texts = [{**text, "line": 0, "body_line": 0} for text in data["texts"]]
    return {**data, "texts": texts, "path": record_path(ruling), "span": None}
