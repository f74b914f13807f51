"""Other people's files as somebody may send them who means harm.

Problems or one KbError, and nothing leaves the folder named.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kb.core.problems import KbError
from kb.ingest.base import format_names
from kb.ingest.run import import_rulings
from kb.records.library import load
from tests.selection import thorough

LINE: dict[str, Any] = {"id": "one", "game": "demo", "kind": "ruling", "authority": "official"}
LINE |= {"status": "current", "topics": ["general"]}
LINE |= {"title": {"en": "Title"}, "text": {"en": "Text."}}


def exported(folder: Path, **changed: object) -> Path:
    path = folder / "in.jsonl"
    path.write_text(json.dumps({**LINE, **changed}) + "\n", encoding="utf-8")
    return path


def everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


PATHS = ["../x", "/etc/x", "a/../../x", "..\\x", "x\0y", ".git", "x\u202ey", "x" * 300, ""]


@pytest.mark.parametrize("name", PATHS)
def test_no_id_topic_or_game_of_an_import_leads_out(name: str, tmp_path: Path) -> None:
    for field, value in (("id", name), ("topics", [name])):
        path = exported(tmp_path, **{field: value})
        with suppress(KbError):
            import_rulings("jsonl", [path], "demo", tmp_path / "into")
    made = everything(tmp_path)
    assert all(one.startswith(("in.jsonl", "into")) for one in made)
    assert not any(re.search(r"(^|/)(x|\.git)(\.md)?$", one) for one in made)
    with pytest.raises(KbError, match=" id"):
        import_rulings("jsonl", [path], name, tmp_path / "into")
    assert everything(tmp_path) == made


@pytest.mark.parametrize("place", ["../../x.md", "/etc/x.md", "general/../../x.md", "a.md"])
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


@pytest.mark.parametrize("linked", ["sources.yaml", ".import/jsonl.json"])
def test_an_import_writes_through_no_link(linked: str, tmp_path: Path) -> None:
    place, target = tmp_path / "into" / "demo" / linked, tmp_path / "held"
    target.write_text("{}" if place.suffix == ".json" else "", encoding="utf-8")
    before = target.read_bytes()
    place.parent.mkdir(parents=True)
    place.symlink_to(target)
    with pytest.raises(KbError, match="symbolic link"):
        import_rulings("jsonl", [exported(tmp_path, sources=["a#b"])], "demo", tmp_path / "into")
    assert target.read_bytes() == before


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
