"""Other people's files as somebody may send them who means harm.

Problems or one KbError, and nothing leaves the folder named.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.commands.importing import import_rulings
from kb.core.problems import KbError
from kb.ingest.base import format_names, importer
from kb.ingest.write import rendered, write
from kb.records.library import Library, load
from tests.security.test_fuzz import FUZZ, bytes_of
from tests.selection import thorough

LINE: dict[str, Any] = {"id": "one", "game": "demo", "kind": "ruling", "authority": "official"}
LINE |= {"status": "current", "topics": ["general"]}
LINE |= {"title": {"en": "Title"}, "text": {"en": "Text."}}


@pytest.fixture(autouse=True)
def _no_base(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Look for the cards of a game in the drafts alone, and not in the project's own rulings."""
    monkeypatch.setenv("KB_RULINGS", str(tmp_path / "none"))


def exported(folder: Path, **changed: object) -> Path:
    path = folder / "in.jsonl"
    path.write_text(json.dumps({**LINE, **changed}) + "\n", encoding="utf-8")
    return path


def everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


PATHS = ["../x", "/etc/x", "a/../../x", "..\\x", "con", "x\0y", ".git", "x\u202ey", "x" * 300, ""]


@pytest.mark.parametrize("name", PATHS)
def test_no_id_topic_or_game_of_an_import_leads_out(name: str, tmp_path: Path) -> None:
    for field, value in (("id", name), ("topics", [name])):
        path = exported(tmp_path, **{field: value})
        with suppress(KbError):
            import_rulings("jsonl", [path], "demo", tmp_path / "into")
    made = everything(tmp_path)
    assert all(one.startswith(("in.jsonl", "into")) for one in made)
    assert not any(re.search(r"(^|/)(x|\.git|con)(\.md)?$", one) for one in made)
    with pytest.raises(KbError, match=" id"):
        import_rulings("jsonl", [path], name, tmp_path / "into")
    assert everything(tmp_path) == made


@pytest.mark.parametrize(
    "place", ["../../x.md", "/etc/x.md", "general/../../x.md", "a.md", "general/con.md"]
)
def test_no_remembered_place_leads_out(place: str, tmp_path: Path) -> None:
    into = tmp_path / "into"
    import_rulings("jsonl", [exported(tmp_path, id="x")], "demo", into)
    state = into / "demo" / ".import" / "jsonl.json"
    hashes = json.loads(state.read_text(encoding="utf-8"))
    state.write_text(json.dumps({place: hashes["general/x.md"]}), encoding="utf-8")
    before = everything(tmp_path)
    with pytest.raises(KbError, match="not the place of a record"):
        import_rulings("jsonl", [exported(tmp_path, id="x")], "demo", into)
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    "linked",
    ". general sources.yaml general/one.md .import/jsonl.json .import/one.md".split(),
)
def test_an_import_follows_no_link(linked: str, tmp_path: Path) -> None:
    into, outside = tmp_path / "into", tmp_path / "outside"
    place, target = into / "demo" / linked, outside / "held"
    outside.mkdir()
    if linked == ".import/one.md":
        # The text that is put beside an edited record.
        import_rulings("jsonl", [exported(tmp_path)], "demo", into)
        record = into / "demo" / "general" / "one.md"
        record.write_text(record.read_text(encoding="utf-8") + "Edited.\n", encoding="utf-8")
    mine = "{}" if place.suffix == ".json" else "mine\n"
    if place.suffix:
        target.write_text(mine, encoding="utf-8")
    else:
        target.mkdir()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    with pytest.raises(KbError, match="symbolic link"):
        import_rulings("jsonl", [exported(tmp_path, text={"en": "Changed."})], "demo", into)
    assert everything(outside) == {"held"}
    assert not target.is_file() or target.read_text(encoding="utf-8") == mine


@pytest.mark.parametrize(
    "changed",
    [
        {"because": "x\n---\n\n# en: Other\n\nInjected", "supersedes": ["two"]},
        {"because": "a: b # c", "supersedes": ["two"]},
        {"asked_of": "x\n- y", "kind": "question"},
        {"title": {"en": "T\n\n# pl: Other\n\nx"}},
        {"text": {"en": "Text.\n\n# pl: Other\n\nx\n---"}},
        {"text": {"en": "```\nnever closed\n\n# pl: Other"}},
        {"text": {"en": "a\0b\x1b[2J\u202e\ud800c\u2028d"}, "title": {"en": "a\7\u202eb"}},
        {"about": ["Card\n---\nx", "C\7ard", "# Card", "'Card': \"x\"", "- Card"]},
        {"different_from": [{"id": "two", "because": "x)\n---\n(y"}]},
    ],
    ids=str,
)
def test_no_value_of_an_import_becomes_the_form_of_a_record(
    changed: dict[str, object], tmp_path: Path
) -> None:
    into = tmp_path / "into"
    import_rulings("jsonl", [exported(tmp_path, **changed)], "demo", into)
    library, files = load(into), list((into / "demo").glob("[!.]*/*.md"))
    assert "demo" in library.games
    # A value that no header may have keeps the whole line out, and is told.
    assert [path.name for path in files] in (["one.md"], [])
    # What a curator has to settle (an unknown card or ruling) is a problem; a broken form is none.
    form = re.compile("header|section|YAML|control|unknown key|code block|twice")
    messages = [one.message for one in library.problems if one.path.endswith(".md")]
    assert not list(filter(form.search, messages))
    text = "".join(path.read_text(encoding="utf-8") for path in files) or "# en:"
    assert re.findall(r"^# (\w+):", text, re.MULTILINE) == ["en"]
    assert re.search("[\x00-\x08\x1b\u202e\u2028]", text) is None


json_values = st.recursive(
    st.sampled_from([None, True, 7, -1, 1e400, "", "en", "x-1", "2003-01-01", "a#b", "ł\x00"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "en", "title", "text", "name"]), inner, max_size=3)
    ),
    max_leaves=8,
)
# Of the formats that are JSON.
KEYS = (
    "id game kind status date topics about cards sources title text supersedes related asked_as"
    " translated_from data object oracle_id comment source published_at name rulings type_line"
    " printings faceName front abbr side set layout"
).split()


def containers(value: Any) -> Iterator[Any]:
    """The lists and objects of a JSON value, itself among them."""
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


# A file of each format that is JSON, and one of questions and answers.
SAMPLES = [
    {**LINE, "sources": ["faq#x"], "asked_as": {"en": ["who?"]}, "translated_from": {}},
    {"cards": [{"id": 1, "front": {"title": "T", "type": "Used"}, "rulings": ["A <u>b</u>"]}]},
    [{"object": "ruling", "oracle_id": "x", "comment": "y", "source": "wotc"}],
    [{"object": "card", "oracle_id": "x", "name": "A // B", "type_line": "Instant"}],
]
FAQ = "FAQ\n\nPiloci\n\n1. Jeden.\n\nQ: Co?\nA: To.\n\nUwaga: y.\n\n- a\n- b\nterm - meaning\n"


@st.composite
def given_files(draw: st.DrawFn) -> bytes:
    """Random bytes, a sample with random bytes in it, or one with random values."""
    value = draw(st.sampled_from(deepcopy([*SAMPLES, FAQ])))
    if value == FAQ or draw(st.booleans()):
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        at, length = draw(st.integers(0, len(data))), draw(st.integers(0, 30))
        return data[:at] + draw(bytes_of)[:40] + data[at + length :]
    for _ in range(draw(st.integers(1, 4))):
        spot = draw(st.sampled_from(list(containers(value))))
        if isinstance(spot, list):
            spot.append(draw(json_values))
        else:
            spot[draw(st.sampled_from([*spot, *KEYS]))] = draw(json_values)
    return json.dumps(value).encode()


BOMBS = [
    b"[" * 200_000,
    b'{"cards": ' + b"[" * 500_000,
    b"9" * 1_000_000,
    b'{"id": ' + b"9" * 100_000 + b"}",
    b'[{"object": "ruling", "oracle_id": "x", "comment": "y", "source": NaN,'
    b' "published_at": 1e999}]',
    b'{"cards": [{"id": 1e400, "front": {"title": "x"}, "rulings": ["y"]},'
    b' {"id": true, "front": {"title": "x"}}]}',
    b'{"cards": [{"id": 1, "front": {"title": "x"}, "rulings": ["%s"]}]}' % (b"<ul><li>" * 99_999),
    b"- " * 500_000,
    b"a: &a [*a, *a]\n" * 1_000,
    b"\x00" * 100_000,
    b"\xff" * 100_000,
    b"a" * 1_000_000,
    b"a\n" * 30_000,
    b"1. " * 100_000,
    b"PK\x03\x04" + b"\x00" * 1_000,
    b"",
    b"\xef\xbb\xbf",
]


FORMATS = format_names()


def named(form: str) -> str:
    return {"text": "in.txt", "jsonl": "in.jsonl"}.get(form, "in.json")


@pytest.mark.parametrize("form", ["jsonl", *thorough(*FORMATS[1:])])
def test_bombs(form: str, tmp_path: Path) -> None:
    for number, data in enumerate(BOMBS):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        (folder / named(form)).write_bytes(data)
        try:
            import_rulings(form, [folder / named(form)], "demo", folder / "into")
        except KbError as error:
            assert str(error)
            continue
        assert "demo" in load(folder / "into").games, (form, data[:40])


@pytest.mark.parametrize("form", FORMATS)
def test_random_files_are_refused_or_become_drafts_that_stay_the_same(
    form: str, good: Library
) -> None:
    @FUZZ
    @given(given_files(), st.booleans())
    def tried(data: bytes, known: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path, into = Path(folder) / named(form), Path(folder) / "into"
            path.write_bytes(data)
            try:
                made = importer(form).read([path], good.games["demo"] if known else None)
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
