"""Files for importers as somebody may send them who means harm, and random ones."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from kb.commands.importing import import_rulings
from kb.core.problems import KbError
from kb.ingest.base import importer
from kb.ingest.write import rendered, write
from kb.records.library import load
from kb.records.model import Game
from kb.records.tables import CARD_COLUMNS
from tests.selection import examples

# No shrinking: with inputs of this size it takes longer than the search.
FUZZ = settings(
    examples(0.25), phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck)
)
PIECES = (
    "---\n§--- §...\n§# pl: T\n§# en: §## x\n§kind: ruling\n§"
    "authority: official\n§status: current\n§topics:\n  - pilots\n§about:\n§"
    "sources:\n  - demo-faq#x\n§date: 2003-02-30\n§supersedes:\n  - a\n§because: 'x\n§"
    "rules: x\n§different-from:\n  - a (b)\n§translated-from:\n  en: 00000000\n§"
    "id: demo\n§name:\n  pl: D\n§language: pl\n§languages:\n  - pl\n§- id: x\n§  pl: y\n§"
    "  title:\n    pl: y\n§card-version: '{name} {version}'\n§ruled:\n  official: 2002/\n§"
    "editions:\n§- §: §? §| \n§> §&a §*a §!!str §{§}§[§]§[[§]]§|§\"§'§```\n§~~~\n§TODO§"
    "a@b.cz§1.2.3"
).split("§")
PIECES += "\\ \\u202e \t \n \n\n \r\n \ufeff \x00 \u2028 ż é\u0301 \U0001f600".split(" ")
PIECES += ["\t".join(CARD_COLUMNS) + "\n", "a\tb\tc\td\te\tf\tg\n"]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=40).map("".join)
bytes_of = st.one_of(
    texts.map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=200)
)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["en", "x-1", "2003-01-01", "a#b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "en", "title", "text", "name"]), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = (
    "id game kind authority status date effective topics about cards sources title text supersedes"
    " because related rules different_from asked asked_of translated_from data object oracle_id"
    " comment source published_at name rulings identifiers types printings faceName front abbr side"
    " set set_name layout type_line"
).split()


def containers(value: Any) -> Iterator[Any]:
    """The lists and objects of a JSON value, itself among them."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@st.composite
def given_files(draw: st.DrawFn, sample: bytes, is_json: bool) -> bytes:
    """Bytes, a mutated sample, or JSON of the right keys and strange values."""
    kind = draw(st.sampled_from(["bytes", "sample", "keys"]))
    if kind == "sample":
        at, length = draw(st.integers(0, len(sample))), draw(st.integers(0, 30))
        return sample[:at] + draw(bytes_of)[:40] + sample[at + length :]
    if kind == "bytes" or not is_json:
        return draw(bytes_of)
    value = json.loads(sample)
    for _ in range(draw(st.integers(1, 4))):
        spot = draw(st.sampled_from(list(containers(value))))
        if isinstance(spot, list):
            spot.append(draw(json_values))
        else:
            spot[draw(st.sampled_from([*spot, *KEYS]))] = draw(json_values)
    return json.dumps(value).encode()


BOMBS = [
    b"[" * 200_000,
    b'{"data":' * 200_000,
    b'{"cards": ' + b"[" * 500_000,
    b"9" * 1_000_000,
    b'{"id": ' + b"9" * 100_000 + b"}",
    b'[{"object": "ruling", "oracle_id": "x", "comment": "y", "source": NaN,'
    b' "published_at": 1e999}]',
    b'{"cards": [{"id": 1e400, "front": {"title": "x"}, "rulings": ["y"]},'
    b' {"id": true, "front": {"title": "x"}}]}',
    *(
        b'{"cards": [{"id": 1, "front": {"title": "x"}, "rulings": ["%s"]}]}' % (html * 100_000)
        for html in (b"<ul><li>", b"<")
    ),
    b'{"cards": [{"id": -1, "front": {"title": "' + b"[" * 1_000 + b'"}, "rulings": 5}]}',
    b"- " * 500_000,
    b"? " * 500_000,
    b"a: &a [*a, *a]\n" * 1_000,
    b"\x00" * 100_000,
    b"\xff" * 100_000,
    b"a" * 1_000_000,
    b"a\n" * 30_000,
    b" " * 500_000,
    b"1. " * 100_000,
    b"PK\x03\x04" + b"\x00" * 1_000,
    b"\x1f\x8b\x08" + b"\x00" * 1_000,
    b"",
    b"\xef\xbb\xbf",
]


def check_bombs(form: str, name: str, tmp_path: Path) -> None:
    """Import a file of a name with each bomb: a KbError, or a game that can be read."""
    for number, data in enumerate(BOMBS):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / name).write_bytes(data)
        try:
            import_rulings(form, [folder / name], "demo", folder / "into")
        except KbError as error:
            assert str(error)
            continue
        assert "demo" in load(folder / "into").games, (form, data[:40])


def check_random_files(form: str, name: str, sample: bytes, game: Game) -> None:
    """Read and write random files of a name: a KbError, or drafts that stay the same."""

    @FUZZ
    @given(given_files(sample, name.endswith((".json", ".jsonl"))), st.booleans())
    def tried(data: bytes, known: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, into = Path(folder) / name, Path(folder) / "into"
            path.write_bytes(data)
            try:
                made = importer(form).read([path], game if known else None)
            except KbError as error:
                assert str(error)
                return
            assert all(rendered(draft).encode() for draft in made.drafts)
            assert all(str(one) for one in made.skipped)
            if write(made, into, "demo", form).new:
                library = load(into)
                assert "demo" in library.games, library.problems
                again = write(made, into, "demo", form)
                assert not again.new and not again.changed

    tried()
